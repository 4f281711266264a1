# SPDX-License-Identifier: Apache-2.0
"""The time grid: milliseconds at the surface, whole steps below it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_delay, bad_parameter, bad_type
from .quantities import plain

__all__ = ["Grid"]

_FAR = 2**62  # a step that no simulation reaches


class Grid:
    """Turns times in ms into steps of `resolution` ms and back."""

    __slots__ = ("_per_ms", "resolution")

    def __init__(self, resolution: float) -> None:
        self.resolution = resolution
        per_ms = 1.0 / resolution
        # 3 steps of 0.1 ms are 0.3 ms, not 0.30000000000000004: divide where the steps per ms are whole.
        self._per_ms = round(per_ms) if abs(per_ms - round(per_ms)) < 1e-9 * per_ms else 0

    def steps(self, name: str, ms: float, at_least: int = 0, past: bool = False) -> int:
        """Number of steps in `ms`. Raises BadParameter when it is not a multiple of the resolution or below `at_least` steps.

        `past`: infinity is allowed and means a step that is never reached.
        """
        ms = plain(name, ms, "ms")
        if isinstance(ms, str | bytes):  # float would read them
            raise bad_type(name, ms, "a time in ms")
        try:
            value = float(ms)
        except (TypeError, ValueError):
            raise bad_type(name, ms, "a time in ms") from None
        if past and value == math.inf:
            return _FAR
        steps = round(value / self.resolution) if math.isfinite(value) else -1
        on_grid = abs(steps * self.resolution - value) <= 1e-9 * max(1.0, abs(value))
        if not (on_grid and at_least <= steps <= _FAR):
            lowest = "a non-negative" if at_least == 0 else "a positive" if at_least == 1 else "a"
            raise bad_parameter(name, value, f"{lowest} multiple of the resolution ({self.resolution:g} ms)")
        return steps

    def step_at(self, ms: float) -> int | None:
        """The step of a time, None where it is not a number on the grid."""
        if type(ms) not in (float, int) or not -1e15 < ms < 1e15:
            return None
        step = round(ms / self.resolution)
        return step if abs(step * self.resolution - ms) <= 1e-9 * max(1.0, abs(ms)) else None

    def delays(self, ms: NDArray[np.float64]) -> NDArray[np.int64]:
        """Delays in steps: several are rounded, one must be a multiple of the resolution. Raises BadDelay."""
        if len(ms) == 1:
            self.check_delay(float(ms[0]))
        if not np.isfinite(ms).all():
            raise bad_delay("delay", float(ms[~np.isfinite(ms)][0]), "a finite number")
        return np.rint(ms / self.resolution).astype(np.int64)

    def check_delay(self, ms: float) -> None:
        """Raises BadDelay for one delay that would be rounded."""
        steps = round(ms / self.resolution) if math.isfinite(ms) else 0
        if abs(steps * self.resolution - ms) > 1e-9 * max(1.0, abs(ms)):
            raise bad_delay(
                "delay", ms, f"a positive multiple of the resolution ({self.resolution:g} ms); only drawn delays and arrays are rounded"
            )

    def ms(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Times in ms of an array of steps."""
        result: NDArray[Any] = steps / self._per_ms if self._per_ms else steps * self.resolution
        return result.astype(np.float64, copy=False)

    def time(self, step: int) -> float:
        """Time in ms of one step."""
        return step / self._per_ms if self._per_ms else step * self.resolution
