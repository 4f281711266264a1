# SPDX-License-Identifier: Apache-2.0
"""The synapse models that come with nestml, read as input: beside built-in models of the same rule, and event by event."""

import numpy as np
import pytest
from scipy import stats

import neuropil as npl
from equations.compiled import COMPILER
from equations.test_synapses_in_networks import network, sent, trains
from nestml.test_published import FOLDERS
from neuropil.nestml import load

MODELS = next((found for folder in FOLDERS if (found := sorted(folder.glob("models/synapses/*_synapse.nestml")))), [])
pytestmark = [
    pytest.mark.skipif(not MODELS, reason="the models of nestml are not here"),
    pytest.mark.skipif(COMPILER is None, reason="needs g++"),
]
STDP = {"lambda": 0.2, "alpha": 1.1}
OURS, BUILT_IN = {"tau_tr_pre": 15.0, "tau_tr_post": 25.0}, {"tau_plus": 15.0, "tau_minus": 25.0}
TRIPLETS = {
    "A2_plus": 0.4,
    "A3_plus": 0.9,
    "A2_minus": 0.7,
    "A3_minus": 0.2,
    "tau_plus": 17.0,
    "tau_x": 101.0,
    "tau_minus": 33.0,
    "tau_y": 125.0,
}
OF_TRIPLETS = {
    "Aplus": 0.4, "Aplus_triplet": 0.9, "Aminus": 0.7, "Aminus_triplet": 0.2,
    "tau_plus": 17.0, "tau_plus_triplet": 101.0, "tau_minus": 33.0, "tau_minus_triplet": 125.0,
}  # fmt: skip
TWINS = {  # file: its parameters, the built-in model, its parameters
    "static": ({}, "static_synapse", {}),
    "stdp": (STDP | OURS, "stdp_synapse", STDP | BUILT_IN),
    "stdp_nn_pre_centered": (STDP | OURS, "stdp_nn_pre_centered_synapse", STDP | BUILT_IN),
    "stdp_nn_restr_symm": (STDP | OURS, "stdp_nn_restr_synapse", STDP | BUILT_IN),
    "stdp_nn_symm": (STDP | OURS, "stdp_nn_symm_synapse", STDP | BUILT_IN),
    "stdp_triplet": (TRIPLETS, "stdp_triplet_synapse", OF_TRIPLETS),
    "tsodyks": ({"tau_fac": 30.0, "tau_rec": 200.0}, "tsodyks_synapse", {"tau_fac": 30.0, "tau_rec": 200.0, "u": 0.5}),
}


def published(name):
    return load(next(path for path in MODELS if path.stem == f"{name}_synapse"))


