# SPDX-License-Identifier: Apache-2.0
"""Numbers that only the kernel heeds are set by one call of it; all keys are read in one pass: against the ways that other values take."""

import pytest

from neuropil import nest
from neuropil.nest import defaults, node_setting, node_status
from neuropil.nest.kernel import session

VALUES = (-3, 0.25, float("inf"))


def outcome(model, key, value):
    """Status of two of three nodes after a set, and what was raised."""
    nest.ResetKernel()
    nodes = nest.Create(model, 3)
    try:
        nodes[:2].set({key: value})
    except Exception as error:
        return repr(error), [repr(nodes.get(key))]
    return "", [repr(nodes.get(key)), repr(nodes.get())]


def names(recorders=False):
    models = nest.node_models
    return [name for name in models if recorders or session().node_models[name].kind != "recorder"]


@pytest.mark.parametrize("model", names())
def test_either_way_is_the_same(model, monkeypatch):
    keys = node_status.shown_of(session().node_models[model]).free
    cases = [(key, value) for key in sorted(keys) for value in VALUES]
    quick = [outcome(model, *case) for case in cases]
    monkeypatch.setattr(node_setting, "set_numbers", lambda nodes, given: False)
    assert quick == [outcome(model, *case) for case in cases]


def test_the_short_way_is_taken():
    nest.ResetKernel()
    nodes = nest.Create("iaf_psc_alpha", 5)
    assert node_setting.set_numbers(nodes, {"I_e": 3.0, "tau_m": 12})
    assert node_setting.set_numbers(nodes[::2], {"V_m": -60.0})
    assert nodes.get("V_m") == (-60.0, -70.0, -60.0, -70.0, -60.0) == nodes.V_m
    for given in ({}, {"V_m": [1.0] * 5}, {"frozen": True}, {"Ca": 1.0}, {"no_such_key": 1.0}, {"tau_m": -1.0}, {"I_e": 2**60}):
        assert not node_setting.set_numbers(nodes, given)
    assert nodes.get("tau_m") == (12.0,) * 5
    both = nodes + nest.Create("iaf_psc_exp", 2)
    assert node_setting.set_numbers(both, {"tau_m": 8.0})
    assert both.get("tau_m") == (8.0,) * 7


@pytest.mark.parametrize("model", names(recorders=True))
def test_all_keys_at_once_and_each_alone(model):
    nest.ResetKernel()
    for n in (1, 3):
        nodes = nest.Create(model, n)
        found = nodes.get()
        assert list(found) == sorted(found)
        parts = {"compartments", "receptors"} if model == "cm_default" else set()  # objects when they are read alone
        assert {key: repr(found[key]) for key in found.keys() - parts} == {key: repr(nodes.get(key)) for key in found.keys() - parts}


def test_nodes_of_several_models_show_none_for_keys_that_they_lack():
    nest.ResetKernel()
    nodes = nest.Create("iaf_psc_alpha") + nest.Create("poisson_generator") + nest.Create("spike_recorder")
    assert nodes.get("rate") == (None, 0.0, None)
    assert nodes.get("n_events") == (None, None, 0)
    assert nodes.get(["V_m", "model"]) == {"V_m": (-70.0, None, None), "model": ("iaf_psc_alpha", "poisson_generator", "spike_recorder")}
    assert list(nodes.get()) == sorted(nodes.get())
    with pytest.raises(KeyError):
        nodes.get("no_such_key")


def each_anew(model):
    return {key: repr(value) for key, value in defaults._all(session().node_models[model]).items()}


@pytest.mark.parametrize("model", names(recorders=True))
def test_defaults_are_those_of_the_kernel_with_changes(model):
    nest.ResetKernel()
    nest.CopyModel(model, "own")
    assert {key: repr(value) for key, value in nest.GetDefaults("own").items()} == each_anew("own")
    before = nest.GetDefaults(model)
    for key, value in nest.GetDefaults("own").items():
        if type(value) is float and key in session().node_models["own"].settable:
            try:
                nest.SetDefaults("own", {key: value + 0.1})
            except nest.NESTError:
                continue
    found = nest.GetDefaults("own")
    assert list(found) == sorted(found)
    assert {key: repr(value) for key, value in found.items()} == each_anew("own")
    assert repr(nest.GetDefaults(model)) == repr(before)


def test_defaults_belong_to_the_caller():
    nest.ResetKernel()
    found = nest.GetDefaults("iaf_psc_exp")
    found["recordables"].clear()
    found["synaptic_elements"]["axon"] = {}
    found["capacity"][0] = 7
    again = nest.GetDefaults("iaf_psc_exp")
    assert again["recordables"] == ["I_syn_ex", "I_syn_in", "V_m"]
    assert again["synaptic_elements"] == {} and again["capacity"].tolist() == [0]


@pytest.mark.parametrize(("threads", "expected"), [(1, [0, 1, 2, 3, 4, 5]), (2, [0, 0, 1, 2, 2, 3])])
def test_thread_local_ids_count_devices_on_all_threads(threads, expected):
    nest.ResetKernel()
    nest.local_num_threads = threads
    neurons, generator, more = nest.Create("iaf_psc_exp", 2), nest.Create("poisson_generator"), nest.Create("iaf_psc_exp", 3)
    assert (neurons + more).get("thread_local_id") == (-1,) * 5
    nest.Connect(generator, neurons)
    assert [*neurons.get("thread_local_id"), generator.get("thread_local_id"), *more.get("thread_local_id")] == expected


