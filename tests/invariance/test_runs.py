# SPDX-License-Identifier: Apache-2.0
"""Generators through tables, samples of synapses, resets and copies: one result for any threads, blocks, ranks, distributions, ways to exchange."""

import pytest

import neuropil as npl
from invariance.runs_network import hash_of
from thread_ranks import on_ranks, the_same


@pytest.fixture(scope="module")
def expected():
    return hash_of(threads=1)


@pytest.mark.parametrize("settings", [{"threads": 2}, {"threads": 5}, {"threads": 2, "block_size": 7}, {"threads": 1, "block_size": 1}])
def test_on_one_rank(expected, settings):
    assert hash_of(**settings) == expected


@pytest.mark.parametrize("distribution", ["round_robin", "consecutive", "shuffled", npl.parallel.by_area({"A": 2, "B": 1})], ids=str)
@pytest.mark.parametrize("ranks", [2, 3])
def test_on_ranks(expected, ranks, distribution):
    assert the_same(on_ranks(ranks, lambda comm: hash_of(comm, threads=1, distribution=distribution))) == expected


@pytest.mark.parametrize("strategy", npl.parallel.strategies())
def test_ways_to_exchange(expected, strategy):
    assert the_same(on_ranks(2, lambda comm: hash_of(comm, threads=2, exchange=strategy))) == expected
