# SPDX-License-Identifier: Apache-2.0
"""Recording: spikes and state variables of the cells of a population, as PyNN hands them to Neo."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
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

    def samples(self, gather: bool) -> tuple[list[int], Floats]:
        """Ids and all samples, shape (n, n_cells): of all cells, or of those that this rank simulates."""
        first = self._present() if self._first is None else self._first
        if gather:
            return self.ids, np.vstack([first[np.newaxis], self._trace[self._name]])
        here = state.simulated_here(self._nodes())
        ids = np.asarray(self.ids)[here].tolist()
        return ids, np.vstack([first[np.newaxis, here], self._trace.view(gather=False)[self._name]])


class Recorder(recording.Recorder):
    """What is recorded of the cells of a population."""

    _simulator = simulator

    def __init__(self, population: Any, file: Any = None) -> None:
        super().__init__(population, file)
        self._spikes: dict[int, Any] = {}  # records of the network
        self._signals: dict[str, list[_Signal]] = {}
        self._ended = False
        self._gather, self._other_cache = True, recording.DataCache()

    def get(self, variables: Any, gather: bool = False, *args: Any, **options: Any) -> Any:
        """What was recorded, as a Block of Neo: by all ranks, or by this one. Raises NotSupported after the next `setup`."""
        if self._ended:
            refuse("Population", "it belongs to a simulation that ended with setup()")
        with self._reading(gather):
            return super().get(variables, False, *args, **options)

    @contextmanager
    def _reading(self, gather: bool) -> Iterator[None]:
        """Within it, reading gives what all ranks recorded, or what this one did; also of the segments before `reset`."""
        if gather or state.num_processes == 1:
            yield
            return
        self._gather, self.cache, self._other_cache = False, self._other_cache, self.cache
        try:
            yield
        finally:
            self._gather, self.cache, self._other_cache = True, self._other_cache, self.cache

    def store_to_cache(self, annotations: Any = None) -> None:
        for gather in (True, False)[: min(2, state.num_processes)]:
            with self._reading(gather):
                super().store_to_cache(annotations)

    def _get_current_segment(self, filter_ids: Any = None, variables: Any = "all", clear: bool = False) -> Any:
        """Reads by name, before PyNN does in the order of a set, which differs between ranks. Signals are in order of their names, too."""
        wanted = sorted((each for each in self.recorded if variables == "all" or each in variables), key=lambda each: each.name)
        self._read = {each.name: self._pieces(each.name) for each in wanted}
        wanted = [each for each in wanted if self.filter_recorded(each, filter_ids)]  # PyNN cannot read a variable of no cell
        found = super()._get_current_segment(filter_ids, wanted, clear)
        found.analogsignals = sorted(found.analogsignals, key=lambda signal: signal.name)
        return found

    def clear(self) -> None:
        """Forgets what was recorded."""
        super().clear()
        self._other_cache.clear()

    def count(self, variable: Any, gather: bool = True, filter_ids: Any = None) -> dict[int, int]:
        with self._reading(gather):
            return self._local_count(recording.Variable(variable, None, None) if isinstance(variable, str) else variable, filter_ids)

    def filter_recorded(self, variable: Any, filter_ids: Any) -> Any:
        found = super().filter_recorded(variable, filter_ids)
        return found if self._gather else set(found) & set(self.population.local_cells)

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
        for signal in chain(*self._signals.values()):
            signal.begin()

    def begin_again(self) -> None:
        """After `reset`."""
        for signal in chain(*self._signals.values()):
            signal.begin_again()

    def _reset(self) -> None:
        self._clear_simulator()
        self._spikes, self._signals = {}, {}

    def _clear_simulator(self) -> None:
        for record in chain(self._spikes.values(), *self._signals.values()):
            record.clear()

    def _train_arrays(self) -> tuple[NDArray[np.int64], Floats]:
        """Ids and times of all spikes, in order of time."""
        if not self._spikes:
            return np.empty(0, np.int64), np.empty(0)
        first = int(self.population.store.nodes[0].gids[0]) - int(self.population.first_id)
        records = [record if self._gather else record.view(gather=False) for record in self._spikes.values()]
        ids = np.concatenate([record.gids for record in records]) - first
        times = np.concatenate([record.times for record in records])
        order = np.argsort(times, kind="stable")
        return ids[order], times[order]

    def _pieces(self, name: str) -> Any:
        """What is to be read of a variable."""
        if name == "spikes":
            return self._train_arrays()
        return [(signal.start, *signal.samples(self._gather)) for signal in self._signals[name]]

    def _get_spiketimes(self, ids: Any, clear: bool = False) -> tuple[NDArray[np.int64], Any]:
        found, times = self._read.pop("spikes")
        if len(ids) != len(self.recorded[recording.Variable("spikes", None, None)]):
            keep = np.isin(found, np.asarray([int(id) for id in ids], np.int64))
            found, times = found[keep], times[keep]
        return found, times

    def _get_all_signals(self, variable: Any, ids: Any, clear: bool = False) -> tuple[Floats, Floats | None]:
        factor = self.population.celltype.recorded[variable.name][1]
        interval, start = float(self.sampling_interval), float(self._recording_start_time)
        column = {int(id): k for k, id in enumerate(ids)}
        pieces = self._read.pop(variable.name)
        before = [round((begin - start) / interval) for begin, _, _ in pieces]
        rows = max(len(samples) + n for (_, _, samples), n in zip(pieces, before, strict=True))
        values = np.full((rows, len(column)), np.nan)
        for (_, recorded, samples), n in zip(pieces, before, strict=True):
            chosen = [k for k, id in enumerate(recorded) if id in column]
            values[n : n + len(samples), [column[recorded[k]] for k in chosen]] = samples[:, chosen] * factor
        times = start + interval * np.arange(rows) if self.record_times else None
        return values, times

    def _local_count(self, variable: Any, filter_ids: Any = None) -> dict[int, int]:
        ids = sorted(int(id) for id in self.filter_recorded(variable, filter_ids))
        found, _ = self._train_arrays()
        counts = np.bincount(np.searchsorted(ids, found[np.isin(found, ids)]), minlength=len(ids))
        return dict(zip(ids, counts.tolist(), strict=True))
