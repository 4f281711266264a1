# SPDX-License-Identifier: Apache-2.0
"""Values with units from the libraries quantities, pint and brian2: converted where neuropil knows the unit, refused where it does not.

None of the libraries is imported: a value brings what is needed.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import bad_parameter, bad_type

__all__ = ["has_unit", "plain"]

_PLAIN = (float, int, bool, np.ndarray, np.float64, str, type(None))
_OTHER_NAMES = {"spikes/s": "Hz", "1/s": "Hz"}  # what the libraries call our units


def plain(name: str, value: Any, unit: str) -> Any:
    """A value of the libraries as numbers in `unit`; any other value as it is. Raises BadParameter for another dimension, BadType where `unit` is ""."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if not has_unit(value):
        return value
    if kind in (list, tuple):
        return [plain(name, one, unit) for one in value]
    if not unit:
        raise bad_type(name, value, "numbers without a unit, for neuropil knows none here: divide by the unit you mean")
    if hasattr(value, "in_unit"):
        return value.in_unit(name, unit)
    try:
        return _in_unit(value, _OTHER_NAMES.get(unit, unit))
    except (ValueError, TypeError, AttributeError, KeyError):
        raise bad_parameter(name, value, f"a quantity that can be converted to {unit}") from None


def has_unit(value: Any) -> bool:
    """Whether a value, or the first of a list, is of one of the libraries, or a distribution of such values."""
    if type(value) in _PLAIN:
        return False
    if type(value) in (list, tuple):
        return bool(value) and has_unit(value[0])
    return hasattr(value, "dimensionality") or hasattr(value, "get_best_unit") or hasattr(value, "in_unit")


def _in_unit(value: Any, unit: str) -> Any:
    if hasattr(value, "rescale"):  # quantities, neo
        return np.asarray(value.rescale(unit).magnitude)
    if hasattr(value, "to"):  # pint
        return value.to(unit).magnitude
    return _of_brian(value, unit)


def _of_brian(value: Any, unit: str) -> Any:
    """brian2 keeps values in SI; its module has the units by name."""
    brian = sys.modules[type(value).__module__.partition(".")[0]]
    top, _, below = unit.partition("/")
    scale = (1.0 if top == "1" else getattr(brian, top)) / (getattr(brian, below) if below else 1.0)
    ratio = value / scale
    if has_unit(ratio):  # a dimension is left
        raise ValueError(unit)
    return np.asarray(ratio)
