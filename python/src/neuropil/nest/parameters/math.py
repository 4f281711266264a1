# SPDX-License-Identifier: Apache-2.0
"""nest.math: functions of Parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import space
from ...space.engine import Function
from ..errors import NESTErrors
from .expression import Parameter, checked, made

__all__ = ["cos", "exp", "max", "min", "redraw", "sin"]


def exp(parameter: Any) -> Parameter:
    """e to the power of a Parameter."""
    return made(space.exp(checked(parameter)), parameter)


def sin(parameter: Any) -> Parameter:
    """Sine of a Parameter, in radians."""
    return made(Function(np.sin, checked(parameter), form="sin({})"), parameter)  # by numpy: the same connections as in earlier versions


def cos(parameter: Any) -> Parameter:
    """Cosine of a Parameter, in radians."""
    return made(Function(np.cos, checked(parameter), form="cos({})"), parameter)


def min(parameter: Any, value: float) -> Parameter:
    """The smaller of a Parameter and a number."""
    return made(space.clip(checked(parameter), max=float(value)), parameter)


def max(parameter: Any, value: float) -> Parameter:
    """The larger of a Parameter and a number."""
    return made(space.clip(checked(parameter), min=float(value)), parameter)


def redraw(parameter: Any, min: float, max: float) -> Parameter:
    """A Parameter that is drawn again while its value is outside of [min, max]: KernelException after a thousand times.

    Raises BadParameterValue unless min <= max.
    """
    low, high = float(min), float(max)
    if not low <= high:
        raise NESTErrors.BadParameterValue(f"redraw: min <= max required, got {low:g} and {high:g}")
    return made(space.redraw(checked(parameter), low, high), parameter)
