# SPDX-License-Identifier: Apache-2.0
"""Statements by numpy: of a reset, or at the spikes of a synapse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .evaluating import value_of
from .expressions import Binary, Name
from .parsing import Assignment

__all__ = ["carried_out"]


def carried_out(statements: Iterable[Assignment], values: Mapping[str, Any], only: Any = True) -> dict[str, Any]:
    """Values after statements, one after the other. only : arrays change where it is true."""
    now = dict(values)
    for each in statements:
        place, sign = each.place, each.operator[0]
        value = value_of(each.value if sign == "=" else Binary(place, sign, Name(place, each.name), each.value), now)
        now[each.name] = value if only is True else np.where(only, value, now[each.name])
    return now
