# SPDX-License-Identifier: Apache-2.0
"""What Connect makes, beside what the corpus compares with NEST: the native network, groups, names of models, refused calls."""

import numpy as np
import pytest

import neuropil as npl
import neuropil.nest as nest
from neuropil.engine import own_values
from neuropil.nest.kernel import session


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def test_a_script_is_the_native_network():
    """The same calls give the same spikes through both front ends."""
    nest.rng_seed = 9
    cells, noise, recorder = (
        nest.Create("iaf_psc_exp", 50, {"V_m": nest.random.normal(-65.0, 3.0)}),
        nest.Create("poisson_generator", params={"rate": 9000.0}),
        nest.Create("spike_recorder"),
    )
    nest.Connect(noise, cells, syn_spec={"weight": 40.0, "delay": 1.0})
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 5}, {"weight": 30.0, "delay": 1.5})
    nest.Connect(cells, recorder)
    nest.Simulate(200.0)

    net = npl.Network(resolution=0.1, seed=9, threads=1)
    same = net.create("iaf_psc_exp", 50, V_m=npl.normal(-65.0, 3.0))
    drive = net.create("poisson_generator", rate=9000.0)
    net.connect(drive, same, weight=40.0, delay=1.0)
    net.connect(same, same, npl.fixed_indegree(5), weight=30.0, delay=1.5)
    spikes = net.record(same)
    net.run(200.0)
    assert np.allclose(recorder.events["times"], spikes.times, rtol=1e-14, atol=0)
    assert len(spikes.times)
    assert recorder.events["senders"].tolist() == spikes.gids.tolist()


def test_copies_of_one_model_keep_their_names():
    """The kernel knows one static synapse; which copy made a connection is told by what it joins, or by a label where that does not tell."""
    nodes = nest.Create("parrot_neuron", 6)
    nest.CopyModel("static_synapse", "ex", {"weight": 2.0})
    nest.CopyModel("static_synapse", "in", {"weight": -3.0})
    nest.Connect(nodes[:3], nodes, syn_spec="ex")
    nest.Connect(nodes[3:], nodes, syn_spec="in")
    nest.Connect(nodes[0], nodes[1], syn_spec="in")
    assert [len(nest.GetConnections(synapse_model=name)) for name in ("ex", "in", "static_synapse")] == [18, 19, 0]
    assert set(nest.GetConnections(nodes[:3], synapse_model="ex").get("weight")) == {2.0}
    assert nest.GetConnections(nodes[0], nodes[1]).get("synapse_model") == ["ex", "in"]
    assert nest.GetDefaults("in", "num_connections") == 19


def taus_of_kernel():
    """What synapses of the kernel have from their targets, which NEST does not show."""
    return set(own_values(session().engine.connections(None, None), "parameter", "tau_minus").tolist())


def test_tau_minus_of_targets():
    """Targets that differ in tau_minus get tables of their own; each target still has its indegree."""
    pre, post = nest.Create("iaf_psc_alpha", 20), nest.Create("iaf_psc_alpha", 9, {"tau_minus": [10.0, 20.0, 30.0] * 3})
    nest.Connect(pre, post, {"rule": "fixed_indegree", "indegree": 4}, {"synapse_model": "stdp_synapse", "weight": 5.0})
    targets = np.array(nest.GetConnections(pre, post).get("target"))
    assert np.bincount(targets - 20)[1:].tolist() == [4] * 9
    assert taus_of_kernel() == {10.0, 20.0, 30.0}
    assert post.tau_minus == (10.0, 20.0, 30.0) * 3
    post.tau_minus = 5.0
    assert taus_of_kernel() == {5.0}
    assert np.array(nest.GetConnections(pre, post).get("target")).tolist() == targets.tolist()
    nest.Simulate(0.1)
    post.tau_minus = 6.0
    assert taus_of_kernel() == {6.0}
    for values in ({"tau_minus": 110.0}, {"tau_minus_triplet": 50.0}):
        with pytest.raises(nest.NotSupported, match="tau_minus"):
            post.set(values)


