# SPDX-License-Identifier: Apache-2.0
"""Runs that end at a time, and functions that are called at biological times."""

import pytest

import neuropil as npl


def test_run_until(net):
    net.create("iaf_psc_exp", 3)
    net.run(until=12.5)
    net.run(2.5)
    net.run(until=15.0)
    assert net.time == 15.0
    for bad in ({"until": 14.9}, {"until": 15.05}, {}, {"duration": 1.0, "until": 20.0}):
        with pytest.raises(npl.errors.BadParameter):
            net.run(**bad)
    assert net.time == 15.0


def test_calls_come_at_multiples_of_the_interval_whatever_the_pieces(net):
    def times(pieces):
        net = npl.Network(threads=1)
        net.create("iaf_psc_exp")
        found = []
        net.every(10.0, lambda n: found.append(("ten", n.time)))
        net.every(4.0, lambda n: found.append(("four", n.time)))
        for piece in pieces:
            net.run(piece)
        return found

    whole = times([20.0])
    assert whole == [("four", 4.0), ("four", 8.0), ("ten", 10.0), ("four", 12.0), ("four", 16.0), ("ten", 20.0), ("four", 20.0)]
    assert times([3.0, 1.0, 0.0, 12.1, 3.9]) == whole


def test_what_a_function_changes_is_reproducible():
    def spikes(threads, pieces):
        net = npl.Network(seed=3, threads=threads)
        cells = net.create("iaf_psc_exp", 50, I_e=npl.uniform(300.0, 500.0))
        p = net.connect(cells, cells, npl.fixed_indegree(5), weight=10.0)

        def change(n):
            p.weight *= 1.5
            cells.I_e = 600.0 - n.time

        net.every(20.0, change)
        record = net.record(cells)
        for piece in pieces:
            net.run(piece)
        return record.times.tolist(), record.gids.tolist()

    assert spikes(1, [100.0]) == spikes(2, [30.0, 45.5, 24.5])


def test_cancel_connect_and_errors(net):
    cells = net.create("iaf_psc_exp", 4)
    found = []
    call = net.every(1.0, lambda n: found.append(n.time))
    net.every(2.0, lambda n: n.connect(cells, cells))
    net.run(3.0)
    call.cancel()
    call.cancel()
    net.run(1.0)
    assert found == [1.0, 2.0, 3.0] and net.n_connections == 32 and "1 ms" in repr(call)

    def fails(n):
        raise ValueError("no")

    net.every(5.0, fails)
    with pytest.raises(ValueError, match="no"):
        net.run(10.0)
    assert net.time == 5.0
    net.run(until=6.0)
    net.every(7.0, lambda n: n.run(1.0))
    with pytest.raises(npl.errors.BadParameter, match="every"):
        net.run(until=7.0)
    for bad, error in ((0.05, npl.errors.BadParameter), (0.0, npl.errors.BadParameter), ("a", npl.errors.BadType)):
        with pytest.raises(error):
            net.every(bad, fails)
    with pytest.raises(npl.errors.BadType):
        net.every(1.0, 3)


def test_progress_goes_from_nothing_to_all(net):
    net.create("iaf_psc_exp", 200)
    seen = []
    net.every(50.0, lambda n: None)
    net.run(2000.0, progress=lambda phase, done, total: seen.append((phase, done, total)))
    steps = [done for phase, done, total in seen if phase == "simulating"]
    assert steps == sorted(steps) and {total for phase, _, total in seen if phase == "simulating"} <= {20000}
