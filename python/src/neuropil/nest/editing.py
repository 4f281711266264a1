# SPDX-License-Identifier: Apache-2.0
"""Edits of connections that exist: removal, other weights, delays, parameters and labels; of those of devices weights and delays.

All is checked on all ranks, for what NEST has its own errors for, then done by one call of the kernel, which checks the rest and in which
connections keep their state.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import HANDLE, Floats, Ints, Ranges, all_names, any_rank, catalog, columns_of, gathered, numbered, own_values, to_spec
from ..space.engine import drawn_values
from . import grid
from .errors import NESTErrors, NotSupported, expect, translating
from .kernel import known_only, session, together
from .models import optimizers
from .models.synapse_models import DIFFUSION, SUB_STEP_DELAY, check_signs, check_values
from .node_values import is_list, is_parameter
from .synapse_columns import FIXED, Columns, each, keys_of, of_kinds
from .wires import DeviceWire, SynapseKind

Handles = tuple[Ints, NDArray[np.int32], Ints]  # slices, tables, positions

# --- values that users give


def set_values(c: Columns, given: Any) -> None:
    """Sets weights, delays and parameters. Collective.

    given : by key a value for all connections or a list with one each, or a list with a dict for each; on several ranks a list is for the
        connections of its rank
    """
    if isinstance(given, Mapping) and len(c) == len(given) == session().n_ranks == 1 and _set_weight(c, given.get("weight")):
        return
    known = all_names(frozenset(c.keys() if len(c) else ()) - set(FIXED))
    if not known:
        return  # no rank has any of the connections
    given = together(lambda: _with_known_keys(c, given, known))
    keys = _with_those_of_ranks(given if isinstance(given, Mapping) else itertools.chain.from_iterable(given))
    values = together(lambda: _by_key(c, given, keys) if len(c) else {})
    if optimizers.KEY in keys:
        states = values.pop(optimizers.KEY, ())
        together(lambda: optimizers.check_states(states, c.values(optimizers.KEY) or [None] * len(c)))
    drawn = [key for key in given if is_parameter(given[key])] if isinstance(given, Mapping) else []
    draws = {key: session().next_draw() for key in _with_those_of_ranks(drawn)}  # as many on all ranks
    fresh, changed = together(lambda: _fresh_values(c, values, draws))
    fresh = {key: fresh.get(key, 0.0) for key in sorted(all_names(changed))}
    if fresh:
        assign(c, fresh)


def _set_weight(c: Columns, value: Any) -> bool:
    """The short way to the weight of one connection of a model without rules of NEST's own for it. Returns whether it is one, and a number."""
    if type(value) not in (float, int) or not math.isfinite(value) or c.origin[0] < 0:
        return False
    kernel = c.followed()
    model = session().synapse_models[session().wires.kinds[columns_of(kernel.now)["label"][c.origin[0]]].model]
    if "Wmax" in model.entry.parameters or "weight" in model.homogeneous or model.base == DIFFUSION:
        return False
    _commit(c, kernel.handles_of(c.origin), weight=np.array([value], np.float64))
    return True


def _with_those_of_ranks(names: Iterable[str]) -> list[str]:
    """Names, each once, and behind them those that only other ranks have. Collective."""
    own = dict.fromkeys(names)
    return [*own, *sorted(all_names(frozenset(own)) - own.keys())]


def _with_known_keys(c: Columns, given: Any, known: Collection[str]) -> Any:
    """What is given, a dict or a list of dicts. Raises TypeError, UnaccessedDictionaryEntry for keys that no connection has, or not that of the dict."""
    if isinstance(given, Mapping):
        return known_only(given, known, "params", "connection.set()")
    if not isinstance(given, Iterable) or len(dicts := list(given)) != len(c) or not all(isinstance(one, Mapping) for one in dicts):
        raise TypeError(f"params must be a dict, or a list of {len(c)} dicts, one per connection, not {given!r:.80}")
    settable = c.of_model(lambda model: keys_of(model.root) - {*FIXED})
    pairs = zip(dicts, settable, strict=True)
    return [one if one.keys() <= keys else known_only(one, keys, "params", "connection.set()") for one, keys in pairs]


