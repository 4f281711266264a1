# SPDX-License-Identifier: Apache-2.0
"""Results that go to disk while a network runs, so that memory does not grow with biological time."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.progress import Poll, shifted
from ..base.ranges import Ranges
from ..errors import RankError, bad_parameter, bad_type, unknown_attribute
from ..model.nodes import Nodes
from ..model.projection import Connected
from .data import Data
from .files import to_path
from .sampling import Sampler
from .stream_files import Columns, check_unused, cut, segment, segments

if TYPE_CHECKING:
    from pathlib import Path


__all__ = ["NodeStream", "Stream", "Streaming", "Streams"]

T = TypeVar("T", bound=Data)
S = TypeVar("S", bound="Stream[Any]")
_POLL_EVERY = 0.05  # s, as in the kernel


class Stream(ABC, Generic[T]):
    """What `Network.record(..., to=directory)` returns: rows that go to disk every so many ms and at the end of every run.

    On several ranks each writes files of its own nodes, and holds and asks nothing of the others.
    """

    _DATA: ClassVar[type[Data]]  # what `load` returns

    def __init__(self, network: Streaming, recorder: int, to: str | os.PathLike[str], every: int, about: dict[str, Any]) -> None:
        """`every`: steps. Nothing is written yet: a script may be planned and not run."""
        self._path, self._kind, self._network, self._recorder = to_path(to), self._DATA._KIND, network, recorder
        self._about = {**about, "resolution_ms": network.resolution, "seed": network.seed}
        self.every_steps, self._most_held = every, 0
        self._columns: Columns | None = None
        self._since: int | None = None  # step from which on a network writes that goes on from a checkpoint

    @property
    def path(self) -> Path:
        """The directory. It is made when the network runs."""
        return self._path

    @property
    def rows(self) -> int:
        """Rows (spikes, times of samples, or transmitted weights) that this rank has written."""
        return 0 if self._columns is None else self._columns.rows

    @property
    def most_held(self) -> int:
        """The most rows that the recorder of this rank has held until they were written."""
        return self._most_held

    def load(self, rank: int | None = None) -> T:
        """What has been written so far, as `neuropil.open_results` of the directory. Not collective."""
        return cast(T, self._DATA._of_stream(segments(self._path, self._DATA._KIND, self._DATA._STREAMED, rank)))

    def open(self) -> Columns:
        """Makes the files of this rank if they are not there. Raises BadParameter for a directory that is in use, OSError."""
        if self._columns is None:
            network = self._network
            columns = Columns(segment(self._path, self._since), self._kind, network.rank, network.n_ranks, *self._own(), self._about)
            columns.add({}, 0, self._until())
            self._columns = columns
        return self._columns

    # --- a network that goes on from a checkpoint, or from a state that was stored

    @property
    def reached(self) -> int | None:
        """The step until which all is in the files, of a stream that was flushed; None: there are none."""
        return self._since if self._columns is None else int(self._network._kernel.step)

    def back_to(self, step: int | None) -> None:
        """Goes on from what was written until this step; None: from the beginning."""
        self._columns, self._since, self._most_held = None, step, 0

    def redirect(self, path: Path | None) -> None:
        """Begins anew in another directory; None: stays."""
        if path is not None:
            check_unused(path, self._network.rank, self._network.n_ranks)
            self._path, self._since = path, None
            if "start_ms" in self._about:
                self._about = self._about | {"start_ms": max(self._about["start_ms"], self._network.time)}

    def cut(self) -> None:
        """Removes what was written later than where it goes on. For rank 0, before any rank writes. Raises BadFile, OSError."""
        if self._columns is None and self._since is not None:
            cut(self._path, self._since, self._complete_at(self._since))

    def sync(self) -> None:
        """All that the recorder holds is on the disk."""
        self.flush()
        self.open().sync()

    def _complete_at(self, step: int) -> int:
        """Until when rows are complete at a step."""
        return step

    def flush(self) -> None:
        """Writes what the recorder holds and lets it forget that; a run does so by itself. All ranks flush. Raises OSError; then nothing is lost."""
        if self._columns is None and not self._network._kernel.dry:
            self._network._streams.open()
        columns, rows = self._take()
        self._most_held = max(self._most_held, rows)
        if not self._network._kernel.dry:  # the results of a dry run are none
            self.open().add(columns, rows, self._until())
        self._forget()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._DATA, name):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        raise unknown_attribute(type(self).__name__, name, (), f"load().{name} has it of what was recorded so far")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._path)!r}, {self.rows} rows written)"

    def _own(self) -> tuple[Ranges, Ranges]:
        """Gids of the recorded nodes of this rank, and their positions among all recorded ones."""
        return Ranges.span(0, 0), Ranges.span(0, 0)

    @abstractmethod
    def _take(self) -> tuple[dict[str, NDArray[Any]], int]:
        """What the recorder of this rank holds, and its number of rows. Steps are int32: the kernel runs no more of them."""

    def _until(self) -> int:
        """The step until which rows are complete."""
        return self._complete_at(int(self._network._kernel.step))

    @abstractmethod
    def _forget(self) -> None:
        """Clears the recorder."""


class NodeStream(Stream[T]):
    """Results of nodes that go to disk."""

    def __init__(self, record: Any, to: str | os.PathLike[str], every: int, about: dict[str, Any]) -> None:
        self._nodes: Nodes = record.nodes
        super().__init__(record.nodes.network, record._recorder, to, every, about)

    def _own(self) -> tuple[Ranges, Ranges]:
        nodes = self._nodes
        here = np.flatnonzero(nodes.network.ranks_of(nodes) == nodes.network.rank)
        return nodes[here]._ranges, Ranges.of(here)


class Streams:
    """The streams and the samplers of a network.

    With some, a run is made in pieces, between which they write or take a sample; its results are the same bits.
    """

    def __init__(self, network: Streaming) -> None:
        self._network = network
        self.all: list[Stream[Any]] = []
        self.samplers: list[Sampler] = []

    def __bool__(self) -> bool:
        return bool(self.all)

    def check(self, to: str | os.PathLike[str] | None) -> None:
        """Raises BadParameter when a new stream cannot write to this directory, BadType."""
        if to is None:
            return
        if not isinstance(to, str | os.PathLike):
            raise bad_type("to", to, "the name of a directory")
        if any(stream.path.absolute() == to_path(to).absolute() for stream in self.all):
            raise bad_parameter("to", str(to), "a directory without results of another recorder")
        check_unused(to_path(to), self._network.rank, self._network.n_ranks)

    def add(self, stream: S) -> S:
        """Takes a stream, and returns it."""
        self.all.append(stream)
        return stream

    def run(self, steps: int, poll: Poll) -> None:
        """Runs the kernel, which is built. A rank that cannot write raises OSError, the others RankError, all after the same step. Collective."""
        kernel = self._network._kernel
        if not self.all and not self.samplers:
            kernel.run(steps, poll)
            return
        if not kernel.dry:
            self.open()
        begin, end = kernel.step, kernel.step + steps
        polled = time.perf_counter()
        while True:
            now = kernel.step
            writes = ((now // s.every_steps + 1) * s.every_steps for s in self.all)
            until = min([end, *writes, *(s.next_after(now) for s in self.samplers)])
            failure = self._piece(until - now, shifted(poll, now - begin, steps), until == end)
            if until < end and time.perf_counter() - polled > _POLL_EVERY and failure is None:
                failure = _failure(lambda: poll("simulating", until - begin, steps))  # noqa: B023  (called at once)
                polled = time.perf_counter()
            self._agree(failure)
            if until == end:
                return

    def open(self) -> None:
        """Makes the files of all streams. Collective."""
        if any(stream._since is not None for stream in self.all):
            self._agree(self._each(lambda stream: stream.cut()) if self._network.rank == 0 else None)
        self._agree(self._each(lambda stream: stream.open()))

    def sync(self) -> None:
        """All that was recorded so far is on the disk. Collective."""
        if self.all and not self._network._kernel.dry:
            self.open()
            self._agree(self._each(lambda stream: stream.sync()))

    def _each(self, action: Callable[[Stream[Any]], object]) -> BaseException | None:
        """What goes wrong with one of the streams; the first one that fails is the last one that is tried."""

        def do() -> None:
            for stream in self.all:
                action(stream)

        return _failure(do)

    def _piece(self, steps: int, poll: Poll, last: bool) -> BaseException | None:
        """Runs some steps and writes; what went wrong in writing. What goes wrong in running is raised, after writing."""
        kernel = self._network._kernel
        try:
            kernel.run(steps, poll)
        except BaseException:
            self._flush(all_streams=True)
            raise
        return self._flush(last)

    def _flush(self, all_streams: bool) -> BaseException | None:
        step, found = self._network._kernel.step, None
        for sampler in self.samplers:
            found = _failure(sampler.take) or found
        for stream in self.all:
            if all_streams or step % stream.every_steps == 0:
                found = _failure(stream.flush) or found
        return found

    def _agree(self, failure: BaseException | None) -> None:
        """Raises what went wrong here, RankError when something went wrong elsewhere. Collective."""
        network = self._network
        if network.n_ranks > 1 and _core.on_some_rank(network._comm, failure is not None) and failure is None:
            raise RankError("another rank could not write its results, or was interrupted")
        if failure is not None:
            raise failure


class Streaming(Connected):
    """Base of Network: results that go to disk, and samples of synapses."""

    __slots__ = ("_streams",)
    _streams: Streams


def _failure(action: Callable[[], None]) -> BaseException | None:
    """What an action raises: ranks agree on it before one raises."""
    try:
        action()
    except BaseException as error:
        return error
    return None
