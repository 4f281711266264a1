# SPDX-License-Identifier: Apache-2.0
"""Recording: spikes and state variables of the cells of a population, as PyNN hands them to Neo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import quantities as pq
from numpy.typing import NDArray
from pyNN import recording

from .. import Nodes
from ..errors import UnknownName
from . import simulator
from .errors import refuse
from .simulator import state

__all__ = ["Recorder"]

Floats = NDArray[np.floating[Any]]


class _Signal:
    """A state variable of some cells. The sample at the beginning is read from the network: the kernel's first one is a step later."""

    def __init__(self, nodes: Callable[[], Nodes], ids: list[int], name: str, interval: float) -> None:
        self.ids, self._name, self._interval, self._nodes = ids, name, interval, nodes
        self._first: Floats | None = None

    def record(self) -> None:
        """Begins a record of the network."""
        self._offset = self._phase()
        self._trace = state.net.record(self._nodes(), self._name, interval=self._interval, offset=self._offset)
        self.begin_again()

    def _phase(self) -> float:
        """The time since a multiple of the interval."""
        found = state.t % self._interval
        return 0.0 if min(found, self._interval - found) < 0.5 * state.dt else float(state.on_grid(found))

    def begin(self) -> None:
        """Reads the first sample, where that was not done. Others come at intervals from then on."""
        if self._first is None:
            if abs(self._offset - self._phase()) > 0.5 * state.dt:
                self.record()
            self._first = self._present()

    def begin_again(self) -> None:
        """The first sample is that of now."""
        self._first = None
        self.start = state.t

    def _present(self) -> Floats:
        nodes = self._nodes()
        try:
            return np.array(nodes.get(self._name))
        except UnknownName:  # sampled in runs only
            return np.full(len(nodes), np.nan)

    def clear(self) -> None:
        """Forgets the samples."""
        self._trace.clear()
        self.begin_again()

    def samples(self) -> Floats:
        """All samples, shape (n, n_cells)."""
        first = self._present() if self._first is None else self._first
        return np.vstack([first[np.newaxis], self._trace[self._name]])


class Recorder(recording.Recorder):
    """What is recorded of the cells of a population."""

    _simulator = simulator

    def __init__(self, population: Any, file: Any = None) -> None:
        super().__init__(population, file)
        self._spikes: dict[int, Any] = {}  # records of the network
        self._signals: dict[str, list[_Signal]] = {}
        self._ended = False

    def get(self, *args: Any, **options: Any) -> Any:
        """What was recorded, as a Block of Neo. Raises NotSupported after the next `setup`."""
        if self._ended:
            refuse("Population", "it belongs to a simulation that ended with setup()")
        return super().get(*args, **options)

    def _record(self, variable: Any, new_ids: Any, sampling_interval: float | None = None) -> None:
        if sampling_interval is not None:
            self.sampling_interval = sampling_interval
        if not self._spikes and not self._signals and not list(self.cache):
            self._recording_start_time = state.t * pq.ms
        if ids := sorted(int(id) for id in new_ids):
            self._add(variable.name, ids)

    def _add(self, name: str, ids: list[int]) -> None:
        positions = np.asarray(ids) - int(self.population.first_id)

        def nodes() -> Nodes:
            return self.population.store.some(positions)

        if name == "spikes":
            key = len(self._spikes)
            self._do(lambda: self._spikes.update({key: state.net.record(nodes())}))
            return
        signal = _Signal(nodes, ids, self.population.celltype.recorded[name][0], float(self.sampling_interval))
        self._signals.setdefault(name, []).append(signal)
        self._do(signal.record)

    def _do(self, operation: Callable[[], None]) -> None:
        """Records of nodes that were made at time 0 last beyond `reset`; others are made again."""
        operation()
        if self.population.store.late:
            state.later(operation)

    def release(self) -> None:
        """Lets go of the network."""
        self._spikes, self._signals, self._ended = {}, {}, True

    def begin(self) -> None:
        """Before a run: first samples are read."""
        for signals in self._signals.values():
            for signal in signals:
                signal.begin()

    def begin_again(self) -> None:
        """After `reset`."""
        for signals in self._signals.values():
            for signal in signals:
                signal.begin_again()

    def _reset(self) -> None:
        self._clear_simulator()
        self._spikes, self._signals = {}, {}

    def _clear_simulator(self) -> None:
        for record in self._spikes.values():
            record.clear()
        for signals in self._signals.values():
            for signal in signals:
                signal.clear()

    def _train_arrays(self) -> tuple[NDArray[np.int64], Floats]:
        """Ids and times of all spikes, in order of time."""
        if not self._spikes:
            return np.empty(0, np.int64), np.empty(0)
        first = int(self.population.store.nodes[0].gids[0]) - int(self.population.first_id)
        ids = np.concatenate([record.gids for record in self._spikes.values()]) - first
        times = np.concatenate([record.times for record in self._spikes.values()])
        order = np.argsort(times, kind="stable")
        return ids[order], times[order]

    def _get_spiketimes(self, ids: Any, clear: bool = False) -> tuple[NDArray[np.int64], Any]:
        found, times = self._train_arrays()
        if len(ids) != len(self.recorded[recording.Variable("spikes", None, None)]):
            keep = np.isin(found, np.asarray([int(id) for id in ids], np.int64))
            found, times = found[keep], times[keep]
        return found, times

    def _get_all_signals(self, variable: Any, ids: Any, clear: bool = False) -> tuple[Floats, Floats | None]:
        factor = self.population.celltype.recorded[variable.name][1]
        interval, start = float(self.sampling_interval), float(self._recording_start_time)
        column = {int(id): k for k, id in enumerate(ids)}
        pieces = [(signal, signal.samples()) for signal in self._signals[variable.name]]
        before = [round((signal.start - start) / interval) for signal, _ in pieces]
        rows = max(len(samples) + n for (_, samples), n in zip(pieces, before, strict=True))
        values = np.full((rows, len(column)), np.nan)
        for (signal, samples), n in zip(pieces, before, strict=True):
            chosen = [k for k, id in enumerate(signal.ids) if id in column]
            values[n : n + len(samples), [column[signal.ids[k]] for k in chosen]] = samples[:, chosen] * factor
        times = start + interval * np.arange(rows) if self.record_times else None
        return values, times

    def _local_count(self, variable: Any, filter_ids: Any = None) -> dict[int, int]:
        ids = sorted(int(id) for id in self.filter_recorded(variable, filter_ids))
        found, _ = self._train_arrays()
        counts = np.bincount(np.searchsorted(ids, found[np.isin(found, ids)]), minlength=len(ids))
        return dict(zip(ids, counts.tolist(), strict=True))
