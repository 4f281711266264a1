# SPDX-License-Identifier: Apache-2.0
"""Connections that exist: taken out, or made anew with other delays, parameters or weights of the other sign."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import catalog
from ..connections import Connections
from ..distributions import to_spec
from ..ranges import Ranges
from . import projections, tracing
from .devices.meter import max_delay, min_delay
from .devices.weight_recorder import WeightRecorder
from .errors import NESTErrors, NotSupported, translating
from .kernel import session
from .models.synapse_models import SUB_STEP_DELAY
from .ranks import anywhere, gathered
from .synapse_spec import SynSpec
from .wires import DeviceWire, present_weights

if TYPE_CHECKING:
    from .synapse_columns import Columns

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_STEPS = 65000  # of a delay in the kernel
MISSING = "Deletion of connection is not possible because it does not exist."


# --- taking out


def disconnect(columns: Columns) -> None:
    """Removes connections. Raises InexistentConnection where there are other than those between neurons. Collective."""
    if anywhere(bool((columns.origin < 0).any()) or _from_devices(columns.source)):
        raise NESTErrors.InexistentConnection(MISSING)
    columns.refresh()
    take_out(None if columns.kernel is None or not len(columns) else columns._kernel_part())


def _from_devices(sources: Ints) -> bool:
    return (
        any(row.model.kind != "neuron" for row, _ in session().registry.joined(Ranges.of(np.unique(sources)).table))
        if len(sources)
        else False
    )


@dataclass(slots=True)
class Taken:
    """What connections of this rank were, one per row: weight, last spike of the source (stamp), what the synapse model keeps of it and of the synapse.

    in_flight : spikes (connection, step, and last and two values of before it) that had not been sent; float64 of shape (n, 5)
    """

    weight: Floats
    last: Ints
    state: Floats
    own: Floats
    in_flight: Floats


def take_out(connections: Connections | None) -> Taken:
    """Removes this rank's connections. Collective."""
    network = session().network
    for recorder in session().recorders:
        if isinstance(recorder, WeightRecorder):
            recorder.gather()  # it finds ports of events by connections that are there
    names = ("slice", "table", "position")
    mine = np.empty((0, 3)) if connections is None else np.stack([connections._columns[name].astype(np.float64) for name in names], axis=1)
    rows, first = gathered(mine)
    slices, tables, positions = (np.ascontiguousarray(column) for column in rows.astype(np.int64).T)
    with translating():
        weight, last, values, synapse, in_flight = network._kernel.disconnect(slices, tables.astype(np.int32), positions, _sent())
    network._version += 1
    own = slice(first, first + len(mine))
    state, synapse = (each.reshape(len(rows), -1)[own] if len(rows) else np.empty((0, 0)) for each in (values, synapse))
    return Taken(weight[own], last[own], state, synapse, in_flight - [first, 0, 0, 0, 0])


def _sent() -> int:
    """The step from which on spikes have not been sent: NEST sends them when an interval of min_delay is over and the next one begins."""
    s = session()
    interval, step = max(round(min_delay() / s.resolution), 1), s.network._kernel.step
    return (step - 1) // interval * interval if step else 0


# --- connections of devices


def set_devices(rows: Ints, columns: Mapping[str, NDArray[Any]]) -> Wired:
    """Sets weights and delays of connections of devices: rows of shape (2, n) with numbers of wires and positions. Collective.

    Returns what `put_back` needs. Raises BadDelay, BadProperty; then nothing has changed.
    """
    s = session()
    before: Wired = []
    table, _ = gathered(np.stack([*rows, *columns.values()], axis=1).astype(np.float64))
    if "delay" in columns and len(table):
        at = 2 + list(columns).index("delay")
        check_delays(table[:, at])
        table[:, at] = s.network._grid.ms(np.round(table[:, at] / s.resolution).astype(np.int64))
    for number in np.unique(table[:, 0]).astype(int).tolist():
        wire, some = s.wires.devices[number], table[:, 0] == number
        before.append((wire, wire.weight, wire.delay))
        for k, key in enumerate(columns):
            wire.change(key, table[some, 1].astype(np.int64), table[some, 2 + k])
        try:
            _relink(wire)
        except Exception:
            put_back(before)
            raise
    return before


