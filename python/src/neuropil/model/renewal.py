# SPDX-License-Identifier: Apache-2.0
"""Networks made again: the same one from time 0, and copies."""

from __future__ import annotations

from typing import Any, Self, TypeVar, cast

from ..base.checks import to_whole
from ..base.ranges import Ranges
from ..errors import NotKept, Stale, bad_parameter, bad_type, during_run
from ..results.data import Record
from ..results.sampling import Sampler
from ..results.streaming import Streams
from .every import Calls
from .growing import Growing
from .journal import Journal, RememberingKernel
from .nodes import Nodes
from .notes import copied, since_time_0
from .projection import Projection

__all__ = ["Renewal"]

X = TypeVar("X", bound=Nodes | Projection | Record)


class Marks:
    """What the Python side counts, as it was at time 0."""

    __slots__ = ("draws", "labels", "names", "populations", "projections")

    def __init__(self, net: Renewal) -> None:
        self.populations, self.projections, self.draws = len(net._populations), len(net._projections), net._draws
        self.labels, self.names = dict(net._labels), dict(net._names)


class Renewal(Growing):
    """Base of Network: `reset`, which makes the kernel again by the calls that it remembers, and the Python side of copies."""

    __slots__ = ("_calls", "_loaded", "_marks", "_names", "_running", "_settings")
    _calls: Calls
    _loaded: bool  # from a checkpoint
    _marks: Marks | None
    _names: dict[str, Nodes]
    _running: bool
    _settings: dict[str, Any]  # of the kernel

    def reset(self, seed: int | None = None) -> None:
        """Back to time 0: the network is what it was before it ran, and what it does is the same to the bit as what a fresh network does.

        Nodes, connections, parameters, states and plastic weights are those that the script had made by then; what was made, set or removed while
        time was above 0, also by functions of `every`, is undone. Records, whenever they were made, are empty and record from now on; functions of
        `every` are called again as at first. Connections must be queried again. Tables are built again by the next run.

        With a `seed` other random numbers are drawn for generators, for neurons that draw while they run, for synapses that transmit by chance, and
        for states that `create` or `set` have drawn: as of a network that was made with the old seed and got the new one before its first run.
        Connections, weights, delays and parameters stay. `net.seed` is the new one, from which also all that is made later is drawn.

        Collective. Raises NotKept where the calls were not kept (see `keep_calls`) and for records that go to a directory, BadParameter, BadType;
        then nothing has changed.
        """
        if self._running:
            raise during_run("reset")
        number = None if seed is None else to_whole("seed", seed)
        if number is not None and number < 0:
            raise bad_parameter("seed", seed, "a whole number >= 0")
        journal = self._remembered()
        if self._streams:
            raise NotKept("reset: results in a directory (`to=`) cannot be undone; record in memory, or make a new network")
        self._kernel = journal.begun(number)
        marks = self._marks
        self._marks = None
        if marks is not None:
            for _ in range(len(self._populations) - marks.populations):
                self._populations.drop_last()
            del self._projections[marks.projections :]
            self._labels, self._names, self._draws = marks.labels, marks.names, marks.draws
        self._streams.samplers = [sampler for sampler in self._streams.samplers if sampler.projection in self._projections]
        for sampler in self._streams.samplers:
            sampler.begin_again()
        self._calls.begin_again()
        self._begins.clear()
        self._notes = since_time_0(self._notes, self._kernel.n_nodes)
        self._edits = {what: when for what, when in self._edits.items() if when == 0.0}
        self._beginnings += 1
        self._version += 1
        if number is not None:
            self._seed = number

    def _with(self, kernel: Any) -> Self:
        """Another network with a kernel in the same state."""
        net = object.__new__(type(self))
        net._kernel, net._settings, net._loaded = kernel, self._settings, self._loaded
        net._stored, net._extra = {}, {}
        net._grid, net._seed, net._comm, net._draws = self._grid, self._seed, self._comm, self._draws
        net._beginnings, net._version, net._running = 0, self._version, False
        net._populations, net._labels, net._begins = self._populations.copy(), dict(self._labels), dict(self._begins)
        net._edits, net._notes = dict(self._edits), copied(self._notes)
        net._names = {name: Nodes(net, nodes._ranges) for name, nodes in self._names.items()}
        net._projections = []
        net._projections += [_moved(net, p) for p in self._projections]
        net._calls = self._calls.copy(net)
        net._marks = None
        if (marks := self._marks) is not None:
            net._marks = Marks(net)
            net._marks.populations, net._marks.projections, net._marks.draws = marks.populations, marks.projections, marks.draws
            net._marks.labels = dict(marks.labels)
            net._marks.names = {name: Nodes(net, nodes._ranges) for name, nodes in marks.names.items()}
        net._streams = Streams(net)
        net._streams.samplers = [self._twin(net, sampler) for sampler in self._streams.samplers]
        return net

    def counterpart(self, thing: X) -> X:
        """What in this network corresponds to nodes, a projection or a record of the network that it is a copy of, or that is a copy of it."""
        if isinstance(thing, Nodes):
            return cast(X, Nodes(self, Ranges(thing._ranges.table)))
        if isinstance(thing, Projection):
            known = thing._network._projections
            if not any(thing is one for one in known):
                raise Stale(f"{thing!r} is no longer in the network: it was made after the state that the network has gone back to")
            return cast(X, self._projections[next(k for k, one in enumerate(known) if one is thing)])
        if isinstance(thing, Record):
            return cast(X, thing._again(self, thing._gather))
        raise bad_type("thing", thing, "Nodes, a Projection or a record of a network")

    def _twin(self, net: Renewal, sampler: Sampler) -> Sampler:
        return sampler.copy(net._projections[self._projections.index(sampler.projection)])

    def _remembered(self) -> Journal:
        """The calls that made the kernel. Raises NotKept."""
        if self._loaded:
            raise NotKept(
                "reset: this network was loaded from a checkpoint, which does not hold the calls that made it: load it again, or use "
                "net.store() and net.restore()"
            )
        journal = self._kernel.journal if isinstance(self._kernel, RememberingKernel) else None
        if journal is None or not journal.can_reset:
            raise NotKept(
                "reset: the calls that made this network were not kept, because their arrays have more than 16 MB or keep_calls=False: "
                "make it with Network(keep_calls=True)"
            )
        return journal

    def _mark(self) -> None:
        """Notes what there is at time 0, before the first run."""
        if self._kernel.step == 0:
            self._marks = Marks(self)


def _moved(net: Renewal, projection: Projection) -> Projection:
    given = projection._given
    return Projection(net, given._replace(pre=Nodes(net, given.pre._ranges), post=Nodes(net, given.post._ranges)))
