# SPDX-License-Identifier: Apache-2.0
"""Cells of a population as nodes of the network: neurons, trains of given spikes, and sources that a device drives."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyNN.errors import InvalidParameterValueError
from pyNN.parameters import Sequence

from .. import Nodes, all_to_all
from .errors import refuse
from .simulator import state

__all__ = ["DrivenCells", "KernelCells", "Store", "TrainCells"]

Index = slice | NDArray[np.int64]
EVERY = slice(None)


class Store:
    """Nodes of a population, and parameters of its cells by native names."""

    _nodes: Nodes | None  # sources and targets of projections, whose spikes are recorded

    def __init__(self, celltype: Any, n: int, values: dict[str, Any]) -> None:
        """values : a number for all cells, or n of them."""
        self.celltype, self.n, self.late = celltype, n, state.t > 0.0
        self._initial = values
        state.stores.append(self)
        state.do(self._make)

    @property
    def nodes(self) -> Nodes:
        """The nodes of all cells. Raises NotSupported after the next `setup`."""
        if self._nodes is None:
            refuse("Population", "it belongs to a simulation that ended with setup()")
        return self._nodes

    def release(self) -> None:
        """Lets go of the network: PyNN's arrays of cells hold each other, so that Python does not free them."""
        self._nodes = None

    def _make(self) -> None:
        raise NotImplementedError

    def some(self, index: Index) -> Nodes:
        """Nodes of some cells."""
        return self.nodes if isinstance(index, slice) and index == EVERY else self.nodes[index]

    def set(self, index: Index, values: dict[str, Any]) -> None:
        """Sets native parameters of some cells: numbers, or arrays with one value each."""
        raise NotImplementedError

    def get(self, name: str, index: Index) -> Any:
        """Values of a native parameter, an array with one for each of some cells."""
        raise NotImplementedError

    def set_state(self, index: Index, name: str, values: Any) -> None:
        """Sets a state variable of the kernel's model."""
        refuse(name, "spike sources have no state")


class KernelCells(Store):
    """Neurons: their parameters are those of the kernel."""

    def _make(self) -> None:
        self._nodes = state.net.create(self.celltype.model, self.n, **self.celltype.to_kernel(self._initial))

    def set(self, index: Index, values: dict[str, Any]) -> None:
        given = self.celltype.to_kernel(values)
        state.do(lambda: self.some(index).set(given))

    def get(self, name: str, index: Index) -> Any:
        return self.celltype.from_kernel(name, self.some(index))

    def set_state(self, index: Index, name: str, values: Any) -> None:
        state.do(lambda: self.some(index).set({name: values}))


class TrainCells(Store):
    """Cells that spike at given times, rounded to the grid of time steps."""

    def _make(self) -> None:
        self._nodes = state.net.create("spike_generator", self.n, precise_times=float(state.precise))
        self._times: list[NDArray[np.float64]] = [np.empty(0)] * self.n
        self._put(EVERY, self._initial["spike_times"])

    def set(self, index: Index, values: dict[str, Any]) -> None:
        state.do(lambda: self._put(index, values["spike_times"]))

    def _put(self, index: Index, given: Any) -> None:
        trains = [train.value for train in given] if isinstance(given, np.ndarray) else [given.value]
        cells = np.arange(self.n)[index]
        trains = [_train(train) for train in trains] * (1 if len(trains) == len(cells) else len(cells))
        for cell, train in zip(cells.tolist(), trains, strict=True):
            self._times[cell] = train
            on_grid = train if state.precise else state.on_grid(train)
            self.nodes[cell].set(spike_times=np.maximum(on_grid, state.dt))  # the kernel's first step ends at dt

    def get(self, name: str, index: Index) -> Any:
        cells = np.arange(self.n)[index].tolist()
        found = np.empty(len(cells), dtype=object)
        found[:] = [Sequence(self._times[cell]) for cell in cells]
        return found


def _train(given: Any) -> NDArray[np.float64]:
    """Spike times of a cell. Raises InvalidParameterValueError."""
    train = np.asarray(given, np.float64)
    if (np.diff(train) < 0.0).any() or (train < 0.0).any():
        raise InvalidParameterValueError(f"spike_times = {given}: must ascend and not be negative")
    return train


class Group(NamedTuple):
    """Cells that one device drives. row : values of the parameters that they share."""

    members: NDArray[np.int64]
    row: tuple[float, ...]
    device: Nodes


class DrivenCells(Store):
    """Cells that repeat what a device of the kernel sends, each a train of its own: one device for all cells with the same parameters."""

    def _make(self) -> None:
        self._nodes = state.net.create("parrot_neuron_ps" if state.precise else "parrot_neuron", self.n)
        self._names = list(self._initial)
        columns = [np.broadcast_to(np.asarray(self._initial[name], np.float64), (self.n,)) for name in self._names]
        self._rows = np.stack(columns, axis=1)
        self._groups: list[Group] = []
        self._at_zero: list[Group] = []
        if self not in state.sources:
            state.sources.append(self)

    def set(self, index: Index, values: dict[str, Any]) -> None:
        for name, value in values.items():
            self._rows[index, self._names.index(name)] = value

    def get(self, name: str, index: Index) -> Any:
        return self._rows[index, self._names.index(name)].copy()

    def release(self) -> None:
        super().release()
        self._groups, self._at_zero = [], []

    def flush(self) -> None:
        """Makes the devices what the cells are told to be."""
        waiting = [] if self._groups else [np.arange(self.n)]
        for k, group in enumerate(self._groups):
            rows = self._rows[group.members]
            row = tuple(rows[0].tolist())
            if not (rows == rows[0]).all():
                group.device.set(self.celltype.silent)
                waiting.append(group.members)
                self._groups[k] = Group(np.empty(0, np.int64), (), group.device)
            elif row != group.row:
                group.device.set(self._device_values(row))
                self._groups[k] = Group(group.members, row, group.device)
        self._groups = [group for group in self._groups if len(group.members)]
        for members in waiting:
            self._drive(members)
        if state.t == 0.0:
            self._at_zero = list(self._groups)

    def _drive(self, members: NDArray[np.int64]) -> None:
        """A device for each set of values that some of the cells have."""
        rows, which = np.unique(self._rows[members], axis=0, return_inverse=True)
        order = np.argsort(which, kind="stable")
        parts = np.split(members[order], np.cumsum(np.bincount(which.reshape(-1), minlength=len(rows)))[:-1])
        for row, part in zip(rows.tolist(), parts, strict=True):
            device = state.net.create(self._device, 1, **self._device_values(tuple(row)))
            state.net.connect(device, self.some(part), all_to_all(), weight=1.0, delay=state.dt)
            self._groups.append(Group(part, tuple(row), device))

    @property
    def _device(self) -> str:
        found: str = self.celltype.precise_device if state.precise and self.celltype.precise_device else self.celltype.device
        return found

    def _device_values(self, row: tuple[float, ...]) -> dict[str, Any]:
        """Parameters of a device, which sends two steps before its cells spike: one is the delay, one the step of the cells."""
        given = dict(zip(self._names, row, strict=True))
        start, duration = given.pop("start"), given.pop("duration")
        window = state.on_grid([start, min(start + duration, 1e12)]) - 2.0 * state.dt
        return {"start": max(window[0], 0.0), "stop": max(window[1], 0.0)} | self.celltype.device_values(given)

    def restored(self) -> None:
        """The network is at time 0 again: devices that were made since are gone."""
        self._groups = list(self._at_zero)