def _by_key(c: Columns, given: Any, keys: Collection[str]) -> dict[str, Any]:
    """Values by key; connections keep what is not given for them."""
    if isinstance(given, Mapping):
        return {key: given[key] if key in given else _present(c, key) for key in keys}
    some = {key: _present(c, key) for key in keys if any(key not in one for one in given)}
    return {key: [one.get(key, now) for one, now in zip(given, some.get(key, given), strict=True)] for key in keys}


def _present(c: Columns, key: str) -> list[Any]:
    """Values of a key; nan, or a dict without entries, of connections that lack it."""
    found = c.values(key)
    without: Any = {} if key == optimizers.KEY else math.nan
    return [without if now is None else now for now in (found if len(found) else [None] * len(c))]


def _fresh_values(c: Columns, values: dict[str, Any], draws: Mapping[str, int]) -> tuple[dict[str, Any], frozenset[str]]:
    """New values, and which keys have others so far. Raises what cannot be set."""
    fresh = {key: _fresh(c, key, value, draws) for key, value in values.items()}
    changed = frozenset(key for key, value in fresh.items() if not _is_already(c, key, value))
    for key in sorted(changed - {"weight", "delay"}):
        _check_key(c, key)
    if "weight" in changed and any("weight" in model.homogeneous for model in c.models()):
        lacking = np.array([weight is None for weight in c.values("weight")])
        fresh["weight"] = np.where(lacking, c.weight(), fresh["weight"])
    return fresh, changed


def _fresh(c: Columns, key: str, value: Any, draws: Mapping[str, int]) -> Any:
    """A new value, checked: a number, or an array with one per connection."""
    if is_parameter(value):
        pair = c.source * (session().registry.size + 1) + c.target  # its random numbers belong to the pair, on any ranks
        value = drawn_values(value, session().seed, draws[key], pair * 64 + np.minimum(numbered(pair), 63))
    if is_list(value):
        if len(value) != len(c):
            kind = IndexError if len(value) < len(c) else TypeError
            raise kind(f"{key} has {len(value)} values for {len(c)} connections")
        expect(np.asarray(value).dtype.kind in "biuf", f"{key} takes numbers")
        return np.asarray(value, np.float64)
    expect(key != "synapse_label" or isinstance(value, int | np.integer), "synapse_label takes whole numbers")
    expect(np.isscalar(value) and not isinstance(value, str), f"{key} takes numbers")
    return float(value)


def _is_already(c: Columns, key: str, value: Any) -> bool:
    """Whether the connections that have a key have this value; never for weights, which are read more slowly than set."""
    if key == "weight":
        return False
    present = c.values(key)  # none where only connections of other ranks have it
    return all(now is None or now == new for now, new in zip(present, each(value, len(c)), strict=len(present) > 0))


def _check_key(c: Columns, key: str) -> None:
    """Raises NotSupported for keys that connections have, but whose values cannot change."""
    labels = key == "synapse_label"
    models = [model for model in c.models() if (model.labelled if labels else key in {*model.of_connection, *model.extras})]
    if session().simulated and any(model.has_state(key) for model in models):
        raise NotSupported(f"setting {key} of connections after Simulate")
    if not labels and any(key not in model.entry.parameters for model in models):
        raise NotSupported(f"setting {key} of connections")
    of_devices = {wire.model for wire, _ in c.wired} if (c.origin < 0).any() else set()
    if any(model.name in of_devices for model in models):
        raise NotSupported(f"setting {key} of connections of devices")


def assign(c: Columns, fresh: dict[str, Any]) -> None:
    """Gives connections new values, a number or an array with one each: all of them, or none where an error is raised. Collective.

    Connections of recorders only show what they are given.
    """
    here, edits = np.flatnonzero(c.origin >= 0), []
    if not fresh.keys().isdisjoint(("weight", "delay")) and any_rank(len(here) < len(c)):
        edits = _device_edits(c, {key: each(fresh[key], len(c)) for key in ("weight", "delay") if key in fresh})
    if any_rank(len(here) > 0):
        all_here = len(here) == len(c)
        of_kernel = {key: value[here] if np.ndim(value) and not all_here else value for key, value in fresh.items()}
        replace(c if all_here else c.part(here), of_kernel)
    for wire, values in edits:
        _relink(wire, values)


