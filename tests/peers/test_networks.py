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


@pytest.mark.parametrize("network", networks.NETWORKS)
def test_statistics_agree_with_nest(network):
    """Three seeds here against all stored ones of NEST: mean rates, and the distance of each distribution."""
    data = stored_network(network)
    found = [networks.NEUROPIL[network](seed) for seed in (1, 2, 3)]
    assert list(found[0]) == networks.populations(data)
    for population in found[0]:
        theirs = np.array([data[f"{population}/mean_rate/{seed}"] for seed in networks.seeds(data, population)])
        ours = np.array([run[population]["rate"].mean() for run in found])
        error = theirs.std(ddof=1) * np.sqrt(1 / len(ours) + 1 / len(theirs))
        assert abs(ours.mean() - theirs.mean()) < 5 * error, (
            f"{population}: rate {ours.mean():.3f}, NEST {theirs.mean():.3f} +- {error:.3f}"
        )
        for kind in networks.kinds(data, population):
            mean, largest = networks.yardstick(data, population, kind)
            distance = np.mean([networks.distances(data, population, kind, run[population][kind]) for run in found])
            # Over populations and quantities the ratio to the mean of NEST scatters by 0.2 around 1.
            assert distance < max(1.6 * mean, largest), (
                f"{population} {kind}: {distance:.3f}, between seeds of NEST {mean:.3f}, at most {largest:.3f}"
            )
