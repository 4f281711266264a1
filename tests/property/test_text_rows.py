# SPDX-License-Identifier: Apache-2.0
"""Rows of files: the same text that Python's formatting gives, number by number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuropil import _core
from neuropil.errors import BadLength, BadParameter

floats = (
    st.floats() | st.floats(-100, 100) | st.integers(-(10**7), 10**7).map(lambda k: k / 2000.0) | st.integers(-(2**45), 2**45).map(float)
)


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), floats, floats), max_size=40), st.integers(0, 20))
def test_rows_are_those_of_python(table, precision):
    whole, a, b = (np.array([row[k] for row in table], kind) for k, kind in enumerate([np.int64, float, float]))
    expected = "".join(f"{n}\t{x:.{precision}f}\t{y:.{precision}f}\n" for n, x, y in table)
    assert _core.text_rows([whole, a, b], precision).decode() == expected


@pytest.mark.parametrize("precision", [0, 1, 3, 9, 10, 400, 4096])
def test_ties_and_extremes(precision):
    values = [0.0, -0.0, 0.5, 1.5, -2.5, 0.0005, 0.0015, 0.125, 1e-300, -1e-300, 2.0**42 / 1000, 1e22, 1.7976931348623157e308, -5e-324]
    values += [float("nan"), -float("nan"), float("inf"), -float("inf"), 0.1 + 0.2, 9.9995, 99.99949999999999, 1e9 - 1e-3]
    values += [(2 * k + 1) / 2**j for k in range(40) for j in range(1, 12)]
    text = _core.text_rows([np.array(values)], precision).decode()
    assert text == "".join(f"{v:.{precision}f}\n" for v in values)


def test_what_is_refused():
    with pytest.raises(BadParameter, match="precision"):
        _core.text_rows([np.zeros(1)], -1)
    with pytest.raises(BadParameter, match="precision"):
        _core.text_rows([np.zeros(1)], 5000)
    with pytest.raises(BadLength):
        _core.text_rows([np.zeros(2), np.zeros(3, np.int64)], 3)
    assert _core.text_rows([], 3) == b""
