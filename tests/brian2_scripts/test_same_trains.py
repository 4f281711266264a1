# SPDX-License-Identifier: Apache-2.0
"""Deterministic scripts: the spike trains of Brian2, and its traces to rounding."""

import numpy as np
import pytest

SAME = ("cuba", "izhikevich", "generators", "conditions", "held", "functions", "interrupted", "moments", "restored", "unordered")


@pytest.mark.parametrize("name", SAME)
def test_same_as_brian2(on, name):
    from brian2_scripts import scripts

    script = getattr(scripts, name)
    theirs, ours = on("runtime", script), on("neuropil", script)
    assert ours.keys() == theirs.keys()
    assert name in ("functions", "moments", "unordered") or len(theirs.get("t", theirs.get("t0"))) > 20
    for key, values in theirs.items():
        np.testing.assert_allclose(ours[key], values, rtol=1e-7, atol=1e-7, err_msg=key)


def test_threads_change_nothing(on):
    from brian2_scripts.scripts import cuba

    one, two = (on("neuropil", cuba, threads=threads) for threads in (1, 2))
    for key, values in one.items():
        np.testing.assert_array_equal(two[key], values, err_msg=key)
