# SPDX-License-Identifier: Apache-2.0
"""Ranges behave like the list of their ids, and stay ranges."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from neuropil.base.ranges import Ranges, compress, pieces

ids = st.lists(st.integers(1, 40), unique=True, max_size=20).flatmap(lambda x: st.sampled_from([x, sorted(x), sorted(x)[::-1]]))
bounds = st.none() | st.integers(-30, 30)
strides = st.none() | st.integers(1, 9) | st.integers(-9, -1)


def of(values):
    return Ranges.of(np.array(values, np.int64))


def greedy(values):
    """The normal form, one id after the other."""
    rows, i = [], 0
    while i < len(values):
        j = i + 1
        if j == len(values):
            rows.append([values[i], 1, 1])
            break
        stride = values[j] - values[i]
        while j + 1 < len(values) and values[j + 1] - values[j] == stride:
            j += 1
        rows.append([values[i], j - i + 1, stride])
        i = j + 1
    return rows


@given(ids)
def test_compress_finds_the_longest_ranges(values):
    assert compress(np.array(values, np.int64)).tolist() == greedy(values)


@given(ids)
def test_ids_come_back_in_order(values):
    r = of(values)
    assert r.ids().tolist() == list(r) == values
    assert len(r) == len(values)
    assert [r.at(i) for i in range(len(r))] == values


@given(ids, bounds, bounds, strides)
def test_slices_like_a_list(values, start, stop, step):
    key = slice(start, stop, step)
    cut = of(values).slice(*key.indices(len(values)))
    assert cut.ids().tolist() == values[key]
    assert cut.table.tolist() == greedy(values[key])


@given(ids, st.data())
def test_take_like_an_array(values, data):
    positions = data.draw(st.lists(st.integers(0, len(values) - 1), unique=True)) if values else []
    assert of(values).take(np.array(positions, np.int64)).ids().tolist() == [values[p] for p in positions]


@given(ids, ids)
def test_union_keeps_the_order_and_each_id_once(a, b):
    joined = of(a).union(of(b))
    assert joined.ids().tolist() == a + [x for x in b if x not in a]
    assert joined == of(joined.ids())
    assert of(a).overlaps(of(b)) == bool(set(a) & set(b))


@given(ids)
def test_contains(values):
    assert of(values).contains(np.arange(45)).tolist() == [x in values for x in range(45)]


@given(ids)
def test_ascending_has_no_negative_strides_and_the_same_order(values):
    table = of(values).ascending()
    assert (table[:, 2] > 0).all()
    assert [first + k * stride for first, count, stride in table.tolist() for k in range(count)] == values


def test_a_billion_ids_are_one_row():
    r = Ranges.span(1, 10**9)
    assert r.slice(5, 10**9, 7).table.tolist() == [[6, 142_857_143, 7]]
    assert r.union(Ranges.span(10**9 + 1, 10**9)).table.tolist() == [[1, 2 * 10**9, 1]]
    assert r.at(10**9 - 1) == 10**9


@given(ids.filter(bool))
def test_ends_of_ascending_ranges(values):
    assert of(sorted(values)).ends == (min(values), max(values))


@given(ids, st.sets(st.integers(2, 40), max_size=6))
def test_pieces_lie_in_one_block_each_and_keep_the_order(values, cuts):
    firsts = [1, *sorted(cuts)]
    found = [(k, first + i * stride) for k, first, n, stride in pieces(of(values).table, firsts) for i in range(n)]
    assert found == [(sum(begin <= value for begin in firsts) - 1, value) for value in values]
