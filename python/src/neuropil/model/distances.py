# SPDX-License-Identifier: Apache-2.0
"""Distances between nodes by their gids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Ranges
from ..errors import IllegalConnection, NoPositions
from ..space.expression import Term
from ..space.formulas import values_of
from ..space.layers import Part, same_period
from ..space.leaves import Distance
from .populations import Populations

__all__ = ["distances", "values_between"]

Ints = NDArray[np.int64]


def distances(populations: Populations, sources: Ints, targets: Ints) -> NDArray[np.float64]:
    """From sources[i] to targets[i], float64 (n,). Raises NoPositions, IllegalConnection for nodes of different spaces."""
    return values_between(populations, Distance(), sources, targets, 0, 0)


def values_between(populations: Populations, term: Term, sources: Ints, targets: Ints, seed: int, draw: int) -> NDArray[np.float64]:
    """What an expression gives for connections from sources[i] to targets[i], float64 (n,). Raises as `distances`."""
    if not len(sources):
        return np.empty(0)
    keys = np.arange(1, len(sources) + 1, dtype=np.int64)
    if not term.is_spatial():
        return values_of(term, None, None, (sources, targets, keys), seed, draw, 1)
    (pre, source), (post, target) = _placed(populations, sources), _placed(populations, targets)
    if pre.dims != post.dims or pre.periodic != post.periodic or (pre.periodic and not same_period(pre, post)):
        raise IllegalConnection("distances need sources and targets with equal dimensions and periodic boundaries")
    return values_of(term, pre, post, (source, target, keys), seed, draw, 1)


def _placed(populations: Populations, gids: Ints) -> tuple[Part, Ints]:
    """The nodes, each once, in space, and which of them each gid is."""
    some, which = np.unique(gids, return_inverse=True)
    part = populations.part(Ranges.of(some))
    if part is None:
        raise NoPositions("distances need nodes with positions: give them in create(..., positions=...)")
    return part, which.astype(np.int64)