def test_all_ten_are_read():
    assert len(MODELS) == 10
    for path in MODELS:
        load(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_all_compile(path):
    model = load(path)
    entry = model.loaded()
    assert (entry.kind, entry.name) == ("synapse", model.name)
    assert set(model.parameters) <= set(entry.parameters)


def weights_sent(synapse, seed, weight=50.0, duration=500.0, **settings):
    net, record, _, _ = network(synapse, seed, weight=weight, **({"threads": 1} | settings))
    net.run(duration, progress=False)
    return sent(record)


@pytest.mark.parametrize("name", TWINS)
def test_weights_are_those_of_the_built_in_model(name):
    ours, built_in, theirs = TWINS[name]
    synapse, twin = published(name)(**ours), npl.synapse(built_in, **theirs)
    for seed in range(3):
        found, expected = weights_sent(synapse, seed), weights_sent(twin, seed)
        assert sum(map(len, expected.values())) > 900
        assert found.keys() == expected.keys()
        for pair, weights in expected.items():
            np.testing.assert_allclose(found[pair], weights, rtol=1e-12)


def test_depression_alone():
    """tau_fac = 0, as in the file: no facilitation."""
    found, expected = weights_sent(published("tsodyks"), 1), weights_sent(npl.synapse("tsodyks_synapse", tau_fac=0.0, u=0.5), 1)
    for pair, weights in expected.items():
        np.testing.assert_allclose(found[pair], weights, rtol=1e-12)


def test_noise_is_normal_and_does_not_depend_on_threads():
    synapse = published("noisy")(A_noise=2.0)
    found, other = (weights_sent(synapse, 1, threads=threads) for threads in (1, 2))
    for pair, weights in found.items():
        np.testing.assert_array_equal(other[pair], weights)
    every = np.concatenate(list(found.values()))
    assert len(every) > 900
    assert stats.kstest((every - 50.0) / 2.0, "norm").pvalue > 1e-3
    assert len(np.unique(every)) == len(every)
    assert not np.array_equal(*(weights_sent(synapse, seed)[next(iter(found))][:5] for seed in (1, 2)))


def modulated(make, threads=1, weight=50.0):
    """Sources, targets and a pool of dopamine neurons: what is sent, the network, and its spikes."""
    net = npl.Network(seed=3, threads=threads)
    pool, transmitter = net.create("parrot_neuron", 4), net.create("volume_transmitter", 1)
    net.connect(pool, transmitter, weight=1.0, delay=1.0)
    sources, rng = net.create("parrot_neuron", 6), np.random.default_rng(5)
    for k, n in (*((k, 30) for k in range(6)), *((k, 8) for k in range(-4, 0))):
        at = sources[k : k + 1] if k >= 0 else pool[k + 4 : k + 5]
        net.stimulate(at, npl.spike_train(np.sort(rng.choice(np.arange(10, 4900), n, replace=False)) / 10.0), weight=1.0, delay=0.1)
    targets = net.create("iaf_psc_exp", 5, I_e=npl.uniform(400.0, 700.0))
    record = net.record_weights()
    synapse = make(transmitter)
    net.connect(sources, targets, weight=weight, delay=1.5, synapse=synapse, double_weights=True, weight_recorder=record)
    spikes = [net.record(nodes) for nodes in (sources, targets, transmitter)]
    net.run(500.0, progress=False)
    return sent(record), net, spikes


DOPAMINE = {"A_plus": 0.05, "A_minus": 0.06, "tau_c": 300.0, "tau_n": 120.0, "b": 0.002}


def test_neuromodulated_plasticity():
    ours = published("neuromodulated_stdp")
    found, net, _ = modulated(lambda node: ours(volume_transmitter=node, **DOPAMINE, **OURS))
    expected, twin, _ = modulated(lambda node: npl.synapse("stdp_dopamine_synapse", volume_transmitter=node, **DOPAMINE, **BUILT_IN))
    assert sum(map(len, expected.values())) > 700
    every = np.concatenate(list(expected.values()))
    assert np.ptp(every) > 5.0
    for pair, weights in expected.items():
        np.testing.assert_allclose(found[pair], weights, rtol=1e-11)
    mine, theirs = (each.connections(synapse=name) for each, name in ((net, ours.name), (twin, "stdp_dopamine_synapse")))
    for name in ("weight", "c"):
        np.testing.assert_allclose(mine.state(name), theirs.state(name), rtol=1e-10, atol=1e-13)
    threads = modulated(lambda node: ours(volume_transmitter=node, **DOPAMINE, **OURS), threads=2)[0]
    for pair, weights in found.items():
        np.testing.assert_array_equal(threads[pair], weights)


STDSP = {"lambda_h": 0.1, "zt": 5.0, "lambda_plus": 0.1, "lambda_minus": 0.2, "dt_max": 30.0}


def stdsp(trace, delay, pre, post):
    """What is sent, event by event; times in steps of the target, trace : its dAP_trace at the end of each step from 1 on."""
    permanence, x, last, now, found = 1.0, 0.0, 0.0, 0.0, []
    for step, of_source in sorted([(step, 0) for step in post] + [(step - delay, 1) for step in pre]):
        time = (step + delay) * 0.1
        x, now = x * np.exp(-(time - now) / 80.0), time
        if of_source:
            last, x = time, x + 1.0
            permanence = max(permanence - 20.0, 0.0)
            found.append(100.0 if permanence > 10.0 else 0.0)
        elif 4.0 < time - last < 30.0:
            permanence = min((permanence / 100.0 + 0.1 * x) * 100.0, 100.0)
            permanence = max(min(permanence + 0.1 * (5.0 - trace[step - 1]) * 100.0, 100.0), 0.0)
    return found, permanence


def test_a_synapse_that_reads_its_target():
    synapse = published("stdsp")
    neuron = npl.neuron(
        "with_trace", "dV/dt = (I + I_0)/C - V/tau : mV\ndI/dt = -I/tau_s : pA (receptor)\nddAP_trace/dt = V/R - dAP_trace/tau_d : pA (seen)",
        threshold="V > theta", reset="V = 0*mV",
        parameters={"tau": 10.0, "tau_s": "2 ms", "C": "100 pF", "theta": "15 mV", "I_0": "160 pA", "R": "30 mV*ms/pA", "tau_d": "25 ms"},
    )  # fmt: skip
    net, rng = npl.Network(seed=2, threads=1), np.random.default_rng(2)
    sources = net.create("parrot_neuron", 6)
    for k in range(6):
        train = np.sort(rng.choice(np.arange(10, 3900), 30, replace=False)) / 10.0
        net.stimulate(sources[k : k + 1], npl.spike_train(train), weight=1.0, delay=0.1)
    targets = net.create(neuron, 5, I_0=npl.uniform(150.0, 250.0))
    net.connect(sources, targets, weight=20.0, delay=1.5, synapse=synapse(**STDSP))
    spikes, trace = [net.record(nodes) for nodes in (sources, targets)], net.record(targets, "dAP_trace", interval=0.1)
    net.run(400.0, progress=False)
    pre, post = (trains(each.data(), np.asarray(each.data().steps)) for each in spikes)
    found = net.connections(synapse=synapse.name)
    values, gids = np.asarray(trace.data()["dAP_trace"]), np.unique(found.target).tolist()
    assert np.ptp(values) > 1.0
    for source, target, weight, permanence in zip(found.source, found.target, found.weight, found.state("permanence"), strict=True):
        events = [step for step in pre[source] if step <= 4000 - 15]
        until = [step for step in post[target] if step <= events[-1] - 15]
        sent_then, expected = stdsp(values[:, gids.index(target)], 15, events, until)
        assert permanence == pytest.approx(expected, rel=1e-10, abs=1e-10)
        assert weight == sent_then[-1]
    assert len(np.unique(found.weight)) == 2
    assert len(np.unique(found.state("permanence"))) > 5
