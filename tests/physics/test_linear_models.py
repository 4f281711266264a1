# SPDX-License-Identifier: Apache-2.0
"""Linear integrate-and-fire models against closed forms: exact integration leaves rounding only."""

import numpy as np
import pytest

from lowlevel import connect, floats, gids, kernel, rows

C, TAU_M = 250.0, 10.0


def psp_delta(t, w, tau_s):
    return w * np.exp(-t / TAU_M)


def psp_exp(t, w, tau_s):
    """V' = -V / tau_m + w exp(-t / tau_s) / C."""
    if tau_s == TAU_M:
        return w / C * t * np.exp(-t / TAU_M)
    return w / C * TAU_M * tau_s / (tau_s - TAU_M) * (np.exp(-t / tau_s) - np.exp(-t / TAU_M))


def psp_alpha(t, w, tau_s):
    """V' = -V / tau_m + w (e / tau_s) t exp(-t / tau_s) / C."""
    amplitude, b = w * np.e / tau_s / C, 1 / tau_s - 1 / TAU_M
    if b == 0:
        return amplitude * t**2 / 2 * np.exp(-t / TAU_M)
    return amplitude * (np.exp(-t / TAU_M) - np.exp(-t / tau_s) * (1 + b * t)) / b**2


PSP = {"iaf_psc_delta": psp_delta, "iaf_psc_exp": psp_exp, "iaf_psc_alpha": psp_alpha}


def params(model, **more):
    tau_s = more.pop("tau_s", None)
    if model != "iaf_psc_delta" and tau_s:
        more |= {"tau_syn_ex": tau_s, "tau_syn_in": tau_s}
    return floats(C_m=C, tau_m=TAU_M, **more)


@pytest.mark.parametrize("model", PSP)
@pytest.mark.parametrize("weight", [3.0, -2.0])
@pytest.mark.parametrize("tau_s", [0.3, 2.0, TAU_M, 30.0])
@pytest.mark.parametrize("resolution", [0.1, 0.25])
def test_postsynaptic_potential(model, weight, tau_s, resolution):
    net = kernel(resolution)
    neuron, source = net.create(model, 1, params(model, tau_s=tau_s)), net.create("spike_generator", 1, {})
    net.set(np.array([source]), {}, {"spike_times": np.array([2.0])})
    connect(net, rows(source), rows(neuron), weight=weight, delay=1.5)
    recorder = net.record_state(gids(neuron), ["V_m"], 1, 0)
    net.run(round(100 / resolution), None)
    stamps, values = net.samples(recorder)
    t = stamps * resolution - 3.5
    expected = -70.0 + np.where(t >= 0, PSP[model](np.maximum(t, 0.0), weight, tau_s), 0.0)
    np.testing.assert_allclose(values.ravel(), expected, rtol=0, atol=3e-12)


@pytest.mark.parametrize("model", PSP)
def test_potentials_of_many_spikes_add_up(model):
    rng = np.random.default_rng(1)
    trains, weights, delays = [np.sort(rng.integers(1, 900, 40)) for _ in range(6)], rng.uniform(-2, 2, 6), rng.integers(1, 90, 6)
    net = kernel()
    neuron, sources = net.create(model, 1, params(model, tau_s=2.0)), net.create("spike_generator", 6, {})
    for k in range(6):
        net.set(np.array([sources + k]), {}, {"spike_times": trains[k] * 0.1})
        connect(net, rows(sources + k), rows(neuron), weight=weights[k], delay=delays[k] * 0.1)
    recorder = net.record_state(gids(neuron), ["V_m"], 1, 0)
    net.run(1100, None)
    stamps, values = net.samples(recorder)
    arrived = stamps[:, None] - np.concatenate([train + d for train, d in zip(trains, delays, strict=True)])
    parts = PSP[model](np.maximum(arrived, 0) * 0.1, np.repeat(weights, 40), 2.0)
    np.testing.assert_allclose(values.ravel(), -70.0 + np.where(arrived >= 0, parts, 0.0).sum(1), rtol=0, atol=1e-10)


