# SPDX-License-Identifier: Apache-2.0
"""Calls that are refused change nothing; numbers of connections of a pair without limits of their own."""

import numpy as np
import pytest
from scipy import stats

from neuropil import nest
from neuropil.space.unplaced import _edge_keys, poisson_counts


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()


def test_parameters_of_nodes():
    cells = nest.Create("iaf_psc_alpha", 3)
    with pytest.raises(nest.NESTError):
        cells.set({"tau_minus": 33.0, "tau_m": -1.0})
    with pytest.raises(nest.NESTError):
        cells.set([{"tau_minus": 33.0}, {"tau_m": 5.0}, {"tau_m": -1.0}])
    assert cells.tau_minus == (20.0, 20.0, 20.0) and cells.tau_m == (10.0, 10.0, 10.0)


@pytest.mark.parametrize("model", ["iaf_psc_exp", "spike_recorder", "poisson_generator"])
@pytest.mark.parametrize(
    ("n", "error", "words"),
    [
        (2**39, MemoryError, "549755813888 nodes need more than"),
        (2**40, nest.NESTErrors.BadProperty, "below 2\\^40"),
        (2**62, nest.NESTErrors.BadProperty, "below 2\\^40"),
        (2**63, OverflowError, "too large to convert to C long"),  # as NEST
    ],
)
def test_more_nodes_than_fit(model, n, error, words):
    cells = nest.Create("iaf_psc_exp", 2)
    with pytest.raises(error, match=words):
        nest.Create(model, n)
    with pytest.raises(error, match=words):
        nest.Create(model, n, {"V_m": 1.0}, nest.spatial.free(nest.random.uniform(), num_dimensions=2))
    with pytest.raises(nest.NESTErrors.BadProperty, match="below 2"):
        nest.Create(model, positions=nest.spatial.grid([2**20, 2**20]))
    assert nest.network_size == 2 and nest.Create(model) == nest.NodeCollection([3]) and len(cells) == 2


@pytest.mark.parametrize("bad", [{"delay": -1.0}, {"weight": np.nan}, {"synapse_model": "stdp_synapse", "weight": -1.0}])
def test_collocated_synapses(bad):
    cells = nest.Create("iaf_psc_alpha", 2)
    with pytest.raises(nest.NESTError):
        nest.Connect(cells, cells, "all_to_all", nest.CollocatedSynapses({"weight": 1.0}, bad))
    assert nest.num_connections == 0
    nest.Connect(cells, cells, "all_to_all", nest.CollocatedSynapses({"weight": 1.0}, {"weight": 2.0}))
    assert nest.num_connections == 8


def test_kernel_settings():
    before = nest.GetKernelStatus()
    for bad in (
        {"resolution": 0.2, "rng_seed": -5},
        {"rng_seed": 7, "local_num_threads": 0},
        {"min_delay": 0.5, "max_delay": 2.0, "rng_seed": -5},
    ):
        with pytest.raises(nest.NESTError):
            nest.set(**bad)
    after = nest.GetKernelStatus()
    names = ("resolution", "rng_seed", "local_num_threads", "min_delay", "max_delay")
    assert {k: before[k] for k in names} == {k: after[k] for k in names}


def test_many_connections_of_a_pair_have_weights_of_their_own():
    cells = nest.Create("iaf_psc_alpha", 2)
    nest.Connect(cells, cells, {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 800.0}, {"weight": nest.random.uniform(0.0, 1.0)})
    weights = nest.GetConnections().weight
    assert 2800 < len(weights) < 3600 and len(set(weights)) > 0.99 * len(weights)


@pytest.mark.parametrize("mean", [0.0, 0.3, 30.0, 499.0, 501.0, 800.0, 1e5])
def test_counts_are_quantiles(mean):
    u = (np.arange(2000) + 0.5) / 2000
    assert np.array_equal(poisson_counts(u, mean), stats.poisson.ppf(u, mean).astype(int))


def test_numbers_of_edges_differ():
    pair = np.repeat(np.arange(50), np.arange(50) * 7)
    keys = _edge_keys(pair, 50)
    assert len(np.unique(keys)) == len(keys) and np.array_equal(keys[:7], 64 + np.arange(7))


@pytest.mark.parametrize("values", [[1.0, "2"], [1.0, {"mean": 2.0}], [{"weight": 2.0}, None]])
def test_lists_of_other_things_than_numbers(values):
    """For connections, as a list or as a dict for each."""
    nodes = nest.Create("parrot_neuron", 2)
    nest.Connect(nodes, nodes, "one_to_one", {"weight": 5.0})
    found = nest.GetConnections()
    for call in (lambda: found.set(weight=values), lambda: found.set([{"weight": value} for value in values])):
        with pytest.raises(nest.NESTErrors.TypeMismatch, match="weight takes numbers"):
            call()
    assert found.weight == [5.0, 5.0]
