# SPDX-License-Identifier: Apache-2.0
"""Statistics of networks on neuropil and on NEST: means by their standard errors over seeds, distributions by the distances between two seeds of NEST.

LEVEL = 4 standard errors: of the 37 means of the three networks one is refused by chance for 0.9 % of the choices of seeds (Student's t with 23 to 63 degrees
of freedom). Seeds are fixed, so a pass stays a pass until random numbers change.

Each check takes FEW_SEEDS, which still refuse a rate that is off by a tenth in every population; the slow tests take all of OWN_SEEDS.
"""

import functools

import numpy as np
import pytest

from peers import measures, networks
from peers.stored import stored_network


@functools.cache
def run(network, seed, mutated=False):
    """(means, the run itself if its distributions are compared): a run of neuropil, made once for all tests of this file."""
    found = networks.NEUROPIL[network](seed, *([networks.MUTANTS[network]] if mutated else []))
    return networks.means([found]), found if seed <= 3 and not mutated else None


def own_means(network, number, mutated=False):
    """As networks.means, of the seeds 1 to `number`."""
    runs = [run(network, seed, mutated)[0] for seed in range(1, number + 1)]
    return {p: {kind: np.concatenate([each[p][kind] for each in runs]) for kind in found} for p, found in runs[0].items()}


each_network = pytest.mark.parametrize("network", networks.NETWORKS)
few_and_all = pytest.mark.parametrize(
    "seeds", [pytest.param(networks.FEW_SEEDS, id="few"), pytest.param(networks.OWN_SEEDS, id="all", marks=pytest.mark.slow)]
)


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


@each_network
def test_the_yardstick_notices_other_networks(network):
    """A test of the test: rates 15 % higher are farther from every seed than the seeds are from each other."""
    data = stored_network(network)
    for population in networks.populations(data):
        mean, _ = networks.yardstick(data, population, "rate")
        shifted = networks.distances(data, population, "rate", data[f"{population}/rate/1"] * 1.15)
        assert shifted[1:].mean() > mean


@few_and_all
@each_network
def test_means_agree_with_nest(network, seeds):
    ours, theirs = own_means(network, seeds[network]), networks.stored_means(stored_network(network))
    assert list(ours) == list(theirs)
    assert networks.wrong_means(ours, theirs) == []


@pytest.mark.parametrize("factor", [0.9, 1.1])
@few_and_all
@each_network
def test_a_tenth_more_or_fewer_spikes_are_refused_in_every_population(network, seeds, factor):
    ours, theirs = own_means(network, seeds[network]), networks.stored_means(stored_network(network))
    for population in theirs:
        changed = ours | {population: ours[population] | {"rate": factor * ours[population]["rate"]}}
        assert [line.partition(":")[0] for line in networks.wrong_means(changed, theirs)] == [f"{population} rate"]


@few_and_all
@pytest.mark.parametrize("network", [pytest.param(n, marks=pytest.mark.slow) if n == "microcircuit" else n for n in networks.NETWORKS])
def test_a_mutated_network_is_refused(network, seeds):
    """Inhibitory weights x 1.06, recurrent weights x 1.1, inhibitory in-degree x 1.07: rates fall by about a tenth. Half the seeds are enough."""
    right, ours = own_means(network, seeds[network]), own_means(network, seeds[network] // 2, mutated=True)
    change = [abs(ours[population]["rate"].mean() / found["rate"].mean() - 1.0) for population, found in right.items()]
    assert 0.07 < max(change) < 0.15, change
    lines = networks.wrong_means(ours, networks.stored_means(stored_network(network)))
    assert any(" rate: " in line for line in lines), lines


@each_network
def test_nest_is_seldom_refused_by_its_own_yardstick(network):
    """Half of NEST's seeds against the other half, 300 random halves: the share of false alarms."""
    theirs = networks.stored_means(stored_network(network))
    number, random, alarms = networks.SEEDS[network], np.random.default_rng(1), 0
    for _ in range(300):
        order = random.permutation(number)
        one, other = ({p: {k: v[half] for k, v in found.items()} for p, found in theirs.items()} for half in np.array_split(order, 2))
        alarms += networks.wrong_means(one, other) != []
    assert alarms <= 15


@each_network
def test_distributions_agree_with_nest(network):
    """Three seeds here against those of NEST that are stored with quantiles."""
    data = stored_network(network)
    found = [run(network, seed)[1] for seed in (1, 2, 3)]
    for population in found[0]:
        for kind in networks.kinds(data, population):
            mean, largest = networks.yardstick(data, population, kind)
            distance = np.mean([networks.distances(data, population, kind, run[population][kind]) for run in found])
            # Over populations and quantities the ratio to the mean of NEST scatters by 0.2 around 1.
            assert distance < max(1.6 * mean, largest), (
                f"{population} {kind}: {distance:.3f}, between seeds of NEST {mean:.3f}, at most {largest:.3f}"
            )
