# SPDX-License-Identifier: Apache-2.0
"""Published models as equations, most of them built-in models as well: name -> arguments of `neuron`."""

E = 2.718281828459045

IAF = {"C_m": 250.0, "tau_m": 10.0, "E_L": -70.0, "I_e": 0.0, "V_th": -55.0, "V_reset": -70.0, "t_ref": 2.0}
FIRING = {"threshold": "V_m >= V_th", "reset": "V_m = V_reset", "refractory": "t_ref"}

MODELS = {
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
}  # fmt: skip
