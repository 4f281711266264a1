# SPDX-License-Identifier: Apache-2.0
"""Right-hand sides of the models with differential equations, written again from the papers: what a neuron does between spikes.

Each is f(t, y, p): y in the order of the case's `start`, p the parameters by name; derivatives per ms.
"""

import numpy as np


def alpha(y, tau):
    """Slopes of a conductance or current and of its rise."""
    g, rise = y
    return [rise - g / tau, -rise / tau]


def iaf_cond_alpha(t, y, p):
    """Meffin et al. 2004 with alpha functions."""
    v, g_ex, dg_ex, g_in, dg_in = y
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) - g_ex * (v - p["E_ex"]) - g_in * (v - p["E_in"])
    return [current / p["C_m"], *alpha((g_ex, dg_ex), p["tau_syn_ex"]), *alpha((g_in, dg_in), p["tau_syn_in"])]


def pp_cond_exp_mc_urbanczik(t, y, p):
    """Urbanczik & Senn 2014: soma with conductances, dendrite with currents."""
    soma, dendrite, g_ex, g_in, i_ex, i_in = y
    current = p["soma_I_e"] - p["soma_g_L"] * (soma - p["soma_E_L"]) - p["g_sp"] * (soma - dendrite)
    current -= g_ex * (soma - p["soma_E_ex"]) + g_in * (soma - p["soma_E_in"])
    into = p["dendritic_I_e"] - p["dendritic_g_L"] * (dendrite - p["dendritic_E_L"]) - p["g_ps"] * (dendrite - soma) + i_ex + i_in
    taus = [p[f"{part}_tau_syn_{sign}"] for part in ("soma", "dendritic") for sign in ("ex", "in")]
    return [current / p["soma_C_m"], into / p["dendritic_C_m"], *(-x / tau for x, tau in zip(y[2:], taus, strict=True))]


def iaf_cond_alpha_mc(t, y, p):
    """Soma, proximal and distal dendrite in a row; y: three potentials, g_ex and g_in of each, then their rises in the same order."""
    v, conductances, rises = y[:3], y[3:9], y[9:]
    between = [p["g_sp"] * (v[0] - v[1]), p["g_pd"] * (v[1] - v[2])]
    arriving = [-between[0], between[0] - between[1], between[1]]
    slopes, g_slopes, rise_slopes = [], [], []
    for k, part in enumerate(("soma", "proximal", "distal")):
        g_ex, g_in = conductances[2 * k : 2 * k + 2]
        leak = p[f"{part}_g_L"] * (v[k] - p[f"{part}_E_L"])
        synaptic = g_ex * (v[k] - p[f"{part}_E_ex"]) + g_in * (v[k] - p[f"{part}_E_in"])
        slopes.append((p[f"{part}_I_e"] - leak - synaptic + arriving[k]) / p[f"{part}_C_m"])
        for which, sign in enumerate(("ex", "in")):
            g, rise = alpha((conductances[2 * k + which], rises[2 * k + which]), p[f"{part}_tau_syn_{sign}"])
            g_slopes.append(g)
            rise_slopes.append(rise)
    return [*slopes, *g_slopes, *rise_slopes]


def iaf_cond_beta(t, y, p):
    v, g_ex, dg_ex, g_in, dg_in = y
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) - g_ex * (v - p["E_ex"]) - g_in * (v - p["E_in"])
    ex = [dg_ex - g_ex / p["tau_rise_ex"], -dg_ex / p["tau_decay_ex"]]
    return [current / p["C_m"], *ex, dg_in - g_in / p["tau_rise_in"], -dg_in / p["tau_decay_in"]]


def iaf_cond_exp_sfa_rr(t, y, p):
    """Dayan & Abbott 2001, page 166."""
    v, g_ex, g_in, g_sfa, g_rr = y
    synaptic = g_ex * (v - p["E_ex"]) + g_in * (v - p["E_in"]) + g_sfa * (v - p["E_sfa"]) + g_rr * (v - p["E_rr"])
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) - synaptic
    return [current / p["C_m"], -g_ex / p["tau_syn_ex"], -g_in / p["tau_syn_in"], -g_sfa / p["tau_sfa"], -g_rr / p["tau_rr"]]


