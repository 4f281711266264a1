# SPDX-License-Identifier: Apache-2.0
"""Matrices of factors: every pair of levels in each check, the full product once a week (slow)."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest


def covering(*factors: Sequence[Any]) -> list[tuple[int, ...]]:
    """Places of levels, a row each, such that any two levels of two factors are together in a row. Greedy, so nearly as few rows as there can be."""
    rows = list(itertools.product(*(range(len(levels)) for levels in factors)))
    pairs = {row: {((a, row[a]), (b, row[b])) for a, b in itertools.combinations(range(len(factors)), 2)} for row in rows}
    missing = set().union(*pairs.values())
    chosen = []
    while missing:
        chosen.append(max(rows, key=lambda row: len(pairs[row] & missing)))
        missing -= pairs[chosen[-1]]
    return chosen


def matrix(names: str, *factors: Sequence[Any], indirect: Sequence[str] = ()) -> pytest.MarkDecorator:
    """parametrize over the product of the factors; what `covering` does not choose is slow. At least three factors: with two, nothing would be left out.

    indirect: factors that are fixtures, which take their level as request.param.
    """
    assert len(names.split(",")) == len(factors) >= 3
    kept = set(covering(*factors))
    places = itertools.product(*(range(len(levels)) for levels in factors))
    rows = [
        pytest.param(*(levels[k] for levels, k in zip(factors, place, strict=True)), marks=() if place in kept else pytest.mark.slow)
        for place in places
    ]
    return pytest.mark.parametrize(names, rows, indirect=list(indirect))
