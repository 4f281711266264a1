# SPDX-License-Identifier: Apache-2.0
"""Functions that are called at biological times while a network runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from .core import Core

__all__ = ["Calls", "Every"]


@dataclass(frozen=True, slots=True)
class Every:
    """A function that `Network.every` calls; `cancel()` ends that."""

    interval: float  # ms
    steps: int
    function: Callable[[Any], object]
    _calls: Calls = field(repr=False)

    def cancel(self) -> None:
        """It is not called any more. A second time does nothing."""
        self._calls.remove(self)

    def __repr__(self) -> str:
        return f"Every({self.interval:g} ms: {getattr(self.function, '__qualname__', self.function)})"


class Calls:
    """The functions of a network, in the order in which they were given."""

    __slots__ = ("_all", "_at_first", "_network")

    def __init__(self, network: Core) -> None:
        self._network = network
        self._all: list[Every] = []
        self._at_first: list[Every] = []  # as it was at time 0

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, interval: float, steps: int, function: Callable[[Any], object]) -> Every:
        """Adds a call of `function` every `interval` ms, which are so many steps."""
        call = Every(interval, steps, function, self)
        self._all.append(call)
        if not self._network._kernel.step:
            self._at_first.append(call)
        return call

    def remove(self, call: Every) -> None:
        """Takes a call out; one that is not there is no error."""
        self._all = [other for other in self._all if other is not call]
        if not self._network._kernel.step:
            self._at_first = [other for other in self._at_first if other is not call]

    def begin_again(self) -> None:
        """Those that there were at time 0."""
        self._all = list(self._at_first)

    def __iter__(self) -> Iterator[Every]:
        return iter(self._all)

    def state(self) -> tuple[list[Every], list[Every]]:
        """The calls of now, for `back_to`."""
        return list(self._all), list(self._at_first)

    def back_to(self, state: tuple[list[Every], list[Every]]) -> None:
        """The calls of then."""
        self._all, self._at_first = list(state[0]), list(state[1])

    def copy(self, network: Core) -> Calls:
        """For a copy of the network."""
        made = Calls(network)
        twins = {id(call): replace(call, _calls=made) for call in (*self._all, *self._at_first)}
        made.back_to(([twins[id(call)] for call in self._all], [twins[id(call)] for call in self._at_first]))
        return made

    def next(self, step: int, end: int) -> int:
        """The next step after `step` at which a function is called, or the end of the run."""
        for call in self._all:
            end = min(end, step - step % call.steps + call.steps)
        return end

    def due(self, step: int) -> list[Every]:
        """Those that are called at a step."""
        return [call for call in self._all if step % call.steps == 0]
