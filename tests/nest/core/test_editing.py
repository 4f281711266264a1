# SPDX-License-Identifier: Apache-2.0
"""Connections that exist get other values, or keep all of theirs where an edit is refused."""

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest.errors import NESTErrors


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def state():
    c = nest.GetConnections()
    return [list(c.get(key)) for key in ("source", "target", "weight", "delay", "synapse_model", "alpha")]


REFUSED = [
    {"delay": 7000.0},
    {"delay": 1e9},
    {"delay": np.nan},
    {"delay": [2.0, 0.01, 2.0, 2.0, 2.0, 2.0]},
    {"weight": [-1.0, 2.0, np.nan, 1.0, 1.0, 1.0]},
    {"weight": np.nan, "delay": 2.0},
    {"weight": np.inf},
    {"weight": 3.0, "Kplus": 1.0},
    {"weight": 3.0, "alpha": np.nan},
    {"delay": 2.0, "mu_plus": -1.0},
]


@pytest.mark.parametrize("given", REFUSED)
def test_what_is_refused_changes_nothing(given):
    cells, current = nest.Create("iaf_psc_exp", 2), nest.Create("dc_generator")
    nest.Connect(current, cells, syn_spec={"weight": 5.0, "delay": 1.5})
    nest.Connect(cells, cells, "one_to_one", {"weight": 2.0, "delay": 1.5, "synapse_model": "stdp_synapse"})
    nest.Connect(cells, cells, "one_to_one", {"weight": -4.0, "delay": 1.5})
    before = state()
    with pytest.raises(NESTErrors.KernelException):
        nest.GetConnections().set(**given)
    assert state() == before


def test_keys_apply_to_the_models_that_have_them():
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "stdp_synapse_lbl", "synapse_label": 3})
    nest.Connect(cells, cells, "one_to_one")
    c = nest.GetConnections()
    c.set(alpha=2.0, synapse_label=7)
    assert sorted(map(str, nest.GetConnections().alpha)) == ["2.0", "2.0", "None", "None"]
    assert len(nest.GetConnections(synapse_label=7)) == 2
    c.delay = 2.0
    assert sorted(c.synapse_label) == [-1, -1, 7, 7]


def test_a_list_of_before_an_edit_still_means_its_connections():
    cells = nest.Create("iaf_psc_exp", 5)
    for k, model in enumerate(("stdp_synapse", "static_synapse", "stdp_synapse")):
        nest.Connect(cells, cells, "all_to_all", {"synapse_model": model, "weight": 1.0 + k, "delay": 1.0 + k})
    c = nest.GetConnections()
    weights = list(c.weight)
    nest.GetConnections(synapse_model="stdp_synapse").alpha = 2.0
    assert list(c.weight) == weights
    c.delay = 2.0
    assert sorted(c.weight) == sorted(weights)


def test_receptor_1_of_copies_survives():
    parrots = nest.Create("parrot_neuron_ps", 1)
    nest.CopyModel("parrot_neuron", "mine")
    cells, adapting = nest.Create("mine"), nest.Create("iaf_tum_2000", 2)
    for pre, post in ((parrots, cells), (adapting, adapting)):
        nest.Connect(pre, post, "all_to_all", {"receptor_type": 1, "weight": 2.0})
    c = nest.GetConnections()
    c.delay = 2.0
    c.weight = -1.0
    c.delay = 3.0
    assert set(c.receptor) == {1}
    assert set(c.weight) == {-1.0}


def test_spikes_of_one_step_are_heard_as_often_after_an_edit():
    source, relays = nest.Create("spike_generator", params={"spike_times": [5.0, 5.0, 5.4]}), nest.Create("parrot_neuron", 2)
    recorder = nest.Create("spike_recorder")
    nest.Connect(source, relays[0])
    nest.Connect(relays[0], relays[1], syn_spec={"delay": 3.0, "synapse_model": "stdp_synapse"})
    nest.Connect(relays[1], recorder)
    nest.Simulate(7.0)
    nest.GetConnections(relays[0], relays[1]).alpha = 2.0
    nest.Simulate(10.0)
    assert recorder.events["times"].tolist() == [9.0, 9.0, 9.4]


def test_ports_of_events_before_an_edit():
    recorder = nest.Create("weight_recorder")
    nest.CopyModel("stdp_synapse", "noted", {"weight_recorder": recorder})
    source, relay, cells = (
        nest.Create("spike_generator", params={"spike_times": [1.0]}),
        nest.Create("parrot_neuron"),
        nest.Create("iaf_psc_exp", 2),
    )
    nest.Connect(source, relay)
    nest.Connect(relay, cells, syn_spec={"synapse_model": "noted"})
    nest.Simulate(5.0)
    nest.Disconnect(nest.GetConnections(relay, cells[0]))
    assert sorted(recorder.events["ports"]) == [0, 1]