def test_parameters_of_synapses_that_differ():
    pre, post = nest.Create("iaf_psc_alpha", 2), nest.Create("iaf_psc_alpha", 3)
    rates = np.array([[0.1, 0.2], [0.1, 0.3], [0.2, 0.1]])
    nest.Connect(pre, post, "all_to_all", {"synapse_model": "stdp_synapse", "lambda": rates, "weight": 10.0 * rates})
    found = nest.GetConnections(pre, post).get(["source", "target", "lambda", "weight"])
    assert found["lambda"] == [rates[t - 3, s - 1] for s, t in zip(found["source"], found["target"], strict=True)]
    assert np.allclose(found["weight"], 10.0 * np.array(found["lambda"]))
    many = nest.Create("iaf_psc_alpha", 300)
    nest.Connect(many, many, "one_to_one", {"synapse_model": "stdp_synapse", "lambda": nest.random.uniform()})
    assert len(set(nest.GetConnections(many).get("lambda"))) == 300


def test_weights_given_are_kept_as_doubles():
    nodes = nest.Create("iaf_psc_exp", 3)
    weights = np.array([0.1, 1.0 / 3.0, 1e-9])
    nest.Connect(nodes, nodes, "one_to_one", {"weight": weights})
    nest.Connect(nodes, nodes, "one_to_one", {"synapse_model": "stdp_synapse", "weight": 0.1})
    assert nest.GetConnections(synapse_model="static_synapse").get("weight") == weights.tolist()
    assert nest.GetConnections(synapse_model="stdp_synapse").get("weight") == [0.1] * 3


def test_weights_follow_what_is_set():
    nodes = nest.Create("iaf_psc_exp", 4)
    nest.Connect(nodes, nodes, syn_spec={"weight": 1.5})
    found = nest.GetConnections(source=nodes[:2])
    found.weight = list(range(8))
    assert found.weight == list(map(float, range(8)))
    assert found[2:4].get("weight") == [2.0, 3.0]
    assert set(nest.GetConnections(source=nodes[2:]).weight) == {1.5}
    found[0].set(weight=9.0)
    assert nest.GetConnections(nodes[0], nodes[0]).weight == 9.0


def test_connections_of_devices_are_listed():
    cells, noise, recorder, meter = (
        nest.Create("iaf_psc_exp", 3),
        nest.Create("poisson_generator", 2),
        nest.Create("spike_recorder"),
        nest.Create("voltmeter"),
    )
    nest.Connect(noise, cells, syn_spec={"weight": nest.random.uniform(1.0, 2.0), "delay": 0.5})
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells[:2])
    nest.Connect(cells[:2], cells[1:], "one_to_one")
    found = nest.GetConnections()
    assert len(found) == nest.num_connections == 6 + 3 + 2 + 2
    pairs = list(zip(found.get("source"), found.get("target"), strict=True))
    assert pairs[:5] == [(1, 2), (2, 3), (1, 6), (2, 6), (3, 6)]  # between neurons, to devices, from devices
    assert pairs[5:] == sorted(pairs[5:])
    drive = nest.GetConnections(noise, cells)
    assert all(1.0 <= w < 2.0 for w in drive.weight)
    assert len(set(drive.weight)) == 6
    assert set(drive.delay) == {0.5}
    drive.weight = 3.0
    assert nest.GetConnections(noise, cells).weight == [3.0] * 6


