# SPDX-License-Identifier: Apache-2.0
"""The state of a simulation: the network, its clock and what `reset` does again."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyNN.common.control import BaseState

from .. import Network, Nodes, n_ranks, rank
from ..engine import Engine
from .errors import refuse

__all__ = ["State", "name", "state"]

name = "neuropil"
_NEXT_TRIAL = 1 << 32  # added to the seed at each reset: other noise in each trial


class Recorders(dict[Any, None]):
    """Recorders in the order of their populations, which is the same on all ranks."""

    def add(self, recorder: Any) -> None:
        """Adds one, as to a set."""
        self[recorder] = None


class State(BaseState):
    """What PyNN asks of a simulator. Times are ms."""

    def __init__(self) -> None:
        super().__init__()
        self.dt, self.describing = 0.1, False
        self.network: Network | None = None
        self.clear()

    def clear(self) -> None:
        """Forgets the network."""
        for holder in (*getattr(self, "recorders", ()), *getattr(self, "stores", ())):
            holder.release()
        self.stores: list[Any] = []
        self.recorders = Recorders()
        self.sources: list[Any] = []  # populations whose devices are made or changed just before a run
        self.network = None
        self.given_min_delay: float | None = None
        self.max_delay = np.inf
        self.running, self.segment_counter = False, 0
        self.seed = 1
        self.random = np.random.default_rng(1)
        self.connectors, self.precise = "kernel", False
        self.shortest_delay = np.inf  # of connections
        self.ids = count(1)  # of cells
        self._late: list[Callable[[], None]] = []

    def begin(self, timestep: float, seed: int, threads: int | None) -> None:
        """An empty network."""
        self.dt, self.seed = timestep, seed
        self.random = np.random.default_rng(seed)
        self.network = Network(timestep, seed, threads, keep_calls=True)

    @property
    def net(self) -> Network:
        """The network. Raises NotSupported before `setup`."""
        if self.network is None:
            refuse("pyNN.neuropil", "call setup() before anything else")
        return self.network

    @property
    def engine(self) -> Engine:
        """The engine of the network."""
        return Engine(self.net)

    @property
    def t(self) -> float:
        """The present time."""
        return 0.0 if self.network is None else float(self.network.time)

    @property
    def min_delay(self) -> float:
        """The shortest delay that connections may have."""
        return self.dt if self.given_min_delay is None else self.given_min_delay

    @property
    def num_processes(self) -> int:
        """Number of ranks."""
        return 1 if self.describing else n_ranks()

    @property
    def mpi_rank(self) -> int:
        """Number of this rank."""
        return 0 if self.describing else rank()

    def simulated_here(self, nodes: Nodes) -> NDArray[np.bool_]:
        """Which of these nodes this rank simulates; every rank knows all of them."""
        return np.asarray(self.engine.kernel.ranks_of(nodes.gids)) == rank()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Within it PyNN takes this process for the only one: it reads, sets and connects all cells, as every rank does."""
        self.describing, before = True, self.describing
        try:
            yield
        finally:
            self.describing = before

    def on_grid(self, times: Any) -> Any:
        """Times as multiples of the time step."""
        return np.rint(np.asarray(times, np.float64) / self.dt) * self.dt

    def do(self, operation: Callable[[], None]) -> None:
        """Changes the network; what is changed after time 0 is done again by `reset`."""
        operation()
        self.later(operation)

    def later(self, operation: Callable[[], None]) -> None:
        """Has `reset` do an operation again, where it was done after time 0."""
        if self.t > 0.0:
            self._late.append(operation)

    def run_until(self, time: float) -> None:
        """Simulates until a time."""
        net = self.net
        self.running = True
        for source in self.sources:
            source.flush()
        for recorder in self.recorders:
            recorder.begin()
        steps = round(time / self.dt) - round(net.time / self.dt)
        if steps > 0:
            net.run(steps * self.dt, progress=False)

    def reset(self) -> None:
        """Back to time 0, with the network of now and other noise."""
        self.segment_counter += 1
        self.running = False
        if self.t == 0.0:
            return
        self.seed += _NEXT_TRIAL
        self.net.reset(seed=self.seed)
        for source in self.sources:
            source.restored()
        operations, self._late = self._late, []
        for recorder in self.recorders:
            recorder.begin_again()
        for operation in operations:
            operation()


state = State()
atexit.register(state.clear)  # so that the kernel is not there when Python ends
