# SPDX-License-Identifier: Apache-2.0
"""Checkpoints while a network runs: every so many ms, and when the process is told to end."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..base.progress import Poll
from ..errors import BadCheckpoint, NeuropilError, bad_parameter
from ..model.keeping import Keeping
from ..results.files import to_path
from .background import Background
from .saving import save
from .team import Team, failure_of

__all__ = ["TERMINATED", "Saver"]

TERMINATED = 75
"""Exit code of a program that was told to end (SIGTERM) and has saved: EX_TEMPFAIL, try again."""


class _Told(BaseException):
    """Stops the kernel at the end of an interval."""


class Saver:
    """Saves at multiples of `every` steps, None: only when the process is told to end. Methods are collective.

    On one rank a checkpoint is written while the network runs on; the next one, functions of `Network.every` and the end of the run wait for it.
    """

    def __init__(self, net: Keeping, path: str | os.PathLike[str], every: int | None, keep: int, end: int) -> None:
        self._net, self._path, self._every, self._keep = net, to_path(path), every, keep
        self._run: dict[str, Any] = {
            "until_ms": net._grid.time(end),
            "every_ms": None if every is None else net._grid.time(every),
            "keep": keep,
            "command": sys.argv,
        }
        self._team = Team(net._comm)
        self._background = Background(net.threads)
        self._told = False
        if not self._path.parent.is_dir():
            raise bad_parameter("checkpoint", str(path), "a file in a folder that exists")

    def next(self, step: int, end: int) -> int:
        """The next step after `step` at which there is something to do, or the end."""
        return end if self._every is None else min(end, (step // self._every + 1) * self._every)

    def run(self, steps: int, poll: Poll) -> None:
        """Runs the kernel; fewer steps where the process of some rank was told to end."""

        def listening(phase: str, done: int, total: int) -> None:
            if self._told:
                raise _Told
            poll(phase, done, total)

        failure: BaseException | None = None
        try:
            self._net._streams.run(steps, listening)
        except BaseException as error:
            failure = error
        self._told = self._team.some(self._told)
        if failure is not None and not self._told:
            raise failure

    def after(self, poll: Poll, moved: bool) -> None:
        """Saves where it is time to (`moved`: time has gone on), and ends the process that was told to."""
        ends = self._team.some(self._told)
        if ends:
            with suppress(BadCheckpoint):  # the one that is saved now takes its place
                self.wait(poll)
            self._save(poll, None)
            if self._team.rank == 0:
                print(f"neuropil: told to end (SIGTERM): saved {self._path} at {self._net.time:g} ms", file=sys.stderr, flush=True)
            self._team.some(False)  # a rank that ends with this code ends all
            raise SystemExit(TERMINATED)
        if moved and self._every is not None and self._net._kernel.step % self._every == 0:
            self.wait(poll)
            self._save(poll, self._background)

    def wait(self, poll: Poll | None) -> None:
        """Returns when the last checkpoint is on the disk. Raises BadCheckpoint when it could not be written."""
        self._background.wait(poll)

    def _save(self, poll: Poll, background: Background | None) -> None:
        save(self._net, self._path, self._net.extra, self._keep, poll, run=self._run, background=background)

    @contextmanager
    def saving(self, poll: Poll) -> Iterator[None]:
        """For the run: SIGTERM is noted, and at the end, also by an error, the last checkpoint is on the disk."""
        with self._listening():
            try:
                yield
            except BaseException as error:
                if isinstance(failure := failure_of(lambda: self.wait(None)), NeuropilError):
                    error.add_note(str(failure))
                raise
            self.wait(poll)

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """SIGTERM is noted instead of ending the process; in threads, which get no signals, nothing changes."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def note(number: int, frame: object) -> None:
            self._told = True

        before = signal.signal(signal.SIGTERM, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)
