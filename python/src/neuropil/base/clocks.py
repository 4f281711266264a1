# SPDX-License-Identifier: Apache-2.0
"""How long calls take, of which there may be very many short ones."""

from __future__ import annotations

import time
from collections.abc import Iterable

__all__ = ["Clocks", "Times"]

Times = tuple[float, float]
"""Wall, processor (s)."""

_SOON = 50e-6  # s


class Clocks:
    """Sums of wall and processor time (s) by name; the latter by the name with "_cpu".

    The processor's clock costs half a microsecond, as much as a short call, so it is read where it may differ from the wall's.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.seconds = dict.fromkeys([clock for name in names for clock in (name, f"{name}_cpu")], 0.0)
        self._read: Times = (-1.0, 0.0)

    def start(self) -> Times:
        """The time now. Soon after the last reading this thread alone has worked in between."""
        wall = time.perf_counter()
        if wall - self._read[0] < _SOON:
            return wall, self._read[1] + wall - self._read[0]
        return wall, time.process_time()

    def took(self, what: str, start: Times, alone: bool = False) -> Times:
        """Adds the time since `start`; returns the time now. `alone`: this thread alone has worked since."""
        wall = time.perf_counter()
        if alone:
            cpu = start[1] + wall - start[0]
        else:
            cpu = time.process_time()
            self._read = wall, cpu
        self.seconds[what] += wall - start[0]
        self.seconds[what + "_cpu"] += cpu - start[1]
        return wall, cpu