REFUSED = {
    "rule": ({"conn_spec": "no_such"}, "BadProperty"),
    "key": ({"conn_spec": {"rule": "all_to_all", "no_such": 1}}, "UnaccessedDictionaryEntry"),
    "synapse": ({"syn_spec": "no_such"}, "UnknownSynapseType"),
    "synapse parameter": ({"syn_spec": {"no_such": 1.0}}, "UnaccessedDictionaryEntry"),
    "delay": ({"syn_spec": {"delay": 0.01}}, "BadDelay"),
    "receptor": ({"syn_spec": {"receptor_type": 3}}, "UnknownReceptorType"),
    "degree": ({"conn_spec": {"rule": "fixed_indegree", "indegree": 9, "allow_multapses": False}}, "BadProperty"),
    "negative": ({"conn_spec": {"rule": "fixed_indegree", "indegree": -1}}, "BadProperty"),
    "probability": ({"conn_spec": {"rule": "pairwise_bernoulli", "p": 1.1}}, "BadProperty"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_connects_change_nothing(case):
    given, error = REFUSED[case]
    nodes = nest.Create("iaf_psc_exp", 4)
    with pytest.raises(getattr(nest.NESTErrors, error)):
        nest.Connect(nodes, nodes, **given)
    assert nest.num_connections == 0
    assert (nest.min_delay, session().wires.kinds) == (0.1, [])


def test_mixed_populations():
    """Targets of several models, and neurons and devices, go in one call."""
    a, b, noise, recorder = (
        nest.Create("iaf_psc_exp", 2),
        nest.Create("iaf_cond_exp", 2),
        nest.Create("poisson_generator"),
        nest.Create("spike_recorder"),
    )
    nest.Connect(a + b, a + b)
    nest.Connect(a + noise, b)
    nest.Connect(a, b[:1] + recorder, "one_to_one")
    assert [len(nest.GetConnections(s, t)) for s, t in ((a + b, a + b), (noise, b), (a, recorder))] == [16 + 4 + 1, 2, 1]


def test_tripartite_pools():
    """Every third node of a connection is in the pool of its target, which has pool_size nodes."""
    pre, post, third = nest.Create("parrot_neuron", 30), nest.Create("parrot_neuron", 30), nest.Create("parrot_neuron", 15)
    spec = {"rule": "third_factor_bernoulli_with_pool", "p": 0.5, "pool_size": 3}
    nest.TripartiteConnect(pre, post, third, {"rule": "pairwise_bernoulli", "p": 0.5}, spec, {"third_out": {"weight": 7.0}})
    into, out = nest.GetConnections(pre, third), nest.GetConnections(third, post)
    assert len(into) == len(out) > 100
    pools = {}
    for source, target in zip(out.sources(), out.targets(), strict=True):
        pools.setdefault(target, set()).add(source)
    assert max(map(len, pools.values())) == 3
    assert set(out.get("weight")) == {7.0}
    n = len(nest.GetConnections(pre, post))
    assert abs(len(out) / n - 0.5) < 5 * np.sqrt(0.25 / n)


@pytest.mark.parametrize(
    "spec",
    [{"p": 2.0}, {"pool_size": 0}, {"pool_size": 9}, {"pool_type": "x"}, {"pool_type": "block", "pool_size": 3}],
)
def test_tripartite_refuses(spec):
    nodes, third = nest.Create("parrot_neuron", 5), nest.Create("parrot_neuron", 4)
    with pytest.raises(nest.NESTErrors.BadProperty):
        nest.TripartiteConnect(nodes, nodes, third, "all_to_all", {"rule": "third_factor_bernoulli_with_pool"} | spec)
    assert nest.num_connections == 0


def test_weights_of_a_stimulator_hold_from_now_on():
    """The spikes of a generator stay the same: only their weights change, and only of what it sends from now on."""

    def potential(change):
        nest.ResetKernel()
        cells, noise = nest.Create("iaf_psc_delta", 2), nest.Create("poisson_generator", params={"rate": 3000.0})
        meter = nest.Create("voltmeter", params={"interval": 0.1})
        nest.Connect(noise, cells, syn_spec={"weight": 0.1, "delay": 2.0})
        nest.Connect(meter, cells)
        nest.Simulate(10.0)
        if change:
            nest.GetConnections(noise, cells[0]).weight = 0.2
        nest.Simulate(10.0)
        return [meter.events["V_m"][meter.events["senders"] == cell] for cell in (1, 2)]

    (same, other), (changed, untouched) = potential(False), potential(True)
    assert np.array_equal(other, untouched)
    assert np.array_equal(same[:120], changed[:120])
    added = np.diff(changed - same, prepend=0.0)[120:]
    assert added.max() > 0.09


def test_seeds_change_what_is_drawn():
    nodes = nest.Create("iaf_psc_exp", 20)
    found = []
    for seed in (5, 6, 5):
        nest.rng_seed = seed
        found.append(nest.CreateParameter("uniform", {}).apply(nodes))
        nest.Connect(nodes, nodes, {"rule": "fixed_total_number", "N": 10})
    assert nest.rng_seed == 5
    assert len({tuple(each) for each in found}) > 1


def test_models_that_join_the_same_nodes_with_drawn_weights():
    """Nothing but a label tells these apart."""
    nodes = nest.Create("iaf_psc_exp", 30)
    for k, name in enumerate("abc"):
        nest.CopyModel("static_synapse", name)
        nest.Connect(
            nodes, nodes, {"rule": "fixed_indegree", "indegree": 10 + k}, {"synapse_model": name, "weight": nest.random.uniform(k, k + 1.0)}
        )
    nest.Connect(nodes, nodes, "one_to_one", {"synapse_model": "a", "weight": 0.5})
    for k, name in enumerate("abc"):
        weights = nest.GetConnections(synapse_model=name).get("weight")
        assert len(weights) == 30 * (10 + k + (k == 0))
        assert all(k <= w < k + 1 for w in weights)


@pytest.mark.parametrize("model", ["spike_generator", "spike_dilutor", "poisson_generator", "spike_train_injector", "parrot_neuron"])
def test_devices_do_not_reach_a_volume_transmitter(model):
    source, transmitter = nest.Create(model), nest.Create("volume_transmitter")
    if model in ("spike_train_injector", "parrot_neuron"):
        nest.Connect(source, transmitter)
        assert nest.num_connections == 1
        return
    with pytest.raises(nest.NESTErrors.IllegalConnection, match="global receiver"):
        nest.Connect(source, transmitter)
    assert nest.num_connections == 0


@pytest.mark.parametrize("model", ["static_synapse_hpc", "cont_delay_synapse_hpc", "static_synapse_hom_w_hpc", "stdp_synapse"])
def test_multimeters_connect_by_models_that_log_data(model):
    meter, cell = nest.Create("multimeter"), nest.Create("iaf_psc_alpha")
    nest.CopyModel(model, "copied")
    for name in (model, "copied"):
        with pytest.raises(nest.NESTErrors.IllegalConnection, match="data logging"):
            nest.Connect(meter, cell, syn_spec=name)
    nest.Connect(meter, cell, syn_spec=model.removesuffix("_hpc").replace("stdp", "static"))
    assert nest.num_connections == 1


@pytest.mark.parametrize("rule", ["one_to_one", "nonsense"])
def test_an_unknown_rule_of_third_factors_is_an_illegal_connection(rule):
    cells, glia = nest.Create("iaf_psc_alpha", 2), nest.Create("astrocyte_lr_1994")
    with pytest.raises(nest.NESTErrors.IllegalConnection, match=rule):
        nest.TripartiteConnect(cells, cells, glia, "all_to_all", {"rule": rule})
    assert nest.num_connections == 0


def test_delays_of_synapses_that_are_to_grow_count():
    elements = {"pre_synaptic_element": "axon", "post_synaptic_element": "dendrite"}
    assert (nest.min_delay, nest.max_delay) == (0.1, 0.1)
    nest.structural_plasticity_synapses = {"a": elements}
    assert (nest.min_delay, nest.max_delay) == (1.0, 1.0)
    nest.CopyModel("static_synapse", "late", {"delay": 3.0})
    nest.structural_plasticity_synapses = {"a": elements, "b": {"synapse_model": "late", **elements}}
    assert (nest.min_delay, nest.max_delay) == (1.0, 3.0)
    nest.ResetKernel()
    assert (nest.min_delay, nest.max_delay) == (0.1, 0.1)


@pytest.mark.parametrize("names", [[], ["V_m"]])
@pytest.mark.parametrize("between", [0, 1, 2])
def test_a_multimeter_connects_once_to_a_node(names, between):
    meter, cells = nest.Create("multimeter", params={"record_from": names}), nest.Create("pp_psc_delta", 4)
    nest.Connect(meter, cells[:2])
    for _ in range(between):
        nest.Simulate(1.0)
    with pytest.raises(nest.NESTErrors.IllegalConnection, match="only be connected once"):
        nest.Connect(meter, cells[1:3])
    nest.Connect(meter, cells[2:])
    assert nest.num_connections == len(nest.GetConnections(meter)) == 4


@pytest.mark.parametrize("before", [0, 1])
def test_nmda_connections_of_iaf_bw_2001_exact_are_made_before_simulate(before):
    source, cells = nest.Create("parrot_neuron"), nest.Create("iaf_bw_2001_exact", 2)
    spec = {"receptor_type": cells[0].receptor_types["NMDA"], "delay": 0.1}
    if before:
        nest.Connect(source, cells[0], syn_spec=spec)
    nest.Simulate(1.0)
    with pytest.raises(nest.NESTErrors.IllegalConnection, match="before the first call"):
        nest.Connect(source, cells[1], syn_spec=spec)
    nest.Connect(source, nest.Create("iaf_bw_2001_exact", 2), syn_spec=spec)  # these were not simulated yet
    nest.Simulate(1.0)
    assert nest.num_connections == before + 2


def test_one_weight_and_a_list_of_equal_bounds():
    cells = nest.Create("iaf_psc_alpha", 2)
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "stdp_synapse", "weight": 5.0, "Wmax": [90.0, 90.0]})
    assert nest.GetConnections().Wmax == [90.0, 90.0]
    with pytest.raises(nest.NESTErrors.BadProperty, match="same sign"):
        nest.Connect(cells, cells, "one_to_one", {"synapse_model": "stdp_synapse", "weight": -5.0, "Wmax": [90.0, 90.0]})
    assert nest.num_connections == 2


