# SPDX-License-Identifier: Apache-2.0
"""siegert_neuron: its gain against the integral of Siegert's formula by quadrature, its network against a loop over its equation."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import erfcx

from lowlevel import connect, floats, gids, kernel, rows

SHIFT = np.sqrt(2.0) * 1.4603545088095868 / 2.0  # |zeta(1/2)| / sqrt(2)


def formula(mu, variance, tau_m=10.0, tau_syn=0.0, t_ref=2.0, theta=15.0, V_reset=-2.0):
    """1/s: Siegert (1951), with the shift of Fourcaud & Brunel (2002). The integral of exp(u^2) (1 + erf(u)) = erfcx(-u)."""
    if variance <= 0.0:
        escape = np.log((mu - V_reset) / (mu - theta)) if mu > theta else np.inf
    else:
        low, high = ((v - mu) / np.sqrt(variance) + SHIFT * np.sqrt(tau_syn / tau_m) for v in (V_reset, theta))
        if high > 26.0:
            return 0.0
        cuts = [low, *np.arange(np.ceil(low), high), high] if high - low < 200 else np.linspace(low, high, 400)
        parts = [quad(lambda u: erfcx(-u), a, b, epsabs=0.0, epsrel=1e-13)[0] for a, b in pairwise(cuts)]
        escape = np.sqrt(np.pi) * np.sum(parts)
    return 1e3 / (t_ref + tau_m * escape)


def found(cases, **params):
    """Rates of neurons that follow their input at once, for means and variances of it."""
    net = kernel(0.1)
    net.set_waveform(True, 1e-12, 0.5, 30, 3)
    source = net.create("siegert_neuron", 1, floats(mean=1.0, rate=1.0, theta=1e6))
    targets = net.create("siegert_neuron", len(cases), floats(tau=1e-4, tau_m=10.0, V_reset=-2.0, **params))
    for k, (mu, variance) in enumerate(cases):
        factors = {"drift_factor": mu, "diffusion_factor": variance}
        connect(net, rows(source), rows(targets + k), weight=1.0, delay=0.1, synapse="diffusion_connection", synapse_params=factors)
    net.run(10, None)
    return np.asarray(net.get(gids(targets, len(cases)), "rate"))


@pytest.mark.parametrize("params", [{}, {"tau_syn": 0.5}, {"t_ref": 0.0, "theta": 20.0}, {"tau_syn": 5.0}], ids=str)
def test_gain_by_quadrature(params):
    means = np.r_[np.linspace(-100.0, 100.0, 41), 14.9999, 15.0, 15.0001, 1e3, 1e5]
    cases = [(mu, v) for mu in means for v in (1e-12, 1e-4, 0.25, 1.0, 9.0, 77.0, 1e4, 1e6)]
    expected = np.array([formula(*case, **params) for case in cases])
    rates = found(cases, **params)
    known = expected > 1e-290
    np.testing.assert_allclose(rates[known], expected[known], rtol=1e-10)
    assert (rates[~known] < 1e-280).all()


def test_without_noise():
    cases = [(mu, 0.0) for mu in (-5.0, 14.0, 15.0, 15.5, 40.0)]
    np.testing.assert_allclose(found(cases), [formula(*case) for case in cases], rtol=1e-13)


@pytest.mark.parametrize("settings", [{}, {"threads": 2, "block_size": 2}], ids=str)
def test_network_by_a_loop(settings):
    """The input of a step is that of the rates before it."""
    rng = np.random.default_rng(2)
    n, h, tau = 7, 0.1, 4.0
    mean = rng.uniform(0.0, 30.0, n)
    edges = [(a, b, rng.normal(0.1, 0.2), rng.uniform(0.0, 0.5)) for a in range(n) for b in range(n) if rng.random() < 0.6]
    net = kernel(h, **settings)
    net.set_waveform(True, 1e-13, 1.0, 100, 3)
    first = net.create("siegert_neuron", n, {**floats(tau=tau, tau_m=10.0, V_reset=-2.0), "mean": mean})
    for a, b, drift, diffusion in edges:
        factors = {"drift_factor": drift, "diffusion_factor": diffusion}
        connect(net, rows(first + a), rows(first + b), weight=1.0, delay=h, synapse="diffusion_connection", synapse_params=factors)
    at = net.record_state(gids(first, n), ["rate"], 1, 0)
    net.run(200, None)
    rates = np.asarray(net.samples(at)[1]).reshape(-1, n)
    r, decay = np.zeros(n), np.exp(-h / tau)
    for k in range(200):
        before = rates[k - 1] if k else r
        mu, variance = np.zeros(n), np.zeros(n)
        for a, b, drift, diffusion in edges:
            mu[b] += drift * before[a]
            variance[b] += diffusion * before[a]
        drive = mean + [formula(m, v) for m, v in zip(mu, variance, strict=True)]
        np.testing.assert_allclose(rates[k], decay * before + (1 - decay) * drive, rtol=1e-9, atol=1e-9)
