# SPDX-License-Identifier: Apache-2.0
"""weight_recorder: what depends on threads in NEST, so that the corpus has no case for it; and what is not there."""

import numpy as np
import pytest

import neuropil.nest as nest


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def recorded(model="static_synapse", **params):
    recorder = nest.Create("weight_recorder", params=params)
    nest.CopyModel(model, "watched", {"weight_recorder": recorder})
    return recorder


@pytest.mark.parametrize("threads", [1, 3])
def test_ports_are_those_of_get_connections(threads):
    nest.local_num_threads = threads
    recorder, relays = recorded(), nest.Create("parrot_neuron", 6)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 4.0]}), relays)
    nest.Connect(relays, relays, {"rule": "fixed_indegree", "indegree": 3}, {"synapse_model": "watched", "delay": 2.0})
    nest.Connect(relays, relays, "one_to_one", {"synapse_model": "static_synapse", "delay": 3.0})
    nest.Simulate(3.5)
    events, made = recorder.events, nest.GetConnections(synapse_model="watched")
    assert len(events["times"]) == 0  # they are on the way
    nest.Simulate(2.0)
    events = recorder.events
    first = events["times"] == 2.0
    found = sorted(zip(*(events[key][first].tolist() for key in ("senders", "targets", "ports")), strict=True))
    assert found == sorted(zip(made.get("source"), made.get("target"), made.get("port"), strict=True))
    assert events["ports"].dtype == np.int64


def test_events_are_counted_before_and_after_they_are_read():
    nest.local_num_threads = 2
    recorder, relays = recorded(), nest.Create("parrot_neuron", 3)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 4.0, 9.0]}), relays)
    nest.Connect(relays, nest.Create("iaf_psc_exp", 3), syn_spec={"synapse_model": "watched", "delay": 2.0})
    assert recorder.n_events == 0
    for until, sent in ((5.0, 9), (8.0, 18)):  # each of 9 synapses, once for each spike that has arrived
        nest.Simulate(until - nest.biological_time)
        assert recorder.n_events == sent
        assert len(recorder.events["times"]) == recorder.n_events == sent
    recorder.n_events = 0
    nest.Simulate(5.0)
    assert recorder.n_events == 9 and recorder.events["times"].tolist() == [10.0] * 9
    recorder.start = 9.5  # of what has been recorded nothing changes
    nest.Simulate(1.0)
    assert recorder.n_events == len(recorder.events["times"])


def test_models_with_connections_keep_their_recorder():
    recorded()
    nodes, other = nest.Create("parrot_neuron", 2), nest.Create("weight_recorder")
    nest.Connect(nodes, nodes, syn_spec="watched")
    with pytest.raises(nest.NotSupported, match="another weight_recorder for watched"):
        nest.SetDefaults("watched", {"weight_recorder": other})


def test_ports_count_all_parameters_of_a_model():
    recorder, relays = recorded("stdp_synapse"), nest.Create("parrot_neuron", 2)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0]}), relays)
    nest.Connect(relays, nest.Create("iaf_psc_exp", 2), syn_spec={"synapse_model": "watched", "alpha": np.array([[1.0, 2.0], [3.0, 4.0]])})
    nest.Simulate(5.0)
    assert sorted(recorder.events["ports"].tolist()) == [0, 1, 2, 3]


def test_unused_recorders_show_all_values_after_simulate():
    recorder, meter = nest.Create("weight_recorder"), nest.Create("multimeter", params={"record_from": ["V_m"]})
    nest.Simulate(1.0)
    assert sorted(recorder.events) == ["ports", "receptors", "senders", "targets", "times", "weights"]
    assert sorted(meter.events) == ["V_m", "senders", "times"]
    assert sorted(nest.Create("weight_recorder").events) == ["senders", "times"]


def test_a_model_with_connections_gets_no_first_recorder():
    nodes = nest.Create("parrot_neuron", 2)
    nest.Connect(nodes, nodes, syn_spec="stdp_synapse")
    with pytest.raises(nest.NotSupported, match="another weight_recorder for stdp_synapse"):
        nest.SetDefaults("stdp_synapse", {"weight_recorder": nest.Create("weight_recorder")})