# --- values that the kernel takes

_LONGEST = 2**40  # steps; far more than the kernel takes, far less than an int64


def having(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter, or labels."""
    return of_kinds(lambda kind, model: model.labelled if key == "synapse_label" else key in model.entry.parameters)


def having_of_source(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter that their source has: their model of NEST knows nothing of it."""
    return of_kinds(lambda kind, model: kind.base != model.base and key in catalog.synapses()[kind.base].parameters)


def _split_delays(kinds: Ints, delay: Floats) -> tuple[Floats, Floats | None]:
    """Delays (ms) in whole steps, the next for cont_delay_synapse, the nearest for others; what is subtracted from these (ms), None: nothing."""
    h = session().resolution
    steps, between = np.minimum(grid.delay_steps(delay), _LONGEST), having(SUB_STEP_DELAY)[kinds]
    if not between.any():
        return steps, None
    steps = np.minimum(np.where(between, np.ceil(delay / h - 1e-9), steps), _LONGEST)
    less = steps * h - delay
    return steps, np.where(between & (less > 1e-9 * h), less, 0.0)


def _check_values(columns: Columns, kinds: Ints, values: Mapping[str, Floats]) -> None:
    """Raises what NEST has its own errors for; the kernel checks the rest."""
    for model in columns.models():
        check_values(model, values)
    for key, column in values.items():
        if key == "delay":
            grid.check_new_delays(column)
            steps, sub_step = _split_delays(kinds, column)
            if sub_step is not None:
                grid.check_new_delays((steps - (sub_step > 0.0)) * session().resolution)
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
    most = values["Wmax"][some] if "Wmax" in values else own_values(part[some], "parameter", "Wmax")
    check_signs(weight, most, of_kinds(lambda kind, model: model.zero_is_positive)[kinds[some]])


MISSING = "Deletion of connection is not possible because it does not exist."


def disconnect(columns: Columns) -> None:
    """Removes connections. Raises InexistentConnection where there are other than those from neurons and spike_train_injectors. Collective."""
    senders = session().registry.joined(Ranges.of(np.unique(columns.source)).table) if len(columns) else []
    devices = any(row.model.kind != "neuron" and row.model.root != "spike_train_injector" for row, _ in senders)
    if any_rank(devices or bool((columns.origin < 0).any())):
        raise NESTErrors.InexistentConnection(MISSING)
    columns.refresh()
    handles, _, _ = _of_all_ranks(columns, {})
    if len(handles[0]):
        assert columns.kernel is not None
        with changing():
            done = session().engine.kernel.remove(*handles, sent_before())
        session().wires.n_by_kind = None
        columns.kernel.follow(done, columns.rows(), {})


def replace(columns: Columns, fresh: Mapping[str, Any], has: Callable[[str], NDArray[np.bool_]] = having) -> None:
    """Gives connections of the kernel other weights, delays, parameters or labels.

    A number or an array with one per connection each; the same keys on all ranks. Raises BadDelay, BadProperty, NotSupported; then nothing
    has changed. Collective.

    has : which kinds have a parameter, or labels
    """
    columns.refresh()
    kinds = columns.kinds()
    values = {key: each(value, len(columns)) for key, value in fresh.items()}
    together(lambda: _check_values(columns, kinds, values) if len(kinds) else None)
    if "delay" in values:
        values["delay"], sub_step = _split_delays(kinds, values["delay"])
        if any_rank(sub_step is not None):
            values[SUB_STEP_DELAY] = np.zeros(len(kinds)) if sub_step is None else sub_step
    handles, given, first = _of_all_ranks(columns, {"kind": kinds, **values})
    kinds = given.pop("kind").astype(np.int64)
    if not len(kinds):
        return
    weight, delay = given.pop("weight", None), given.pop("delay", None)
    having_each = {key: has(key) for key in given}
    labels = _labels(kinds, given["synapse_label"], having_each["synapse_label"]) if "synapse_label" in given else None
    parameters = {key: np.where(having_each[key][kinds], column, np.nan) for key, column in given.items() if key != "synapse_label"}
    steps = None if delay is None else delay.astype(np.int64)
    _commit(columns, handles, first, weight=weight, delay_steps=steps, parameters=parameters, label=labels)


def _commit(columns: Columns, handles: Handles, first: int = 0, **fresh: Any) -> None:
    """Edits the connections of all ranks that have these handles; those of this rank are `columns`, from the first on."""
    assert columns.kernel is not None
    with changing():
        done = session().engine.kernel.edit(*handles, sent_before(), **fresh)
    if done.moved:
        session().wires.n_by_kind = None
        mine, shown = slice(first, first + len(columns)), ("weight", "delay_steps", "label")
        columns.kernel.follow(done, columns.rows(), {name: fresh[name][mine] for name in shown if fresh.get(name) is not None})


@contextmanager
def changing() -> Iterator[None]:
    """Around a call of the kernel that may move connections."""
    for recorder in session().recorders.values():
        if recorder.model.root == "weight_recorder":
            recorder.settle()  # its events name connections by their handles
    with translating():
        yield


def sent_before() -> int:
    """The step before which spikes have been sent: NEST sends them when an interval of min_delay is over and the next one begins."""
    s = session()
    interval, step = s.slice_steps, s.engine.kernel.step
    return (step - 1) // interval * interval if step else 0


def _of_all_ranks(columns: Columns, values: Mapping[str, NDArray[Any]]) -> tuple[Handles, dict[str, NDArray[Any]], int]:
    """Handles of the connections of all ranks, values that belong to them, and where those of this rank begin. Collective."""
    part, first = columns.kernel_part(), 0
    found = {name: np.empty(0, np.int64) if part is None else columns_of(part)[name] for name in HANDLE} | dict(values)
    if session().n_ranks > 1:
        table, first = gathered(np.column_stack([c.astype(np.int64).view(np.float64) if n in HANDLE else c for n, c in found.items()]))
        found = {n: np.ascontiguousarray(table[:, k]).view(np.int64 if n in HANDLE else np.float64) for k, n in enumerate(found)}
    slices, tables, places = (found.pop(name).astype(np.int64) for name in HANDLE)
    return (slices, tables.astype(np.int32), places), found, first


def _labels(kinds: Ints, given: Floats, labelled: NDArray[np.bool_]) -> NDArray[np.int32]:
    """The kernel's labels of connections that get another synapse_label. labelled : which kinds have one. The same on all ranks."""
    wires, found, some = session().wires, kinds.astype(np.int32), labelled[kinds]
    for kind, label in np.unique(np.column_stack([kinds[some], given[some].astype(np.int64)]), axis=0).tolist():
        base, model, _ = wires.kinds[kind]
        found[some & (kinds == kind) & (given == label)] = wires.note(SynapseKind(base, model, label))
    return found


def _device_edits(c: Columns, columns: Mapping[str, Floats]) -> list[tuple[DeviceWire, dict[str, Floats]]]:
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
        grid.check_new_delays(table[:, at])
        table[:, at] = s.engine.ms(np.round(table[:, at] / s.resolution).astype(np.int64))
    edits = []
    for number in np.unique(table[:, 0]).astype(int).tolist():
        wire, some = s.wires.devices[number], table[:, 0] == number
        fresh = {key: wire.column(key).copy() for key in columns}
        for k, column in enumerate(fresh.values()):
            column[table[some, 1].astype(np.int64)] = table[some, 2 + k]
        edits.append((wire, fresh))
        _relink(wire, fresh, check_only=True)
    return edits


def _relink(wire: DeviceWire, fresh: Mapping[str, Floats], check_only: bool = False) -> None:
    """Gives the connections of one Connect of devices other weights and delays, or only checks whether that can be done."""
    weight, delay = (fresh.get(name, getattr(wire, name)) for name in ("weight", "delay"))
    for link, index in wire.links:
        some = [each(value, len(wire))[slice(None) if index is None else index] for value in (weight, delay)]
        with translating():
            session().engine.kernel.relink(link, to_spec("weight", some[0]), to_spec("delay", some[1]), check_only)
    if not check_only:
        wire.weight, wire.delay = weight, delay
        session().wires.note_delays(float(np.min(delay)), float(np.max(delay)))
