# SPDX-License-Identifier: Apache-2.0
"""Distributions that the kernel draws itself: what stays one of them when it is shifted, scaled or cut."""

from __future__ import annotations

import math
from dataclasses import replace

from ..base.laws import Law

Native = float | Law | None

_MIN_CHANCE = 1e-3  # below it the numpy path tries a thousand times and says so


def shifted_and_scaled(value: float | Law, shift: float, factor: float) -> Native:
    """shift + factor * value, or None where the kernel has no such distribution."""
    if isinstance(value, float):
        return shift + factor * value
    return value.moved(shift, factor) if factor != 0.0 and math.isfinite(shift) and math.isfinite(factor) else None


def redrawn(value: Native, low: float, high: float) -> Native:
    """The distribution given that its value is in [low, high]; None where the kernel cannot, or where hardly any value is."""
    if isinstance(value, float):
        return value if low <= value <= high else None
    if value is None or value.limit != "none" or not low < high:
        return None
    return value.redraw(low, high) if _probability(value, low, high) >= _MIN_CHANCE else None


def clipped(value: Native, low: float, high: float) -> Native:
    """Values below `low` become `low`, above `high` become `high`."""
    if isinstance(value, float):
        return min(max(value, low), high)
    if value is None or value.limit == "none" or not low <= high:
        return value.clip(low, high) if value is not None and low <= high else None
    if value.limit == "clip":
        return replace(value, min=min(max(value.min, low), high), max=min(max(value.max, low), high))
    return value if low <= value.min and value.max <= high else None


def _probability(value: Law, low: float, high: float) -> float:
    """Of a value in [low, high]."""
    ends = sorted(((low - value.shift) / value.factor, (high - value.shift) / value.factor))
    if value.kind == "uniform_int":
        return max(min(math.floor(min(ends[1], value.a)), value.a - 1) - max(math.ceil(max(ends[0], -1.0)), 0) + 1, 0) / value.a
    return _cumulative(value, ends[1]) - _cumulative(value, ends[0])


def _cumulative(value: Law, x: float) -> float:
    """Probability of a value below x, before shift and factor."""
    if value.kind == "uniform":
        return min(max((x - value.a) / (value.b - value.a), 0.0), 1.0)
    if value.kind == "exponential":
        return 1.0 - math.exp(-max(x, 0.0) / value.a)
    if value.kind == "lognormal":
        if x <= 0.0:
            return 0.0
        x = math.log(x)
    return 0.5 * math.erfc((value.a - x) / (value.b * math.sqrt(2.0)))
