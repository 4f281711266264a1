# SPDX-License-Identifier: Apache-2.0
"""Eight published neuron models as equations, most of them built-in models as well, and how each answers to a current that is switched on.

Run: .venv/bin/python examples/published_models.py
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import neuropil as npl

E = 2.718281828459045

IAF = {"C_m": 250.0, "tau_m": 10.0, "E_L": -70.0, "I_e": 0.0, "V_th": -55.0, "V_reset": -70.0, "t_ref": 2.0}
FIRING = {"threshold": "V_m >= V_th", "reset": "V_m = V_reset", "refractory": "t_ref"}

MODELS: dict[str, dict[str, Any]] = {  # name -> arguments of npl.neuron
    "eq_psc_exp": {
        "equations": """
            dV_m/dt = (E_L - V_m)/tau_m + (I_syn_ex + I_syn_in + I_e)/C_m : mV
            dI_syn_ex/dt = -I_syn_ex/tau_syn_ex : pA (excitatory)
            dI_syn_in/dt = -I_syn_in/tau_syn_in : pA (inhibitory)
        """,
        "parameters": IAF | {"tau_syn_ex": 2.0, "tau_syn_in": 2.0},
        **FIRING,
    },
    "eq_psc_alpha": {
        "equations": """
            dV_m/dt = (E_L - V_m)/tau_m + (I_syn_ex + I_syn_in + I_e)/C_m : mV
            dI_syn_ex/dt = dI_ex - I_syn_ex/tau_syn_ex : pA
            dI_syn_in/dt = dI_in - I_syn_in/tau_syn_in : pA
            ddI_ex/dt = -dI_ex/tau_syn_ex : pA/ms
            ddI_in/dt = -dI_in/tau_syn_in : pA/ms
        """,
        "on_spike": {"excitatory": "dI_ex += weight*2.718281828459045/tau_syn_ex", "inhibitory": "dI_in += weight*2.718281828459045/tau_syn_in"},
        "parameters": IAF | {"tau_syn_ex": 2.0, "tau_syn_in": 2.0},
        **FIRING,
    },
    "eq_psc_delta": {
        "equations": "dV_m/dt = (E_L - V_m)/tau_m + I_e/C_m : mV (receptor)",
        "parameters": IAF,
        **FIRING,
    },
    "eq_izhikevich": {
        "equations": """
            dV_m/dt = 0.04/(ms*mV)*V_m*V_m + 5/ms*V_m + 140*mV/ms - U_m + I_e*GOhm/ms : mV (receptor)
            dU_m/dt = a*(b*V_m - U_m) : mV/ms
        """,
        "threshold": "V_m >= V_th",
        "reset": "V_m = c; U_m += d",
        "parameters": {"a": 0.02, "b": 0.2, "c": -65.0, "d": 8.0, "I_e": 0.0, "V_th": 30.0},
        "initial": {"V_m": -65.0, "U_m": -13.0},
        "integrator": "euler",
    },
    "eq_aeif": {
        "equations": """
            dV_m/dt = (-g_L*(V_m - E_L) + g_L*Delta_T*exp((V_m - V_th)/Delta_T) - w + I_syn + I_e) / C_m : mV
            dw/dt = (a*(V_m - E_L) - w) / tau_w : pA
            I_syn = -g_ex*(V_m - E_ex) - g_in*(V_m - E_in) : pA
            dg_ex/dt = -g_ex/tau_syn_ex : nS (excitatory)
            dg_in/dt = -g_in/tau_syn_in : nS (inhibitory)
        """,
        "threshold": "V_m >= V_peak",
        "reset": "V_m = V_reset; w += b",
        "refractory": "t_ref",
        "parameters": {
            "E_L": -70.6, "C_m": 281.0, "g_L": 30.0, "t_ref": 2.0, "V_th": -50.4, "V_reset": -60.0, "V_peak": 0.0, "Delta_T": 2.0,
            "a": 4.0, "b": 80.5, "tau_w": 144.0, "I_e": 0.0, "E_ex": 0.0, "E_in": -85.0, "tau_syn_ex": 0.2, "tau_syn_in": 2.0,
        },
        "initial": {"V_m": "E_L"},
    },
    "eq_hh": {
        "equations": """
            dV_m/dt = (I_e + I_syn - g_L*(V_m - E_L) - g_Na*m**3*h*(V_m - E_Na) - g_K*n**4*(V_m - E_K))/C_m : mV
            u = V_m/mV
            dm/dt = (exprel(-(u + 40)/10)**-1*(1 - m) - 4*exp(-(u + 65)/18)*m)/ms : 1
            dh/dt = (0.07*exp(-(u + 65)/20)*(1 - h) - h/(1 + exp(-(u + 35)/10)))/ms : 1
            dn/dt = (0.1/exprel(-(u + 55)/10)*(1 - n) - 0.125*exp(-(u + 65)/80)*n)/ms : 1
            dI_syn/dt = rise - I_syn/tau_syn : pA
            drise/dt = -rise/tau_syn : pA/ms
        """,
        "on_spike": {"spikes": "rise += weight*exp(1)/tau_syn"},
        "threshold": "V_m > 0*mV",
        "refractory": "t_ref",
        "parameters": {
            "E_L": -54.402, "C_m": 100.0, "g_L": 30.0, "g_Na": 12000.0, "g_K": 3600.0, "E_Na": 50.0, "E_K": -77.0, "t_ref": 2.0,
            "tau_syn": 0.2, "I_e": 0.0,
        },
        "initial": {"V_m": -65.0, "m": 0.05293248525724958, "h": 0.5961207535084603, "n": 0.3176769140606974},
    },
    "eq_qif": {
        "equations": """
            dV_m/dt = (k*(V_m - V_rest)*(V_m - V_c) + I_syn + I_e)/C_m : mV
            dI_syn/dt = -I_syn/tau_syn : pA (receptor)
        """,
        "threshold": "V_m >= V_peak",
        "reset": "V_m = V_reset",
        "parameters": {
            "C_m": 200.0, "k": 1.0, "V_rest": -65.0, "V_c": -50.0, "V_peak": 20.0, "V_reset": -68.0, "tau_syn": 2.0, "I_e": 0.0,
        },
    },
    "eq_morris_lecar": {
        "equations": """
            dV_m/dt = (I_e + I_syn - g_Ca*m_inf*(V_m - E_Ca) - g_K*w*(V_m - E_K) - g_L*(V_m - E_L))/C_m : mV
            dw/dt = phi*(exp(x) + exp(-x))/2*(w_inf - w) : 1
            dI_syn/dt = -I_syn/tau_syn : pA (receptor)
            m_inf = (1 + tanh((V_m - V_1)/V_2))/2
            w_inf = (1 + tanh((V_m - V_3)/V_4))/2
            x = (V_m - V_3)/(2*V_4)
        """,
        "threshold": "V_m > 0*mV",
        "parameters": {
            "C_m": 20.0, "g_Ca": "4.4 nS", "g_K": 8.0, "g_L": 2.0, "E_Ca": "120 mV", "E_K": -84.0, "E_L": -60.0, "V_1": "-1.2 mV",
            "V_2": "18 mV", "V_3": "2 mV", "V_4": "30 mV", "phi": "0.04 1/ms", "tau_syn": 2.0, "I_e": 0.0,
        },
        "initial": {"V_m": -60.0, "w": 0.015},
    },
}  # fmt: skip

GALLERY = {  # name -> title, source and the current that is switched on [pA]
    "eq_psc_delta": ("Leaky integrate-and-fire, jumps", "Brunel 2000", 400.0),
    "eq_psc_exp": ("... with exponential currents", "Tsodyks et al. 2000", 400.0),
    "eq_psc_alpha": ("... with alpha currents", "Rotter & Diesmann 1999", 400.0),
    "eq_qif": ("Quadratic integrate-and-fire", "Izhikevich 2007", 200.0),
    "eq_izhikevich": ("Two variables", "Izhikevich 2003", 10.0),
    "eq_aeif": ("Adaptive exponential", "Brette & Gerstner 2005", 800.0),
    "eq_hh": ("Two ion channels", "Hodgkin & Huxley 1952", 800.0),
    "eq_morris_lecar": ("Calcium spikes", "Morris & Lecar 1981", 100.0),
}
ON, OFF, END = 20.0, 170.0, 200.0  # ms


def answer(name: str, current: float, end: float = END) -> tuple[np.ndarray, np.ndarray]:
    """V_m [mV] of one neuron in steps of 0.1 ms, and the times of its spikes [ms]."""
    net = npl.Network(seed=1, threads=1)
    neuron = net.create(npl.neuron(name, **MODELS[name]))
    net.stimulate(neuron, npl.dc(amplitude=current, start=ON, stop=OFF), delay=0.1)
    potential, spikes = net.record(neuron, "V_m", interval=0.1), net.record(neuron)
    net.run(end)
    return potential.data()["V_m"][:, 0], spikes.data().times


def draw(answers: dict[str, tuple[np.ndarray, np.ndarray]], path: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, 2, figsize=(9, 9.5), sharex=True, layout="constrained")
    for axis, (name, (potential, spikes)) in zip(axes.T.flat, answers.items(), strict=False):
        title, source, current = GALLERY[name]
        axis.axvspan(ON, OFF, color="0.93")
        axis.plot(0.1 * np.arange(1, len(potential) + 1), potential, lw=1)
        axis.plot(spikes, np.full(len(spikes), 1.04), "|", color="C3", transform=axis.get_xaxis_transform(), clip_on=False)
        axis.set_title(f"{title} ({source}), {current:g} pA", fontsize=9, pad=13)
        axis.set_ylabel("V_m (mV)")
    for axis in axes[-1]:
        axis.set_xlabel("time (ms)")
    figure.savefig(path, dpi=110)


def main(path: str, names: list[str] | None = None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    answers = {name: answer(name, GALLERY[name][2]) for name in names or GALLERY}
    for name, (_, spikes) in answers.items():
        print(f"{name:16} {len(spikes):3} spikes")
    draw(answers, path)
    return answers


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", default="out/published_models.png", help="PNG file")
    arguments = parser.parse_args()
    Path(arguments.output).parent.mkdir(parents=True, exist_ok=True)
    main(arguments.output)
