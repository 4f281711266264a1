# SPDX-License-Identifier: Apache-2.0
"""The state of a network, which its nodes, connections and records read: the lowest of the classes that make up `Network`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _core
from ..base import hooks
from ..base.closed import Closed
from ..base.grid import Grid
from ..base.progress import Progress, polling
from .drawing import Draws
from .notes import Notes
from .populations import Populations

__all__ = ["Core"]


class Core(Closed):
    """Base of Network: the kernel, and what Python counts beside it.

    Upon it are built, each with its own part of the interface: Readings (nodes, sizes, timers), Connected (connections as they are read and
    removed), Streaming (results on disk), Recording, Linking (connecting), Growing, Renewal (reset and copies), Keeping (checkpoints), Network.
    """

    __slots__ = ("_beginnings", "_begins", "_comm", "_draws", "_edits", "_grid", "_kernel", "_notes", "_populations", "_seed", "_version")
    _begins: dict[int, float]  # from when on recorders of spikes have recorded, where that is not when they were to begin
    _beginnings: int  # how often it has begun anew
    _comm: Any
    _draws: int  # draws of node values so far: each has random numbers of its own
    _edits: dict[str, float]  # what has become of connections, and the time [ms] when that was first done
    _grid: Grid
    _kernel: _core.Kernel
    _notes: Notes  # for `describe`
    _populations: Populations
    _seed: int
    _version: int  # counts changes of the synapse tables: connections of an earlier query may have moved

    @property
    def resolution(self) -> float:
        """Length of a time step (ms)."""
        return self._grid.resolution

    @property
    def seed(self) -> int:
        """Seed of all random numbers."""
        return self._seed

    @property
    def threads(self) -> int:
        """Number of threads."""
        return self._kernel.threads

    @property
    def rank(self) -> int:
        """Number of this rank, from 0."""
        return self._kernel.rank

    @property
    def n_ranks(self) -> int:
        """Number of ranks."""
        return self._kernel.ranks

    @property
    def time(self) -> float:
        """Biological time that was simulated (ms)."""
        return self._grid.time(self._kernel.step)

    @property
    def n_nodes(self) -> int:
        """Number of neurons and devices."""
        return self._kernel.n_nodes

    def build(self, progress: Progress = None) -> None:
        """Builds what was described since the last build; `run` and `connections` do it when needed. Raises TooLarge.

        `progress`: see `run`. Ctrl-C is raised when the building is done: what was described is then built. Other ranks than the one that was
        interrupted raise RankError then.
        """
        if (hook := hooks.current()) is not None:
            hook.building(self)
        with polling(progress, self.rank, "building") as poll:
            self._kernel.build(hooks.watched(poll, self.rank))

    @property
    def _moment(self) -> tuple[int, int]:
        """What tells one state of the network from another: how often it began anew, and the step."""
        return self._beginnings, self._kernel.step

    @contextmanager
    def _drawing(self) -> Iterator[Draws]:
        """Draws of a call; they count only when it succeeds."""
        draws = Draws(self._seed, self._draws)
        yield draws
        self._draws = draws.used

    def _note_edit(self, what: str) -> None:
        """Notes that connections are no longer as they were made: a key of `description.EDITS`."""
        self._edits.setdefault(what, self.time)
