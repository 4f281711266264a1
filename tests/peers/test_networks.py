# SPDX-License-Identifier: Apache-2.0
"""Statistics of two networks: the distance of neuropil to NEST, measured in distances between two seeds of NEST."""

import numpy as np
import pytest

from peers import measures, networks
from peers.stored import stored_network


def test_ks_distance_of_known_samples():
    x = np.arange(1000) / 1000.0
    assert measures.ks_distance(x, x) == 0.0
    assert measures.ks_distance(x, x + 0.25) == pytest.approx(0.25, abs=0.005)
    assert measures.ks_distance(x, x + 2.0) == 1.0


def test_measures_of_known_trains():
    times, index = np.array([10.0, 20.0, 30.0, 40.0, 5.0, 15.0, 45.0, 55.0]), np.array([0, 0, 0, 0, 2, 2, 2, 2])
    np.testing.assert_allclose(measures.rates(times, index, 3, 100.0), [40.0, 0.0, 40.0])
    np.testing.assert_allclose(measures.cvs(times, index), [0.0, np.std([10, 30, 10]) / np.mean([10, 30, 10])], atol=1e-12)
    together = measures.correlations(np.repeat(np.arange(1.0, 100.0, 10.0), 3), np.tile([0, 1, 2], 10), 3, 0.0, 100.0)
    np.testing.assert_allclose(together, 1.0)


@pytest.mark.parametrize("network", networks.NETWORKS)
def test_the_yardstick_notices_other_networks(network):
    """A test of the test: rates 15 % higher are farther from every seed than the seeds are from each other."""
    data = stored_network(network)
    for population in networks.populations(data):
        mean, _ = networks.yardstick(data, population, "rate")
        shifted = networks.distances(data, population, "rate", data[f"{population}/rate/1"] * 1.15)
        assert shifted[1:].mean() > mean


@pytest.mark.slow
@pytest.mark.parametrize("network", networks.NETWORKS)
def test_statistics_agree_with_nest(network):
    data = stored_network(network)
    found = networks.NEUROPIL[network](seed=1)
    assert list(found) == networks.populations(data)
    for population, distributions in found.items():
        rates = np.array([data[f"{population}/mean_rate/{seed}"] for seed in networks.SEEDS])
        spread = max(rates.std(ddof=1), 0.01 * rates.mean())
        assert abs(distributions["rate"].mean() - rates.mean()) < 5 * spread, population
        for kind in networks.KINDS:
            _, largest = networks.yardstick(data, population, kind)
            distance = networks.distances(data, population, kind, distributions[kind]).mean()
            assert distance < 1.25 * largest, f"{population} {kind}: {distance:.3f}, between seeds of NEST at most {largest:.3f}"
