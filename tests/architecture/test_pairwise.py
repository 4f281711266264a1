# SPDX-License-Identifier: Apache-2.0
"""The matrices of tests/pairwise.py: all pairs of levels, in few rows."""

import itertools

import pytest

from pairwise import covering, matrix


@pytest.mark.parametrize("sizes", [(2, 2, 2), (5, 2, 10, 2), (4, 4, 5, 3), (1, 3, 2)])
def test_any_two_levels_meet(sizes):
    rows = covering(*(range(size) for size in sizes))
    for a, b in itertools.combinations(range(len(sizes)), 2):
        assert {(row[a], row[b]) for row in rows} == set(itertools.product(range(sizes[a]), range(sizes[b])))
    largest = sorted(sizes)[-1] * sorted(sizes)[-2]
    assert largest <= len(rows) <= 1.5 * largest


def test_the_rest_is_slow():
    rows = matrix("a, b, c", "xy", "uv", "pq").args[1]
    assert len(rows) == 8
    assert len([row for row in rows if not row.marks]) == 4
    assert {mark.name for row in rows for mark in row.marks} == {"slow"}
