# SPDX-License-Identifier: Apache-2.0
"""The bar that shows how far building and running are."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

__all__ = ["Poll", "Progress", "polling"]

Poll = Callable[[str, int, int], None]
"""Called about every 50 ms with (phase, done, total); may raise to stop at the end of the interval."""

Progress = bool | Poll | None
"""None: a bar on terminals for what takes longer than 2 s; True and False: always and never; a function: called instead."""

_WIDTH = 24
_WORTH = 2.0  # s; what is done sooner needs no bar
_EVERY = 0.1  # s between two drawings


class Bar:
    """One line on a terminal: name, bar, per cent, time taken and time left."""

    def __init__(self, stream: TextIO, always: bool) -> None:
        self._stream, self._always = stream, always
        self._phase, self._begin, self._drawn, self._shown = "", time.perf_counter(), 0.0, False

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.perf_counter()
        if phase != self._phase:
            self.close()
            self._phase, self._begin, self._drawn = phase, now, 0.0
        taken = now - self._begin
        expected = taken * total / done if done else taken
        worth = self._always or self._shown or (taken > 0.3 and expected > _WORTH)
        if worth and (now - self._drawn > _EVERY or done >= total):
            self._draw(done / max(total, 1), taken, expected)
            self._drawn, self._shown = now, True

    def close(self) -> None:
        """Ends the line, if one was drawn."""
        if self._shown:
            self._stream.write("\n")
            self._stream.flush()
        self._shown = False

    def _draw(self, part: float, taken: float, expected: float) -> None:
        part = min(max(part, 0.0), 1.0)
        full = round(part * _WIDTH)
        left = f"{max(expected - taken, 0.0):.1f} s left" if part < 1.0 else ""
        text = f"{self._phase:<12} {'█' * full}{'░' * (_WIDTH - full)} {100 * part:3.0f} %  {taken:.1f} s  {left}"
        self._stream.write(f"\r{text:<78}")
        self._stream.flush()


class _Polling:
    """A class, as a generator costs a microsecond."""

    __slots__ = ("_bar", "_poll")

    def __init__(self, poll: Poll, bar: Bar | None = None) -> None:
        self._poll, self._bar = poll, bar

    def __enter__(self) -> Poll:
        return self._poll

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def polling(progress: Progress, rank: int = 0) -> _Polling:
    """The function to give to the kernel. It is always one, so that Ctrl-C is noticed while the kernel works. Rank 0 draws."""
    if progress is False:
        return _QUIET
    if callable(progress):
        return _Polling(progress)
    if rank > 0 or (progress is None and not sys.stderr.isatty()):
        return _QUIET
    bar = Bar(sys.stderr, always=bool(progress))
    return _Polling(bar, bar)


def _nothing(phase: str, done: int, total: int) -> None:
    """Returning to Python is enough: a pending KeyboardInterrupt is raised on the way."""


_QUIET = _Polling(_nothing)
