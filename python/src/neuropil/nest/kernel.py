# SPDX-License-Identifier: Apache-2.0
"""The one session of neuropil.nest: settings, models, the network and what recorders and devices add to it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from .. import Network
from ..engine import Engine, rank_and_size
from .clocks import Clocks
from .errors import NESTErrors, translating
from .models.node_models import NodeModels
from .models.synapse_models import SynapseModels
from .plans import Plans
from .registry import Registry
from .wires import Wires


class Session:
    """Everything that ResetKernel clears. Settings may change until the network is needed, at the first Create."""

    def __init__(self) -> None:
        self.born = time.monotonic()
        self.resolution = 0.1
        self.threads = 1
        self.seed = 143202461
        self.settings: dict[str, Any] = {}
        self.node_models = NodeModels()
        self.synapse_models = SynapseModels()
        self.defaults_changed = False
        self.registry = Registry()
        self.wires = Wires()
        self.plans = Plans()
        self.recorders: list[Any] = []  # those that were connected, see devices/
        self.prepared = False
        self.prepared_nodes = 0  # those that there were when Prepare was last called
        self.simulated = False
        self.delay_bounds: tuple[float, float] | None = None  # ms, set by hand
        self.clocks = Clocks()
        self.own_spikes_before_run = 0  # of this rank
        self._network: Network | None = None
        self._engine: Engine | None = None

    @property
    def network(self) -> Network:
        """The network, made when first asked for."""
        if self._network is None:
            with translating():
                self._network = Network(self.resolution, self.seed, self.threads, strict_weights=False, keep_calls=False)
        return self._network

    @property
    def engine(self) -> Engine:
        """What is beneath the network."""
        if self._engine is None:
            self._engine = Engine(self.network)
        return self._engine

    @property
    def has_network(self) -> bool:
        """Whether the network of the kernel was made."""
        return self._network is not None

    @property
    def time(self) -> float:
        """Biological time (ms)."""
        return self._network.time if self._network else 0.0

    @property
    def rank(self) -> int:
        """Number of this rank."""
        return rank_and_size()[0]

    @property
    def n_ranks(self) -> int:
        """Number of ranks."""
        return rank_and_size()[1]

    def forget_network(self) -> None:
        """After a change of settings, before there are nodes: the network is made anew."""
        self._network = self._engine = None

    def next_draw(self) -> int:
        """A number that no other draw of the network has: its random numbers are its own."""
        return self.engine.next_draw()

    def check_nodes(self, last: int) -> None:
        """Raises UnknownNode when there is no node with this id."""
        if last > self.registry.size:
            raise NESTErrors.UnknownNode(f"Node with id {last} does not exist.")

    def own(self, gids: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which of the nodes live on this rank, bool of the shape of gids."""
        if self.n_ranks == 1:
            return np.ones(len(gids), bool)
        found: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(self.engine.kernel.ranks_of(gids)) == self.rank
        return found


_session = Session()
_generation = 0


def session() -> Session:
    """The session of now."""
    return _session


def generation() -> int:
    """How often the kernel was reset: collections of earlier generations name nodes that are gone."""
    return _generation


def reset() -> None:
    """Forgets everything: a new session with default settings."""
    global _session, _generation
    _session = Session()
    _generation += 1
