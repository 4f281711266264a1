# SPDX-License-Identifier: Apache-2.0
"""Connections by position to recorders, as NEST 3.10 makes them: only pairwise_bernoulli with use_on_source."""

import numpy as np
import pytest

import neuropil.nest as nest

DISC = {"circular": {"radius": 0.4}}


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def layer(model):
    return nest.Create(model, positions=nest.spatial.grid([3, 3]))


def neighbours(pre, post):
    """Pairs of nodes at most 0.4 apart, by brute force."""
    a, b = (np.array(nest.GetPosition(nodes)) for nodes in (pre, post))
    near = np.linalg.norm(a[:, None] - b, axis=2) <= 0.4
    return sorted(zip(np.array(pre)[near.nonzero()[0]].tolist(), np.array(post)[near.nonzero()[1]].tolist(), strict=True))


@pytest.mark.parametrize("weight", [1.0, nest.spatial.distance])
def test_masks_around_recorders_choose_their_sources(weight):
    generator, cells, recorders = (
        nest.Create("spike_generator", params={"spike_times": [1.0, 2.0]}),
        layer("parrot_neuron"),
        layer("spike_recorder"),
    )
    nest.Connect(generator, cells)
    spec = {"rule": "pairwise_bernoulli", "p": 1.0, "mask": DISC, "use_on_source": True}
    nest.Connect(cells, recorders, spec, {"weight": weight})
    found = nest.GetConnections(cells, recorders)
    assert sorted(zip(found.sources(), found.targets(), strict=True)) == neighbours(cells, recorders)
    nest.Simulate(5.0)
    assert recorders.n_events == (6, 8, 6, 8, 10, 8, 6, 8, 6)


def test_probabilities_of_distances_from_stimulators_to_recorders():
    noise, recorders = layer("poisson_generator"), layer("spike_recorder")
    p = nest.spatial_distributions.exponential(nest.spatial.distance, beta=0.5)
    nest.Connect(noise, recorders, {"rule": "pairwise_bernoulli", "p": p, "use_on_source": True})
    expected = np.exp(-2.0 * np.linalg.norm(np.array(nest.GetPosition(noise))[:, None] - np.array(nest.GetPosition(recorders)), axis=2))
    deviation = np.sqrt((expected * (1.0 - expected)).sum())
    assert abs(len(nest.GetConnections(noise)) - expected.sum()) < 4.0 * deviation


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ({"rule": "pairwise_bernoulli", "p": 1.0, "mask": DISC}, nest.NESTErrors.IllegalConnection),
        ({"rule": "pairwise_bernoulli", "p": 1.0, "mask": DISC, "use_on_source": False}, nest.NESTErrors.IllegalConnection),
        ({"rule": "fixed_indegree", "indegree": 1, "mask": DISC}, nest.NESTErrors.IllegalConnection),
        ({"rule": "fixed_indegree", "indegree": 1, "mask": DISC, "use_on_source": True}, ValueError),
    ],
)
def test_other_rules_to_recorders_are_refused(rule, error):
    cells, recorders = layer("parrot_neuron"), layer("spike_recorder")
    with pytest.raises(error):
        nest.Connect(cells, recorders, rule)
    with pytest.raises((TypeError, ValueError)):
        nest.Connect(cells, nest.Create("spike_recorder"), rule)
    assert len(nest.GetConnections()) == 0
