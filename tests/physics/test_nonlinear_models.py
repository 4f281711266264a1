# SPDX-License-Identifier: Apache-2.0
"""Models that are integrated numerically against scipy's LSODA: order of convergence in the step, and spike times.

The equations are written here again, from the papers: Meffin et al. 2004 (iaf_cond_exp), Brette & Gerstner 2005 (aeif_cond_exp),
Hodgkin & Huxley 1952 in the units of Gerstner & Kistler 2002 (hh_psc_alpha), Izhikevich 2003; others in equations.py."""

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from lowlevel import floats, gids, kernel, rows
from neuropil import _core
from physics.equations import MORE

DEFAULTS = {m["name"]: {p[0]: p[2] for p in m["parameters"]} for m in _core.models()}


def cond_exp(t, y, p):
    v, g_ex, g_in = y
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) - g_ex * (v - p["E_ex"]) - g_in * (v - p["E_in"])
    return [current / p["C_m"], -g_ex / p["tau_syn_ex"], -g_in / p["tau_syn_in"]]


def aeif(t, y, p):
    v, g_ex, g_in, w = y
    spike = p["g_L"] * p["Delta_T"] * np.exp((min(v, p["V_peak"]) - p["V_th"]) / p["Delta_T"])
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) + spike - g_ex * (v - p["E_ex"]) - g_in * (v - p["E_in"]) - w
    return [current / p["C_m"], -g_ex / p["tau_syn_ex"], -g_in / p["tau_syn_in"], (p["a"] * (v - p["E_L"]) - w) / p["tau_w"]]


def hh(t, y, p):
    v, m, h, n, i_ex, i_in = y

    def rate(x):  # x / (exp(x) - 1)
        return x / np.expm1(x) if x else 1.0

    alpha_n, beta_n = 0.1 * rate(-(v + 55) / 10), 0.125 * np.exp(-(v + 65) / 80)
    alpha_m, beta_m = rate(-(v + 40) / 10), 4 * np.exp(-(v + 65) / 18)
    alpha_h, beta_h = 0.07 * np.exp(-(v + 65) / 20), 1 / (1 + np.exp(-(v + 35) / 10))
    current = p["I_e"] + i_ex + i_in - p["g_L"] * (v - p["E_L"]) - p["g_Na"] * m**3 * h * (v - p["E_Na"]) - p["g_K"] * n**4 * (v - p["E_K"])
    gates = [alpha_m * (1 - m) - beta_m * m, alpha_h * (1 - h) - beta_h * h, alpha_n * (1 - n) - beta_n * n]
    return [current / p["C_m"], *gates, -i_ex / p["tau_syn_ex"], -i_in / p["tau_syn_in"]]


def izhikevich(t, y, p):
    v, u = y
    return [0.04 * v * v + 5 * v + 140 - u + p["I_e"], p["a"] * (p["b"] * v - u)]


@dataclass
class Case:
    model: str
    rhs: object
    start: dict  # state at time 0; the integrated variables in the order of rhs
    params: dict
    order: float
    steps: tuple
    time: float = 8.0
    more: dict = field(default_factory=dict)

    @property
    def values(self):
        return DEFAULTS[self.model] | self.params


CASES = [
    Case("iaf_cond_exp", cond_exp, {"V_m": -66.0, "g_ex": 8.0, "g_in": 6.0}, {"I_e": 60.0, "tau_syn_ex": 1.5, "tau_syn_in": 4.0}, 5, (0.8, 0.4, 0.2, 0.1)),
    Case("aeif_cond_exp", aeif, {"V_m": -65.0, "g_ex": 2.0, "g_in": 3.0, "w": 30.0}, {"I_e": 250.0, "tau_syn_ex": 2.0}, 5, (0.8, 0.4, 0.2, 0.1)),
    Case("hh_psc_alpha", hh, {"V_m": -62.0, "Act_m": 0.06, "Inact_h": 0.58, "Act_n": 0.33, "I_syn_ex": 20.0, "I_syn_in": -30.0}, {"tau_syn_ex": 1.0, "I_e": 50.0}, 5,
         (0.2, 0.1, 0.05, 0.025)),
    Case("izhikevich", izhikevich, {"V_m": -68.0, "U_m": -13.0}, {"I_e": 2.0}, 1, (0.1, 0.05, 0.025, 0.0125)),
    *(Case(rhs.__name__, rhs, start, params, 5, steps) for rhs, start, params, steps in MORE),
]  # fmt: skip