def aeif_membrane(v, w, p, synaptic):
    """Slopes of V and w (Brette & Gerstner 2005)."""
    spike = p["g_L"] * p["Delta_T"] * np.exp((min(v, p["V_peak"]) - p["V_th"]) / p["Delta_T"])
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) + spike + synaptic - w
    return current / p["C_m"], (p["a"] * (v - p["E_L"]) - w) / p["tau_w"]


def aeif_cond_alpha(t, y, p):
    v, g_ex, dg_ex, g_in, dg_in, w = y
    dv, dw = aeif_membrane(v, w, p, -g_ex * (v - p["E_ex"]) - g_in * (v - p["E_in"]))
    return [dv, *alpha((g_ex, dg_ex), p["tau_syn_ex"]), *alpha((g_in, dg_in), p["tau_syn_in"]), dw]


def aeif_psc_exp(t, y, p):
    v, ex, inh, w = y
    dv, dw = aeif_membrane(v, w, p, ex - inh)
    return [dv, -ex / p["tau_syn_ex"], -inh / p["tau_syn_in"], dw]


def aeif_psc_alpha(t, y, p):
    v, ex, d_ex, inh, d_in, w = y
    dv, dw = aeif_membrane(v, w, p, ex - inh)
    return [dv, *alpha((ex, d_ex), p["tau_syn_ex"]), *alpha((inh, d_in), p["tau_syn_in"]), dw]


def aeif_psc_delta(t, y, p):
    return list(aeif_membrane(y[0], y[1], p, 0.0))


def aeif_ports(t, y, p, decay):
    v, g1, d1, g2, d2, w = y
    dv, dw = aeif_membrane(v, w, p, -g1 * (v - p["E_rev_1"]) - g2 * (v - p["E_rev_2"]))
    slopes = [(d - g / p[f"{decay}_{k}"], -d / p[f"{decay.replace('decay', 'rise')}_{k}"]) for k, g, d in ((1, g1, d1), (2, g2, d2))]
    return [dv, *slopes[0], *slopes[1], dw]


def aeif_cond_alpha_multisynapse(t, y, p):
    return aeif_ports(t, y, p, "tau_syn")


def aeif_cond_beta_multisynapse(t, y, p):
    return aeif_ports(t, y, p, "tau_decay")


def gif_cond_exp(t, y, p):
    """Mensi et al. 2012, below threshold."""
    v, g_ex, g_in = y
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) - g_ex * (v - p["E_ex"]) - g_in * (v - p["E_in"])
    return [current / p["C_m"], -g_ex / p["tau_syn_ex"], -g_in / p["tau_syn_in"]]


def gif_cond_exp_multisynapse(t, y, p):
    v, g1, g3 = y
    current = p["I_e"] - p["g_L"] * (v - p["E_L"]) - g1 * (v - p["E_rev_1"]) - g3 * (v - p["E_rev_3"])
    return [current / p["C_m"], -g1 / p["tau_syn_1"], -g3 / p["tau_syn_3"]]


def glif_cond(t, y, p):
    """Teeter et al. 2018, below threshold."""
    v, g1, d1, g2, d2 = y
    current = -p["g_m"] * (v - p["E_L"]) - g1 * (v - p["E_rev_1"]) - g2 * (v - p["E_rev_2"])
    return [current / p["C_m"], *alpha((g1, d1), p["tau_syn_1"]), *alpha((g2, d2), p["tau_syn_2"])]


