# SPDX-License-Identifier: Apache-2.0
"""Edits of connections that exist: removal, other weights, delays, parameters and labels; of those of devices weights and delays.

All is checked on all ranks, for what NEST has its own errors for, then done by one call of the kernel, which checks the rest and in which
connections keep their state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Floats, Ints, Ranges, any_rank, catalog, gathered, own_values, to_spec
from . import continuous, grid, projections
from .devices.meter import min_delay
from .devices.weight_recorder import WeightRecorder
from .errors import NESTErrors, translating
from .kernel import session, together
from .models.synapse_models import SUB_STEP_DELAY
from .wires import OWN, DeviceWire, Kind

if TYPE_CHECKING:
    from .synapse_columns import Columns


_LONGEST = 2**40  # steps; far more than the kernel takes, far less than an int64


def having(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter, or labels."""
    s = session()
    models = [s.synapse_models[kind.model] for kind in s.wires.kinds]
    return np.array([model.labelled if key == "synapse_label" else key in model.entry.parameters for model in models], bool)


def having_of_source(key: str) -> NDArray[np.bool_]:
    """Which kinds have a parameter that their source has: their model of NEST knows nothing of it."""
    s = session()
    adapted = [kind.base != s.synapse_models[kind.model].base for kind in s.wires.kinds]
    return np.array(
        [own and key in catalog.synapses()[kind.base].parameters for own, kind in zip(adapted, s.wires.kinds, strict=True)], bool
    )


def _parameter(kind: Kind, key: str) -> float:
    """Present value of a parameter of connections of a kind."""
    return float(kind.parameters[key] if key in kind.parameters else session().synapse_models[kind.model].default(key))


def wmax_of(kinds: Sequence[Kind]) -> Floats:
    """Wmax of kinds, nan without, float64 of shape (n,)."""
    return np.array([_parameter(kind, "Wmax") if has else np.nan for kind, has in zip(kinds, having("Wmax"), strict=True)])


def split_delays(kinds: Ints, delay: Floats) -> tuple[Floats, Floats]:
    """Delays (ms) in whole steps, and what is subtracted from these (ms)."""
    h = session().resolution
    between = having(SUB_STEP_DELAY)[kinds]
    steps = np.minimum(np.where(between, np.ceil(delay / h - 1e-9), grid.delay_steps(delay)), _LONGEST)
    less = steps * h - delay
    return steps, np.where(between & (less > 1e-9 * h), less, 0.0)


def check(columns: Columns, kinds: Ints, values: Mapping[str, Floats]) -> None:
    """Raises what NEST has its own errors for, on all ranks; the kernel checks the rest. Collective."""
    together(lambda: _check_values(columns, kinds, values) if len(kinds) else None)


def _check_values(columns: Columns, kinds: Ints, values: Mapping[str, Floats]) -> None:
    models = session().synapse_models
    for name in {session().wires.kinds[k].model for k in np.unique(kinds).tolist()}:
        continuous.check_values(models[name], values)
    for key, column in values.items():
        if key == "delay":
            check_delays(column)
            steps, sub_step = split_delays(kinds, column)
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
    all_kinds = session().wires.kinds
    part = columns.kernel_part()
    assert part is not None
    weight = values["weight"][some] if "weight" in values else own_values(part[some], "weights")
    most = values["Wmax"][some] if "Wmax" in values else wmax_of(all_kinds)[kinds[some]]
    models = [session().synapse_models[kind.model] for kind in all_kinds]
    projections.check_signs(weight, most, np.array([model.zero_is_positive for model in models])[kinds[some]])


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
    connections, _, _ = _of_all_ranks(columns, np.empty((len(columns), 0)))
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
    values = {key: np.broadcast_to(np.asarray(value, np.float64), len(columns)) for key, value in fresh.items()}
    check(columns, kinds, values)
    values = _in_steps(kinds, values)
    connections, rows, first = _of_all_ranks(columns, np.column_stack([kinds, *values.values()]))
    if not len(rows):
        return
    kinds = rows[:, 0].astype(np.int64)
    given = dict(zip(values, map(np.ascontiguousarray, rows[:, 1:].T), strict=True))
    weight, delay = given.pop("weight", None), given.pop("delay", None)
    new: dict[Any, Kind] = {}
    having_each = {key: has(key) for key in given}
    labels = _labels(connections, kinds, given, having_each, new) if given else None
    parameters = {key: np.where(having_each[key][kinds], column, np.nan) for key, column in given.items() if key != "synapse_label"}
    steps = None if delay is None else delay.astype(np.int64)
    assert columns.kernel is not None
    with _changing():
        done = session().engine.kernel.edit(
            *_handles(connections),
            sent_before(),
            weight=weight,
            delay_steps=steps,
            parameters=parameters,
            label=labels,
        )
    if not done.moved:
        return
    session().wires.n_by_kind = None
    if steps is not None:
        session().wires.forget_delays()
    for kind in new.values():
        session().wires.note_kind(kind)
    changed = {"delay_steps": steps, "label": labels, "receptor": None if weight is None else receptors(connections, weight)}
    mine = slice(first, first + len(columns))
    columns.kernel.follow(done, columns.rows(), {name: column[mine] for name, column in changed.items() if column is not None})