def test_defaults_that_no_node_could_have_are_refused_where_they_are_set():
    nest.ResetKernel()
    with pytest.raises(nest.NESTErrors.NotImplemented, match="ignore_and_spike of eprop_iaf"):
        nest.SetDefaults("eprop_iaf", {"ignore_and_spike": True})
    with pytest.raises(nest.NESTErrors.TypeMismatch, match="asc_init takes an array of numbers"):
        nest.SetDefaults("glif_psc", {"asc_init": -1.0})
    for _ in range(2):  # in the same network of trial
        with pytest.raises(nest.NESTErrors.BadProperty, match="tau_m"):
            nest.SetDefaults("iaf_psc_exp", {"tau_m": -1.0})
        nest.SetDefaults("iaf_psc_exp", {"tau_m": 7.0})
        with pytest.raises(nest.NESTErrors.BadProperty, match="tau_plus"):
            nest.SetDefaults("stdp_synapse", {"tau_plus": -1.0})
        nest.SetDefaults("stdp_dopamine_synapse", {"tau_plus": 15.0})
    for h in (0.2, 0.1, 0.2):  # in one network for each resolution
        nest.ResetKernel()
        nest.resolution = h
        nest.SetDefaults("stdp_synapse", {"tau_plus": 15.0})
        nest.SetDefaults("iaf_psc_exp", {"tau_m": 7.0})
    assert nest.GetDefaults("stdp_synapse", "tau_plus") == 15.0
    assert nest.GetDefaults("iaf_psc_exp", "tau_m") == nest.Create("iaf_psc_exp").tau_m == 7.0
    assert nest.GetDefaults("eprop_iaf", "ignore_and_spike") is False


def test_values_of_several_rows_are_set_together_or_not_at_all():
    nest.ResetKernel()
    nodes = nest.Create("iaf_psc_exp", 2) + nest.Create("iaf_psc_delta", 2)
    with pytest.raises(nest.NESTErrors.BadProperty, match="tau_m"):
        nodes.set([{"tau_m": 5.0}, {"tau_m": 6.0, "Ca": 1.0}, {"tau_m": 7.0}, {"tau_m": -1.0}])
    assert nodes.get(["tau_m", "Ca"]) == {"tau_m": (10.0,) * 4, "Ca": (0.0,) * 4}
    nodes.set([{"tau_m": 5.0}, {"tau_m": 6.0, "Ca": 1.0}, {"tau_m": 7.0}, {"tau_m": 8.0}])
    assert nodes.get(["tau_m", "Ca"]) == {"tau_m": (5.0, 6.0, 7.0, 8.0), "Ca": (0.0, 1.0, 0.0, 0.0)}


def test_a_dict_for_each_of_many_nodes():
    nest.ResetKernel()
    n = 30_000  # comparing each dict with each would take minutes
    nodes = nest.Create("iaf_psc_exp", n, [{"V_m": -70.0 + k / n} if k % 2 else {"V_m": -71.0, "tau_m": 5.0} for k in range(n)])
    assert nodes.V_m[:3] == (-71.0, -70.0 + 1 / n, -71.0) and nodes.tau_m[-2:] == (5.0, 10.0)
    nodes.set([{"V_m": -60.0 - k / n} for k in range(n)])
    assert nodes.V_m[-1] == -60.0 - (n - 1) / n


def test_events_are_the_same_however_often_they_are_read():
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_exp", 3, {"I_e": [400.0, 450.0, 500.0]})
    often, once = (nest.Create("spike_recorder"), nest.Create("multimeter", params={"record_from": ["V_m"]})), nest.Create("spike_recorder")
    for node in (often[0], once):
        nest.Connect(cells, node)
    nest.Connect(often[1], cells)
    n = [0, 0]
    for k in range(60):
        nest.Simulate(1.0)
        if k == 30:
            nest.Connect(nest.Create("parrot_neuron"), often[0])  # another recording of the kernel
        for j, node in enumerate(often):
            assert node.n_events == len(node.events["times"]) == node.get()["n_events"] >= n[j]
            n[j] = node.n_events
    assert n[0] > 5 and n[1] == 3 * 59
    assert {key: list(v) for key, v in often[0].events.items()} == {key: list(v) for key, v in once.events.items()}
    often[0].n_events = 0
    assert often[0].n_events == 0 and once.n_events == n[0]


def test_a_refractory_time_that_is_not_looked_at_is_refused_by_any_way():
    nest.ResetKernel()
    node = nest.Create("pp_psc_delta", params={"t_ref_remaining": 2.0})
    nest.Simulate(1.0)
    for call in (lambda: node.set(t_ref_remaining=1.0), lambda: nest.Create("pp_psc_delta", params={"t_ref_remaining": 1.0})):
        with pytest.raises(nest.NotSupported, match="t_ref_remaining"):
            call()
    assert nest.network_size == 1