def hh_cond_exp_traub(t, y, p):
    """Traub & Miles 1991 with the constants of Brette et al. 2007."""
    v, m, h, n, g_ex, g_in = y
    u = v - p["V_T"]

    def rate(x):  # x / (exp(x) - 1)
        return x / np.expm1(x) if x else 1.0

    alpha_n, beta_n = 0.032 * 5 * rate((15 - u) / 5), 0.5 * np.exp((10 - u) / 40)
    alpha_m, beta_m = 0.32 * 4 * rate((13 - u) / 4), 0.28 * 5 * rate((u - 40) / 5)
    alpha_h, beta_h = 0.128 * np.exp((17 - u) / 18), 4 / (1 + np.exp((40 - u) / 5))
    ionic = p["g_L"] * (v - p["E_L"]) + p["g_Na"] * m**3 * h * (v - p["E_Na"]) + p["g_K"] * n**4 * (v - p["E_K"])
    current = p["I_e"] - ionic - g_ex * (v - p["E_ex"]) - g_in * (v - p["E_in"])
    gates = [alpha_m * (1 - m) - beta_m * m, alpha_h * (1 - h) - beta_h * h, alpha_n * (1 - n) - beta_n * n]
    return [current / p["C_m"], *gates, -g_ex / p["tau_syn_ex"], -g_in / p["tau_syn_in"]]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def ht_neuron(t, y, p):
    """Hill & Tononi 2005 without synaptic input but for conductances that are there at the beginning."""
    v, theta, ampa, gaba, m_fast, m_slow, m_h, d, m_t, h_t = y
    i_nap = -p["g_peak_NaP"] * sigmoid((v + 55.7) / 7.7) ** p["N_NaP"] * (v - p["E_rev_NaP"])
    i_kna = -p["g_peak_KNa"] / (1 + (0.25 / d) ** 3.5) * (v - p["E_rev_KNa"])
    i_t = -p["g_peak_T"] * m_t ** p["N_T"] * h_t * (v - p["E_rev_T"])
    i_h = -p["g_peak_h"] * m_h * (v - p["E_rev_h"])
    leak = -p["g_NaL"] * (v - p["E_Na"]) - p["g_KL"] * (v - p["E_K"])
    synaptic = -ampa * (v - p["E_rev_AMPA"]) - gaba * (v - p["E_rev_GABA_A"])
    open_ = sigmoid(p["S_act_NMDA"] * (v - p["V_act_NMDA"]))
    tau_m = 0.13 + 0.22 / (np.exp(-(v + 132) / 16.7) + np.exp((v + 16.8) / 18.2))
    tau_h = 8.2 + (56.6 + 0.27 * np.exp((v + 115.2) / 5)) / (1 + np.exp((v + 86) / 3.2))
    return [
        (leak + synaptic + i_nap + i_kna + i_t + i_h) / p["tau_m"],
        -(theta - p["theta_eq"]) / p["tau_theta"],
        -ampa / p["tau_decay_AMPA"],
        -gaba / p["tau_decay_GABA_A"],
        (open_ - m_fast) / p["tau_Mg_fast_NMDA"],
        (open_ - m_slow) / p["tau_Mg_slow_NMDA"],
        (sigmoid(-(v + 75) / 5.5) - m_h) * (np.exp(-14.59 - 0.086 * v) + np.exp(-1.87 + 0.0701 * v)),
        0.025 * sigmoid((v + 10) / 5) - (d - 0.001) / p["tau_D_KNa"],
        (sigmoid((v + 59) / 6.2) - m_t) / tau_m,
        (sigmoid(-(v + 83) / 4) - h_t) / tau_h,
    ]


COARSE = (0.8, 0.4, 0.2, 0.1)
RISING = {"g_ex": 2.0, "dg_ex": 3.0, "g_in": 3.0, "dg_in": 1.0}
PORTS = {"g_1": 2.0, "dg_1": 3.0, "g_2": 3.0, "dg_2": 1.0}

LOOSE = {"gsl_error_tol": 1e-2}  # the step size is what is tested

