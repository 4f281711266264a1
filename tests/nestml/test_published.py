# SPDX-License-Identifier: Apache-2.0
"""The neuron models that come with nestml, read as input: which compile, and those with statements of their own beside other solutions."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import neuropil as npl
from equations.compiled import COMPILER
from nestml.test_statements import traces
from nestml.test_twins import results
from neuropil.nestml import load

# Where .ci/weekly installs nestml 9.0.0 without what it needs: 50 MB that hold 30 files read here.
FOLDERS = (Path(__file__).resolve().parents[2] / "build/nestml", Path(sys.prefix))
MODELS = next((found for folder in FOLDERS if (found := sorted(folder.glob("models/neurons/*_neuron.nestml")))), [])
pytestmark = [
    pytest.mark.skipif(not MODELS, reason="the models of nestml are not here"),
    pytest.mark.skipif(COMPILER is None, reason="needs g++"),
]
STATEMENTS = ("hh_cond_exp_destexhe", "hill_tononi", "iaf_chxk_2008", "iaf_psc_exp_htum", "ignore_and_fire", "mat2_psc_exp")


def published(name):
    path = next(path for path in MODELS if path.stem == f"{name}_neuron")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(path)


def test_there_are_thirty():
    assert len(MODELS) == 30


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_all_are_read(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load(path)
    done = bool(model.description.program.trees)
    assert done == (path.stem.removesuffix("_neuron") in STATEMENTS)


@pytest.mark.slow
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_all_compile_and_run(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = load(path)
    net = npl.Network(seed=1, threads=1)
    cells = net.create(model, 3)
    net.run(5.0, progress=False)
    for name in model.initial:
        assert np.all(np.isfinite(getattr(cells, name))), name


def test_a_state_that_update_declares_again_is_warned_of():
    with pytest.warns(UserWarning, match="line 162: 'V_m_old' is a state: this declaration is read as an assignment"):
        load(next(path for path in MODELS if "destexhe" in path.stem))


def test_htum_follows_the_built_in_model_until_it_should_spike():
    """The counter of this file goes below 0 in the first step, and its condition asks for exactly 0: it never spikes."""
    found = results(published("iaf_psc_exp_htum"), (87.0, -200.0))
    expected = results("iaf_psc_exp", (87.0, -200.0), V_th=1000.0)
    assert len(found[0]) == 0
    np.testing.assert_allclose(found[2] - 70.0, expected[2], rtol=0, atol=1e-10)


def test_ignore_and_fire_is_regular():
    times, phase = traces(published("ignore_and_fire"), ("phase",), 450.0, firing_rate=8.0)
    np.testing.assert_allclose(times, np.arange(4) * 125.0 + times[0], rtol=1e-12)
    assert 0.0 <= np.min(phase) < np.max(phase) < 1.0


def steps_by_scipy(slopes, state, duration, act, h=0.1):
    """Each time step by solve_ivp, then what `act` does: it returns the state and whether there is a spike."""
    trace, spikes = [], []
    for k in range(round(duration / h)):
        state = np.asarray(solve_ivp(slopes, (0.0, h), state, method="DOP853", rtol=1e-10, atol=1e-10).y[:, -1])
        state, fired = act(state)
        spikes += [(k + 1) * h] * int(fired)
        trace.append(state[0])
    return np.array(spikes), np.array(trace)


def test_mat2_follows_scipy():
    left, lifted = 0.0, np.zeros(2)

    def slopes(_, y):
        return [0.0 if left > 1e-9 else -(y[0] + 70.0) / 5.0 + 900.0 / 100.0]

    def act(y):
        nonlocal left, lifted
        lifted = lifted if left > 1e-9 else lifted * np.exp(-0.1 / np.array([10.0, 200.0]))
        left -= 0.1 if left > 1e-9 else 0.0
        fired = left <= 1e-9 and y[0] >= -70.0 + 19.0 + lifted.sum()
        if fired:
            left, lifted = 2.0, lifted + np.array([37.0, 2.0])
        return y, fired

    times, V = traces(published("mat2_psc_exp"), ("V_m",), 200.0, I_e=900.0)
    # Statements before the step are those of its beginning: the threshold decays first, then the potential moves.
    spikes, expected = steps_by_scipy(slopes, [-70.0], 200.0, act)
    assert len(spikes) > 5
    np.testing.assert_allclose(times, spikes, rtol=1e-12)
    np.testing.assert_allclose(V[:, 0], expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("bug", [False, True])
def test_chxk_follows_scipy(bug):
    before = -60.0

    def slopes(_, y):
        V, g, slope = y
        return [(-100.0 * (V + 60.0) - g * (V + 95.0) + 2500.0) / 1000.0, slope, -2.0 * slope / 0.5 - g / 0.25]

    def act(y):
        nonlocal before
        V, g, slope = y
        fired = before < -45.0 <= V
        if fired:
            since = (V + 45.0) * 0.1 / (V - before)
            jump = 443.8 * np.e / 0.5 * np.exp(-since / 0.5)
            g, slope = (jump * since, jump) if bug else (g + jump * since, slope + jump)
        before = V
        return [V, g, slope], fired

    times, V = traces(published("iaf_chxk_2008"), ("V_m",), 100.0, I_e=2500.0, ahp_bug=float(bug))
    spikes, expected = steps_by_scipy(slopes, [-60.0, 0.0, 0.0], 100.0, act)
    assert len(spikes) > 3
    np.testing.assert_allclose(times, spikes, rtol=1e-12)
    np.testing.assert_allclose(V[:, 0], expected, rtol=0, atol=1e-4)


def logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


def test_hill_tononi_follows_scipy():
    left, spiking = 0.0, False

    def slopes(_, y):
        V, Theta, D, m, h, I_h = y
        if left > 1e-9:
            return [0.0] * 6
        NaP = -(logistic((V + 55.7) / 7.7) ** 3) * (V - 30.0)
        KNa = -(V + 90.0) / (1.0 + (0.25 / D) ** 3.5) if D > 0.0 else 0.0
        current = -0.2 * (V - 30.0) - (V + 90.0) + NaP + KNa - m * m * h * V - I_h * (V + 40.0) + 60.0
        tau_m = 0.22 / (np.exp(-(V + 132.0) / 16.7) + np.exp((V + 16.8) / 18.2)) + 0.13
        tau_h = 8.2 + (56.6 + 0.27 * np.exp((V + 115.2) / 5.0)) / (1.0 + np.exp((V + 86.0) / 3.2))
        return [
            current / 16.0 - (V + 90.0) / 1.75 * spiking,
            -(Theta + 51.0) / 2.0,
            0.025 * logistic((V + 10.0) / 5.0) - (D - 0.001) / 1250.0,
            (logistic((V + 59.0) / 6.2) - m) / tau_m,
            (logistic(-(V + 83.0) / 4.0) - h) / tau_h,
            (logistic(-(V + 75.0) / 5.5) - I_h) * (np.exp(-14.59 - 0.086 * V) + np.exp(-1.87 + 0.0701 * V)),
        ]

    def act(y):
        nonlocal left, spiking
        left -= 0.1 if left > 1e-9 else 0.0
        spiking &= left > 1e-9
        fired = not spiking and y[0] >= y[1]
        if fired:
            left, spiking = 2.0, True
            y = np.array([30.0, 30.0, *y[2:]])
        return y, fired

    times, V = traces(published("hill_tononi"), ("V_m",), 50.0, I_e=60.0)
    spikes, expected = steps_by_scipy(slopes, [-70.0, -51.0, 0.0, 0.0, 0.0, 0.0], 50.0, act)
    assert len(spikes) > 3
    np.testing.assert_allclose(times, spikes, rtol=1e-12)
    np.testing.assert_allclose(V[:, 0], expected, rtol=0, atol=1e-3)


def test_destexhe_follows_scipy_and_its_conductances_the_theory():
    model = published("hh_cond_exp_destexhe")
    _, V = traces(model, ("V_m",), 20.0, I_e=2000.0, sigma_noise_exc=0.0, sigma_noise_inh=0.0)

    def slopes(_, y):
        V, m, h, n, p = y
        v, u = V + 58.0, V + 30.0
        a_n, b_n = 0.032 * (15.0 - v) / (np.exp((15.0 - v) / 5.0) - 1.0), 0.5 * np.exp((10.0 - v) / 40.0)
        a_m, b_m = 0.32 * (13.0 - v) / (np.exp((13.0 - v) / 4.0) - 1.0), 0.28 * (v - 40.0) / (np.exp((v - 40.0) / 5.0) - 1.0)
        a_h, b_h = 0.128 * np.exp((17.0 - v) / 18.0), 4.0 / (1.0 + np.exp((40.0 - v) / 5.0))
        a_p, b_p = 1e-4 * u / (1.0 - np.exp(-u / 9.0)), -1e-4 * u / (1.0 - np.exp(u / 9.0))
        current = -17318.0 * m**3 * h * (V - 60.0) - (3463.6 * n**4 + 173.18 * p) * (V + 90.0) - 15.5862 * (V + 80.0)
        current += 2000.0 - 12.0 * V - 57.0 * (V + 75.0)
        return [current / 346.36, a_m - (a_m + b_m) * m, a_h - (a_h + b_h) * h, a_n - (a_n + b_n) * n, a_p - (a_p + b_p) * p]

    start = [model.initial[name] for name in ("V_m", "Act_m", "Act_h", "Inact_n", "Noninact_p")]
    expected = solve_ivp(slopes, (0.0, 20.0), start, method="DOP853", rtol=1e-10, atol=1e-10, t_eval=np.arange(1, 200) * 0.1)
    assert np.max(expected.y[0]) > 20.0
    at = np.abs(V[:199, 0] - expected.y[0])
    assert np.median(at) < 1e-4
    assert np.max(at) < 0.05
    _, ex, inh = traces(model, ("g_noise_exc", "g_noise_inh"), 100.0, n=400)
    for g, mean, deviation, tau in ((ex, 0.012, 0.003, 2.7), (inh, 0.057, 0.0066, 10.5)):
        g = g[600:]
        assert np.mean(g) == pytest.approx(mean, rel=0.01)
        assert np.std(g) == pytest.approx(deviation, rel=0.04)
        centred = g - mean
        assert np.mean(centred[20:] * centred[:-20]) / deviation**2 == pytest.approx(np.exp(-2.0 / tau), abs=0.05)


def test_networks_of_them_run_on_threads():
    model = published("hh_cond_exp_destexhe")
    found = []
    for threads in (1, 2):
        net = npl.Network(seed=2, threads=threads)
        cells = net.create(model, 60, I_e=1500.0)
        net.connect(cells, cells, npl.fixed_indegree(5), weight=10.0, delay=1.0)
        spikes = net.record(cells)
        net.run(50.0, progress=False)
        found.append(np.asarray(spikes.data().times))
    assert len(found[0]) > 10
    np.testing.assert_array_equal(found[0], found[1])
