# SPDX-License-Identifier: Apache-2.0
"""Connectors: rules of the kernel, edges drawn with numpy, and edges of PyNN's own connectors."""

import numpy as np
import pytest
from pyNN import errors
from pyNN.random import NumpyRNG, RandomDistribution
from pyNN.space import Grid2D, Space


def edges(projection):
    return [(i, j) for i, j, _ in projection.get("weight", "list")]


def two(sim, m=30, n=20):
    return sim.Population(m, sim.IF_cond_exp()), sim.Population(n, sim.IF_cond_exp())


def degrees(projection, m, n):
    """(targets of each source, sources of each target)."""
    pre, post = np.array(edges(projection)).T
    return np.bincount(pre, minlength=m), np.bincount(post, minlength=n)


# Weights that the kernel takes with its rules, and those that need the edges first.
WEIGHTS = {
    "number": lambda: 0.01,
    "uniform": lambda: RandomDistribution("uniform", (0.01, 0.02)),
    "gamma": lambda: RandomDistribution("gamma", k=2.0, theta=0.01),
    "distance": lambda: lambda d: 0.01 + 0.001 * d,
}


@pytest.mark.parametrize("weight", WEIGHTS)
def test_degrees(sim, weight):
    pre, post = two(sim)
    synapse = sim.StaticSynapse(weight=WEIGHTS[weight](), delay=1.0)

    def made(connector):
        return degrees(sim.Projection(pre, post, connector, synapse), 30, 20)

    assert made(sim.FixedNumberPreConnector(5))[1].tolist() == [5] * 20
    assert made(sim.FixedNumberPostConnector(7))[0].tolist() == [7] * 30
    assert made(sim.FixedTotalNumberConnector(123))[0].sum() == 123
    assert made(sim.AllToAllConnector())[0].tolist() == [20] * 30
    n = made(sim.FixedProbabilityConnector(0.3))[0].sum()
    assert abs(n - 180) < 5 * np.sqrt(600 * 0.3 * 0.7)


@pytest.mark.parametrize("connectors", ["kernel", "pynn"])
def test_no_pair_twice_and_no_self(sim, connectors):
    sim.setup(timestep=0.1, threads=1, connectors=connectors)
    cells = sim.Population(20, sim.IF_cond_exp())
    for connector in (
        sim.FixedNumberPreConnector(19, allow_self_connections=False),
        sim.FixedNumberPostConnector(19, allow_self_connections=False),
        sim.AllToAllConnector(allow_self_connections=False),
        sim.FixedProbabilityConnector(1.0, allow_self_connections=False),
    ):
        found = edges(sim.Projection(cells, cells, connector, sim.StaticSynapse(weight=0.1, delay=1.0)))
        assert len(found) == len(set(found)) == 20 * 19 and all(i != j for i, j in found)


def test_more_sources_than_there_are(sim):
    """PyNN's own connector draws them: every pair, before any pair comes twice."""
    pre, post = two(sim, 4, 3)
    found = sim.Projection(pre, post, sim.FixedNumberPreConnector(6), sim.StaticSynapse(weight=0.1, delay=1.0))
    counts = np.zeros((4, 3))
    np.add.at(counts, tuple(np.array(edges(found)).T), 1)
    assert counts.sum(axis=0).tolist() == [6] * 3 and counts.min() == 1 and counts.max() == 2


def test_weights_of_distance(sim):
    space = Space(axes="xy", periodic_boundaries=((0.0, 6.0), (0.0, 6.0), None))
    pre = sim.Population(36, sim.IF_cond_exp(), structure=Grid2D(dx=1.0, dy=1.0))
    post = sim.Population(9, sim.IF_cond_exp(), structure=Grid2D(dx=2.0, dy=2.0))
    synapse = sim.StaticSynapse(weight=lambda d: 0.01 * d, delay=1.0)
    weights = sim.Projection(pre, post, sim.AllToAllConnector(), synapse, space=space).get("weight", "array")
    apart = np.abs(pre.positions[:2, :, np.newaxis] - post.positions[:2, np.newaxis, :])
    apart = np.minimum(apart, 6.0 - apart)
    np.testing.assert_allclose(weights, 0.01 * np.hypot(*apart), atol=1e-8)


