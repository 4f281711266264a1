# SPDX-License-Identifier: Apache-2.0
"""Synapse equations that read a variable of the target: beside the recorded course of it, event by event."""

import numpy as np
import pytest

import neuropil as npl
from equations.compiled import COMPILER
from equations.synapse_reference import Reference
from equations.test_synapses_in_networks import sent, trains
from neuropil.equations.errors import EquationError
from neuropil.errors import BadParameter, IllegalConnection

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs g++")
RULE = {
    "on_pre": "w -= lr*max(V - theta, 0*mV); x += 1",
    "on_post": "w += lr*x*(shift - V)",
    "transmit": "where(V > theta, w, 0.5*w)",
    "bounds": ("0", "200"),
    "seen": "V : mV",
    "parameters": {"lr": "0.3 1/mV", "theta": "4 mV", "shift": "2 mV", "tau": 20.0},
}


def models():
    neuron = npl.neuron(
        "eq_shows", "dV/dt = ((I + I_0)/g - V)/tau : mV (seen)\ndI/dt = -I/tau_s : pA (receptor)",
        threshold="V > theta", reset="V = 1*mV", refractory="t_ref",
        parameters={"tau": 10.0, "tau_s": "2 ms", "g": "10 nS", "theta": "15 mV", "t_ref": 2.0, "I_0": "160 pA"},
    )  # fmt: skip
    return neuron, npl.synapse_model("eq_sees", "dx/dt = -x/tau (pre)", **RULE)


def run(threads=1, cut=None):
    net = npl.Network(seed=2, threads=threads)
    neuron, synapse = models()
    sources, rng = net.create("parrot_neuron", 6), np.random.default_rng(2)
    for k in range(6):
        train = np.sort(rng.choice(np.arange(10, 3900), 3 if k == 5 else 30, replace=False)) / 10.0
        net.stimulate(sources[k : k + 1], npl.spike_train(train), weight=1.0, delay=0.1)
    targets = net.create(neuron, 5, I_0=npl.uniform(140.0, 200.0))
    record = net.record_weights()
    net.connect(sources, targets, weight=20.0, delay=npl.uniform(0.5, 3.0), synapse=synapse, double_weights=True, weight_recorder=record)
    kept = record, net.record(sources), net.record(targets), net.record(targets, "V", interval=0.1)
    net.run(200.0, progress=False)
    if cut is not None:
        net.save(cut)
        net = npl.load(cut, threads=threads)
    net.run(200.0, progress=False)
    return net, kept


def expected(synapse, V, delay, pre, post):
    """Steps of spikes, and the variable of the target at the end of each step from 1 on."""
    one, found = Reference(synapse, 20.0, -delay * 0.1, V=0.0), []
    for step, of_source in sorted([(time, 0) for time in post] + [(time - delay, 1) for time in pre]):
        one.values["V"] = V[step - 1] if step > 0 else 0.0
        value = one.spike(step * 0.1, of_source)
        found += [value] if of_source else []
    return found


@pytest.mark.slow
@needs_compiler
def test_a_rule_sees_its_target(tmp_path):
    net, (record, of_sources, of_targets, trace) = run()
    pre, post = (trains(spikes.data(), np.asarray(spikes.data().steps)) for spikes in (of_sources, of_targets))
    connections = net.connections(synapse="eq_sees")
    V = np.asarray(trace.data()["V"])
    gids = np.unique(connections.target).tolist()
    synapse, delays, n = models()[1], connections.delay, 0
    found = sent(record)
    for source, target, delay in zip(connections.source, connections.target, delays, strict=True):
        weights = found[source, target]
        wanted = expected(synapse, V[:, gids.index(target)], round(delay / 0.1), pre[source], post.get(target, []))
        np.testing.assert_allclose(weights, wanted[: len(weights)], rtol=1e-11)
        n += len(weights)
    assert n > 700
    assert sum(map(len, post.values())) > 50
    weights = connections.weight
    assert np.ptp(weights) > 5.0
    for threads, cut in ((2, None), (1, tmp_path / "a.ckpt")):
        other = run(threads, cut)[0].connections(synapse="eq_sees")
        np.testing.assert_array_equal(other.weight, weights)


@pytest.mark.slow
@needs_compiler
def test_targets_must_show_it():
    synapse = models()[1]
    net = npl.Network(seed=1)
    with pytest.raises(IllegalConnection, match="does not record its V, which eq_sees needs"):
        net.connect(net.create("iaf_psc_exp", 2), net.create("iaf_psc_exp", 2), synapse=synapse, weight=1.0)


REFUSED = [
    ({"seen": "V : m"}, "unknown unit"),
    ({"parameters": RULE["parameters"] | {"V": "3 mV"}}, "a name that the equations and parameters do not have"),
    ({"seen": "U : mV"}, "unknown name 'V'"),
    ({"seen": None}, "seen='V_m'"),
    ({"between": "w -= w*elapsed/tau"}, "left out in a rule with"),
    ({"seen": "w"}, "it is|the weight"),
]


@pytest.mark.parametrize(("changed", "problem"), REFUSED)
def test_refusals(changed, problem):
    with pytest.raises((EquationError, BadParameter), match=problem):
        npl.synapse_model("refused", "dx/dt = -x/tau (pre)", **RULE | changed)


def test_one_variable_of_a_neuron_is_seen():
    with pytest.raises(EquationError, match="V is \\(seen\\) already"):
        npl.neuron("refused", "dV/dt = -V/tau : mV (seen)\ndU/dt = -U/tau : mV (seen)", parameters={"tau": 1.0})
