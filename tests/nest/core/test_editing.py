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
    {"weight": 3.0, "Kplus": -1.0},
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


def plastic_network(**of_third):
    """Neurons that fire, with plastic and static synapses of which every third has other values from the beginning; recorder and connections."""
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_exp", 12, {"I_e": 420.0})
    source, target = (ids.ravel() for ids in np.meshgrid(np.arange(1, 13), np.arange(1, 13)))
    other = np.arange(len(source)) % 3 == 0
    for some, values in ((~other, {}), (other, of_third)):
        for model, weight in (("stdp_synapse_lbl", 30.0), ("static_synapse", 15.0)):
            syn = {"synapse_model": model, "weight": np.full(some.sum(), weight), "delay": np.full(some.sum(), 1.5)}
            known = ("weight", "delay") if model == "static_synapse" else ("delay", "lambda", "alpha", "synapse_label")
            syn |= {key: np.full(some.sum(), value) if key != "synapse_label" else value for key, value in values.items() if key in known}
            nest.Connect(source[some], target[some], "one_to_one", syn)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    return recorder, nest.GetConnections(cells, cells)


def outcome(recorder, time=200.0):
    nest.Simulate(time)
    c = nest.GetConnections(synapse_model="stdp_synapse_lbl")
    rows = sorted(zip(c.source, c.target, c.weight, strict=True))
    events = recorder.events
    return rows, sorted(zip(events["times"].tolist(), events["senders"].tolist(), strict=True))


def third(c):
    """Every third pair of plastic_network."""
    return c[((np.array(c.target) - 1) * 12 + np.array(c.source) - 1) % 3 == 0]


def of_model(c, name):
    return c[np.array(c.synapse_model) == name]


OTHER = [{"delay": 2.5}, {"lambda": 0.08, "alpha": 0.7}, {"weight": -20.0}, {"synapse_label": 4}, {"delay": 0.7, "lambda": 0.03}]


@pytest.mark.parametrize("values", OTHER)
def test_new_values_are_as_if_they_had_always_been_there(values):
    recorder, _ = plastic_network(**values)
    expected = outcome(recorder)
    recorder, c = plastic_network()
    static_only = "weight" in values
    third(of_model(c, "static_synapse") if static_only else c).set(**values)
    assert outcome(recorder) == expected
    recorder, _ = plastic_network()
    assert len(expected[1]) > 50
    assert values.keys() == {"synapse_label"} or outcome(recorder) != expected


def test_values_that_change_and_come_back_in_the_middle_change_nothing():
    recorder, _ = plastic_network()
    expected = outcome(recorder, 77.7), outcome(recorder)
    recorder, c = plastic_network()
    first = outcome(recorder, 77.7)
    some = third(of_model(c, "stdp_synapse_lbl"))
    weights = list(some.weight)
    for given in ({"alpha": 0.3, "synapse_label": 9}, {"alpha": 1.0, "synapse_label": 0}, {"lambda": 0.5}, {"lambda": 0.01}):
        some.set(**given)
    signs = third(of_model(c, "static_synapse"))
    signs.weight = -7.0
    signs.weight = 15.0
    assert list(some.weight) == weights
    assert (first, outcome(recorder)) == expected


def test_collections_follow_edits_and_removals():
    _, c = plastic_network()
    nest.Simulate(50.0)
    rows = [list(row) for row in zip(c.source, c.target, c.synapse_model, c.weight, c.delay, strict=True)]
    other = nest.GetConnections(synapse_model="static_synapse")
    before = sorted(zip(other.source, other.target, other.delay, strict=True))
    for k in range(0, len(c), 5):
        c[k].set(delay=1.5, alpha=1.0 + k) if rows[k][2] == "stdp_synapse_lbl" else c[k].set(weight=-1.0 - k)
        if rows[k][2] != "stdp_synapse_lbl":
            rows[k][3] = -1.0 - k
    assert [list(row) for row in zip(c.source, c.target, c.synapse_model, c.weight, c.delay, strict=True)] == rows
    assert sorted(zip(other.source, other.target, other.delay, strict=True)) == before
    for k in range(1, len(c), 4):
        c[k].disconnect()
    left = [k for k in range(len(c)) if k % 4 != 1]
    assert list(c[left].weight) == [rows[k][3] for k in left]
    assert nest.num_connections == len(left) + 12  # and those to the recorder
    with pytest.raises(NESTErrors.InexistentConnection):
        c.get("weight")
    with pytest.raises(NESTErrors.InexistentConnection):
        c[:2].disconnect()
    assert list(c[left].weight) == [rows[k][3] for k in left]


