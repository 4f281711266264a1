# SPDX-License-Identifier: Apache-2.0
"""The line that shows how far touch detection is: cells done, touches found, time left."""

from __future__ import annotations

import sys
import time

from ..base.progress import Terminal
from .detect import State

__all__ = ["Bar"]

_EVERY = 10.0  # s between two lines where there is no terminal


class Bar:
    """A bar on terminals; elsewhere a line now and then. Use as a context; call with every State."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._line = Terminal(sys.stderr) if sys.stderr.isatty() else None
        self._phase, self._told = "reading", time.perf_counter()
        self._begin, self._before = self._told, 0

    def __enter__(self) -> Bar:
        return self

    def __call__(self, state: State) -> None:
        """Shows where the search is; on the first rank alone."""
        if self._quiet:
            return
        text = self.words(state)
        if self._line is not None:
            if state.phase != self._phase:
                self._line.end()
            self._phase = state.phase
            self._line.draw(state.phase, state.cells / max(state.of, 1), text)
        elif time.perf_counter() - self._told > _EVERY:
            self._told = time.perf_counter()
            print(f"{state.phase}: {text}", file=sys.stderr, flush=True)

    def words(self, state: State) -> str:
        """Like `320/1000 cells, 412 k touches, 12 s left`."""
        if state.phase != "detecting":
            self._begin, self._before = time.perf_counter(), state.cells
            return f"{state.cells}/{state.of} cells" if state.cells else f"{state.of} cells"
        taken, done = time.perf_counter() - self._begin, state.cells - self._before
        left = taken * (state.of - state.cells) / done if done > 0 else 0.0
        return f"{state.cells}/{state.of} cells, {amount(state.touches)} touches{f', {left:.0f} s left' if state.cells < state.of else ''}"

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.end()


def amount(n: float) -> str:
    """1234567 as `1.23 M`."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size:
            return f"{n / size:.3g} {unit}"
    return f"{n:g}"
