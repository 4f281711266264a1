# SPDX-License-Identifier: Apache-2.0
"""Lists of connections that front ends follow over edits by calls of the kernel."""

import numpy as np
import pytest

import neuropil as npl
from neuropil.engine import HANDLE, Engine, FollowedConnections, columns_of

N = 8


@pytest.fixture
def made():
    """A network with weights that tell connections apart, and all its connections."""
    net = npl.Network(threads=2)
    cells = net.create("iaf_psc_exp", N)
    net.connect(cells, cells, weight=1.0 + np.arange(N * N), delay=2.0)
    return net, cells, FollowedConnections(net.connections(), net.connections)


def weights_of(followed):
    return np.asarray(followed.now.weight).tolist()


def test_rows_stay_while_others_are_made(made):
    net, cells, followed = made
    before, ends = weights_of(followed), (followed.now.source.tolist(), followed.now.target.tolist())
    net.connect(cells[:3], cells, weight=500.0, delay=1.0)
    assert followed.stale
    followed.refresh()
    assert not followed.stale
    assert weights_of(followed) == before
    assert (followed.now.source.tolist(), followed.now.target.tolist()) == ends


def test_the_row_of_one_that_was_removed_says_so(made):
    net, _cells, followed = made
    before, gone = weights_of(followed), np.array([3, 17])
    net.disconnect(net.connections()[gone])
    followed.refresh()
    there = np.setdiff1d(np.arange(N * N), gone)
    assert followed.lacks(gone[:1])
    assert not followed.lacks(there)
    assert (followed.handles_of(gone)[2] == -1).all()
    assert np.asarray(followed.part(there).weight).tolist() == [before[k] for k in there.tolist()]


def test_an_edit_of_the_kernel_is_followed_without_a_query(made):
    net, _cells, followed = made
    engine, rows = Engine(net), np.array([5, 40, 41])
    expected = np.array(weights_of(followed))
    steps = np.array([35, 11, 12])
    done = engine.kernel.edit(*followed.handles_of(rows), engine.kernel.step, delay_steps=steps)
    assert done.moved
    followed.follow(done, rows, {"delay_steps": steps})
    assert not followed.stale
    assert weights_of(followed) == expected.tolist()
    delays = np.full(N * N, 2.0)
    delays[rows] = steps * net.resolution
    assert np.allclose(followed.now.delay, delays)
    fresh = net.connections()
    at = followed.now.positions_in(fresh)
    for name in HANDLE:
        assert np.array_equal(columns_of(followed.now)[name], columns_of(fresh)[name][at])
