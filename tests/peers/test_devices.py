# SPDX-License-Identifier: Apache-2.0
"""On which steps devices act and recorders record: the same as NEST's (docs/concepts/validation.md)."""

import numpy as np
import pytest

from peers import protocols
from peers.simulators import Neuropil
from peers.stored import stored


@pytest.mark.parametrize("name", protocols.DEVICES)
def test_device_timing(name):
    found, expected = protocols.ALL[name](Neuropil), stored(name)
    assert found and found.keys() <= expected.keys()
    for key, value in found.items():
        np.testing.assert_allclose(value, expected[key], rtol=1e-9, atol=1e-9, err_msg=key)


def noise_values(**params) -> np.ndarray:
    """Values (targets, blocks) that a noise_generator with dt 1 ms gives to 100 targets."""
    sim = Neuropil()
    nodes = sim.create("iaf_psc_delta", 100, **protocols.PROBE)
    sim.connect(sim.device("noise_generator", dt=1.0, **params), nodes, delay=0.1)
    trace = sim.trace(nodes, ["V_m"])
    sim.run(401.2)
    current = protocols.currents(sim.read_trace(trace)["V_m"])
    assert np.allclose(current[:, 2:12], current[:, 2:3])
    return current[:, 2:4002:10]


def test_noise_has_the_mean_and_standard_deviation_asked_for():
    x = noise_values(mean=10.0, std=3.0)
    n = x.size
    assert abs(x.mean() - 10.0) < 5 * 3.0 / np.sqrt(n)
    assert abs(x.std() - 3.0) < 5 * 3.0 / np.sqrt(2 * n)
    # Independent between targets and between blocks: sums have the variance of independent ones.
    assert abs(x.mean(axis=0).std() * np.sqrt(x.shape[0]) - 3.0) < 5 * 3.0 / np.sqrt(2 * x.shape[1])
    lag = ((x[:, 1:] - 10.0) * (x[:, :-1] - 10.0)).mean() / 9.0
    assert abs(lag) < 5 / np.sqrt(n)


def test_modulated_noise_has_the_variance_of_nest():
    x = noise_values(mean=0.0, std=3.0, std_mod=2.5, frequency=10.0, phase=30.0)
    t = 0.1 + np.arange(x.shape[1])
    expected = 9.0 + 6.25 * np.sin(2 * np.pi * 10.0 * t * 1e-3 + np.pi / 6)
    ratio = (x**2).mean(axis=0) / expected
    assert abs(ratio.mean() - 1.0) < 5 * np.sqrt(2.0 / x.size)
    # Each block's variance is a mean over 100 targets; its spread around the prediction is that of chi-square.
    assert abs(ratio.std() - np.sqrt(2.0 / x.shape[0])) < 0.3 * np.sqrt(2.0 / x.shape[0])


def test_poisson_counts_have_the_poisson_distribution_and_are_independent():
    from scipy import stats

    sim = Neuropil()
    parrots = sim.create("parrot_neuron", 200)
    sim.connect(sim.device("poisson_generator", rate=4000.0), parrots, delay=0.1)
    record = sim.spikes(parrots)
    sim.run(100.2)
    times, senders = sim.read_spikes(record)
    step = np.rint(times / 0.1).astype(int) - 3
    counts = np.zeros((200, 1000), int)
    np.add.at(counts, (senders - sim.ids(parrots)[0], step), 1)
    histogram = np.bincount(np.minimum(counts.ravel(), 4), minlength=5)
    expected = stats.poisson.pmf(np.arange(4), 0.4)
    expected = np.append(expected, 1.0 - expected.sum()) * counts.size
    assert stats.chisquare(histogram, expected).pvalue > 1e-4
    between = counts.mean(axis=0).var() * 200 / 0.4  # 1 for independent targets
    assert abs(between - 1.0) < 5 * np.sqrt(2.0 / 1000)


@pytest.mark.parametrize(("rate", "weight"), [(2000.0, 0.5), (7000.0, -0.2), (90000.0, 0.05)])
def test_poisson_input_gives_the_membrane_campbells_moments(rate, weight):
    """Shot noise through exp(-t/tau) on the grid: mean w lambda / (1 - P), variance w^2 lambda / (1 - P^2), lambda per step; correlation exp(-t/tau)."""
    sim = Neuropil()
    n = 400
    nodes = sim.create("iaf_psc_delta", n, **protocols.PROBE)
    sim.connect(sim.device("poisson_generator", rate=rate), nodes, weight=weight, delay=0.1)
    trace = sim.trace(nodes, ["V_m"], interval=30.0)  # samples 3 tau apart are nearly independent
    sim.run(3000.0)
    v = sim.read_trace(trace)["V_m"][:, 4:]
    per_step, p = rate * 1e-4, protocols.LEAK
    mean, variance = weight * per_step / (1.0 - p), weight**2 * per_step / (1.0 - p**2)
    assert abs(v.mean() - mean) < 5 * np.sqrt(variance / v.size * (1 + np.exp(-3)) / (1 - np.exp(-3)))
    assert abs(v.var() / variance - 1.0) < 6 * np.sqrt(2.0 / v.size)
    between = v.mean(axis=0).var() * n / variance  # 1 for independent targets
    assert abs(between - 1.0) < 5 * np.sqrt(2.0 / v.shape[1])
    lag = ((v[:, 1:] - mean) * (v[:, :-1] - mean)).mean() / variance
    assert abs(lag - np.exp(-3.0)) < 6 / np.sqrt(v.size)
