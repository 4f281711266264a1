# SPDX-License-Identifier: Apache-2.0
"""Functions that are called at biological times while a network runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .network import Network

__all__ = ["Calls", "Every"]


@dataclass(frozen=True, slots=True)
class Every:
    """A function that `Network.every` calls; `cancel()` ends that."""

    network: Network
    interval: float  # ms
    steps: int
    function: Callable[[Network], object]

    def cancel(self) -> None:
        """It is not called any more. A second time does nothing."""
        self.network._calls.remove(self, self.network._kernel.step)

    def __repr__(self) -> str:
        return f"Every({self.interval:g} ms: {getattr(self.function, '__qualname__', self.function)})"


class Calls:
    """The functions of a network, in the order in which they were given."""

    __slots__ = ("_all", "_at_first")

    def __init__(self) -> None:
        self._all: list[Every] = []
        self._at_first: list[Every] = []  # as it was at time 0

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, call: Every) -> Every:
        """Adds a call; returns it."""
        self._all.append(call)
        if not call.network._kernel.step:
            self._at_first.append(call)
        return call

    def remove(self, call: Every, step: int) -> None:
        """Takes a call out; one that is not there is no error. `step`: the present one."""
        self._all = [other for other in self._all if other is not call]
        if not step:
            self._at_first = [other for other in self._at_first if other is not call]

    def begin_again(self) -> None:
        """Those that there were at time 0."""
        self._all = list(self._at_first)

    def __iter__(self) -> Iterator[Every]:
        return iter(self._all)

    def copy(self, network: Network, same: bool = False) -> Calls:
        """For a copy of the network, or (`same`) for this one at another time."""
        made, twins = Calls(), {id(call): call if same else replace(call, network=network) for call in (*self._all, *self._at_first)}
        made._all, made._at_first = [twins[id(call)] for call in self._all], [twins[id(call)] for call in self._at_first]
        return made

    def next(self, step: int, end: int) -> int:
        """The next step after `step` at which a function is called, or the end of the run."""
        return min([end, *((step // call.steps + 1) * call.steps for call in self._all)])

    def due(self, step: int) -> list[Every]:
        """Those that are called at a step."""
        return [call for call in self._all if step % call.steps == 0]
