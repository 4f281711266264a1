# SPDX-License-Identifier: Apache-2.0
"""The cost model of exchange beside what the kernel counts, on ranks that are threads; its own laws; no time is tested."""

import math
from dataclasses import replace

import pytest
from bench import cost_model, exchange_counts

# bytes of fixed buffers depend on bursts of before: tested where nothing exceeds the smallest buffer
EXACT = [name for name in cost_model.COSTS if name not in ("alltoall", "persistent", "nbx, two phases")]


def close(pair: tuple[float, float]) -> bool:
    measured, modelled = pair
    return math.isclose(measured, modelled, rel_tol=0.05, abs_tol=1e-9)


@pytest.mark.parametrize("ranks", [2, 4, 8])
@pytest.mark.parametrize("strategy", EXACT)
def test_counts_are_those_of_the_kernel(strategy, ranks):
    found = exchange_counts.compare(ranks, 60, 40, strategy)
    assert found["words"][0] > 0
    assert all(close(pair) for pair in found.values()), found


@pytest.mark.parametrize("ranks", [2, 4, 8])
@pytest.mark.parametrize("strategy", ["alltoall", "persistent"])
def test_fixed_buffers_that_suffice(strategy, ranks):
    found = exchange_counts.compare(ranks, 10, 40, strategy)
    assert all(close(pair) for pair in found.values()), found


@pytest.mark.parametrize("ranks", [4, 9])
def test_two_phases_on_a_full_grid(ranks):
    found = exchange_counts.compare(ranks, 60, 40, "nbx, two phases")
    assert all(close(pair) for pair in found.values()), found


def test_messages_between_nodes():
    found = exchange_counts.compare(8, 60, 40, "shared", per_node=2)
    assert found["messages"][0] > 0
    assert all(close(pair) for pair in found.values()), found


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("regime", ["dense", "sparse"])
@pytest.mark.parametrize(("ranks", "indegree"), [(2, 40), (8, 40), (8, 5)])
def test_routes(ranks, indegree, regime, threads):
    found = exchange_counts.routing(ranks, 100, indegree, regime, threads)
    assert close((found["routes"], found["routes_model"])), found


@pytest.mark.parametrize("regime", ["dense", "sparse"])
def test_memory_of_routing(regime):
    found = exchange_counts.routing(8, 100, 40, regime)
    assert close((found["bytes"], found["bytes_model"])), found


def test_regimes_meet_where_ranks_are_many():
    """Jordan et al. 2018, section 3.5.1: sorting by source saves nothing once a rank has at most one target of a neuron."""
    dense, sparse = (replace(cost_model.REGIMES["brain scale"], ranks=10**8, regime=regime) for regime in ("dense", "sparse"))
    assert cost_model.routes_per_source(dense) == pytest.approx(11_250, rel=1e-3)
    assert cost_model.routes_per_source(sparse) == pytest.approx(cost_model.routes_per_source(dense), rel=1e-3)


def test_words_per_spike_are_at_most_one_per_rank_or_synapse():
    for ranks in cost_model.RANKS:
        net = cost_model.at(cost_model.REGIMES["brain scale"], ranks)
        assert cost_model.routes_per_source(net) <= min(ranks - 1, net.indegree)


@pytest.mark.parametrize(("mean", "draws"), [(0.5, 100), (5.0, 1e4), (1999.0, 1e6)])
def test_largest_of_poisson_numbers(mean, draws):
    """Fewer than about one draw lies above it, by the sum of the probabilities."""
    most = int(cost_model.poisson_most(mean, draws))
    tail = sum(math.exp(x * math.log(mean) - mean - math.lgamma(x + 1)) for x in range(most + 1, most + 2000))
    assert draws * tail < 1.0 < 200 * draws * tail


def test_times_are_positive_and_the_winner_is_the_least():
    for net in cost_model.REGIMES.values():
        for ranks in (64, 131_072):
            times = cost_model.times(cost_model.at(net, ranks))
            assert min(times.values()) > 0
            assert cost_model.winner(cost_model.at(net, ranks))[1] == min(times.values())
