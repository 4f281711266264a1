# SPDX-License-Identifier: Apache-2.0
"""Law 1 for weights and delays by expressions that draw: the same bits on any threads and ranks, and those of numpy."""

import numpy as np
import pytest

import neuropil as npl
from lowlevel import digest
from neuropil.errors import BadDelay, BadParameter
from neuropil.space import formulas
from thread_ranks import on_ranks, the_same

space = npl.space
RULES = [
    npl.fixed_indegree(40),
    npl.fixed_indegree(9, multapses=False),
    npl.fixed_outdegree(8),
    npl.fixed_total_number(700),
    npl.pairwise_bernoulli(0.2),
    npl.all_to_all(),
    npl.one_to_one(),
]
VALUES = [
    (npl.uniform(0.0, 20.0) * (1.0 * npl.uniform(0.0, 1.0)), 1.0 + space.where(npl.uniform(0.0, 1.0) < 0.5, 1.0, 2.0)),
    (space.where(npl.uniform(0.0, 1.0) < 0.3, npl.normal(5.0, 1.0), -3.0), npl.uniform(0.5, 2.0)),
    (npl.normal(4.0, 1.0), 1.0 + (1.0 * npl.uniform(0.0, 1.0)) ** 2),
    ((0.0 + npl.normal(0.0, 2.0)) ** 2, 1.0),
]


def connections(comm=None, threads=1, distribution="round_robin", placed=False):
    """Connections of all rules with all values, and spikes."""
    net = npl.Network(seed=4, threads=threads, ranks=comm, distribution=distribution)
    where = {"positions": npl.free(npl.uniform(-0.5, 0.5), extent=(1.0, 1.0), periodic=True)} if placed else {}
    a = net.create("iaf_psc_exp", 60, **where, I_e=npl.uniform(350.0, 450.0))
    b = net.create("iaf_psc_alpha", 60, **where)
    near = space.gaussian(npl.distance, std=0.3) if placed else 1.0
    for k, rule in enumerate(RULES):
        weight, delay = VALUES[k % len(VALUES)]
        net.connect(a, a if k % 2 else b, rule, weight=weight * near, delay=delay, name=str(k))
    record = net.record(a + b)
    net.run(40.0, progress=False)
    assert len(record) > 20
    c = net.connections()
    return c.source, c.target, c.weight, c.delay, record.steps, record.gids


@pytest.mark.parametrize("placed", [False, True])
def test_threads_and_ranks_change_nothing(placed):
    alone = digest(*connections(placed=placed))
    assert digest(*connections(None, 3, placed=placed)) == alone
    for ranks, threads, distribution in ((2, 1, "round_robin"), (3, 2, "shuffled"), (3, 1, "consecutive")):
        found = on_ranks(ranks, lambda comm: digest(*connections(comm, threads, distribution, placed)))  # noqa: B023
        assert the_same(found) == alone


@pytest.mark.parametrize("placed", [False, True])
def test_values_are_those_of_numpy(placed, monkeypatch):
    found = connections(placed=placed)
    monkeypatch.setattr(formulas, "_compiled", lambda term, dims: None)
    for key, value in zip(("source", "target", "weight", "delay"), connections(placed=placed)[:4], strict=True):
        mine = found[("source", "target", "weight", "delay").index(key)]
        if key == "weight" and placed:  # exp of numpy has other last digits
            np.testing.assert_allclose(mine, value, rtol=2e-7)
        else:
            np.testing.assert_array_equal(mine, value)


def plastic(threads):
    net = npl.Network(seed=4, threads=threads)
    a = net.create("iaf_psc_exp", 80, I_e=npl.uniform(350.0, 450.0))
    p = net.connect(a, a, npl.fixed_indegree(30), weight=(1.0 * npl.normal(5.0, 1.0)) ** 2, synapse=npl.stdp(Wmax=100.0))
    before = p.weight.copy()
    net.run(60.0, progress=False)
    assert (p.weight != before).mean() > 0.5
    return digest(before, p.weight)


def test_plastic_synapses():
    assert plastic(3) == plastic(1)


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (BadDelay, {"delay": 0.05 + (1.0 * npl.uniform(0.0, 1.0)) ** 2 - 0.01}),
        (BadParameter, {"weight": 1.0 / space.maximum(npl.uniform(-1.0, 0.05), 0.0)}),
    ],
)
def test_what_one_rank_refuses_all_refuse(error, options):
    def program(comm):
        net = npl.Network(seed=4, threads=1, ranks=comm, distribution="consecutive")
        a = net.create("iaf_psc_exp", 30)
        with pytest.raises(error) as raised:
            net.connect(a, a, npl.fixed_indegree(3), **options)
        assert net.n_connections == 0 and not len(net.projections)
        p = net.connect(a, a, npl.fixed_indegree(2), weight=(1.0 * npl.uniform(0.0, 1.0)) ** 2)
        net.run(5.0, progress=False)
        return str(raised.value), digest(p.weight)

    alone = program(None)
    assert the_same(on_ranks(3, program)) == alone
