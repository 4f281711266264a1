# SPDX-License-Identifier: Apache-2.0
"""How long Create, Connect, Prepare and Simulate took."""

from __future__ import annotations

import time

Times = tuple[float, float]
"""Wall, processor (s)."""

_SOON = 50e-6  # s


class Clocks:
    """Sums of wall and processor time by name, as GetKernelStatus shows them.

    The processor's clock costs half a microsecond, as much as a short call, so it is read where it may differ from the wall's.
    """

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(
            ("create", "connect", "simulate", "prepare", "create_cpu", "connect_cpu", "simulate_cpu", "prepare_cpu"), 0.0
        )
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