Wired = list[tuple[DeviceWire, float | Floats, float | Floats]]  # weight and delay of each


def put_back(before: Wired) -> None:
    """Gives connections of devices the weights and delays that they had."""
    for wire, weight, delay in before:
        wire.weight, wire.delay = weight, delay
        _relink(wire)


def _relink(wire: DeviceWire) -> None:
    """Tells the kernel weights and delays. Raises what it refuses; then nothing has changed there."""
    s = session()
    for link, index in wire.links:
        weight, delay = (wire.column(key)[slice(None) if index is None else index] for key in ("weight", "delay"))
        with translating():
            s.network._kernel.relink(link, to_spec("weight", weight), to_spec("delay", delay))
    s.wires.note_delays(float(np.min(wire.delay)), float(np.max(wire.delay)))


# --- making anew


@dataclass(slots=True)
class Anew:
    """Connections to be made anew, one per row of all arrays: those of this rank.

    kind : index into the session's kinds; values : of the parameters `keys`, float64 of shape (n, len(keys))
    """

    source: Ints
    target: Ints
    kind: Ints
    receptor: Ints  # as Connect takes it
    delay: Floats  # ms
    keys: tuple[str, ...]
    values: Floats


def replace(columns: Columns, fresh: Mapping[str, Any]) -> None:
    """Gives connections other weights, delays or parameters: a number or an array with one per connection each. Collective.

    They go on with the state of those that they replace. Raises BadDelay, BadProperty; then nothing has changed.
    """
    columns.refresh()
    part = columns._kernel_part() if columns.kernel is not None and len(columns) else None
    fresh = _whole_delays(columns, fresh)
    anew = _described(columns, part, fresh)
    _check(anew, fresh, part)
    taken = take_out(part)
    if "weight" in fresh:
        taken.weight = np.broadcast_to(np.asarray(fresh["weight"], np.float64), len(taken.weight)).copy()
    kinds = _connect(anew, taken)
    columns.find_again(kinds, taken.weight, np.round(anew.delay / session().resolution).astype(np.int64))


def _whole_delays(columns: Columns, fresh: Mapping[str, Any]) -> Mapping[str, Any]:
    """Delays of cont_delay_synapse as the kernel has them: whole steps, less a part of one."""
    fine = [SUB_STEP_DELAY in model.entry.parameters for model in columns._distinct()] if "delay" in fresh else []
    if not anywhere(any(fine)):
        return fresh
    if anywhere(not all(fine)):
        raise NotSupported("setting delays of cont_delay_synapse and of others at once", "set them one by one")
    h, exact = session().resolution, np.asarray(fresh["delay"], np.float64)
    whole = np.ceil(exact / h - 1e-9) * h
    return {**fresh, "delay": whole, SUB_STEP_DELAY: np.where(whole - exact > 1e-9 * h, whole - exact, 0.0)}


def _described(columns: Columns, part: Connections | None, fresh: Mapping[str, Any]) -> Anew:
    n = len(columns)
    keys = tuple(key for key in fresh if key not in ("weight", "delay"))
    values = np.stack([np.broadcast_to(np.asarray(fresh[key], np.float64), n) for key in keys], axis=1) if keys else np.empty((n, 0))
    delay = np.broadcast_to(np.asarray(fresh.get("delay", np.nan), np.float64), n).copy()
    if part is None:
        nothing = np.empty(0, np.int64)
        return Anew(nothing, nothing, nothing, nothing, delay, keys, values)
    if "delay" not in fresh:
        delay = part.delay
    kinds = columns._kinds()[columns.origin]
    for k, key in enumerate(keys):
        values[~_having(key)[kinds], k] = 0.0
    return Anew(part.source, part.target, kinds, projections.named_receptors(part.target, part.receptor), delay, keys, values)


