# SPDX-License-Identifier: Apache-2.0
"""Astrocytes against their equations, integrated finely: calcium, IP3 that spikes make, the current that follows, what it does to neurons."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import neuropil as npl
from lowlevel import array, connect, floats, gids, kernel, rows

H = 0.1
P = {
    "Ca_tot": 2.0, "IP3_0": 0.16, "Kd_IP3_1": 0.13, "Kd_IP3_2": 0.9434, "Kd_act": 0.08234, "Kd_inh": 1.049, "Km_SERCA": 0.1,
    "k_IP3R": 0.0002, "rate_IP3R": 0.006, "rate_L": 0.00011, "rate_SERCA": 0.0009, "ratio_ER_cyt": 0.185, "tau_IP3": 7142.0,
}  # fmt: skip


def slopes(y, p, noise=0.0):
    """Li & Rinzel 1994, written as fluxes: through the receptors, the leak and the pump."""
    IP3, Ca, h = y
    store = (p["Ca_tot"] - Ca) / p["ratio_ER_cyt"]
    m, n = IP3 / (IP3 + p["Kd_IP3_1"]), Ca / (Ca + p["Kd_act"])
    channel = p["ratio_ER_cyt"] * p["rate_IP3R"] * m**3 * n**3 * h**3 * (store - Ca)
    leak = p["ratio_ER_cyt"] * p["rate_L"] * (store - Ca)
    pump = p["rate_SERCA"] * Ca**2 / (Ca**2 + p["Km_SERCA"] ** 2)
    open_, close = p["k_IP3R"] * p["Kd_inh"] * (IP3 + p["Kd_IP3_1"]) / (IP3 + p["Kd_IP3_2"]), p["k_IP3R"] * Ca
    return np.array([(p["IP3_0"] - IP3) / p["tau_IP3"], channel - pump + leak + noise, open_ * (1 - h) - close * h])


def integrated(start, p, times, jumps=(), noise=lambda t: 0.0):
    """The state at times (ms); jumps: (time, IP3 that is added)."""
    y, t, out = np.array(start, float), 0.0, []
    marks = sorted({*times, *(when for when, _ in jumps)})
    for mark in marks:
        if mark > t:
            y = solve_ivp(lambda s, x: slopes(x, p, noise(s)), (t, mark), y, rtol=1e-11, atol=1e-12, method="LSODA", max_step=5.0).y[:, -1]
            t = mark
        for when, amount in jumps:
            y[0] += amount * (when == mark)
        if mark in times:
            out.append(y.copy())
    return np.array(out)


@pytest.mark.parametrize("start", [(0.16, 0.073, 0.793), (0.6, 0.1, 0.9), (1.5, 0.5, 0.2), (0.4, 0.0, 1.0)])
def test_calcium_alone(start):
    net = npl.Network(H)
    cell = net.create("astrocyte_lr_1994", 1, IP3=start[0], Ca_astro=start[1], h_IP3R=start[2])
    record = net.record(cell, ["IP3", "Ca_astro", "h_IP3R"], interval=100.0)
    net.run(5000.0)
    expected = integrated(start, P, [100.0 * k for k in range(1, 51)])
    found = np.stack([np.ravel(record[name]) for name in ("IP3", "Ca_astro", "h_IP3R")], axis=1)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-7)


def test_other_parameters_and_input():
    p = P | {"rate_IP3R": 0.01, "tau_IP3": 300.0, "Kd_act": 0.1, "ratio_ER_cyt": 0.3, "rate_SERCA": 0.001, "Ca_tot": 1.7, "k_IP3R": 0.0005}
    net = npl.Network(H)
    cell = net.create("astrocyte_lr_1994", 1, delta_IP3=0.03, **p)
    spikes = [3.0, 50.0, 50.0, 200.0, 201.5]
    for k, weight in enumerate((1.0, 7.0)):
        net.stimulate(cell, npl.device("spike_generator", spike_times=spikes[k::2]), weight=weight, delay=1.0)
    net.stimulate(cell, npl.device("dc_generator", amplitude=1e-4, start=20.0, stop=120.0), weight=1.0, delay=1.0)
    record = net.record(cell, ["IP3", "Ca_astro", "h_IP3R"], interval=10.0)
    net.run(400.0)
    jumps = [(t + 1.0, 0.03 * w) for k, w in enumerate((1.0, 7.0)) for t in spikes[k::2]]
    expected = integrated((0.16, 0.073, 0.793), p, [10.0 * k for k in range(1, 41)], jumps, lambda t: 1e-4 * (21.0 < t <= 121.0))
    found = np.stack([np.ravel(record[name]) for name in ("IP3", "Ca_astro", "h_IP3R")], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_slow_inward_currents_add_up():
    """Weight times the logarithm of calcium (nM above the threshold), a delay later; none below it."""
    net = kernel(H)
    n = 5
    astro = net.create("astrocyte_lr_1994", n, {**floats(IP3=0.6, SIC_scale=1.5), "Ca_astro": np.linspace(0.15, 0.35, n)})
    cells = net.create("aeif_cond_alpha_astro", 2, floats())
    rng = np.random.default_rng(1)
    source, target = np.repeat(np.arange(n), 2), np.tile([0, 1], n)
    weight, delay = rng.normal(0.0, 3.0, 2 * n), rng.integers(1, 30, 2 * n)
    connect(
        net, rows(astro, n), rows(cells, 2), "explicit", sources=source, targets=target, weight=array(weight), delay=array(delay * H),
        synapse="sic_connection",
    )  # fmt: skip
    calcium, current = net.record_state(gids(astro, n), ["Ca_astro"], 1, 0), net.record_state(gids(cells, 2), ["I_SIC"], 1, 0)
    net.run(300, None)
    Ca, I = np.asarray(net.samples(calcium)[1]).reshape(-1, n), np.asarray(net.samples(current)[1]).reshape(-1, 2)  # noqa: E741
    y = 1e3 * (Ca - 0.19669)
    sent = np.where(y > 1.0, 1.5 * np.log(np.maximum(y, 1.0)), 0.0)
    assert (sent[0] == 0.0).any() and (sent[0] > 0.0).any()
    expected = np.zeros_like(I)
    for s, t, w, d in zip(source, target, weight, delay, strict=True):
        expected[d:, t] += w * sent[: len(sent) - d, s]
    np.testing.assert_allclose(I, expected, rtol=1e-11, atol=1e-11)


def test_a_neuron_without_astrocytes_is_the_one_without():
    """And the current flows in the step after it came: as one that a device sends."""
    cases = {}
    for model in ("aeif_cond_alpha", "aeif_cond_alpha_astro"):
        net = npl.Network(H, seed=3)
        cell = net.create(model, 1, I_e=350.0)
        net.stimulate(cell, npl.poisson(rate=3000.0), weight=5.0)
        record = net.record(cell, ["V_m", "w", "g_ex"])
        net.run(300.0)
        cases[model] = np.stack([np.ravel(record[name]) for name in ("V_m", "w", "g_ex")])
    np.testing.assert_allclose(*cases.values(), rtol=1e-3, atol=0.05)


def test_what_is_refused():
    net = npl.Network(H)
    cell = net.create("astrocyte_lr_1994", 2)
    with pytest.raises(npl.errors.BadParameter, match="tau_IP3"):
        cell.set(tau_IP3=0.0)
    with pytest.raises(npl.errors.IllegalConnection, match="sic"):
        net.connect(cell, net.create("aeif_cond_alpha", 2), synapse="sic_connection")
    net.stimulate(cell, npl.poisson(rate=1e5), weight=-10.0)
    with pytest.raises(npl.errors.NeuropilError, match="IP3"):
        net.run(1000.0)
