# SPDX-License-Identifier: Apache-2.0
"""Edges drawn with numpy, without a loop over targets: for connectors whose weights, delays or probabilities the kernel has no rule for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Edges", "all_pairs", "by_distance", "fixed_number", "total_number", "with_probability"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Edges = tuple[Ints, Ints]  # positions of sources and of targets
Random = np.random.Generator
_BLOCK = 1 << 22  # pairs that are looked at together


def all_pairs(n_pre: int, n_post: int) -> Edges:
    """Every source with every target."""
    return np.tile(np.arange(n_pre, dtype=np.int64), n_post), np.repeat(np.arange(n_post, dtype=np.int64), n_pre)


def with_probability(n_pre: int, n_post: int, p: float, random: Random) -> Edges:
    """Each pair with probability p. Gaps between pairs that are connected are geometric."""
    pairs = n_pre * n_post
    if p >= 1.0:
        return all_pairs(n_pre, n_post)
    if p <= 0.0 or not pairs:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    found, last = [], -1
    while last < pairs:
        places = last + np.cumsum(random.geometric(p, int((pairs - last) * p * 1.01) + 100), dtype=np.int64)
        found.append(places)
        last = int(places[-1])
    chosen = np.concatenate(found)
    chosen = chosen[chosen < pairs]
    return chosen % n_pre, chosen // n_pre


def fixed_number(n_from: int, n_each: int, number: int, replaced: bool, self_excluded: bool, random: Random) -> Edges:
    """For each of n_each cells `number` of n_from others: (positions of those, positions of the cells)."""
    each = np.repeat(np.arange(n_each, dtype=np.int64), number)
    size = n_from - 1 if self_excluded else n_from
    if replaced:
        others = random.integers(0, size, n_each * number)
    else:
        rows = max(1, _BLOCK // max(size, 1))
        blocks = [random.random((min(rows, n_each - k), size)) for k in range(0, n_each, rows)]
        others = np.concatenate([np.argsort(block, axis=1)[:, :number].reshape(-1) for block in blocks])
    if self_excluded:
        others = others + (others >= each)
    return others.astype(np.int64), each


def total_number(n_pre: int, n_post: int, number: int, replaced: bool, random: Random) -> Edges:
    """`number` pairs of all."""
    pairs = n_pre * n_post
    chosen = random.integers(0, pairs, number) if replaced else random.choice(pairs, number, replace=False, shuffle=False)
    return chosen % n_pre, chosen // n_pre


def by_distance(n_pre: int, n_post: int, probability: Callable[[Ints], Floats], random: Random) -> Edges:
    """Each pair with a probability of its own. probability : of targets, shape (n_pre, n_targets)."""
    found = []
    width = max(1, _BLOCK // max(n_pre, 1))
    for first in range(0, n_post, width):
        targets = np.arange(first, min(first + width, n_post), dtype=np.int64)
        p = probability(targets)
        post, pre = np.nonzero(random.random((len(targets), n_pre)) < p.T)
        found.append((pre, targets[post]))
    columns = [np.concatenate(column) for column in zip(*found, strict=True)] if found else [np.empty(0), np.empty(0)]
    return columns[0].astype(np.int64), columns[1].astype(np.int64)
