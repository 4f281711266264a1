# SPDX-License-Identifier: Apache-2.0
"""Numbers of the nodes of one Create, read and set at once: what loops of Simulate, set, get do most. All else goes to node_status.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine import Ints
from .kernel import session
from .node_status import plain_keys
from .registry import Row

_EXACT = 2**53  # whole numbers below are the same as floats


def set_numbers(table: Ints, given: Any) -> bool:
    """Sets keys that hold one number per node to the same for all. False: nothing has changed, as the call is not of this kind or is refused."""
    if not given or not isinstance(given, Mapping) or (row := _row(table)) is None or not plain_keys(row.model)[1] >= given.keys():
        return False
    if not all(type(v) is float or (type(v) is int and -_EXACT < v < _EXACT) for v in given.values()):
        return False
    kernel = session().engine.kernel
    try:
        if row.model.kind == "neuron":
            kernel.set_each(table, {key: np.array([v], np.float64) for key, v in given.items()}, [])
        else:
            first, n, stride = table[0].tolist()
            kernel.set(np.arange(first, first + n * stride, stride), {key: np.full(n, v, np.float64) for key, v in given.items()})
    except Exception:
        return False
    return True


def get_numbers(table: Ints, key: Any) -> Any:
    """A number, or a tuple with one per node; None where the key holds no plain number."""
    if (row := _row(table)) is None or key not in plain_keys(row.model)[0]:
        return None
    first, n, stride = table[0].tolist()
    found = session().engine.kernel.get(np.arange(first, first + n * stride, stride), key).tolist()
    return found[0] if n == 1 else tuple(found)


def _row(table: Ints) -> Row | None:
    """The row that has all nodes of a table, None where there is none or recorders have the values."""
    if len(table) != 1:
        return None
    first, n, stride = table[0].tolist()
    row = session().registry.row(first)
    return None if row.recorders or first + (n - 1) * stride >= row.first + row.count else row
