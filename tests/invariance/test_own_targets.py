# SPDX-License-Identifier: Apache-2.0
"""The rule explicit with own_targets: every rank gives the edges of its own nodes, and the network is that of the whole list."""

import numpy as np
import pytest

import neuropil as npl
from lowlevel import digest
from thread_ranks import on_ranks, the_same

N = 60
DEALT = ("round_robin", "consecutive", "shuffled")


def edges(seed: int, n: int, targets: int = N, double: bool = False):
    """(source, target, weight, delay) of n edges onto the first nodes, in any order; weights of both signs."""
    dice = np.random.default_rng(seed)
    weight = dice.normal(20.0, 120.0, n)
    weight = weight if double else weight.astype(np.float32).astype(np.float64)
    return dice.integers(0, N, n), dice.integers(0, targets, n), weight, 0.1 * dice.integers(1, 40, n)


def spikes(lists, comm=None, distribution="round_robin", own=True):
    """A digest of spikes and connections of a driven network with these lists of edges."""
    net = npl.Network(seed=3, threads=1, ranks=comm, distribution=distribution)
    cells = net.create("iaf_psc_exp", N)
    net.stimulate(cells, npl.poisson(rate=9000.0), weight=40.0)
    mine = net.ranks_of(cells) == net.rank
    for source, target, weight, delay in lists:
        here = mine[target] if own else np.ones(len(target), bool)
        rule = npl.explicit(source[here], target[here], own_targets=own)
        net.connect(cells, cells, rule, weight=weight[here], delay=delay[here])
    record = net.record(cells)
    net.run(60.0, progress=False)
    assert len(record) > 100
    c = net.connections()
    return digest(record.steps, record.gids, c.source, c.target, c.weight, c.delay), net.n_connections, net.min_delay, net.max_delay


@pytest.mark.parametrize("distribution", DEALT)
def test_shares_of_a_list_make_the_network_of_the_list(distribution):
    # The second list ends on three nodes: most ranks have none of it. The third has none at all, the fourth weights that a float cannot hold.
    lists = [edges(1, 900), edges(2, 40, targets=3), edges(3, 0), edges(4, 80, double=True)]
    alone = spikes(lists, own=False)
    assert spikes(lists) == alone
    for ranks in (2, 3, 5):
        assert the_same(on_ranks(ranks, lambda comm: spikes(lists, comm, distribution))) == alone


def test_a_rank_keeps_its_share():
    source, target, weight, delay = edges(1, 4000)

    def program(comm):
        net = npl.Network(seed=3, threads=1, ranks=comm)
        cells = net.create("iaf_psc_exp", N)
        here = (net.ranks_of(cells) == net.rank)[target]
        net.connect(cells, cells, npl.explicit(source[here], target[here], own_targets=True), weight=weight[here], delay=delay[here])
        assert net.n_connections == 4000  # of all ranks, before it is built
        return int(here.sum()), net.plan().synapses

    found = on_ranks(4, program)
    assert sum(own for own, _ in found) == 4000
    assert {planned for _, planned in found} == {1000.0}


def refused(ranks, change):
    """What ranks raise when one of them gives something else; then they connect properly."""

    def program(comm):
        net = npl.Network(seed=3, threads=1, ranks=comm)
        cells = net.create("iaf_psc_exp", N)
        target = np.flatnonzero(net.ranks_of(cells) == net.rank)
        call = {"target": target, "delay": np.full(len(target), 1.0), "weight": np.ones(len(target))}
        wrong = change(comm.rank, call) or {}
        error = None
        try:
            given = call | wrong
            rule = npl.explicit(np.zeros(len(given["target"]), np.int64), given["target"], own_targets=True)
            net.connect(cells, cells, rule, weight=given["weight"], delay=given["delay"])
        except npl.NeuropilError as caught:
            error = caught
        assert error is not None
        assert net.n_connections == 0
        net.connect(cells, cells, npl.explicit(0 * target, target, own_targets=True), weight=call["weight"], delay=call["delay"])
        net.run(5.0, progress=False)
        assert net.n_connections == N
        return error

    found = on_ranks(ranks, program)
    assert all(isinstance(error, npl.NeuropilError) for error in found), found
    return found


def test_edges_that_end_on_another_rank_are_refused_on_all():
    def change(rank, call):
        return {"target": (call["target"] + 1) % N} if rank == 1 else None

    found = refused(3, change)
    assert [type(error).__name__ for error in found] == ["RankError", "BadParameter", "RankError"]
    assert found[1].parameter == "targets[0]"
    assert "node 3 of rank" in str(found[1])
    assert all("own_targets" in str(error) and "rank 1" in str(error) for error in found)


@pytest.mark.parametrize(("column", "value", "kind"), [("delay", 0.0, "BadDelay"), ("weight", np.nan, "BadParameter")])
def test_values_that_only_one_rank_sees_are_refused_on_all(column, value, kind):
    def change(rank, call):
        if rank == 2:
            return {column: np.where(np.arange(len(call["target"])) == 1, value, call[column])}

    found = refused(3, change)
    assert [type(error).__name__ for error in found] == ["RankError", "RankError", kind]
    assert f"{column}[1]" in str(found[2])


def test_ranks_that_call_differently_are_told():
    def program(comm):
        net = npl.Network(seed=3, threads=1, ranks=comm)
        cells = net.create("iaf_psc_exp", N)
        net.connect(cells, cells, npl.explicit([], [], own_targets=True), weight=1.0 + comm.rank)

    assert {type(error).__name__ for error in on_ranks(2, program)} == {"RankError"}


def test_lists_are_checked_before_the_kernel_sees_them():
    with pytest.raises(npl.errors.BadLength, match="targets"):
        npl.explicit([1, 2], [1])
    with pytest.raises(npl.errors.BadType, match="sources"):
        npl.explicit([[1]], [1])
    with pytest.raises(npl.errors.BadType, match="own_targets"):
        npl.explicit([1], [1], own_targets="yes")


@pytest.mark.parametrize("params", [{"axonal_delay": 0.5}, {"Wmin": 2.0}, {"Wmin": 2.0, "tau_x": npl.uniform(12.0, 18.0)}])
def test_a_rank_without_edges_has_no_values_to_check(params):
    """Delays must be longer than the axonal delay, weights at least Wmin: the ranks that have edges say whether they are."""

    def program(comm=None):
        net = npl.Network(seed=3, threads=1, ranks=comm)
        cells = net.create("aeif_psc_delta_clopath", 3)
        here = np.arange(2 if net.rank == 0 else 0)  # the first node is of rank 0
        rule = npl.explicit(here, np.zeros(len(here), np.int64), own_targets=True)
        synapse = npl.synapse("clopath_synapse", **params)
        net.connect(cells, cells, rule, weight=np.full(len(here), 3.0), delay=np.full(len(here), 1.0), synapse=synapse)
        return net.n_connections

    assert program() == the_same(on_ranks(3, program)) == 2