# State that cannot be set; it begins at rest.
RISES = tuple(f"_dg_{sign}.{part}" for part in "spd" for sign in ("ex", "in"))
STATES = {m["name"]: {s[0]: s[2] for s in m["state"]} for m in _core.models()}
HIDDEN = {model: {k: STATES[model][k] for k in names if k in STATES.get(model, {})}
          for model, names in {"ht_neuron": ("_m_fast_NMDA", "_m_slow_NMDA", "_m_Ih", "_D", "_m_IT", "_h_IT"), "iaf_cond_alpha_mc": RISES}.items() if model in STATES}  # fmt: skip


def final_state(case, resolution):
    net = kernel(resolution)
    neuron = net.create(case.model, 1, floats(**case.params, **case.start))
    net.run(round(case.time / resolution), None)
    return np.array([net.get(gids(neuron), name)[0] for name in case.start])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.model)
def test_error_falls_with_the_order_of_the_method(case):
    start = [*case.start.values(), *HIDDEN.get(case.model, {}).values()]
    exact = solve_ivp(case.rhs, (0, case.time), start, "LSODA", rtol=1e-12, atol=1e-13, args=(case.values,)).y[: len(case.start), -1]
    errors = [np.abs(final_state(case, h) - exact).max() for h in case.steps]
    orders = [np.log2(a / b) for a, b in itertools.pairwise(errors) if b > 3e-10]  # LSODA itself is not better
    assert orders or max(errors) < 1e-8, errors
    assert not orders or orders[-1] > case.order - 0.5, (errors, orders)  # larger steps are cut by the step control
    assert errors[-1] < (1e-7 if case.order > 1 else 1e-2), errors


def spike_times(model, resolution, duration, **params):
    net = kernel(resolution)
    neuron = net.create(model, 1, floats(**params))
    recorder = net.record_spikes(rows(neuron), 0, 10**9)
    net.run(round(duration / resolution), None)
    return net.spikes(recorder)[0] * resolution


def test_spikes_of_the_hodgkin_huxley_model():
    """A spike is reported at the end of the step in which V has passed a maximum above 0 mV."""
    p = DEFAULTS["hh_psc_alpha"] | {"I_e": 900.0}
    start = {s[0]: s[2] for m in _core.models() if m["name"] == "hh_psc_alpha" for s in m["state"]}
    y0 = [start[k] for k in ("V_m", "Act_m", "Inact_h", "Act_n")] + [0.0, 0.0]
    top = lambda t, y, p: hh(t, y, p)[0]  # noqa: E731
    top.direction = -1
    s = solve_ivp(hh, (0, 100.0), y0, "LSODA", rtol=1e-9, atol=1e-9, args=(p,), events=top, max_step=0.5)
    expected = s.t_events[0][s.y_events[0][:, 0] > 0]
    assert len(expected) > 4
    for resolution in (0.1, 0.02):
        late = spike_times("hh_psc_alpha", resolution, 100.0, I_e=900.0) - expected
        assert late.min() > -2e-3
        assert late.max() < 2 * resolution + 2e-3


def test_every_numerical_model_is_tested_here():
    linear = {name for name in DEFAULTS if not any(word in name for word in ("cond", "aeif", "hh_", "izhikevich", "ht_neuron"))}
    filtered = {name for name in DEFAULTS if name.endswith("_clopath")}  # see property/test_clopath.py
    coupled = {
        name for name in DEFAULTS if "_gap" in name or name.endswith("_astro")
    }  # see invariance/test_continuous.py, property/test_gap_junctions.py
    assert {c.model for c in CASES} == set(DEFAULTS) - linear - filtered - coupled