def _having(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter, or labels."""
    s = session()
    models = [s.synapse_models[kind.model] for kind in s.wires.kinds]
    return np.array([model.labelled if key == "synapse_label" else key in model.entry.parameters for model in models], bool)


def _parameters(kind: int, keys: tuple[str, ...], values: Floats) -> tuple[dict[str, float], int]:
    """Parameters and label of connections of a kind that get other values."""
    old = session().wires.kinds[kind]
    fresh = {key: value for key, value in zip(keys, values.tolist(), strict=True) if _having(key)[kind]}
    label = int(fresh.pop("synapse_label", old.synapse_label))
    return old.parameters | fresh, label


def _check(anew: Anew, fresh: Mapping[str, Any], part: Connections | None) -> None:
    """Everything that could be refused, on all ranks before any of them changes something."""
    error: Exception | None = None
    try:
        if len(anew.source):
            if "delay" in fresh:
                check_delays(anew.delay)
                _check_length(anew.delay)
                if SUB_STEP_DELAY in fresh:
                    check_delays(anew.delay - session().resolution * (np.asarray(fresh[SUB_STEP_DELAY]) > 0.0))
            if not np.isfinite(np.asarray(fresh.get("weight", 0.0), np.float64)).all():
                raise NESTErrors.BadProperty("weight must be a finite number")
            if part is not None and (anew.keys or "weight" in fresh):
                _check_parameters(anew, fresh, part)
            _check_kinds(anew)
    except NESTErrors.KernelException as found:
        error = found
    if anywhere(error is not None):
        raise error or NESTErrors.BadProperty("values of connections were refused on another rank")


def _check_kinds(anew: Anew) -> None:
    s = session()
    for k in np.unique(anew.kind).tolist():
        some = anew.kind == k
        model = s.synapse_models[s.wires.kinds[k].model]
        earlier = s.wires.kinds[k].parameters.get(SUB_STEP_DELAY, 0.0)
        if SUB_STEP_DELAY in anew.keys:
            earlier = float(anew.values[some, anew.keys.index(SUB_STEP_DELAY)].max())
        pre, post = (Ranges.of(np.unique(ids[some])) for ids in (anew.source, anew.target))
        projections.check_again(pre, post, SynSpec(model, 1.0, 1.0, 0, {SUB_STEP_DELAY: earlier}, -1))


def _check_length(delay: Floats) -> None:
    """Raises BadDelay for delays (ms) that are too long for the kernel."""
    if np.round(delay.max() / session().resolution) > MOST_STEPS:
        raise NESTErrors.BadDelay(f"Delay value {delay.max()} is invalid: Delay must be at most {MOST_STEPS} steps of the resolution")


def check_delays(delay: Floats) -> None:
    """Raises BadDelay for delays (ms) that existing connections cannot have."""
    s = session()
    steps = np.round(delay / s.resolution)
    wrong = ~np.isfinite(steps) | (steps < 1)
    if wrong.any():
        raise NESTErrors.BadDelay(f"Delay value {delay[wrong][0]} is invalid: Delay must be greater than or equal to resolution")
    projections.check_delays(delay)
    low, high = (round(d / s.resolution) for d in (min_delay(), max_delay()))
    wrong = (steps < low) | (steps > high)
    if s.simulated and wrong.any():
        raise NESTErrors.BadDelay(
            f"Delay value {delay[wrong][0]} is invalid: Minimum and maximum delay cannot be changed after Simulate has been called."
        )


def _check_parameters(anew: Anew, fresh: Mapping[str, Any], part: Connections) -> None:
    s = session()
    weight = np.broadcast_to(np.asarray(fresh["weight"], np.float64), len(part)) if "weight" in fresh else None
    rows, index = np.unique(np.column_stack([anew.kind, anew.values]), axis=0, return_inverse=True)
    for k, row in enumerate(rows):
        kind = s.wires.kinds[int(row[0])]
        parameters, label = _parameters(int(row[0]), anew.keys, row[1:])
        if label < 0 and "synapse_label" in anew.keys and s.synapse_models[kind.model].labelled:
            raise NESTErrors.BadProperty("Connection label must not be negative.")
        with translating():
            s.network._kernel.check_synapse(kind.base, parameters)
        if "Wmax" in s.synapse_models[kind.model].entry.parameters and {"Wmax", "weight"} & fresh.keys():
            some = np.flatnonzero(index.ravel() == k)
            weights = present_weights(part[some]) if weight is None else weight[some]
            most = parameters.get("Wmax", s.synapse_models[kind.model].default("Wmax"))
            if (np.sign(weights) * np.sign(most) < 0).any():
                raise NESTErrors.BadProperty("Weight and Wmax must have same sign.")


def _layers(anew: Anew, taken: Taken) -> Ints:
    """Connections of a source whose states differ (they were made at different times) are apart: number from 0, of shape (n,). Collective."""
    n, width = taken.state.shape
    most = int(gathered(np.array([[float(width)]]))[0].max())  # ranks have synapses of other models
    if not most:
        return np.zeros(len(taken.last), np.int64)
    state = np.zeros((len(taken.last), most))
    state[:n, :width] = taken.state
    mine = np.column_stack([anew.kind, anew.source, taken.last, state]).astype(np.float64)
    everyone, _ = gathered(np.unique(mine, axis=0))
    rows, index = np.unique(np.concatenate([everyone, mine]), axis=0, return_inverse=True)
    first = np.flatnonzero(np.r_[True, (np.diff(rows[:, :2], axis=0) != 0).any(axis=1)])
    number = np.arange(len(rows)) - np.repeat(first, np.diff(np.r_[first, len(rows)]))
    return np.asarray(number[index.ravel()[len(everyone) :]], np.int64)


def _connect(anew: Anew, taken: Taken) -> Ints:
    """Makes the connections, which go on as those before; returns the kind of each of this rank."""
    layer = _layers(anew, taken)
    mine = np.column_stack([layer, anew.kind, anew.receptor, anew.values, anew.source, anew.target, taken.weight, anew.delay])
    table, first = gathered(mine.astype(np.float64))
    n_group = 3 + len(anew.keys)
    groups, index = np.unique(table[:, :n_group], axis=0, return_inverse=True)
    order = np.argsort(index.ravel(), kind="stable")
    cuts = np.searchsorted(index.ravel()[order], np.arange(len(groups) + 1))
    kinds = np.empty(len(table), np.int64)
    for k, group in enumerate(groups):
        some = order[cuts[k] : cuts[k + 1]]
        kinds[some] = _connect_group(group, anew.keys, table[some, n_group:])
        if k + 1 == len(groups) or (groups[k + 1, :2] != group[:2]).any():
            _settle(anew, taken, (layer == group[0]) & (anew.kind == group[1]))
    return kinds[first : first + len(mine)]


def _connect_group(group: Floats, keys: tuple[str, ...], rows: Floats) -> int:
    """Makes connections (source, target, weight, delay) that are alike; returns their kind."""
    s = session()
    kind = s.wires.kinds[int(group[1])]
    parameters, label = _parameters(int(group[1]), keys, group[3:])
    ends = [np.unique(rows[:, k].astype(np.int64), return_inverse=True) for k in (0, 1)]
    pre, post = (Ranges.of(ids) for ids, _ in ends)
    weight, delay = (np.ascontiguousarray(rows[:, k]) for k in (2, 3))
    model = s.synapse_models[kind.model]
    if model.base != kind.base:
        model = dataclasses.replace(model, base=kind.base, entry=catalog.synapses()[kind.base])
    spec = SynSpec(model, weight, delay, int(group[2]), {}, label)
    edges = {"sources": ends[0][1].ravel(), "targets": ends[1][1].ravel()}
    return projections.connect_again(pre, post, edges, spec, parameters)


def _settle(anew: Anew, taken: Taken, some: NDArray[np.bool_]) -> None:
    """Builds what was connected; it goes on with the state of before, and hears of spikes that were still to be sent."""
    kernel = session().network._kernel
    with translating():
        kernel.build(None)
    index = np.flatnonzero(some)
    if not len(index):
        return
    if taken.state.shape[1]:
        delay = np.round(anew.delay[index] / session().resolution).astype(np.int64)
        state, own = (np.ascontiguousarray(each[index]).ravel() for each in (taken.state, taken.own))
        kernel.inherit(anew.source[index], anew.target[index], delay, taken.last[index], state, own)
    spikes = taken.in_flight[some[taken.in_flight[:, 0].astype(np.int64)]]
    if len(spikes):
        source = anew.source[spikes[:, 0].astype(np.int64)]
        _, group = np.unique(spikes[:, :2], axis=0, return_inverse=True)
        number = tracing.numbered(group.ravel())  # there may be several in a step
        _, first = np.unique(np.column_stack([source, spikes[:, 1], number]), axis=0, return_index=True)
        steps, last = (spikes[first, k].astype(np.int64) for k in (1, 2))
        kernel.resend(source[first], steps, last, np.ascontiguousarray(spikes[first, 3:]).ravel())
