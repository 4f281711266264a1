# SPDX-License-Identifier: Apache-2.0
"""nest.random: Parameters that are drawn."""

from __future__ import annotations

import math
from typing import Any

from ...classes import Distribution
from ...space.engine import Drawn, WholeNumber
from ..errors import NESTErrors
from .expression import Constant, Parameter, whole

__all__ = ["exponential", "lognormal", "normal", "uniform", "uniform_int"]


def uniform(min: float = 0.0, max: float = 1.0) -> Parameter:
    """Uniform in [min, max). Raises BadProperty unless min < max."""
    low, high = float(min), float(max)
    if not low < high or not math.isfinite(low) or not math.isfinite(high):
        raise NESTErrors.BadProperty(f"uniform: min < max required, got {low:g} and {high:g}")
    return Parameter(Drawn(Distribution("uniform", low, high)))


def uniform_int(max: int) -> Parameter:
    """One of 0, 1, ..., max - 1, all equally likely. Raises BadProperty unless max > 0, TypeError for other than whole numbers."""
    number = whole("uniform_int: max", max)
    if number <= 0:
        raise NESTErrors.BadProperty(f"uniform_int: max > 0 required, got {max}")
    return Parameter(WholeNumber(number))


def normal(mean: float = 0.0, std: float = 1.0) -> Parameter:
    """Normal distribution. Raises BadProperty unless std > 0."""
    return Parameter(Drawn(Distribution("normal", float(mean), _positive("normal", "std", std))))


def lognormal(mean: float = 0.0, std: float = 1.0) -> Parameter:
    """exp(x) where x is normal with `mean` and `std`. Raises BadProperty unless std > 0."""
    return Parameter(Drawn(Distribution("lognormal", float(mean), _positive("lognormal", "std", std))))


def exponential(beta: float = 1.0) -> Parameter:
    """Exponential distribution with mean `beta`; negative values where beta is negative."""
    scale = float(beta)
    return Parameter(Drawn(Distribution("exponential", abs(scale), factor=math.copysign(1.0, scale)))) if scale else Constant(0.0)


def _positive(function: str, name: str, value: Any) -> float:
    found = float(value)
    if not found > 0.0:
        raise NESTErrors.BadProperty(f"{function}: {name} > 0 required, got {found:g}")
    return found
