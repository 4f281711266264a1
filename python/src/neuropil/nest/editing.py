# SPDX-License-Identifier: Apache-2.0
"""Edits of connections that exist: removal, other weights, delays, parameters and labels; of those of devices weights and delays.

All is checked on all ranks, for what NEST has its own errors for, then done by one call of the kernel, which checks the rest and in which
connections keep their state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import errors as native
from ..engine import (
    Floats,
    FollowedConnections,
    Ints,
    Ranges,
    any_rank,
    catalog,
    columns_of,
    gathered,
    network_of,
    own_values,
    to_spec,
)
from . import grid, projections
from .errors import NESTErrors, translating
from .kernel import Session, session, together
from .models.synapse_models import DIFFUSION, SUB_STEP_DELAY, check_values
from .wires import OWN, DeviceWire, Kind

if TYPE_CHECKING:
    from .models.synapse_models import SynapseModel
    from .synapse_columns import Columns


_LONGEST = 2**40  # steps; far more than the kernel takes, far less than an int64


def of_kinds(what: Callable[[Kind, SynapseModel], Any], dtype: Any = bool) -> NDArray[Any]:
    """What each kind of connections has, by the kind and its model in NEST; of shape (kinds,)."""
    s = session()
    return np.array([what(kind, s.synapse_models[kind.model]) for kind in s.wires.kinds], dtype)


def having(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter, or labels."""
    return of_kinds(lambda kind, model: model.labelled if key == "synapse_label" else key in model.entry.parameters)