@pytest.mark.parametrize(
    "model", ["stdp_synapse", "stdp_nn_symm_synapse", "stdp_nn_restr_synapse", "stdp_nn_pre_centered_synapse", "stdp_triplet_synapse"]
)
def test_a_weight_of_0_has_the_sign_of_a_positive_wmax(model):
    cells = nest.Create("iaf_psc_alpha", 2)
    with pytest.raises(nest.NESTErrors.BadProperty, match="same sign"):
        nest.Connect(cells, cells, syn_spec={"synapse_model": model, "weight": 0.0, "Wmax": -1.0})
    nest.Connect(cells, cells, syn_spec={"synapse_model": model, "weight": -1.0, "Wmax": -2.0})
    nest.Connect(cells, cells, syn_spec={"synapse_model": model, "weight": 0.0, "Wmax": 2.0})
    made = nest.GetConnections()
    with pytest.raises(nest.NESTErrors.BadProperty, match="same sign"):
        made.set(weight=0.0)
    with pytest.raises(nest.NESTErrors.BadProperty, match="same sign"):
        made[int(np.argmin(made.weight))].weight = 0.0
    assert sorted(made.weight) == [-1.0] * 4 + [0.0] * 4


def test_a_weight_of_0_has_any_sign_where_wmax_is_common_and_beside_that_of_vogels():
    cells = nest.Create("iaf_psc_alpha", 2)
    nest.SetDefaults("vogels_sprekeler_synapse", {"weight": 0.0, "Wmax": -1.0})
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "vogels_sprekeler_synapse"})
    nest.CopyModel("stdp_synapse_hom", "inhibitory", {"weight": -1.0, "Wmax": -2.0})
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "inhibitory"})
    made = nest.GetConnections(synapse_model="inhibitory")
    made.weight = 0.0
    assert nest.GetConnections().weight == [0.0] * 4