@contextmanager
def _changing() -> Iterator[None]:
    """Around a call of the kernel that may move connections."""
    for recorder in session().recorders.values():
        if isinstance(recorder, WeightRecorder):
            recorder.gather()  # its events name connections by their handles
    with translating():
        yield


def sent_before() -> int:
    """The step before which spikes have been sent: NEST sends them when an interval of min_delay is over and the next one begins."""
    s = session()
    interval, step = max(round(min_delay() / s.resolution), 1), s.engine.kernel.step
    return (step - 1) // interval * interval if step else 0


def _of_all_ranks(columns: Columns, rows: Floats) -> tuple[dict[str, Ints], Floats, int]:
    """Handles, sources and targets of the connections of all ranks, rows that belong to them, and where those of this rank begin. Collective."""
    part = columns.kernel_part()
    found = [np.empty(0, np.int64)] * len(_ENDS) if part is None else [part._columns[name].astype(np.int64) for name in _ENDS]
    ends = np.column_stack(found)
    table, first = gathered(np.concatenate([ends.view(np.float64), rows], axis=1))
    whole = np.ascontiguousarray(table[:, : len(_ENDS)]).view(np.int64)
    return dict(zip(_ENDS, map(np.ascontiguousarray, whole.T), strict=True)), table[:, len(_ENDS) :], first


def _handles(connections: Mapping[str, Ints]) -> tuple[Ints, NDArray[np.int32], Ints]:
    return connections["slice"], connections["table"].astype(np.int32), connections["position"]


def receptors(connections: Mapping[str, Ints], weight: Floats) -> NDArray[np.int32]:
    """Receptors after weights were set: their sign chooses between the two of neurons that have no ports."""
    chosen = session().registry.of_models(lambda model: model.entry.input == "by_sign", connections["target"]) & (weight != 0.0)
    return np.where(chosen, weight < 0.0, connections["receptor"]).astype(np.int32)


def _labels(
    connections: Mapping[str, Ints], kinds: Ints, values: Mapping[str, Floats], has: Mapping[str, NDArray[np.bool_]], new: dict[Any, Kind]
) -> NDArray[np.int32]:
    """Labels by which the kernel will tell the edited connections from others; kinds that do not exist yet are added to `new`.

    has : by key, which kinds have it
    """
    wires = session().wires
    known = {key: has[key] & np.array([kind.parameters.get(key) is not OWN for kind in wires.kinds], bool) for key in values}
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


def _in_steps(kinds: Ints, values: dict[str, Floats]) -> dict[str, Floats]:
    """With delays in steps: the next whole step and a sub_step_delay for cont_delay_synapse, the nearest step for others. Collective."""
    if "delay" not in values:
        return values
    whole, sub_step = split_delays(kinds, values["delay"])
    found = values | {"delay": whole}
    return found | {SUB_STEP_DELAY: sub_step} if any_rank(bool(having(SUB_STEP_DELAY)[kinds].any())) else found


@dataclass(slots=True)
class DeviceEdit:
    """Weights and delays that connections of one Connect of devices are to have; checked when it is made."""

    wire: DeviceWire
    weight: float | Floats
    delay: float | Floats

    def apply(self) -> None:
        """Sets them. Does not fail."""
        self.wire.weight, self.wire.delay = self.weight, self.delay
        self._relink(False)
        session().wires.note_delays(float(np.min(self.delay)), float(np.max(self.delay)))

    def _relink(self, check_only: bool) -> None:
        for link, index in self.wire.links:
            n = len(self.wire)
            weight, delay = (np.broadcast_to(value, n)[slice(None) if index is None else index] for value in (self.weight, self.delay))
            with translating():
                session().engine.kernel.relink(link, to_spec("weight", weight), to_spec("delay", delay), check_only)


def device_edits(rows: Ints, columns: Mapping[str, NDArray[Any]]) -> list[DeviceEdit]:
    """Checks weights and delays for connections of devices: rows of shape (2, n) with numbers of wires and positions. Nothing has changed yet.

    Raises BadDelay, BadProperty. Collective.
    """
    s = session()
    table, _ = gathered(np.stack([*rows, *columns.values()], axis=1).astype(np.float64))
    if "delay" in columns and len(table):
        at = 2 + list(columns).index("delay")
        check_delays(table[:, at])
        table[:, at] = s.engine.ms(np.round(table[:, at] / s.resolution).astype(np.int64))
    edits = []
    for number in np.unique(table[:, 0]).astype(int).tolist():
        wire, some = s.wires.devices[number], table[:, 0] == number
        fresh = {key: wire.changed(key, table[some, 1].astype(np.int64), table[some, 2 + k]) for k, key in enumerate(columns)}
        edits.append(DeviceEdit(wire, fresh.get("weight", wire.weight), fresh.get("delay", wire.delay)))
        edits[-1]._relink(True)
    return edits
