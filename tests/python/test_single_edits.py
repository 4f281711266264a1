# SPDX-License-Identifier: Apache-2.0
"""Connections that are edited one by one end as those that are edited at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from thread_ranks import on_ranks, the_same

MODELS = {
    "static_synapse": {},
    "stdp_synapse": {"lambda": npl.uniform(0.0, 0.1)},
    "tsodyks2_synapse": {"U": npl.uniform(0.1, 0.9)},
    "quantal_stp_synapse": {"U": npl.uniform(0.1, 0.9)},  # numbered synapses: the long way
}
N = 12


def network(model, delay=2.0, **given):
    net = npl.Network(seed=4, **given)
    cells = net.create("iaf_psc_exp", N)
    net.stimulate(cells, npl.poisson(rate=9000.0), weight=45.0)
    made = net.connect(cells, cells, weight=npl.uniform(20.0, 60.0), delay=delay, synapse=npl.synapse(model, **MODELS[model]))
    return net, cells, made, net.record(cells)


def values(net, model):
    c = net.connections()
    names = list(MODELS[model])
    columns = [c.source, c.target, c.delay, c.weight, *(c[name] for name in names)]
    return sorted(zip(*(np.array(column).tolist() for column in columns), strict=True))


@settings(max_examples=25, deadline=None)
@given(
    model=st.sampled_from(list(MODELS)),
    delay=st.sampled_from([2.0, npl.uniform(0.5, 3.0)]),
    chosen=st.lists(st.tuples(st.integers(0, N * N - 1), st.integers(1, 35)), max_size=30, unique_by=lambda e: e[0]),
    before=st.sampled_from([0.0, 7.3, 30.0]),
    with_weight=st.booleans(),
)
def test_one_by_one_is_as_all_at_once(model, delay, chosen, before, with_weight):
    """Delays and parameters, before a run and between runs, with spikes on their way."""
    found = []
    for single in (True, False):
        net, _cells, made, record = network(model, delay)
        net.run(before)
        c = made.connections()
        at, steps = np.array([k for k, _ in chosen], int), np.array([s for _, s in chosen])
        more = {"weight": 30.0 + steps} if with_weight else {}
        if len(at) and single:
            ends = list(zip(c.source[at].tolist(), c.target[at].tolist(), strict=True))
            for k, (source, target) in enumerate(ends):
                one = net.connections(npl_nodes(net, source), npl_nodes(net, target))
                one.set(delay=steps[k] / 10, **{name: column[k] for name, column in more.items()})
                assert one.delay[0] == pytest.approx(steps[k] / 10)
        elif len(at):
            c[at].set(delay=steps / 10, **more)
        now = values(net, model)
        net.run(60.0)
        found.append((now, values(net, model), record.times.tobytes(), record.gids.tobytes()))
    assert found[0] == found[1]


def npl_nodes(net, gid):
    cells = net.populations[0]
    return cells[gid - int(cells.gids[0]) : gid - int(cells.gids[0]) + 1]


def test_handles_follow_the_edits_of_their_row():
    net, cells, made, _ = network("tsodyks2_synapse")
    c = made.connections()
    U = {(s, t): u for s, t, u in zip(c.source.tolist(), c.target.tolist(), np.array(c["U"]).tolist(), strict=True)}
    random = np.random.default_rng(1)
    for _ in range(200):
        one = net.connections(cells[int(random.integers(N))], cells[int(random.integers(N))])
        one.set(delay=int(random.integers(1, 20)) / 10)
        assert one["U"][0] == U[one.source[0], one.target[0]]
    now = net.connections()
    assert all(U[s, t] == u for s, t, u in zip(now.source.tolist(), now.target.tolist(), np.array(now["U"]).tolist(), strict=True))
    with pytest.raises(npl.errors.Stale):
        c.set(delay=1.0)


@pytest.mark.parametrize(
    "bad", [{"delay": 0.0}, {"delay": -1.0}, {"delay": 1e9}, {"delay": float("nan")}, {"U": 1.5}, {"delay": 1.0, "U": -0.5}]
)
def test_what_is_refused_changes_nothing(bad):
    net, cells, _made, _ = network("tsodyks2_synapse", npl.uniform(0.5, 3.0))
    for k in range(10):  # from here on in rows
        net.connections(cells[k], cells[k]).set(delay=1.5)
    before = values(net, "tsodyks2_synapse")
    one = net.connections(cells[1], cells[2])
    with pytest.raises(npl.errors.NeuropilError):
        one.set(**bad)
    assert values(net, "tsodyks2_synapse") == before


def test_any_ranks():
    def bits(**given):
        net, cells, _made, record = network("stdp_synapse", **given)
        net.run(20.0)
        for k in range(30):
            net.connections(cells[k % N], cells[(5 * k) % N]).set(delay=(1 + k % 19) / 10)
            net.connections(cells[k % N], cells[(7 * k) % N]).set(**{"lambda": 0.001 * k})
        net.run(40.0)
        return record.times.tobytes(), record.gids.tobytes(), np.array(values(net, "stdp_synapse")).tobytes()

    expected = bits(threads=1)
    assert bits(threads=2, block_size=5) == expected
    assert the_same(on_ranks(2, lambda comm: bits(ranks=comm))) == expected
