# SPDX-License-Identifier: Apache-2.0
"""Numbers of the nodes of one Create, read and set at once: what loops of Simulate, set, get do most. All else goes to node_status.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine import Ints
from . import restarts
from .kernel import session
from .models.node_models import CM, NodeModel, is_shown_otherwise
from .node_status import READ_ONLY, checked_together
from .registry import Row
from .senders import lent

_EXACT = 2**53  # whole numbers below are the same as floats


def set_numbers(table: Ints, given: Any) -> bool:
    """Sets keys that hold one number per node to the same for all. False: nothing has changed, as the call is not of this kind or is refused."""
    if not given or not isinstance(given, Mapping) or (row := _row(table)) is None or not _keys(row.model)[1] >= given.keys():
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
    if (row := _row(table)) is None or key not in _keys(row.model)[0]:
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


_plain: dict[tuple[str, str], tuple[frozenset[str], frozenset[str]]] = {}  # by model and what the kernel has for it


def _keys(model: NodeModel) -> tuple[frozenset[str], frozenset[str]]:
    """Keys that are shown as the kernel has them; those of them that nothing but the kernel heeds when they are set."""
    found = _plain.get((model.root, model.base))
    if found is None:
        shown = {key for key in model.scalars if key not in model.same and not is_shown_otherwise(model, key)} - {*READ_ONLY}
        heeded = {"start", "origin", *checked_together(model), *lent(model), *model.numbered, *model.extras}
        free = {key for key in shown - heeded if not restarts.concerns(model, {key: 0.0})} & {*model.settable}
        found = _plain[model.root, model.base] = (frozenset(), frozenset()) if model.root == CM else (frozenset(shown), frozenset(free))
    return found
