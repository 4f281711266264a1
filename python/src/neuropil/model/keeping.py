# SPDX-License-Identifier: Apache-2.0
"""Networks that are kept: in files, from which they go on elsewhere, and in memory, to come back to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from .. import _core
from ..base.checks import to_number, to_whole
from ..base.named import named_arguments
from ..base.progress import Progress, polling
from ..errors import NotKept, bad_parameter, bad_type, during_run, unknown_name
from .journal import Journal, RememberingKernel
from .notes import copied
from .renewal import Renewal

if TYPE_CHECKING:
    from pathlib import Path

    from ..checkpoint.memory import Held
    from ..results.sampling import Sampler
    from ..results.streaming import Stream
    from .populations import Populations
    from .projection import Projection
    from .renewal import Marks

__all__ = ["Keeping", "to_keep"]


class Keeping(Renewal):
    """Base of Network: `save`, `copy`, `store` and `restore`."""

    __slots__ = ("_extra", "_stored")
    _extra: dict[str, Any]
    _stored: dict[str, _Stored]

    @property
    def extra(self) -> dict[str, Any]:
        """What is saved with the network: numbers, texts, lists, dicts, arrays, and nodes, projections and records of this network."""
        return self._extra

    @extra.setter
    def extra(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise bad_type("extra", value, "a dict")
        self._extra = value

    @named_arguments
    def save(
        self,
        path: str | os.PathLike[str],
        extra: dict[str, Any] | None = None,
        *,
        keep: int = 1,
        edges: str = "describe",
        progress: Progress = None,
    ) -> None:
        """Writes a checkpoint, from which `neuropil.load` makes a network that goes on, to the bit, as this one does, on any ranks and threads.

        extra : Python state of the script, see `extra`, which it is instead of
        keep : checkpoints that are there then: path, path.1 (the one before), ...
        edges : "describe": static connections that a rule has drawn, and that no one has changed, are drawn again when loaded; "store": all are stored,
            for files that are larger and load faster

        Several ranks write a file each, beside one another; `path` is that of rank 0. A crash at any moment leaves the last checkpoint as it is.
        Builds what was described. Functions of `every` are not saved. Collective.
        Raises BadCheckpoint, which names file and cause, on all ranks; BadType for what `extra` cannot hold.
        """
        from ..checkpoint.saving import save

        given = self._extra if extra is None else extra
        if not isinstance(given, dict):
            raise bad_type("extra", extra, "a dict")
        if edges not in ("describe", "store"):
            raise bad_parameter("edges", edges, '"describe" or "store"')
        number = to_keep(keep)
        with polling(progress, self.rank, "saving") as poll:
            save(self, path, given, number, poll, store_all=edges == "store")

    @named_arguments
    def to_sonata(self, folder: str | os.PathLike[str], *, duration: float = 1000.0) -> Path:
        """Writes the network as files of SONATA; returns the path of its simulation_config.json, of which `neuropil.sonata.load` makes the same network.

        duration : `tstop` of the configuration (ms)

        To be called before `run`: SONATA has no state of a simulation. Devices become virtual nodes that name their model. Builds what was described,
        and holds all connections in memory. Collective.
        Raises NotKept for what SONATA has no place for: models of one's own, connections without delay, structural plasticity, functions of `every`.
        """
        from ..sonata.exporting import write_network

        return write_network(self, folder, to_number("duration", duration))

    def copy(self) -> Self:
        """Another network in the same state, which goes on to the bit as this one does, whatever becomes of either.

        It takes the time to copy the memory. `counterpart` gives its nodes, projections and records; functions of `every` are called by both.
        Also `copy.copy` and `copy.deepcopy`. Builds what was described. Collective. Raises NotKept where results go to a directory (`to=`).
        """
        from ..checkpoint.memory import Passed

        if self._running:
            raise during_run("copy")
        if self._streams:
            raise NotKept("copy: two networks cannot write to one directory (`to=`); record in memory")
        state = Passed(self._kernel.snapshot(store_all=True), self.rank, self.n_ranks)
        return self._with(_kernel(self, _journal(self), state))

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        memo[id(self)] = made = self.copy()
        return made

    @named_arguments
    def store(self, name: str = "default") -> None:
        """Keeps the state of now in memory, for `restore`; it takes as much memory as the network. Collective."""
        if not isinstance(name, str):
            raise bad_type("name", name, "a text")
        self._stored[name] = _Stored(self)

    @named_arguments
    def restore(self, name: str = "default") -> None:
        """Back to the state that `store` has kept, to the bit, as often as wanted; what was made since is gone.

        Nodes, projections and records of then show the network of then; connections must be queried again. Results that went to a directory since
        (`to=`) are replaced when it runs. Collective. Raises UnknownName.
        """
        if name not in self._stored:
            raise unknown_name("stored state", name, [*self._stored])
        if self._running:
            raise during_run("restore")
        self._stored[name].give_back(self)


class _Stored:
    """All that changes in a network, as it was."""

    def __init__(self, net: Keeping) -> None:
        from ..checkpoint.memory import Held

        net._streams.sync()
        self.columns: Held = Held(net._kernel.snapshot(store_all=True), net.rank, net.n_ranks)
        self.journal = _journal(net)
        self.populations: Populations = net._populations.copy()
        self.projections: list[Projection] = list(net._projections)
        self.labels, self.names, self.begins = dict(net._labels), dict(net._names), dict(net._begins)
        self.calls = net._calls.state()
        self.marks: Marks | None = net._marks
        self.draws, self.seed, self.edits, self.notes = net._draws, net._seed, dict(net._edits), copied(net._notes)
        self.streams: list[tuple[Stream[Any], int | None]] = [(stream, stream.reached) for stream in net._streams.all]
        self.samplers: list[tuple[Sampler, Sampler]] = [(s, s.copy(s.projection)) for s in net._streams.samplers]

    def give_back(self, net: Keeping) -> None:
        """Makes the network what it was."""
        net._kernel = _kernel(net, self.journal, self.columns)
        net._populations, net._projections = self.populations.copy(), list(self.projections)
        net._labels, net._names, net._begins = dict(self.labels), dict(self.names), dict(self.begins)
        net._calls.back_to(self.calls)
        net._marks = self.marks
        net._draws, net._seed, net._edits, net._notes = self.draws, self.seed, dict(self.edits), copied(self.notes)
        net._streams.all = [stream for stream, _ in self.streams]
        for stream, reached in self.streams:
            stream.back_to(reached)
        net._streams.samplers = [sampler for sampler, _ in self.samplers]
        for sampler, then in self.samplers:
            sampler.become(then)
        net._beginnings += 1
        net._version += 1


def _journal(net: Renewal) -> Journal | None:
    """The calls so far, apart from those to come."""
    return net._kernel.journal.branch() if isinstance(net._kernel, RememberingKernel) and net._kernel.journal is not None else None


def _kernel(net: Renewal, journal: Journal | None, state: Any) -> Any:
    """One in this state, with its routes: all that is read of it is as it was."""
    kernel: Any = _core.Kernel(**net._settings) if journal is None else RememberingKernel(journal.branch())
    if journal is not None:
        kernel.seed = net._seed
    kernel.restore(state)
    with polling(False) as poll:
        _core.Kernel.build(kernel, poll)  # not remembered: the journal has it
    return kernel


def to_keep(keep: Any) -> int:
    """A number of checkpoints. Raises BadType, BadParameter."""
    number = to_whole("keep", keep)
    if not 1 <= number <= 1000:
        raise bad_parameter("keep", keep, "from 1 to 1000")
    return number
