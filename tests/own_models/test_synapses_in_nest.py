# SPDX-License-Identifier: Apache-2.0
"""Own synapse models in `neuropil.nest`: by their names, with parameters, variables, copies and defaults."""

import numpy as np
import pytest

import neuropil as npl
import neuropil.nest as nest
from equations.compiled import COMPILER
from equations.test_third_factors import VALUES, dopamine
from neuropil.own_models.modules import make_module
from own_models.test_loading import pairs

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")
RULE = {
    "on_pre": "w = max(0.0, w - lr*y); x += 1; n_pre += 1",
    "on_post": "w = min(Wmax, w + lr*x); y += 1",
    "bounds": ("0", "Wmax"),
    "parameters": {"tau_plus": 15.0, "tau_minus": 25.0, "lr": 0.5, "Wmax": 100.0},
}
EQUATIONS = ("dx/dt = -x/tau_plus (pre)", "dy/dt = -y/tau_minus (post)", "dn_pre/dt = 0 (synapse)")


def additive(name, **changed):
    parameters = RULE["parameters"] | changed
    return npl.synapse_model(name, *EQUATIONS, **{**RULE, "parameters": parameters})


def trains(k):
    rng = np.random.default_rng(k)
    return [np.unique(np.round(rng.uniform(1.0, 190.0, 25), 1)) for _ in range(3)]


def expected_weight(pre, post, w, lr, delay=1.5, tau_plus=15.0, tau_minus=25.0, most=100.0):
    """Event by event: spikes of the target reach the synapse after the delay, and come first where times are equal."""
    events = sorted([(round(t, 6), 1, "pre") for t in pre] + [(round(t + delay, 6), 0, "post") for t in post])
    for time, _, kind in events:
        if kind == "post":
            w = min(most, w + lr * sum(np.exp(-(time - t) / tau_plus) for t in pre if t < time - 1e-6))
        else:
            w = max(0.0, w - lr * sum(np.exp(-(time - t - delay) / tau_minus) for t in post if t + delay < time - 1e-6))
    return w


def learning(model, threads=1, **values):
    """Three pairs of neurons that spike at given times; the connections, after the last spike of the sources."""
    nest.ResetKernel()
    nest.local_num_threads = threads
    pre, post = trains(1), trains(2)
    last = 195.0
    senders, receivers = nest.Create("parrot_neuron", 3), nest.Create("parrot_neuron", 3)
    for cells, each in ((senders, [[*t, last] for t in pre]), (receivers, post)):
        generators = nest.Create("spike_generator", 3, [{"spike_times": np.asarray(times)} for times in each])
        nest.Connect(generators, cells, "one_to_one", {"delay": 1.0})
    nest.Connect(senders, receivers, "one_to_one", {"synapse_model": model, "weight": 30.0, "delay": 1.5, "receptor_type": 1, **values})
    nest.Simulate(200.0)
    at = [[*(t + 1.0), last + 1.0] for t in pre]
    return nest.GetConnections(synapse_model=model), at, [t + 1.0 for t in post]


def test_a_model_from_equations_by_its_name():
    additive("nest_additive")
    found, pre, post = learning("nest_additive", lr=[0.2, 0.5, 1.5])
    assert "nest_additive" in nest.synapse_models
    for k, lr in enumerate((0.2, 0.5, 1.5)):
        assert found.weight[k] == pytest.approx(expected_weight(pre[k], post[k], 30.0, lr), rel=1e-12)
    assert found.get("lr") == [0.2, 0.5, 1.5]
    assert found.get("tau_minus") == [25.0] * 3  # the synapse's own, not that of its target
    assert found.get("n_pre") == [len(times) for times in pre]
    x = [sum(np.exp((t - times[-1]) / 15.0) for t in times) for times in pre]
    np.testing.assert_allclose(found.get("x"), x, rtol=1e-12)
    status = found[0].get()
    assert {"lr", "Wmax", "x", "n_pre", "weight", "delay"} <= status.keys()
    assert status["synapse_model"] == "nest_additive"


def test_threads_give_the_same_bits():
    additive("nest_additive")
    first = learning("nest_additive")[0].weight
    assert learning("nest_additive", threads=2)[0].weight == first


