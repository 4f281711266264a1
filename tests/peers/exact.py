# SPDX-License-Identifier: Apache-2.0
"""The non-linear models by their equations (scipy's DOP853, 1e-12), until the first spike: how far are the simulators from the truth?

python tests/peers/exact.py prints the largest deviation of NEST's stored traces.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from peers import protocols
from peers.stored import stored, stored_defaults

H = protocols.H


def iaf_cond_exp(p, y, current):
    v, ge, gi = y
    dv = (-p["g_L"] * (v - p["E_L"]) - ge * (v - p["E_ex"]) - gi * (v - p["E_in"]) + p["I_e"] + current) / p["C_m"]
    return [dv, -ge / p["tau_syn_ex"], -gi / p["tau_syn_in"]]


def aeif_cond_exp(p, y, current):
    v, ge, gi, w = y
    exponential = p["g_L"] * p["Delta_T"] * np.exp((v - p["V_th"]) / p["Delta_T"])
    synaptic = ge * (v - p["E_ex"]) + gi * (v - p["E_in"])
    dv = (-p["g_L"] * (v - p["E_L"]) + exponential - synaptic - w + p["I_e"] + current) / p["C_m"]
    return [dv, -ge / p["tau_syn_ex"], -gi / p["tau_syn_in"], (p["a"] * (v - p["E_L"]) - w) / p["tau_w"]]


def hh_psc_alpha(p, y, current):
    """Hodgkin-Huxley rates as in the 1952 paper, shifted to a resting potential of -65 mV; alpha currents as (derivative, current)."""
    v, m, h, n, de, ie, di, ii = y
    am, bm = 0.1 * (v + 40.0) / (1.0 - np.exp(-(v + 40.0) / 10.0)), 4.0 * np.exp(-(v + 65.0) / 18.0)
    ah, bh = 0.07 * np.exp(-(v + 65.0) / 20.0), 1.0 / (1.0 + np.exp(-(v + 35.0) / 10.0))
    an, bn = 0.01 * (v + 55.0) / (1.0 - np.exp(-(v + 55.0) / 10.0)), 0.125 * np.exp(-(v + 65.0) / 80.0)
    ionic = p["g_Na"] * m**3 * h * (v - p["E_Na"]) + p["g_K"] * n**4 * (v - p["E_K"]) + p["g_L"] * (v - p["E_L"])
    te, ti = p["tau_syn_ex"], p["tau_syn_in"]
    return [
        (-ionic + p["I_e"] + current + ie + ii) / p["C_m"],
        am * (1 - m) - bm * m,
        ah * (1 - h) - bh * h,
        an * (1 - n) - bn * n,
        -de / te,
        de - ie / te,
        -di / ti,
        di - ii / ti,
    ]


# right-hand side, quantities by state variable (None: not recorded), what a spike of weight w adds: (index exc, index inh, factors)
SYSTEMS = {
    "iaf_cond_exp": (iaf_cond_exp, ["V_m", "g_ex", "g_in"], lambda p: (1, 1.0, 2, -1.0)),
    "aeif_cond_exp": (aeif_cond_exp, ["V_m", "g_ex", "g_in", "w"], lambda p: (1, 1.0, 2, -1.0)),
    "hh_psc_alpha": (
        hh_psc_alpha,
        ["V_m", "Act_m", "Inact_h", "Act_n", None, "I_syn_ex", None, "I_syn_in"],
        lambda p: (4, np.e / p["tau_syn_ex"], 6, np.e / p["tau_syn_in"]),
    ),
}
PROTOCOLS = {"step_current": (1.2, 0.1, 0.0), "spike_input": (1.2, 0.1, 1.0), "constant_current": (0.5, 2.0, 0.1)}


def parameters(protocol: str, model: str) -> dict[str, float]:
    case = protocols.CASES[model]
    own = {"I_e": case["drive"]} if protocol == "constant_current" else case["params"]
    return {"I_e": 0.0} | stored_defaults()[model] | own


def inputs(protocol: str, model: str) -> tuple[np.ndarray, np.ndarray]:
    """Current by step, and weight sums (exc, inh) that arrive at the end of each step."""
    steps = round(protocols.DURATION / H)
    case, current, spikes = protocols.CASES[model], np.zeros(steps), np.zeros((steps, 2))
    delay_ex, delay_in, factor = PROTOCOLS[protocol]
    if protocol == "step_current":
        for time, value in zip(protocols.STEP_TIMES, case["steps"], strict=True):
            current[round((time + 0.3) / H) :] = value
    for k, (times, delay) in enumerate(((protocols.EXC_TIMES, delay_ex), (protocols.INH_TIMES, delay_in))):
        np.add.at(spikes[:, k], np.rint((times + delay) / H).astype(int) - 1, factor * case["weights"][k])
    return current, spikes


def solve(protocol: str, model: str, until: float) -> dict[str, np.ndarray]:
    """Traces at h, 2 h, ... up to `until` ms, which has to lie before the first spike."""
    from scipy.integrate import solve_ivp

    rhs, names, jump = SYSTEMS[model]
    p = parameters(protocol, model)
    steps = round(until / H)
    current, spikes = inputs(protocol, model)
    ex, factor_ex, inh, factor_in = jump(p)
    y = np.array([p[name] if name in ("V_m", "w", "Act_m", "Inact_h", "Act_n") else 0.0 for name in (n or "" for n in names)])
    found = np.zeros((steps, len(names)))
    for n in range(steps):
        y = solve_ivp(lambda _, s, i=current[n]: rhs(p, s, i), (0.0, H), y, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
        y[ex] += factor_ex * spikes[n, 0]
        y[inh] += factor_in * spikes[n, 1]
        found[n] = y
    return {name: found[:, k] for k, name in enumerate(names) if name}


def first_spike(data: dict[str, np.ndarray]) -> float:
    return float(data["spikes"][0]) if len(data["spikes"]) else protocols.DURATION


def deviations(protocol: str, model: str, data: dict[str, np.ndarray], until: float) -> dict[str, float]:
    """Largest deviation of the traces in data from the exact solution, by quantity."""
    exact = solve(protocol, model, until)
    return {name: float(np.abs(data[name][0][: len(values)] - values).max()) for name, values in exact.items()}


def main() -> None:
    for model in SYSTEMS:
        for protocol in PROTOCOLS:
            data = stored(f"{protocol}/{model}")
            until = first_spike(data) - 0.2
            found = deviations(protocol, model, data, until)
            print(f"{model:14} {protocol:17} until {until:5.1f} ms: " + ", ".join(f"{name} {value:.1e}" for name, value in found.items()))


if __name__ == "__main__":
    main()
