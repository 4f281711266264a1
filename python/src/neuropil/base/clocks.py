# SPDX-License-Identifier: Apache-2.0
"""How long calls take, of which there may be very many short ones."""

from __future__ import annotations

import time
from collections.abc import Iterable

__all__ = ["Clocks", "Times"]

Times = tuple[float, float]
"""Wall, processor (s)."""

_SOON = 50e-6  # s, a short call. A thread that was made to wait for another one takes longer.
_TRUSTED = 1e-3  # s, how long the processor's clock may be followed without reading it


class Clocks:
    """Sums of wall and processor time (s) by name; the latter by the name with "_cpu".

    The processor's clock costs half a microsecond, as much as a short call, so it is read where it may differ from the wall's.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.seconds = dict.fromkeys([clock for name in names for clock in (name, f"{name}_cpu")], 0.0)
        self._known: Times = (-1.0, 0.0)  # the last time that `took` has returned
        self._read = -1.0  # wall time of the last reading of the processor's clock

    def start(self) -> Times:
        """The time now. Soon after the last call this thread alone has worked in between. Notes nothing: the call may be refused."""
        wall, known = time.perf_counter(), self._known
        if wall - known[0] < _SOON and wall - self._read < _TRUSTED:
            return wall, known[1] + wall - known[0]
        return wall, time.process_time()

    def took(self, what: str, start: Times, alone: bool = False) -> Times:
        """Adds the time since `start`; returns the time now. `alone`: this thread alone has worked since."""
        wall = time.perf_counter()
        if alone and wall - start[0] < _SOON and wall - self._read < _TRUSTED:
            now = wall, start[1] + wall - start[0]
        else:
            self._read, now = wall, (wall, time.process_time())
        self._known = now
        self.seconds[what] += now[0] - start[0]
        self.seconds[what + "_cpu"] += now[1] - start[1]
        return now