def test_copies_and_defaults():
    additive("nest_additive")
    nest.ResetKernel()
    assert nest.GetDefaults("nest_additive", "lr") == 0.5
    assert nest.GetDefaults("nest_additive")["has_delay"]
    nest.SetDefaults("nest_additive", {"Wmax": 80.0})
    nest.CopyModel("nest_additive", "faster", {"lr": 2.0, "weight": 7.0})
    assert (nest.GetDefaults("faster", "lr"), nest.GetDefaults("faster", "Wmax")) == (2.0, 80.0)
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, "one_to_one", {"synapse_model": "faster"})
    found = nest.GetConnections(synapse_model="faster")
    assert found.get(["lr", "Wmax", "weight"]) == {"lr": [2.0] * 2, "Wmax": [80.0] * 2, "weight": [7.0] * 2}
    found.lr = 3.0
    assert found.get("lr") == [3.0, 3.0]
    with pytest.raises(nest.NESTErrors.UnaccessedDictionaryEntry, match="n_pre"):
        nest.Connect(cells, cells, syn_spec={"synapse_model": "nest_additive", "n_pre": 2.0})
    with pytest.raises(nest.NESTErrors.UnknownSynapseType, match="nest_additive"):
        nest.Connect(cells, cells, syn_spec={"synapse_model": "nest_aditive"})


@pytest.mark.slow
def test_the_newest_model_of_a_name_after_a_reset():
    additive("nest_additive")
    learning("nest_additive")
    npl.synapse_model("nest_additive", on_pre="w += step", parameters={"step": "2 1"})
    nest.ResetKernel()
    assert nest.GetDefaults("nest_additive", "step") == 2.0
    assert "lr" not in nest.GetDefaults("nest_additive")
    found, pre, _ = learning("nest_additive")
    assert found.weight == [30.0 + 2.0 * len(times) for times in pre]
    assert "x" not in found[0].get()


def test_a_file_and_a_module(tmp_path):
    path = tmp_path / "rule.cpp"
    path.write_text(pairs("own_pairs"))
    nest.ResetKernel()
    npl.load_model(path)
    assert "Wmax" in nest.GetDefaults("own_pairs")
    make_module("with_rule", [path])
    nest.ResetKernel()
    nest.Install("with_rule")
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, syn_spec={"synapse_model": "own_pairs", "weight": 2.0})
    found = nest.GetConnections(synapse_model="own_pairs")
    assert found.get(["weight", "x"]) == {"weight": [2.0] * 4, "x": [0.0] * 4}


@pytest.mark.slow
def test_neurons_from_equations_by_their_names():
    npl.neuron("nest_leaky", "dV/dt = -V/tau : mV (receptor)", parameters={"tau": 10.0})
    nest.ResetKernel()
    assert nest.Create("nest_leaky", params={"tau": 5.0}).tau == 5.0


def modulated(model, values):
    """Weights and eligibility traces of synapses with a volume_transmitter."""
    nest.ResetKernel()
    pool, transmitter = nest.Create("parrot_neuron"), nest.Create("volume_transmitter")
    senders, receivers = nest.Create("parrot_neuron", 3), nest.Create("iaf_psc_exp", 2, {"I_e": [420.0, 500.0], "tau_minus": 25.0})
    rng = np.random.default_rng(4)
    for cell in (*senders, pool):
        times = np.unique(np.round(rng.uniform(1.0, 190.0, 12), 1))
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), cell)
    nest.Connect(pool, transmitter)
    with pytest.raises(nest.NESTErrors.BadProperty, match="volume transmitter"):
        nest.Connect(senders, receivers, syn_spec={"synapse_model": model})
    nest.SetDefaults(model, {"volume_transmitter": transmitter, **values})
    nest.Connect(senders, receivers, syn_spec={"synapse_model": model, "weight": 50.0, "delay": 1.5})
    nest.Simulate(200.0)
    found = nest.GetConnections(synapse_model=model)
    return found.weight, found.get("c")


def test_a_third_factor():
    dopamine()
    ours = modulated("eq_dopamine", VALUES)
    theirs = modulated("stdp_dopamine_synapse", {key: value for key, value in VALUES.items() if key != "tau_minus"})
    for mine, built_in in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(mine, built_in, rtol=1e-10, atol=1e-13)
    assert np.ptp(ours[0]) > 0.1
