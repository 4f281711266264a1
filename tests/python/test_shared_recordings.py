# SPDX-License-Identifier: Apache-2.0
"""Recordings of the kernel that many recorders share, beside a recorder for each."""

import numpy as np
import pytest

import neuropil as npl
from neuropil.engine import Engine, SharedSamples, SharedSpikes, joined, offsets

N = 40


def driven(threads=1, model="iaf_psc_delta"):
    net = npl.Network(threads=threads)
    return net, net.create(model, N, I_e=np.linspace(300.0, 900.0, N))


def of_neurons(targets, names):
    """All nodes, of one model: not such that send each recorder a current of its own, and with a late first sample."""
    return [(np.unique(targets), list(names), False, True)]


def gids_of(nodes):
    return np.asarray(nodes.gids, np.int64)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("model", ["iaf_psc_delta", "iaf_psc_delta_ps"])
def test_each_recorder_has_the_spikes_of_its_sources(threads, model):
    net, nodes = driven(threads, model)
    kernel, gids, shared = Engine(net).kernel, gids_of(nodes), SharedSpikes()
    pairs = np.random.default_rng(1).integers(0, [N, 15], (200, 2))  # with repeats: these count each
    own = {k: [net.record(nodes[[source]]) for source in pairs[pairs[:, 1] == k, 0].tolist()] for k in range(15)}
    shared.connect(gids[pairs[:120, 0]], 7 + pairs[:120, 1])
    shared.register(kernel)
    shared.connect(gids[pairs[120:, 0]], 7 + pairs[120:, 1])
    shared.register(kernel)
    for ms in (30.0, 1.0, 40.0):
        net.run(ms)
        found, low, high = shared.of_each(kernel, np.arange(7, 22), -1)
        for k, records in own.items():
            expected = sorted((step, gid, ms) for r in records for step, gid, ms in zip(r.steps, r.gids, r.offsets, strict=True))
            one = shared.of(kernel, 7 + k, -1)
            each = {name: column[low[k] : high[k]] for name, column in found.items()}
            for columns in (one, each):
                assert sorted(zip(columns["steps"], columns["senders"], offsets(columns), strict=True)) == expected
                assert (np.diff(columns["steps"]) >= 0).all()
    assert len(found["steps"]) > 500
    late = shared.of(kernel, 9, 310)
    assert late["steps"].tolist() == [step for step in shared.of(kernel, 9, -1)["steps"].tolist() if step > 310]


def test_spikes_are_counted_without_being_sorted():
    net, nodes = driven()
    kernel, shared = Engine(net).kernel, SharedSpikes()
    recorders = np.append(np.arange(N - 1), 10**9)
    shared.connect(gids_of(nodes)[:20], recorders[:20])
    shared.register(kernel)
    shared.connect(gids_of(nodes)[10:], recorders[10:])
    shared.register(kernel)
    asked = [np.array([N - 2, 3, 15, 3]), np.array([5]), np.array([10**9, 2, 77]), np.array([10**8])]
    for n in (1, 2, 3):
        net.run(30.0)
        counts = {since: [shared.counts(kernel, some, since).tolist() for some in asked] for since in (-1, 250)}
        assert len(shared.fresh) == (n if n < 3 else 1)
        if n == 1:
            continue  # two are sorted at once
        for since, numbers in counts.items():
            assert numbers == [[len(shared.of(kernel, k, since)["steps"]) for k in some.tolist()] for some in asked]
        assert counts[-1][0][2] > 2


def test_spikes_that_all_have_read_are_forgotten():
    net, nodes = driven()
    kernel, shared = Engine(net).kernel, SharedSpikes()
    shared.connect(gids_of(nodes), np.arange(N))
    shared.register(kernel)
    net.run(50.0)
    assert len(shared.of(kernel, N - 1, -1)["steps"]) > 2
    net.run(0.1)
    assert shared.counts(kernel, np.arange(N), -1).sum() > 2 * N
    for k in range(N):
        shared.release(kernel, k, 501)
    assert (shared.found, shared.fresh) == ([], ())
    net.run(50.0)
    assert shared.of(kernel, N - 1, -1)["steps"].min() > 501


@pytest.mark.parametrize("threads", [1, 3])
def test_each_meter_has_the_samples_of_its_nodes(threads):
    net, nodes = driven(threads)
    kernel, gids, shared = Engine(net).kernel, gids_of(nodes), SharedSamples()
    settings = (("V_m",), 5, 0)
    first, second = np.arange(N), np.arange(N)[::-1]
    shared.connect(settings, first, gids)
    assert shared.has_any(first[3:4], gids[3:4])
    assert not shared.has_any(first[3:4], gids[4:5])
    shared.register(kernel, of_neurons)
    trace = net.record(nodes, "V_m", interval=0.5)
    for ms in (10.0, 0.5, 20.0):
        net.run(ms)
        steps, senders, values = shared.of_each(kernel, second, 0, 2**40)
        assert senders.tolist() == gids[second].tolist()
        assert np.allclose(steps * net.resolution, trace.times)
        assert np.array_equal(values[:, 0].T, trace["V_m"][:, second])
    one = joined(shared.of(kernel, 11, ["V_m"], 20, 200))
    assert one["senders"].tolist() == [gids[11]] * len(one["steps"])
    some = (trace.times > 2.0 + 1e-6) & (trace.times < 20.0 + 1e-6)
    assert np.array_equal(one["V_m"], trace["V_m"][some, 11])


def test_meters_of_several_nodes_are_read_one_by_one():
    net, nodes = driven()
    kernel, gids, shared = Engine(net).kernel, gids_of(nodes), SharedSamples()
    shared.connect((("V_m",), 10, 0), np.zeros(2, np.int64), gids[:2])
    shared.register(kernel, of_neurons)
    net.run(5.0)
    assert shared.of_each(kernel, np.zeros(1, np.int64), 0, 2**40) is None
    found = joined(shared.of(kernel, 0, ["V_m"], 0, 2**40))
    assert sorted(zip(found["steps"].tolist(), found["senders"].tolist(), strict=True)) == [
        (step, gid) for step in range(10, 51, 10) for gid in gids[:2].tolist()
    ]
    shared.release(kernel, 0, 30)  # its only meter needs them no more
    assert [steps.tolist() for steps, _ in shared.parts[0].found] == [[40, 50]]
