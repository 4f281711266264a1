# SPDX-License-Identifier: Apache-2.0
"""A thread that writes a checkpoint while the network runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..base.progress import Poll
from .copies import Copies
from .files import Told

__all__ = ["Background"]

_POLL_EVERY = 0.05  # s


class _Stopped(BaseException):
    """Ends a saving that was interrupted."""


class Background:
    """Writes one checkpoint at a time. `copies`: what it is written from. The methods are for one thread."""

    def __init__(self, threads: int) -> None:
        self.copies = Copies(threads)
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._progress = 0, 1
        self._stops = False

    def start(self, write: Callable[[Told], object]) -> None:
        """Calls `write`, whose errors `wait` raises. One that was started before must have been waited for."""
        assert self._thread is None
        self._progress, self._failure, self._stops = (0, 1), None, False
        self._thread = threading.Thread(target=self._run, args=(write,), name="neuropil-checkpoint")  # Python does not end before it
        self._thread.start()

    def wait(self, poll: Poll | None = None) -> None:
        """Until the checkpoint is on the disk; raises why it is not. Ctrl-C and an exception of `poll` remove what was written of it."""
        try:
            self._join(poll)
        except BaseException:
            self._stops = True
            self._join(None)
            self._failure = None
            raise
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _join(self, poll: Poll | None) -> None:
        """Calls `poll` from this thread: it may be for the main thread only."""
        if self._thread is None:
            return
        while self._thread.is_alive():
            self._thread.join(_POLL_EVERY)
            if poll is not None and self._thread.is_alive():
                poll("saving", *self._progress)
        self._thread = None

    def _run(self, write: Callable[[Told], object]) -> None:
        try:
            write(self._told)
        except BaseException as error:
            self._failure = error

    def _told(self, done: int, total: int) -> None:
        if self._stops:
            raise _Stopped
        self._progress = done, max(total, 1)
