# SPDX-License-Identifier: Apache-2.0
"""nest.math: functions of Parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import NESTErrors
from .expression import Function, Parameter, checked
from .leaves import Clipped, Redraw

__all__ = ["cos", "exp", "max", "min", "redraw", "sin"]


def exp(parameter: Any) -> Parameter:
    """e to the power of a Parameter."""
    return Function(np.exp, checked(parameter), write=lambda code, x: code("exponential", x))


def sin(parameter: Any) -> Parameter:
    """Sine of a Parameter, in radians."""
    return Function(np.sin, checked(parameter))


def cos(parameter: Any) -> Parameter:
    """Cosine of a Parameter, in radians."""
    return Function(np.cos, checked(parameter))


def min(parameter: Any, value: float) -> Parameter:
    """The smaller of a Parameter and a number."""
    return Clipped(checked(parameter), -math.inf, float(value))


def max(parameter: Any, value: float) -> Parameter:
    """The larger of a Parameter and a number."""
    return Clipped(checked(parameter), float(value), math.inf)


def redraw(parameter: Any, min: float, max: float) -> Parameter:
    """A Parameter that is drawn again while its value is outside of [min, max]: KernelException after a thousand times.

    Raises BadParameterValue unless min <= max.
    """
    low, high = float(min), float(max)
    if not low <= high:
        raise NESTErrors.BadParameterValue(f"redraw: min <= max required, got {low:g} and {high:g}")
    return Redraw(checked(parameter), low, high)