LISTS = [
    [{"weight": 5.0}, {"delay": 1e9}],
    [{"alpha": 2.0}, {"mu_plus": -1.0}],
    [{"alpha": 2.0}, {"nonsense": 1.0}],
    [{"weight": 5.0, "alpha": 2.0}, {"Wmax": -100.0}],
]


@pytest.mark.parametrize("given", LISTS)
def test_lists_of_dicts_with_different_keys_change_all_or_nothing(given):
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, "one_to_one", {"weight": 2.0, "delay": 1.5, "synapse_model": "stdp_synapse"})
    before = state()
    with pytest.raises(NESTErrors.KernelException):
        nest.GetConnections().set(given)
    assert state() == before
    nest.GetConnections().set([{"weight": 5.0}, {"alpha": 3.0, "delay": 2.0}])
    c = nest.GetConnections()
    assert (c.weight, c.delay, c.alpha) == ([5.0, 2.0], [1.5, 2.0], [1.0, 3.0])


def test_delays_between_grid_points_and_on_it_at_once():
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "cont_delay_synapse", "delay": 1.0})
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "static_synapse", "delay": 1.0})
    c = nest.GetConnections()
    c.delay = 2.34
    fine = np.array(c.synapse_model) == "cont_delay_synapse"
    assert np.allclose(c.delay, np.where(fine, 2.34, 2.3), atol=1e-12)


@pytest.mark.parametrize("rule", ["one_to_one", "all_to_all"])
def test_disconnect_of_no_pair_is_refused(rule):
    cell = nest.Create("iaf_psc_exp")
    nest.Connect(cell, cell)
    with pytest.raises(NESTErrors.InexistentConnection):
        nest.Disconnect(cell, cell, conn_spec={"rule": rule, "allow_autapses": False})
    assert nest.num_connections == 1
    nest.Disconnect(nest.NodeCollection(), nest.NodeCollection())


@pytest.mark.parametrize("joined", [False, True])
def test_a_lent_parameter_that_connections_refuse_changes_nothing(joined):
    """The nodes have their values back, and those that were set before them, too."""
    first, second = nest.Create("iaf_tum_2000", 2), nest.Create("iaf_tum_2000", 2, {"tau_rec": 500.0})
    nest.Connect(first, first, syn_spec={"receptor_type": 1})
    nest.Connect(second, first, syn_spec={"receptor_type": 1})
    nodes = first + second if joined else second
    before = nodes.get(["tau_psc", "tau_rec", "U", "V_m"])
    with pytest.raises(NESTErrors.BadProperty, match="tau_psc"):
        nodes.set(tau_psc=500.0, U=0.1, V_m=-60.0)
    assert nodes.get(["tau_psc", "tau_rec", "U", "V_m"]) == before
    nodes.set(tau_psc=7.0, U=0.1)
    assert nodes.tau_psc == (7.0,) * len(nodes)


def test_shares_of_resources_change_until_the_first_spike():
    cells = nest.Create("iaf_tum_2000", 2)
    nest.Connect(cells, cells, syn_spec={"receptor_type": 1})
    nest.Simulate(1.0)
    cells[0].x = 0.5
    cells[0].V_m = 0.0
    nest.Simulate(1.0)
    with pytest.raises(nest.NotSupported, match="first spike"):
        cells.x = 0.4
    cells[1].x = 0.4
    assert cells[1].x == 0.4
