# SPDX-License-Identifier: Apache-2.0
"""The synapse models that come with nestml, read as input: beside built-in models of the same rule, and event by event."""

import numpy as np
import pytest
from scipy import stats

import neuropil as npl
from equations.compiled import COMPILER
from equations.test_synapses_in_networks import network, sent
from nestml.test_published import FOLDERS
from neuropil.nestml import NestmlError, load

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


def test_nine_of_ten_are_read():
    refused = {}
    for path in MODELS:
        try:
            load(path)
        except NestmlError as error:
            refused[path.stem] = str(error)
    assert len(MODELS) == 10
    assert refused.keys() == {"stdsp_synapse"}
    assert "line 83: 'dAP_trace', the state of the target as a continuous input of a synapse, is not supported" in refused["stdsp_synapse"]


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