@pytest.mark.parametrize("model", PSP)
@pytest.mark.parametrize(("current", "t_ref"), [(376.0, 0.0), (400.0, 2.0), (1000.0, 0.5)])
def test_regular_firing(model, current, t_ref):
    """V = E_L + R I (1 - exp(-t / tau_m)) from reset to threshold, then t_ref; both end on the grid."""
    net = kernel()
    neuron = net.create(model, 1, params(model, I_e=current, t_ref=t_ref))
    spikes, trace = net.record_spikes(rows(neuron), 0, 10**9), net.record_state(gids(neuron), ["V_m"], 1, 0)
    net.run(3000, None)
    drive = current * TAU_M / C
    to_threshold = int(np.ceil(-TAU_M * np.log(1 - 15.0 / drive) / 0.1 - 1e-9))
    period = to_threshold + round(t_ref / 0.1)
    stamps = net.spikes(spikes)[0]
    np.testing.assert_array_equal(stamps, np.arange(to_threshold, 3001, period))
    since = np.arange(1, 3001) - np.concatenate([[0], stamps])[np.searchsorted(stamps, np.arange(1, 3001), side="right")]
    free = np.maximum(since - np.where(np.arange(1, 3001) >= stamps[0], round(t_ref / 0.1), 0), 0)
    np.testing.assert_allclose(net.samples(trace)[1].ravel(), -70.0 - drive * np.expm1(-free * 0.1 / TAU_M), rtol=0, atol=1e-10)


@pytest.mark.parametrize("model", PSP)
def test_current_devices_drive_like_constant_currents(model):
    net = kernel()
    neurons = net.create(model, 2, params(model))
    device, steps = net.create("dc_generator", 1, floats(amplitude=50.0, start=5.0, stop=20.0)), net.create("step_current_generator", 1, {})
    net.set(np.array([steps]), {}, {"amplitude_times": np.array([5.0, 20.0]), "amplitude_values": np.array([50.0, 0.0])})
    connect(net, rows(device), rows(neurons), weight=2.0, delay=1.0)
    connect(net, rows(steps), rows(neurons + 1), weight=2.0, delay=1.0)
    trace = net.record_state(gids(neurons, 2), ["V_m"], 1, 0)
    net.run(600, None)
    stamps, values = net.samples(trace)
    values = values[:, :, 0]
    np.testing.assert_array_equal(values[:, 0], values[:, 1])
    begin = np.flatnonzero(values[:, 0] != -70.0)[0]
    on = np.clip(stamps - stamps[begin] + 1, 0, 150) * 0.1
    off = np.clip(stamps - stamps[begin] + 1 - 150, 0, None) * 0.1
    expected = -70.0 - 100.0 * TAU_M / C * np.expm1(-on / TAU_M) * np.exp(-off / TAU_M)
    np.testing.assert_allclose(values[:, 0], expected, rtol=0, atol=1e-12)
    assert stamps[begin] == 50 + 10 + 1  # sent from the step that ends at 5 ms on, one delay, acts during the step after


def moments(model, weight, rate, tau_s, resolution):
    """Campbell's theorem on the grid: Poisson counts of mean rate * h per step, each step's count answered by the PSP."""
    t = np.arange(200_000) * resolution
    psp = PSP[model](t, weight, tau_s)
    return -70.0 + rate * 1e-3 * resolution * psp.sum(), rate * 1e-3 * resolution * (psp**2).sum()


@pytest.mark.parametrize("model", PSP)
@pytest.mark.parametrize(("rate", "weight"), [(500.0, 1.0), (20_000.0, -0.4)])
def test_poisson_input_gives_mean_and_variance_of_campbell(model, rate, weight):
    n, samples = 400, 60
    weight = weight if model == "iaf_psc_delta" else 40 * weight
    net = kernel(threads=2)
    neurons, poisson = net.create(model, n, params(model, tau_s=2.0, V_th=1e6)), net.create("poisson_generator", 1, floats(rate=rate))
    connect(net, rows(poisson), rows(neurons, n), weight=weight, delay=0.1)
    recorder = net.record_state(gids(neurons, n), ["V_m"], 500, 1000)  # 50 ms = five membrane time constants apart
    net.run(1000 + 500 * (samples - 1), None)
    v = net.samples(recorder)[1].ravel()
    assert v.size == n * samples
    mean, variance = moments(model, weight, rate, 2.0, 0.1)
    independent = v.size * 0.9
    assert abs(v.mean() - mean) < 5 * np.sqrt(variance / independent)
    kurtosis = np.mean((v - v.mean()) ** 4)
    assert abs(v.var() - variance) < 5 * np.sqrt((kurtosis - variance**2) / independent)
