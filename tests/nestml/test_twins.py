# SPDX-License-Identifier: Apache-2.0
"""NESTML models of tests/nestml/models in networks, beside built-in models and scipy."""

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import neuropil as npl
from equations.compiled import COMPILER
from neuropil.nestml import load

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")

MODELS = Path(__file__).parent / "models"
DRIVES = {  # weights of excitatory and inhibitory spikes, parameters
    "psc_exp": ("iaf_psc_exp", (87.0, -200.0), {}),
    "psc_alpha": ("iaf_psc_alpha", (60.0, -100.0), {"tau_syn_in": 5.0}),
    "psc_delta": ("iaf_psc_delta", (0.3, -1.0), {}),
}


def results(model, weights, duration=200.0, n=40, variables=("V_m",), **parameters):
    """Spikes and traces of a driven recurrent network."""
    net = npl.Network(seed=5)
    cells = net.create(model, n, **parameters)
    net.stimulate(cells, npl.poisson(rate=8000.0), weight=weights[0])
    net.connect(cells, cells, npl.fixed_indegree(10), weight=weights[1], delay=1.5)
    spikes, trace = net.record(cells), net.record(cells, list(variables), interval=0.1)
    net.run(duration, progress=False)
    data = spikes.data()
    return np.asarray(data.times), np.asarray(data.gids), *(np.asarray(trace.data()[name]) for name in variables)


@pytest.mark.parametrize("name", DRIVES)
def test_linear_models_have_the_bits_of_built_in_ones(name):
    twin, weights, parameters = DRIVES[name]
    I_e = npl.uniform(0.0, 300.0)
    found = results(load(MODELS / f"{name}.nestml"), weights, I_e=I_e, **parameters)
    expected = results(twin, weights, I_e=I_e, **parameters)
    assert len(expected[0]) > 100
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("name", "twin", "weights", "given", "duration"),
    [
        ("cond_exp", "iaf_cond_exp", (6.0, -4.0), {"I_e": 300.0}, 60.0),
        ("aeif", "aeif_cond_exp", (6.0, -4.0), {"I_e": 300.0, "t_ref": 2.0}, 60.0),
    ],
)
def test_models_with_the_solver_follow_built_in_ones(name, twin, weights, given, duration):
    model = load(MODELS / f"{name}.nestml")
    C_m = {"C_m": 0.25} if name == "cond_exp" else {}
    assert model.units["C_m"] == ("nF" if C_m else "pF")
    found, expected = results(model, weights, duration, **given, **C_m), results(twin, weights, duration, **given)
    assert len(expected[0]) > 50
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert np.median(np.abs(found[2] - expected[2])) < 1e-3


@pytest.mark.slow
def test_hodgkin_huxley_spikes_at_the_maximum():
    model = load(MODELS / "hh.nestml")
    found = results(model, (100.0, -100.0), 100.0, I_e=600.0)
    expected = results("hh_psc_alpha", (100.0, -100.0), 100.0, I_e=600.0)
    assert len(expected[0]) > 50
    assert len(found[0]) == len(expected[0])
    assert np.max(np.abs(found[0] - expected[0])) < 0.15
    assert np.median(np.abs(found[2] - expected[2])) < 1e-2


def test_izhikevich_follows_scipy():
    model, I_e = load(MODELS / "izhikevich.nestml"), 5.0
    net = npl.Network(seed=1)
    cell = net.create(model, 1, I_e=I_e)
    spikes, trace = net.record(cell), net.record(cell, ["V_m", "U_m"], interval=0.1)
    net.stimulate(cell, npl.spike_train([1.0]), weight=2.5, delay=1.0)
    net.run(40.0, progress=False)
    data = trace.data()
    V, U = np.asarray(data["V_m"])[:, 0], np.asarray(data["U_m"])[:, 0]
    first = float(np.asarray(spikes.data().times)[0])

    def slopes(_, y):
        return [0.04 * y[0] ** 2 + 5.0 * y[0] + 140.0 - y[1] + I_e, 0.02 * (0.2 * y[0] - y[1])]

    before = solve_ivp(slopes, (0.0, 2.0), [-65.0, -13.0], rtol=1e-10, atol=1e-10)
    start = before.y[:, -1] + [2.5, 0.0]
    after = solve_ivp(slopes, (2.0, first - 0.1), start, rtol=1e-10, atol=1e-10, t_eval=[3.0, first - 0.2])
    for k, time in enumerate(after.t):
        at = round(float(time) / 0.1) - 1
        assert V[at] == pytest.approx(after.y[0, k], rel=1e-4)
        assert U[at] == pytest.approx(after.y[1, k], rel=1e-4)
    assert 3.5 < first < 40.0


def test_threads_do_not_count():
    """State from before the step is kept by neuron."""
    model = load(MODELS / "hh.nestml")
    net = npl.Network(seed=5, threads=2)
    cells = net.create(model, 40, I_e=600.0)
    net.stimulate(cells, npl.poisson(rate=8000.0), weight=100.0)
    spikes = net.record(cells)
    net.run(40.0, progress=False)
    one = npl.Network(seed=5, threads=1)
    cells = one.create(model, 40, I_e=600.0)
    one.stimulate(cells, npl.poisson(rate=8000.0), weight=100.0)
    alone = one.record(cells)
    one.run(40.0, progress=False)
    assert len(spikes.data().times) > 10
    np.testing.assert_array_equal(spikes.data().times, alone.data().times)


def test_bounds_of_variables():
    """What `update` does behind integrate_odes() is done at the end of each step."""
    net = npl.Network(seed=1)
    cells = net.create(load(MODELS / "izhikevich.nestml"), 1, V_min=-66.0, U_max=-12.0, I_e=-20.0)
    trace = net.record(cells, ["V_m", "U_m"], interval=0.1)
    net.run(10.0, progress=False)
    data = trace.data()
    assert np.min(data["V_m"]) == -66.0
    assert np.max(data["U_m"]) <= -12.0
