# SPDX-License-Identifier: Apache-2.0
"""nest.logic: choices between Parameters."""

from __future__ import annotations

import numbers
from typing import Any

from ...space import where
from .expression import Parameter, checked, made, to_parameter

__all__ = ["conditional"]


def conditional(condition: Any, param_if_true: Any, param_if_false: Any) -> Parameter:
    """`param_if_true` where the condition, a Parameter, is not 0, else `param_if_false`; both are Parameters or numbers."""
    choices = (_either("param_if_true", param_if_true), _either("param_if_false", param_if_false))
    return made(where(checked(condition, "condition"), *choices), condition, *choices)


def _either(name: str, value: Any) -> Parameter:
    return to_parameter(value) if isinstance(value, numbers.Real) else checked(value, name)
