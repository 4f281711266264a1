# SPDX-License-Identifier: Apache-2.0
"""Small slices take several steps at once, where nothing plastic is in them: the same bits as step by step."""

import numpy as np
import pytest

import simd_levels
from lowlevel import connect, drawn, floats, gids, kernel, rows
from neuropil import _core
from thread_ranks import on_ranks, the_same

MODELS = (
    "iaf_psc_exp",
    "iaf_psc_delta",
    "iaf_psc_alpha",
    "iaf_cond_exp",
    "izhikevich",
    "hh_psc_alpha",
    "aeif_cond_exp",
    "ignore_and_fire",
    "parrot_neuron",
)
STEPS = 500
RECORDED = {"iaf_psc_exp": "V_m", "iaf_cond_exp": "V_m", "izhikevich": "U_m"}


def network(seed, n=3, plastic=False, crowd=0, every=4, **settings):
    """Nine populations in random order with all kinds of drive. plastic: an idle synapse, crowd: as many relays without input: both make steps single."""
    random = np.random.default_rng(seed)
    net = kernel(0.1, seed=seed + 1, **settings)
    size = int(random.integers(1, n + 1))
    first = {
        model: net.create(model, size, floats(**({"I_e": 400.0} if "psc" in model or "cond" in model else {})))
        for model in random.permutation(MODELS)
    }
    devices = {
        "poisson_generator": {"rate": 3000.0}, "noise_generator": {"std": 150.0}, "dc_generator": {"amplitude": 90.0, "start": 7.3, "stop": 31.0},
        "mip_generator": {"rate": 500.0, "p_copy": 0.5}, "spike_generator": {},
    }  # fmt: skip
    drive = {name: net.create(name, 1, floats(**values)) for name, values in devices.items()}
    net.set(np.array([drive["spike_generator"]]), {}, {"spike_times": np.sort(random.integers(1, STEPS, 60)) * 0.1})
    everyone = np.concatenate([rows(f, size) for f in first.values()])
    for model, f in first.items():
        at, driven = rows(f, size), model not in ("parrot_neuron", "ignore_and_fire")
        for name, device in drive.items():
            current = name in ("noise_generator", "dc_generator")
            if driven or not current:
                connect(net, rows(device, 1), at, weight=1.0 if current else 15.0, delay=1.0)
        if driven:
            connect(net, everyone, at, "fixed_indegree", indegree=3, weight=drawn("normal", 5.0, 9.0), delay=drawn("uniform", 1.0, 4.0))
        connect(net, everyone, at, "fixed_indegree", indegree=2, weight=3.0, delay=1.2, synapse="tsodyks_synapse")
    spikes = net.record_spikes(everyone, 0, 10**9)
    states = [net.record_state(gids(first[model], size), [name], every, 1) for model, name in RECORDED.items()] if every else []
    if every:  # one recorder of several groups, which advance one after the other
        mixed = random.permutation(
            np.concatenate([gids(first[model], size) for model in ("aeif_cond_exp", "iaf_psc_alpha", "hh_psc_alpha")])
        )
        states.append(net.record_state(mixed, ["V_m"], every, 2))
    last = net.create("parrot_neuron", 2 + crowd, {})
    if plastic:
        connect(net, rows(last, 1), rows(last + 1, 1), weight=1.0, delay=2.0, synapse="stdp_synapse")
    return net, spikes, states


def result(seed, pieces=(STEPS,), **how):
    net, spikes, states = network(seed, **how)
    for steps in pieces:
        net.run(steps, None)
    arrays = [*net.spikes(spikes), *(x for s in states for x in net.samples(s))]
    return [np.asarray(x).tobytes() for x in arrays if x is not None]


@pytest.mark.parametrize("seed", range(6))
def test_steps_at_once_are_single_steps(seed):
    expected = result(seed, plastic=True)
    assert len(expected[0]) > 8 * 100
    assert result(seed) == expected
    assert result(seed, crowd=300) == expected
    assert result(seed, pieces=(1, 2, 7, 190, 300)) == expected
    assert result(seed, threads=3) == expected
    spikes_only = result(seed, every=0)
    assert spikes_only == expected[: len(spikes_only)]


@pytest.mark.parametrize("every", [1, 3, 7, 45])
def test_samples_between_steps_at_once(every):
    expected = result(7, plastic=True, every=every)
    assert len(expected) > 4
    assert result(7, every=every) == expected
    assert result(7, every=every, pieces=(5, 33, 62, 400)) == expected
    assert result(7, every=every, threads=2) == expected


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks(ranks):
    assert the_same(on_ranks(ranks, lambda comm: result(4, comm=comm))) == result(4, plastic=True)


@pytest.mark.parametrize("level", simd_levels.LEVELS)
def test_simd_levels(level):
    expected, before = result(3, plastic=True), _core.simd()
    simd_levels.use(level)
    try:
        assert result(3) == expected
    finally:
        _core.set_simd(before)