def nmda_trace(before):
    """s_NMDA and V_m of a target (40 ms) whose iaf_bw_2001 source spikes from 12 ms on and is connected after `before` ms."""
    nest.ResetKernel()
    nest.set(min_delay=1.0, max_delay=1.0)
    ports = nest.GetDefaults("iaf_bw_2001", "receptor_types")
    cells = nest.Create("iaf_bw_2001", 2)
    drive = nest.Create("spike_generator", params={"spike_times": [11.0, 15.0, 25.0]})
    nest.Connect(drive, cells[0], syn_spec={"weight": 3000.0, "receptor_type": ports["AMPA"]})
    meter = nest.Create("multimeter", params={"record_from": ["s_NMDA", "V_m"], "interval": 1.0})
    nest.Connect(meter, cells[1])
    nest.Simulate(before)
    nest.Connect(cells[0], cells[1], syn_spec={"weight": 100.0, "receptor_type": ports["NMDA"]})
    nest.Simulate(40.0 - before)
    return np.stack([meter.events["s_NMDA"], meter.events["V_m"]])


@pytest.mark.parametrize("before", [1.0, 10.0])
def test_nmda_of_iaf_bw_2001_is_connected_after_simulate_until_the_source_spikes(before):
    expected = nmda_trace(0.0)
    assert expected[0].max() > 80.0 and np.array_equal(nmda_trace(before), expected)
    with pytest.raises(nest.NotSupported, match="connecting iaf_bw_2001 after spikes"):
        nmda_trace(14.0)