def test_probability_of_distance(sim):
    pre, post = (sim.Population(100, sim.IF_cond_exp(), structure=Grid2D()) for _ in range(2))
    near = sim.Projection(pre, post, sim.DistanceDependentProbabilityConnector("d < 2.5"), sim.StaticSynapse(weight=0.1, delay=1.0))
    apart = np.hypot(*(pre.positions[:2, :, np.newaxis] - post.positions[:2, np.newaxis, :]))
    assert set(edges(near)) == set(zip(*(ends.tolist() for ends in np.nonzero(apart < 2.5)), strict=True))
    half = sim.Projection(pre, post, sim.DistanceDependentProbabilityConnector("0.5*(d < 2.5)"), sim.StaticSynapse(weight=0.1, delay=1.0))
    assert set(edges(half)) < set(edges(near)) and abs(len(half) - 0.5 * len(near)) < 2.5 * np.sqrt(len(near))


def test_lists_files_and_arrays(sim, tmp_path):
    pre, post = two(sim, 4, 3)
    given = [(0, 2, 0.1, 1.0), (3, 0, 0.2, 2.0), (3, 0, 0.3, 0.5)]
    listed = sim.Projection(pre, post, sim.FromListConnector(given), sim.StaticSynapse())
    np.testing.assert_allclose(sorted(listed.get(["weight", "delay"], "list")), given)
    matrix = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]], bool)
    made = sim.Projection(pre, post, sim.ArrayConnector(matrix), sim.StaticSynapse(weight=0.1, delay=1.0))
    np.testing.assert_array_equal(~np.isnan(made.get("weight", "array")), matrix)
    path = tmp_path / "edges.txt"
    listed.save(["weight", "delay"], str(path), format="list")
    again = sim.Projection(pre, post, sim.FromFileConnector(str(path)), sim.StaticSynapse())
    np.testing.assert_allclose(sorted(again.get(["weight", "delay"], "list")), given)
    with pytest.raises(errors.ConnectionError):
        sim.Projection(pre, post, sim.FromListConnector([(4, 0, 0.1, 1.0)]), sim.StaticSynapse())


def test_seeds_of_generators(sim):
    """The seed of a generator decides, not that of the network nor what was made before."""

    def made(seed, others=0, network=1):
        sim.setup(timestep=0.1, threads=1, rng_seed=network)
        pre, post = two(sim)
        for _ in range(others):
            sim.Population(5, sim.IF_cond_exp())
        rng = NumpyRNG(seed=seed)
        weight = RandomDistribution("uniform", (0.01, 0.02), rng=rng)
        return sim.Projection(pre, post, sim.FixedProbabilityConnector(0.2, rng=rng), sim.StaticSynapse(weight=weight, delay=1.0)).get(
            "weight", "list"
        )

    assert made(1) == made(1, network=7)
    assert made(1) != made(2)
    assert len(made(1)) > 50


def test_wrong_signs_and_delays_are_refused(sim):
    pre, post = two(sim)
    for synapse in (
        sim.StaticSynapse(weight=-0.1, delay=1.0),
        sim.StaticSynapse(weight=RandomDistribution("normal", (0.0, 0.1)), delay=1.0),
        sim.StaticSynapse(weight=0.1, delay=0.01),
    ):
        with pytest.raises(errors.ConnectionError):
            sim.Projection(pre, post, sim.FixedProbabilityConnector(0.5), synapse, receptor_type="excitatory")


def test_views_and_assemblies(sim):
    """Positions are those in the set that was given."""
    a, b = two(sim, 5, 4)
    both = b + a
    projection = sim.Projection(both, a[[1, 3]], sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=1.0))
    assert projection.shape == (9, 2) and len(edges(projection)) == 18
    listed = sim.Projection(both, a[[1, 3]], sim.FromListConnector([(0, 1, 0.5, 1.0), (4, 0, 0.25, 1.0)]), sim.StaticSynapse())
    cells = {(c.presynaptic_cell, c.postsynaptic_cell): c.weight for c in listed.connections}
    assert cells == {(b[0], a[3]): 0.5, (a[0], a[1]): 0.25}