def having_of_source(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter that their source has: their model of NEST knows nothing of it."""
    return of_kinds(lambda kind, model: kind.base != model.base and key in catalog.synapses()[kind.base].parameters)


def wmax(kind: Kind, model: SynapseModel) -> float:
    """Wmax of a kind, nan without."""
    return float(kind.parameters.get("Wmax", model.default("Wmax"))) if "Wmax" in model.entry.parameters else np.nan


def split_delays(kinds: Ints, delay: Floats) -> tuple[Floats, Floats | None]:
    """Delays (ms) in whole steps, the next for cont_delay_synapse, the nearest for others; what is subtracted from these (ms), None: nothing."""
    h = session().resolution
    steps, between = np.minimum(grid.delay_steps(delay), _LONGEST), having(SUB_STEP_DELAY)[kinds]
    if not between.any():
        return steps, None
    steps = np.minimum(np.where(between, np.ceil(delay / h - 1e-9), steps), _LONGEST)
    less = steps * h - delay
    return steps, np.where(between & (less > 1e-9 * h), less, 0.0)


def _check_values(columns: Columns, kinds: Ints, values: Mapping[str, Floats], steps: Floats, sub_step: Floats | None) -> None:
    """Raises what NEST has its own errors for; the kernel checks the rest. steps, sub_step : the delays, see `split_delays`."""
    for model in columns.models():
        check_values(model, values)
    for key, column in values.items():
        if key == "delay":
            check_delays(column)
            if sub_step is not None:
                check_delays((steps - (sub_step > 0.0)) * session().resolution)
        elif not np.isfinite(column if key == "weight" else column[having(key)[kinds]]).all():
            raise NESTErrors.BadProperty(f"{key} must be a finite number")
        elif key == "synapse_label" and (column[having(key)[kinds]] < 0).any():
            raise NESTErrors.BadProperty("Connection label must not be negative.")
    if {"Wmax", "weight"} & values.keys():
        _check_signs(columns, kinds, values)


def _check_signs(columns: Columns, kinds: Ints, values: Mapping[str, Floats]) -> None:
    """Raises BadProperty where weight and Wmax would have different signs."""
    some = np.flatnonzero(having("Wmax")[kinds])
    if not len(some):
        return
    part = columns.kernel_part()
    assert part is not None
    weight = values["weight"][some] if "weight" in values else own_values(part[some], "weights")
    most = values["Wmax"][some] if "Wmax" in values else of_kinds(wmax, float)[kinds[some]]
    projections.check_signs(weight, most, of_kinds(lambda kind, model: model.zero_is_positive)[kinds[some]])


def check_delays(delay: Floats) -> None:
    """Raises BadDelay for delays (ms) that existing connections cannot have."""
    steps = grid.delay_steps(delay)
    wrong = ~np.isfinite(steps) | (steps < 1)
    if wrong.any():
        raise NESTErrors.BadDelay(f"Delay value {delay[wrong][0]} is invalid: Delay must be greater than or equal to resolution")
    projections.check_delays(delay)


MISSING = "Deletion of connection is not possible because it does not exist."
_ENDS = ("slice", "table", "position", "source", "target", "receptor")


def disconnect(columns: Columns) -> None:
    """Removes connections. Raises InexistentConnection where there are other than those from neurons and spike_train_injectors. Collective."""
    if any_rank(bool((columns.origin < 0).any()) or _from_devices(columns.source)):
        raise NESTErrors.InexistentConnection(MISSING)
    columns.refresh()
    connections, _ = _of_all_ranks(columns, {})
    if len(connections["slice"]):
        assert columns.kernel is not None
        with _changing():
            done = session().engine.kernel.remove(*_handles(connections), sent_before())
        session().wires.n_by_kind = None
        columns.kernel.follow(done, columns.rows(), {})


def _from_devices(sources: Ints) -> bool:
    if not len(sources):
        return False
    rows = session().registry.joined(Ranges.of(np.unique(sources)).table)
    return any(row.model.kind != "neuron" and row.model.root != "spike_train_injector" for row, _ in rows)


def replace(columns: Columns, fresh: Mapping[str, Any], has: Callable[[str], NDArray[np.bool_]] = having) -> None:
    """Gives connections of the kernel other weights, delays, parameters or labels.

    A number or an array with one per connection each; the same keys on all ranks. Raises BadDelay, BadProperty, NotSupported; then nothing
    has changed. Collective.

    has : which kinds have a parameter, or labels
    """
    columns.refresh()
    kinds = columns.kinds()
    values = {key: each(value, len(columns)) for key, value in fresh.items()}
    whole, sub_step = split_delays(kinds, values.get("delay", np.ones(len(kinds))))
    together(lambda: _check_values(columns, kinds, values, whole, sub_step) if len(kinds) else None)
    more = {"delay": whole} if "delay" in values else {}
    if more and any_rank(sub_step is not None):
        more[SUB_STEP_DELAY] = np.zeros(len(kinds)) if sub_step is None else sub_step
    given, first = _of_all_ranks(columns, {"kind": kinds, **values, **more})
    kinds = given.pop("kind").astype(np.int64)
    if not len(kinds):
        return
    handles = _handles(given)
    ends = {name: given.pop(name) for name in _ENDS}
    weight, delay = given.pop("weight", None), given.pop("delay", None)
    new: dict[Any, Kind] = {}
    having_each = {key: has(key) for key in given}
    labels = _labels(ends, kinds, given, having_each, new)
    parameters = {key: np.where(having_each[key][kinds], column, np.nan) for key, column in given.items() if key != "synapse_label"}
    steps = None if delay is None else delay.astype(np.int64)
    assert columns.kernel is not None
    with _changing():
        done = session().engine.kernel.edit(*handles, sent_before(), weight=weight, delay_steps=steps, parameters=parameters, label=labels)
    if not done.moved:
        return
    session().wires.n_by_kind = None
    if steps is not None:
        session().wires.forget_delays()
    for kind in new.values():
        session().wires.note_kind(kind)
    changed = {"delay_steps": steps, "label": labels, "receptor": None if weight is None else receptors(ends, weight)}
    mine = slice(first, first + len(columns))
    columns.kernel.follow(done, columns.rows(), {name: column[mine] for name, column in changed.items() if column is not None})


def each(value: Any, n: int) -> Floats:
    """One value for each of n connections."""
    return np.asarray(value, np.float64) if np.ndim(value) else np.full(n, value, np.float64)


@contextmanager
def _changing() -> Iterator[None]:
    """Around a call of the kernel that may move connections."""
    for recorder in session().recorders.values():
        if recorder.model.root == "weight_recorder":
            recorder.gather()  # its events name connections by their handles
    with translating():
        yield


def sent_before() -> int:
    """The step before which spikes have been sent: NEST sends them when an interval of min_delay is over and the next one begins."""
    s = session()
    interval, step = s.slice_steps, s.engine.kernel.step
    return (step - 1) // interval * interval if step else 0


def _of_all_ranks(columns: Columns, values: Mapping[str, NDArray[Any]]) -> tuple[dict[str, NDArray[Any]], int]:
    """Handles, sources, targets and receptors of the connections of all ranks, values that belong to them, and where those of this rank begin.

    Collective.
    """
    part = columns.kernel_part()
    found = {name: np.empty(0, np.int64) if part is None else columns_of(part)[name] for name in _ENDS} | dict(values)
    if session().n_ranks == 1:
        return found, 0
    table, first = gathered(np.column_stack([c.astype(np.int64).view(np.float64) if n in _ENDS else c for n, c in found.items()]))
    whole = {name: np.ascontiguousarray(table[:, k]) for k, name in enumerate(found)}
    return {name: column.view(np.int64) if name in _ENDS else column for name, column in whole.items()}, first


def _handles(connections: Mapping[str, NDArray[Any]]) -> tuple[Ints, NDArray[np.int32], Ints]:
    return connections["slice"].astype(np.int64), connections["table"].astype(np.int32), connections["position"].astype(np.int64)


def receptors(connections: Mapping[str, Ints], weight: Floats) -> NDArray[np.int32]:
    """Receptors after weights were set: their sign chooses between the two of neurons that have no ports."""
    chosen = session().registry.of_models(lambda model: model.entry.input == "by_sign", connections["target"]) & (weight != 0.0)
    return np.where(chosen, weight < 0.0, connections["receptor"]).astype(np.int32)


def _labels(
    connections: Mapping[str, Ints], kinds: Ints, values: Mapping[str, Floats], has: Mapping[str, NDArray[np.bool_]], new: dict[Any, Kind]
) -> NDArray[np.int32] | None:
    """Labels by which the kernel will tell the edited connections from others, None: those they have; new kinds are added to `new`.

    has : by key, which kinds have it
    """
    wires = session().wires
    known = {key: has[key] & np.array([kind.parameters.get(key) is not OWN for kind in wires.kinds], bool) for key in values}
    if not any(known[key][kinds].any() for key in values):  # each synapse has its own
        return None
    table = np.column_stack([kinds, *(np.where(known[key][kinds], column, 0.0) for key, column in values.items())])
    groups, index = np.unique(table, axis=0, return_inverse=True)
    labels = np.empty(len(groups), np.int32)
    for k, row in enumerate(groups.tolist()):
        some = index.ravel() == k
        old = int(row[0])
        fresh = {key: value for key, value in zip(values, row[1:], strict=True) if known[key][old]}
        label = int(fresh.pop("synapse_label", wires.kinds[old].synapse_label))
        pre, post = ((int(connections[end][some].min()), int(connections[end][some].max())) for end in ("source", "target"))
        labels[k] = wires.edited_kind(wires.kinds[old], wires.kinds[old].parameters | fresh, label, (pre, post), new).label
    return labels[index.ravel()]


def device_edits(c: Columns, columns: Mapping[str, Floats]) -> list[tuple[DeviceWire, dict[str, Floats]]]:
    """Checks weights and delays for those of some connections that are of devices; nothing has changed yet.

    Raises BadDelay, BadProperty. Collective.
    """
    s = session()
    others, numbers = np.flatnonzero(c.origin < 0), s.wires.numbers(wire for wire, _ in c.wired)
    index = [np.stack([np.full(len(at), k), at]) for k, (_, at) in zip(numbers, c.wired, strict=True)]
    rows = np.concatenate(index, axis=1)[:, -1 - c.origin[others]] if len(others) else np.empty((2, 0), np.int64)
    table, _ = gathered(np.column_stack([*rows, *(column[others] for column in columns.values())]).astype(np.float64))
    if "delay" in columns and len(table):
        at = 2 + list(columns).index("delay")
        check_delays(table[:, at])
        table[:, at] = s.engine.ms(np.round(table[:, at] / s.resolution).astype(np.int64))
    edits = []
    for number in np.unique(table[:, 0]).astype(int).tolist():
        wire, some = s.wires.devices[number], table[:, 0] == number
        fresh = {key: wire.changed(key, table[some, 1].astype(np.int64), table[some, 2 + k]) for k, key in enumerate(columns)}
        edits.append((wire, fresh))
        relink(wire, fresh, check_only=True)
    return edits


def relink(wire: DeviceWire, fresh: Mapping[str, Floats], check_only: bool = False) -> None:
    """Gives the connections of one Connect of devices other weights and delays, or only checks whether that can be done."""
    weight, delay = (fresh.get(name, getattr(wire, name)) for name in ("weight", "delay"))
    for link, index in wire.links:
        some = [each(value, len(wire))[slice(None) if index is None else index] for value in (weight, delay)]
        with translating():
            session().engine.kernel.relink(link, to_spec("weight", some[0]), to_spec("delay", some[1]), check_only)
    if not check_only:
        wire.weight, wire.delay = weight, delay
        session().wires.note_delays(float(np.min(delay)), float(np.max(delay)))


# --- weights of a few connections, by the shortest way: scripts that learn by rules of their own set them in loops

_NUMBERS = frozenset({float, int, np.float64})
_ALL = frozenset({-1.0, 0.0, 1.0})


def set_weights(connections: FollowedConnections | None, rows: NDArray[np.int64], weight: Any) -> bool:
    """Sets the weights of some rows of a list to a number. False where this takes more than a look into tables; then nothing was done."""
    s = session()
    if s.n_ranks > 1 or connections is None or type(weight) not in _NUMBERS or not math.isfinite(weight):
        return False
    if connections.stale or network_of(connections.now) is not s.network:  # to be read again, or of a network before ResetKernel
        return False
    if len(rows) == 0 or bool(weight > 0) - bool(weight < 0) not in _signs(s) or _least(rows) < 0:
        return False
    slices, tables, positions = connections.handles_of(rows)
    if _least(positions) < 0 or _moves(connections, rows, weight):
        return False
    try:
        s.engine.kernel.edit(slices, tables, positions, 0, weight=np.array([weight], np.float64))
    except native.BadParameter:
        return False
    return True


def _least(values: NDArray[np.int64]) -> int:
    """The smallest number; of one without the time that numpy takes to begin."""
    return int(values[0] if len(values) == 1 else values.min())


def _moves(connections: FollowedConnections, rows: NDArray[np.int64], weight: float) -> bool:
    """Whether the sign of the weight chooses another receptor for some row."""
    columns = columns_of(connections.now)
    now, negative = columns["receptor"][rows], weight < 0
    if (now[0] == 1) == negative and (len(now) == 1 or ((now == 1) == negative).all()):
        return False
    ends = {"target": columns["target"][rows], "receptor": now}
    return bool((receptors(ends, np.full(len(rows), weight)) != now).any())


def _signs(s: Session) -> frozenset[float]:
    """Signs that weights of all connections may have as far as models and Wmax are concerned."""
    known, now = s.plans.get("signs"), (len(s.wires.kinds), len(s.wires.devices))
    if known is not None and known[:2] == now:
        return frozenset(known[2])
    models = {*(kind.model for kind in s.wires.kinds), *(wire.model for wire in s.wires.devices)}
    found = _ALL
    if any("weight" in s.synapse_models[model].homogeneous or s.synapse_models[model].base == DIFFUSION for model in models):
        found = frozenset()
    for kind in s.wires.kinds:
        model = s.synapse_models[kind.model]
        found &= {sign for sign in _ALL if not projections.opposite(sign, wmax(kind, model), model.zero_is_positive)}
    s.plans["signs"] = (*now, found)
    return found
