# SPDX-License-Identifier: Apache-2.0
"""Items of groups and rows of tables, as found one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuropil.base.groups import RowIndex, alike, distinct, numbered, numbered_rows, rows_in

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**60)).map(lambda row: (row[0], row[1] % 3 * 2**58)), max_size=20)


def columns(table):
    return list(np.array(table, np.int64).reshape(-1, 2).T)


@given(st.lists(st.integers(0, 5), max_size=30))
def test_numbers_count_within_a_group(group):
    assert numbered(np.array(group, np.int64)).tolist() == [group[:k].count(each) for k, each in enumerate(group)]


values = st.sampled_from([0.0, 1.0, 2.0, -3.0, 0.5, 300.0, 1e9, np.inf, -np.inf])


@pytest.mark.filterwarnings("error")
@given(st.integers(1, 3), st.data())
def test_different_rows_are_numbered_in_order(width, data):
    whole = data.draw(st.booleans())
    table = np.array(data.draw(st.lists(st.tuples(*[st.integers(-2, 40) if whole else values] * width), min_size=1, max_size=30)), float)
    rows, number = distinct(table)
    expected = np.unique(table, axis=0)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(rows[number], table)
    assert not whole or width > 2 or number.dtype == np.uint16


@given(rows, rows)
def test_rows_are_found(wanted, table):
    assert rows_in(columns(wanted), columns(table)).tolist() == [table.index(row) if row in table else -1 for row in wanted]
    a, b = alike(columns(wanted), columns(table))
    assert [[x == y for y in b.tolist()] for x in a.tolist()] == [[x == y for y in table] for x in wanted]


@given(rows)
def test_numbers_count_equal_rows(table):
    small = [(a, b % 7) for a, b in table]
    assert numbered_rows(columns(small)).tolist() == [small[:k].count(row) for k, row in enumerate(small)]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 50)), max_size=25, unique=True), st.sampled_from([1, 2**40, 2**57]), st.data())
def test_rows_are_found_again(table, factor, data):
    """Also where the rows are too far apart to be numbered."""
    whole = columns([(a * factor, b * 16) for a, b in table])
    some = np.array(data.draw(st.lists(st.sampled_from(range(len(table))), max_size=9)) if table else [], np.int64)
    assert RowIndex(whole).find([column[some] for column in whole]).tolist() == some.tolist()
