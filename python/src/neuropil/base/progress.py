# SPDX-License-Identifier: Apache-2.0
"""The bar that shows how far building and running are: on a terminal, in a notebook, or as lines of a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO

__all__ = ["Poll", "Progress", "Terminal", "polling", "shifted"]

Poll = Callable[[str, int, int], None]
"""Called about every 50 ms with (phase, done, total); may raise to stop at the end of the interval."""

Progress = bool | Poll | None
"""None: a bar on terminals and in notebooks for what takes longer than 2 s; True and False: always and never; a function: called instead."""

_WIDTH = 24
_WORTH = 2.0  # s; what is done sooner needs no bar
_EVERY = 0.2  # s between two drawings, which take rich 1 ms each
_TENTHS = 10  # lines of a log per phase


class _Surface(Protocol):
    """Where a bar is drawn."""

    def draw(self, phase: str, part: float, words: str) -> None:
        """Draws over what this phase has drawn before."""

    def end(self) -> None:
        """What was drawn stays; the next phase begins below."""


class Terminal:
    """One line of rich, drawn by this thread. What is printed meanwhile stands above the line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._line: Any = None

    def draw(self, phase: str, part: float, words: str) -> None:
        """Draws over what this phase has drawn before."""
        shown: Any = {"description": f"{phase:<12}", "completed": part, "words": words}
        if self._line is None:
            self._begin(shown)
        else:
            self._line.update(self._line.task_ids[0], refresh=True, **shown)

    def end(self) -> None:
        """What was drawn stays."""
        if self._line is not None:
            self._line.stop()
            self._line = None

    def _begin(self, shown: dict[str, Any]) -> None:
        from rich.console import Console  # here: what is done sooner needs no rich
        from rich.progress import BarColumn, Progress, TextColumn

        columns = TextColumn("{task.description}"), BarColumn(_WIDTH), TextColumn("{task.percentage:3.0f} %  {task.fields[words]}")
        console, to_stdout = Console(file=self._stream), sys.stdout.isatty()  # a redirected stdout is left as it is
        self._line = Progress(*columns, console=console, auto_refresh=False, redirect_stdout=to_stdout)
        self._line.add_task(total=1.0, **shown)
        self._line.start()


class _Log:
    """A line per tenth: what cannot be written over should stay short."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._tenth = stream, -1

    def draw(self, phase: str, part: float, words: str) -> None:
        tenth = int(part * _TENTHS + 1e-9)
        if tenth > self._tenth:
            self._tenth = tenth
            self._stream.write(f"{phase:<12} {100 * part:3.0f} %  {words}".rstrip() + "\n")
            self._stream.flush()

    def end(self) -> None:
        self._tenth = -1


class _Notebook:
    """An HTML element below the cell."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display, self._handle = display, None

    def draw(self, phase: str, part: float, words: str) -> None:
        import html  # here: most programs print no HTML

        plain = f"{phase} {100 * part:.0f} %  {words}".rstrip()
        bar = f'<progress value="{part:.4f}" max="1" style="width: 20em; vertical-align: middle"></progress>'
        text = (
            f'<div style="font-family: monospace">{html.escape(f"{phase:<12}")} {bar} {html.escape(f"{100 * part:3.0f} %  {words}")}</div>'
        )
        data = {"text/html": text, "text/plain": plain}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)

    def end(self) -> None:
        self._handle = None


class Bar:
    """Name of the phase, bar, per cent, time taken and time left."""

    def __init__(self, surface: _Surface, always: bool) -> None:
        self._surface, self._always = surface, always
        self._phase, self._begin, self._drawn, self._shown, self._full = "", time.perf_counter(), 0.0, False, False

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = time.perf_counter()
        if phase != self._phase:
            self.close(done=True)  # the phase before has made way for this one
            self._phase, self._begin, self._drawn, self._full = phase, now, 0.0, False
        taken = now - self._begin
        expected = taken * total / done if done else taken
        worth = self._always or self._shown or (taken > 0.3 and expected > _WORTH)
        if worth and not self._full and (now - self._drawn > _EVERY or done >= total):
            self._draw(done / max(total, 1), taken, expected)
            self._drawn, self._shown = now, True

    def end(self, phase: str) -> None:
        """All is done, of which this was the last phase: what is always shown is shown also when it was too short to be asked."""
        if self._always and phase and (phase != self._phase or not self._shown):
            self(phase, 1, 1)
        self.close(done=True)

    def close(self, done: bool) -> None:
        """Ends what was drawn, if anything was; at 100 % when it is done, which the kernel does not tell."""
        if self._shown:
            if done and not self._full:
                taken = time.perf_counter() - self._begin
                self._draw(1.0, taken, taken)
            self._surface.end()
        self._shown = False

    def _draw(self, part: float, taken: float, expected: float) -> None:
        part = min(max(part, 0.0), 1.0)
        self._full = part == 1.0
        left = f"{max(expected - taken, 0.0):.1f} s left" if 0.0 < part < 1.0 else ""
        self._surface.draw(self._phase, part, f"{taken:.1f} s  {left}")


class _Polling:
    """A class, as a generator costs a microsecond."""

    __slots__ = ("_bar", "_last", "_poll")

    def __init__(self, poll: Poll, bar: Bar | None = None, last: str = "") -> None:
        self._poll, self._bar, self._last = poll, bar, last

    def __enter__(self) -> Poll:
        return self._poll

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._bar is not None:
            self._bar.end(self._last) if kind is None else self._bar.close(done=False)


def polling(progress: Progress, rank: int = 0, last: str = "") -> _Polling:
    """The function to give to the kernel.

    It is always one, so that Ctrl-C is noticed while the kernel works. Rank 0 draws. `last`: the last phase, of which a bar that is
    always shown tells also when all took less than the 50 ms until it is asked.
    """
    if progress is False:
        return _QUIET
    if callable(progress):
        return _Polling(progress)
    if rank > 0:
        return _QUIET
    display, on_terminal = _notebook(), sys.stderr.isatty()
    if progress is None and display is None and not on_terminal:
        return _QUIET
    surface = _Notebook(display) if display is not None else Terminal(sys.stderr) if on_terminal else _Log(sys.stderr)
    bar = Bar(surface, always=bool(progress))
    return _Polling(bar, bar, last)


def _notebook() -> Callable[..., Any] | None:
    """IPython's display where cells have an output, as in Jupyter; looked up, not imported, so that programs do not pay for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display

    shown: Callable[..., Any] = display
    return shown


def _nothing(phase: str, done: int, total: int) -> None:
    """Returning to Python is enough: a pending KeyboardInterrupt is raised on the way."""


_QUIET = _Polling(_nothing)


def shifted(poll: Poll, before: int, total: int) -> Poll:
    """Tells of a piece as of the whole."""
    return lambda phase, done, _: poll(phase, before + done, total)