@pytest.mark.parametrize("mu", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("model", ["stdp_synapse", "stdp_nn_symm_synapse", "stdp_nn_restr_synapse", "stdp_nn_pre_centered_synapse"])
def test_weights_are_0_from_the_first_change_on_where_wmax_is_0(model, mu):
    pre, post = nest.Create("parrot_neuron"), nest.Create("parrot_neuron")
    for times, cell in (([5.0, 15.0], pre), ([3.0, 13.0], post)):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), cell)
    rule = {"synapse_model": model, "Wmax": 0.0, "mu_plus": mu, "mu_minus": mu, "receptor_type": 1}
    nest.Connect(pre, post, syn_spec={**rule, "weight": 1.0})
    nest.Connect(pre, post, syn_spec={**rule, "weight": 0.0})
    with pytest.raises(nest.NESTErrors.BadProperty, match="same sign"):
        nest.Connect(pre, post, syn_spec={**rule, "weight": -1.0})
    made = nest.GetConnections(synapse_model=model)
    assert (made.weight, made.Wmax) == ([1.0, 0.0], [0.0, 0.0])
    nest.Simulate(20.0)
    assert made.weight == [0.0, 0.0]


def test_wmax_of_0_and_of_other_values_in_one_call():
    pre, post = nest.Create("parrot_neuron", 1), nest.Create("parrot_neuron", 24)
    for times, cells in (([5.0, 15.0], pre), ([3.0, 8.0, 13.0], post)):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), cells)
    most = np.where(np.arange(24) % 3 == 0, 0.0, 10.0)
    spec = {"synapse_model": "stdp_synapse", "weight": 1.0, "receptor_type": 1}
    nest.Connect(pre, post, syn_spec={**spec, "Wmax": most[:, None]})
    nest.Connect(pre, post[0], syn_spec={**spec, "Wmax": 10.0})
    nest.Simulate(20.0)
    found = np.array(nest.GetConnections(synapse_model="stdp_synapse").weight)
    expected = found[-1]
    assert expected > 1.0 and np.array_equal(np.sort(found), np.sort([*np.where(most == 0.0, 0.0, expected), expected]))
