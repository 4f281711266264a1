# SPDX-License-Identifier: Apache-2.0
"""gif_pop_psc_exp against its equations, given the numbers of spikes that it drew; these against the binomial distribution; and against many neurons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import neuropil as npl
from neuropil.engine import history_steps

NAMES = ["V_m", "E_sfa", "mean", "n_events"]
DEFAULTS = {
    "tau_m": 20.0,
    "C_m": 250.0,
    "t_ref": 4.0,
    "lambda_0": 10.0,
    "Delta_V": 2.0,
    "V_T_star": 15.0,
    "V_reset": 0.0,
    "E_L": 0.0,
    "I_e": 0.0,
}


def _recorded(h: float, ms: float, n: int = 1, **params: Any) -> dict[str, NDArray[np.float64]]:
    net = npl.Network(resolution=h, seed=3)
    trace = net.record(net.create(npl.gif_population(**params), n), NAMES, interval=h)
    net.run(ms)
    return {name: np.array(trace[name]) for name in NAMES}


def _expected(
    n: NDArray[np.float64], h: float, K: int, N: int, q: list[float], tau: list[float], **given: float
) -> tuple[list[float], ...]:
    """Mean number of spikes and threshold in each step: every neuron is a member of the cohort of those that fired together with it."""
    p = DEFAULTS | given
    jumps = np.array(q)[:, None] * np.exp(-np.outer(1.0 / np.array(tau), np.arange(1, K + 1) * h))
    own, others = jumps.sum(axis=0), p["Delta_V"] * (1.0 - np.exp(-jumps.sum(axis=0) / p["Delta_V"])) / N
    resting, leak = int(np.ceil(round(p["t_ref"] / h, 6))), np.exp(-h / p["tau_m"])
    goal = p["E_L"] + p["I_e"] * p["tau_m"] / p["C_m"]
    # cohorts by time of their spikes: age in steps, spikes, survivors, variance, potential, hazard before
    cohorts = [{"fired": float(N), "m": float(N), "v": 0.0, "u": p["V_reset"], "hazard": 0.0}]
    free = {"m": 0.0, "v": 0.0, "u": 0.0, "hazard": 0.0}
    slow, means, thresholds = np.zeros(len(q)), [], []
    for spikes in n:
        oldest = cohorts[-K]["fired"] if len(cohorts) >= K else 0.0
        slow = slow * np.exp(-h / np.array(tau)) + (1.0 - np.exp(-h / np.array(tau))) * oldest / (N * h)
        threshold = p["V_T_star"] + float((np.array(q) * np.array(tau) * np.exp(-K * h / np.array(tau)) * slow).sum())
        known = expected = variance = covered = 0.0
        raised = threshold
        for age in [K + 1, *range(min(K, len(cohorts)), 0, -1)]:
            part, theta = (free, threshold) if age > K else (cohorts[-age], raised + own[age - 1])
            chance = 0.0
            if age > resting:
                part["u"] = goal + (part["u"] - goal) * leak
                hazard = p["lambda_0"] * 1e-3 * h * np.exp((part["u"] - theta) / p["Delta_V"])
                chance, part["hazard"] = 1.0 - np.exp(-(hazard + part["hazard"]) / 2.0), hazard
            known, expected = known + part["m"], expected + chance * part["m"]
            variance, covered = variance + part["v"], covered + chance * part["v"]
            part["v"] = (1.0 - chance) ** 2 * part["v"] + chance * part["m"]
            part["m"] *= 1.0 - chance
            if age <= K:
                raised += others[age - 1] * part["fired"]
        means.append(expected + (covered / variance * (N - known) if variance > 0.0 else 0.0))
        thresholds.append(threshold)
        if len(cohorts) >= K:
            free["m"], free["v"] = free["m"] + cohorts[-K]["m"], free["v"] + cohorts[-K]["v"]
        cohorts.append({"fired": float(spikes), "m": float(spikes), "v": 0.0, "u": p["V_reset"], "hazard": 0.0})
    return means, thresholds


@pytest.mark.parametrize(
    ("h", "given"),
    [
        (0.5, {"N": 50, "I_e": 300.0, "q_sfa": [0.5], "tau_sfa": [300.0]}),
        (0.5, {"N": 50, "I_e": 300.0, "q_sfa": [1.0, 0.4, -0.1], "tau_sfa": [40.0, 30.0, 7.0], "len_kernel": 60}),
        (1.0, {"N": 20, "I_e": 900.0, "q_sfa": [0.0], "tau_sfa": [10.0], "t_ref": 2.1, "V_reset": 3.0, "E_L": -1.0, "len_kernel": 9}),
        (
            0.5,
            {
                "N": 1000,
                "I_e": 500.0,
                "q_sfa": [2.0],
                "tau_sfa": [20.0],
                "BinoRand": 0.0,
                "Delta_V": 3.0,
                "lambda_0": 20.0,
                "len_kernel": 200,
            },
        ),
    ],
)
def test_mean_numbers_of_spikes_follow_from_those_before(h: float, given: dict[str, Any]) -> None:
    found = {name: column[:, 0] for name, column in _recorded(h, 150.0, **given).items()}
    K = given.get("len_kernel") or history_steps(h, 4.0, 20.0, 2.0, given["q_sfa"], given["tau_sfa"])
    rest = {key: value for key, value in given.items() if key in DEFAULTS}
    means, thresholds = _expected(found["n_events"], h, K, given["N"], given["q_sfa"], given["tau_sfa"], **rest)
    np.testing.assert_allclose(found["mean"], means, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found["E_sfa"], thresholds, rtol=1e-12)
    assert found["n_events"].sum() > 20
    assert found["n_events"].max() <= given["N"]


@pytest.mark.parametrize("binomial", [True, False])
def test_numbers_are_drawn_from_their_distribution(binomial: bool) -> None:
    N = 40
    found = _recorded(0.5, 60.0, 300, N=N, I_e=500.0, BinoRand=float(binomial), q_sfa=[0.0], tau_sfa=[1.0])
    late = slice(60, None)
    mean, n = np.clip(found["mean"][late], 0.0, N).ravel(), found["n_events"][late].ravel()
    law = stats.binom(N, mean / N) if binomial else stats.poisson(mean)
    levels = law.cdf(n - 1) + np.random.default_rng(1).random(n.size) * law.pmf(n)  # uniform if the law is right
    assert stats.kstest(levels, "uniform").pvalue > 1e-3


def test_it_fires_as_its_neurons_do() -> None:
    """The same N neurons one by one, with escape noise in discrete time."""
    h, N, ms, I_e = 0.5, 500, 1500.0, 320.0
    population = _recorded(h, ms, N=N, I_e=I_e, q_sfa=[1.0], tau_sfa=[50.0])["n_events"][:, 0]
    rng = np.random.default_rng(2)
    V, w, since, fired = np.zeros(N), np.ones(N), np.zeros(N), []
    for _ in range(round(ms / h)):
        w *= np.exp(-h / 50.0)
        since += 1
        ready = since > 8
        V = np.where(ready, 24.0 * I_e / 300.0 + (V - 24.0 * I_e / 300.0) * np.exp(-h / 20.0), 0.0)
        spike = ready & (rng.random(N) < 1.0 - np.exp(-h * 0.01 * np.exp((V - 15.0 - w) / 2.0)))
        V[spike], w[spike], since[spike] = 0.0, w[spike] + 1.0, 0
        fired.append(spike.sum())
    late = slice(400, None)
    assert population[late].mean() == pytest.approx(np.mean(fired[late]), rel=0.04)
    slow = [np.array(x)[late].reshape(-1, 20).sum(axis=1).std() for x in (population, fired)]
    assert slow[0] == pytest.approx(slow[1], rel=0.25)


def test_the_history_is_as_long_as_needed() -> None:
    assert npl.gif_population().name(0.1) == "gif_pop_psc_exp[2748]"
    assert npl.gif_population(tau_m=0.1, t_ref=3.0, q_sfa=[0.0]).name(0.5) == "gif_pop_psc_exp[7]"
    assert npl.gif_population(tau_sfa=[30000.0]).name(1.0) == "gif_pop_psc_exp[20000]"
    assert npl.gif_population(len_kernel=50).name(0.1) == "gif_pop_psc_exp[50]"


@pytest.mark.parametrize(
    "wrong",
    [
        {"N": 0},
        {"N": 2.5},
        {"q_sfa": [1.0, 2.0]},
        {"tau_sfa": [0.0]},
        {"q_sfa": [1.0] * 5, "tau_sfa": [1.0] * 5},
        {"foo": 1.0},
        {"len_kernel": 8},
        {"tau_m": 0.0},
        {"Delta_V": -1.0},
        {"t_ref": -1.0},
        {"lambda_0": -1.0},
    ],
)
def test_bad_parameters_are_refused(wrong: dict[str, Any]) -> None:
    net = npl.Network(resolution=0.5)
    with pytest.raises((npl.errors.BadParameter, npl.errors.BadType, npl.errors.UnknownName)):
        net.create(npl.gif_population(**wrong))
    assert net.n_nodes == 0


@pytest.mark.parametrize("name", [name for name, entry in npl.models().items() if {"n_sfa", "n_stc", "n_asc"} & {*entry.parameters}])
@pytest.mark.parametrize("number", [-1.0, 0.5, 1e9])
def test_numbers_of_kernels_are_whole_and_few(name, number):
    net = npl.Network(threads=1)
    for parameter in {"n_sfa", "n_stc", "n_asc"} & {*npl.models()[name].parameters}:
        with pytest.raises(npl.errors.BadParameter, match=parameter):
            net.create(name, **{parameter: number})
    assert net.n_nodes == 0
