# SPDX-License-Identifier: Apache-2.0
"""Distributions that the kernel draws itself: what stays one of them when it is shifted, scaled or cut."""

from __future__ import annotations

import math
from dataclasses import replace

from ...distributions import Distribution

Native = float | Distribution | None

_MIN_CHANCE = 1e-3  # below it the numpy path tries a thousand times and says so, as NEST does


def shifted_and_scaled(value: float | Distribution, shift: float, factor: float) -> Native:
    """shift + factor * value, or None where the kernel has no such distribution."""
    if isinstance(value, float):
        return shift + factor * value
    moved = _moved(value, shift, factor)
    if moved is None or value.limit == "none":
        return moved
    ends = sorted((shift + factor * value.min, shift + factor * value.max))
    return replace(moved, min=ends[0], max=ends[1])


def _moved(value: Distribution, shift: float, factor: float) -> Distribution | None:
    if factor == 0.0 or not (math.isfinite(shift) and math.isfinite(factor)):
        return None
    if value.kind == "normal":
        return replace(value, a=shift + factor * value.a, b=abs(factor) * value.b)
    if value.kind == "uniform":
        ends = sorted((shift + factor * value.a, shift + factor * value.b))
        return replace(value, a=ends[0], b=ends[1])
    if shift != 0.0 or factor < 0.0:
        return None
    if value.kind == "lognormal":
        return replace(value, a=value.a + math.log(factor))
    return replace(value, a=factor * value.a)


def redrawn(value: Native, low: float, high: float) -> Native:
    """The distribution given that its value is in [low, high]; None where the kernel cannot, or where hardly any value is."""
    if isinstance(value, float):
        return value if low <= value <= high else None
    if value is None or value.limit != "none" or not low < high:
        return None
    return value.redraw(low, high) if _cumulative(value, high) - _cumulative(value, low) >= _MIN_CHANCE else None


def clipped(value: Native, low: float, high: float) -> Native:
    """Values below `low` become `low`, above `high` become `high`."""
    if isinstance(value, float):
        return min(max(value, low), high)
    return value.clip(low, high) if value is not None and value.limit == "none" else None


def _cumulative(value: Distribution, x: float) -> float:
    """Probability of a value below x."""
    if value.kind == "uniform":
        return min(max((x - value.a) / (value.b - value.a), 0.0), 1.0)
    if value.kind == "exponential":
        return 1.0 - math.exp(-max(x, 0.0) / value.a)
    if value.kind == "lognormal":
        if x <= 0.0:
            return 0.0
        x = math.log(x)
    return 0.5 * math.erfc((value.a - x) / (value.b * math.sqrt(2.0)))