MORE = [  # model, slopes, start, parameters, step sizes
    (iaf_cond_alpha, {"V_m": -66.0, **RISING}, {"I_e": 60.0, "tau_syn_ex": 1.5, "tau_syn_in": 4.0}, COARSE),
    (iaf_cond_alpha_mc, {"V_m.s": -66.0, "V_m.p": -64.0, "V_m.d": -75.0, "g_ex.s": 2.0, "g_in.s": 3.0, "g_ex.p": 8.0, "g_in.p": 1.0, "g_ex.d": 5.0, "g_in.d": 6.0},
     {"soma_I_e": 30.0, "distal_I_e": 50.0, "proximal_tau_syn_ex": 1.5, "distal_tau_syn_in": 4.0}, COARSE),
    (pp_cond_exp_mc_urbanczik, {"V_m.s": -66.0, "V_m.p": -60.0, "g_ex.s": 8.0, "g_in.s": 6.0, "I_ex.p": 90.0, "I_in.p": -200.0},
     {"phi_max": 0.0, "g_ps": 50.0, "soma_I_e": 30.0, "dendritic_I_e": 50.0, "soma_tau_syn_ex": 1.5, "dendritic_tau_syn_in": 4.0}, (0.4, 0.2, 0.1, 0.05)),
    (iaf_cond_beta, {"V_m": -66.0, **RISING}, {"I_e": 60.0, "tau_rise_ex": 1.5, "tau_rise_in": 4.0, "tau_decay_ex": 5.0}, COARSE),
    (iaf_cond_exp_sfa_rr, {"V_m": -66.0, "g_ex": 8.0, "g_in": 6.0, "g_sfa": 10.0, "g_rr": 50.0}, {"I_e": 60.0}, COARSE),
    (aeif_cond_alpha, {"V_m": -65.0, **RISING, "w": 30.0}, {**LOOSE, "I_e": 250.0, "tau_syn_ex": 2.0}, COARSE),
    (aeif_psc_exp, {"V_m": -65.0, "I_syn_ex": 50.0, "I_syn_in": 80.0, "w": 30.0}, {**LOOSE, "I_e": 250.0, "tau_syn_ex": 2.0}, COARSE),
    (aeif_psc_alpha, {"V_m": -65.0, "I_syn_ex": 5.0, "dI_syn_ex": 90.0, "I_syn_in": 8.0, "dI_syn_in": 9.0, "w": 30.0}, {**LOOSE, "I_e": 250.0, "tau_syn_ex": 2.0}, COARSE),
    (aeif_psc_delta, {"V_m": -65.0, "w": 30.0}, {**LOOSE, "I_e": 250.0}, COARSE),
    (aeif_cond_alpha_multisynapse, {"V_m": -65.0, **PORTS, "w": 30.0}, {**LOOSE, "I_e": 250.0, "E_rev_2": -80.0, "tau_syn_2": 5.0}, COARSE),
    (aeif_cond_beta_multisynapse, {"V_m": -65.0, **PORTS, "w": 30.0}, {**LOOSE, "I_e": 250.0, "E_rev_2": -80.0, "tau_decay_1": 5.0}, COARSE),
    (gif_cond_exp, {"V_m": -66.0, "g_ex": 3.0, "g_in": 2.0}, {"I_e": 20.0, "lambda_0": 0.0}, COARSE),
    (gif_cond_exp_multisynapse, {"V_m": -66.0, "g_1": 3.0, "g_3": 2.0}, {"I_e": 20.0, "lambda_0": 0.0, "E_rev_3": -80.0}, COARSE),
    (glif_cond, {"V_m": -70.0, **PORTS}, {"V_th": 0.0, "tau_syn_1": 2.0}, (0.4, 0.2, 0.1, 0.05)),
    (hh_cond_exp_traub, {"V_m": -66.0, "Act_m": 0.03, "Inact_h": 0.9, "Act_n": 0.05, "g_ex": 1.0, "g_in": 3.0}, {}, (0.2, 0.1, 0.05, 0.025)),
    (ht_neuron, {"V_m": -70.0, "theta": -45.0, "g_AMPA": 0.1, "g_GABA_A": 0.2}, {}, (0.2, 0.1, 0.05, 0.025)),
]  # fmt: skip
