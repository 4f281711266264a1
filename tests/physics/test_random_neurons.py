# SPDX-License-Identifier: Apache-2.0
"""Neurons that fire at random: with a constant potential the rate is constant, so intervals are geometric."""

import numpy as np
import pytest

import neuropil

H = 0.1  # ms
REST = {"E_L": -60.0, "V_m": -60.0, "V_reset": -60.0}


def trains(model: str, n: int, ms: float, seed: int = 1, threads: int = 1, **params):
    net = neuropil.Network(resolution=H, seed=seed, threads=threads)
    record = net.record(net.create(model, n, **params))
    net.run(ms)
    return record


def intervals(record) -> np.ndarray:
    """Steps between spikes of the same neuron."""
    order = np.lexsort((record.steps, record.gids))
    steps, gids = record.steps[order], record.gids[order]
    return np.diff(steps)[np.diff(gids) == 0]


# model, parameters, rate (1/s) while V is at rest, refractory steps, probability of a spike in a step with the mean number x
CASES = {
    "gif_psc_exp": (
        "gif_psc_exp",
        {**REST, "V_T_star": -59.0, "Delta_V": 2.0, "lambda_0": 100.0, "t_ref": 4.0},
        100 * np.exp(-0.5),
        40,
        lambda x: -np.expm1(-x),
    ),
    "gif_cond_exp": (
        "gif_cond_exp",
        {**REST, "V_T_star": -61.0, "Delta_V": 2.0, "lambda_0": 100.0, "t_ref": 4.0},
        100 * np.exp(0.5),
        40,
        lambda x: -np.expm1(-x),
    ),
    "iaf_psc_exp": (
        "iaf_psc_exp",
        {**REST, "V_th": -58.0, "delta": 1.5, "rho": 1000.0, "t_ref": 2.0},
        1000 * np.exp(-2 / 1.5),
        20,
        lambda x: x,
    ),
    "pp_cond_exp_mc_urbanczik": (
        "pp_cond_exp_mc_urbanczik",
        {"phi_max": 0.9, "rate_slope": 0.5, "theta": -69.0, "beta": 0.3, "t_ref": 2.0},
        900 / (1 + 0.5 * np.exp(0.3)),
        20,
        lambda x: -np.expm1(-x),
    ),
    "pp_psc_delta": ("pp_psc_delta", {"c_2": 200.0, "dead_time": 2.0}, 200.0, 20, lambda x: -np.expm1(-x)),
}


@pytest.mark.parametrize("case", CASES)
def test_intervals_are_geometric_after_refractoriness(case):
    model, params, rate, refractory, probability = CASES[case]
    found = intervals(trains(model, 400, 400.0, **params))
    assert found.min() == refractory + 1
    p = probability(rate * H * 1e-3)
    # long intervals are missed at the end: compare the chance to fire, given that there was no spike so far
    waited = found - refractory
    for low, high in ((1, 20), (21, 60)):
        steps = np.minimum(waited, high) - low + 1
        chances, fired = steps[steps > 0].sum(), ((waited >= low) & (waited <= high)).sum()
        assert abs(fired / chances - p) < 5 * np.sqrt(p / chances) + 0.02 * p


@pytest.mark.parametrize("case", CASES)
def test_spikes_depend_on_the_seed_and_not_on_threads(case):
    model, params, *_ = CASES[case]
    one, other, third = (trains(model, 60, 60.0, seed=s, threads=t, **params) for s, t in ((1, 1), (1, 3), (2, 1)))
    assert (one.steps == other.steps).all() and (one.gids == other.gids).all()
    assert len(one.steps) != len(third.steps) or (one.steps != third.steps).any()


def test_gif_threshold_rises_with_each_spike():
    params = {**REST, "V_T_star": -62.0, "Delta_V": 1.0, "lambda_0": 100.0, "t_ref": 1.0}
    free = trains("gif_psc_exp", 200, 200.0, **params)
    adapting = trains("gif_psc_exp", 200, 200.0, n_sfa=1, q_sfa_1=3.0, tau_sfa_1=50.0, **params)
    assert len(adapting.steps) < 0.4 * len(free.steps)


def test_poisson_neuron_without_dead_time_may_fire_several_times_in_a_step():
    record = trains("pp_psc_delta", 300, 100.0, c_2=2e4, dead_time=0.0)
    counts = np.zeros((300, 1001))
    np.add.at(counts, (record.gids - 1, record.steps), 1)
    counts = counts[:, 1:]
    assert counts.mean() == pytest.approx(2.0, abs=5 * np.sqrt(2.0 / counts.size))
    assert counts.var() == pytest.approx(2.0, rel=0.02)


def test_poisson_neuron_without_a_rate_is_silent_at_any_potential():
    assert len(trains("pp_psc_delta", 5, 20.0, V_m=1e6, c_1=0.0, c_2=0.0).steps) == 0


def test_random_dead_times_have_their_mean():
    found = intervals(trains("pp_psc_delta", 200, 300.0, c_2=1e9, dead_time=2.0, dead_time_random=1.0, dead_time_shape=3.0)) * H
    assert found.mean() == pytest.approx(2.0 + 1.5 * H, rel=0.02)  # rounded up to steps, then the next one
    assert (found.std() / 2.0) == pytest.approx(1 / np.sqrt(3), rel=0.05)


@pytest.mark.parametrize(("model", "bad"), [("iaf_psc_exp", {"delta": -1.0}), ("gif_psc_exp", {"Delta_V": 0.0}), ("gif_cond_exp", {"n_sfa": 5.0}), ("pp_psc_delta", {"dead_time_shape": 1.5}), ("ht_neuron", {"tau_Mg_slow_NMDA": 0.68})])  # fmt: skip
def test_bad_values_are_refused(model, bad):
    with pytest.raises(neuropil.errors.BadParameter):
        neuropil.Network().create(model, 1, **bad)
