# SPDX-License-Identifier: Apache-2.0
"""What neuron models go through in cases/models.py: currents, spikes at fixed times, traces and spike times.

A `Case` is one run of one neuron from its defaults with `params` (NEST's names and forms: lists for arrays, booleans).
"""

from dataclasses import dataclass, field

RESOLUTION = 0.1  # ms
INTERVAL = 0.7  # ms between samples: all phases of a millisecond come up
EXACT = 1e-9  # mV, pA: closed solutions
SOLVED = 2e-3  # mV: NEST's solver is allowed 1e-3 per substep

Train = tuple[list[float], float]  # times (ms) and weight (pA, nS, mV)


@dataclass(frozen=True)
class Case:
    name: str
    model: str
    params: dict = field(default_factory=dict)
    trains: tuple = ()  # of (times, weight) or (times, weight, receptor)
    current: tuple = ((), ())  # times, amplitudes (ms, pA)
    record: tuple = ("V_m",)
    duration: float = 120.0
    tolerance: float = EXACT
    spikes: bool = False  # must it spike?
    relative: tuple = ()  # compared from their first sample on: NEST's multimeter gives V_m of iaf_psc_exp_htum relative to E_L
    scale: dict = field(default_factory=dict)  # quantities that may differ by more than the tolerance, and by how much


def by_sign(model: str, weight: float, calm: float, busy: float, tolerance: float, record: tuple, **more: dict) -> list[Case]:
    """Two cases of a model with two receptors: spikes and a current below threshold, and a current that makes it spike."""
    trains = (([3.0, 9.5, 9.5, 20.0, 21.3], weight), ([5.0, 30.0, 31.1], -weight), ([50.0 + 3.3 * k for k in range(10)], 0.4 * weight))
    common = {"model": model, "trains": trains, "record": record, "tolerance": tolerance}
    return [
        Case(f"{model}-calm", params=more.get("calm_params", {}), current=([10.0, 60.0, 90.0], [calm, -calm, 0.5 * calm]), **common, **more.get("both", {})),
        Case(f"{model}-busy", params=more.get("busy_params", {}), current=([10.0, 60.0, 90.0], [busy, 0.5 * busy, 1.5 * busy]), spikes=True, **common,
             **more.get("both", {})),
    ]  # fmt: skip


def by_port(
    model: str, weight: float, calm: float, busy: float, tolerance: float, record: tuple, name: str = "", **params: object
) -> list[Case]:
    """The same for a model with three receptors in use."""
    trains = (
        ([3.0, 9.5, 9.5, 20.0, 21.3], weight, 1),
        ([5.0, 30.0, 31.1], 0.7 * weight, 2),
        ([50.0 + 3.3 * k for k in range(10)], 0.4 * weight, 3),
    )
    common = {"model": model, "trains": trains, "record": record, "tolerance": tolerance, "params": params}
    return [
        Case(f"{name or model}-calm", current=([10.0, 60.0, 90.0], [calm, -calm, 0.5 * calm]), **common),
        Case(f"{name or model}-busy", current=([10.0, 60.0, 90.0], [busy, 0.5 * busy, 1.5 * busy]), spikes=True, **common),
    ]


G = ("V_m", "g_ex", "g_in")
I = ("V_m", "I_syn_ex", "I_syn_in")  # noqa: E741

# Random neurons that fire as good as certainly at their threshold and as good as never below.
GIF = {
    "Delta_V": 1e-3,
    "lambda_0": 1e6,
    "V_T_star": -50.0,
    "q_sfa": [2.0, 3.0],
    "tau_sfa": [10.0, 100.0],
    "q_stc": [5.0, -2.0],
    "tau_stc": [8.0, 40.0],
}
THRESHOLD = {"c_2": 1e6, "c_3": 3000.0, "V_m": -5.0, "q_sfa": [1.0, 0.5], "tau_sfa": [10.0, 100.0], "dead_time": 0.5}

ADAPTS = ("spike_dependent_threshold", "after_spike_currents", "adapting_threshold")
GLIF = [dict(zip(ADAPTS, map(bool, flags), strict=True)) for flags in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (1, 1, 1))]
GLIF_STATE = ("threshold", "threshold_spike", "threshold_voltage", "ASCurrents_sum")

HT_TRAINS = (([3.0, 9.5, 50.0], 1.0, 1), ([20.0, 21.0], 0.5, 2), ([30.0], 1.0, 3), ([40.0], 2.0, 4))
HT_STATE = ("g_AMPA", "g_NMDA", "g_GABA_A", "g_GABA_B", "I_NaP", "I_KNa", "I_T", "I_h")

CASES = [
    *by_sign("iaf_cond_alpha", 6.0, 80.0, 700.0, SOLVED, (*G, "t_ref_remaining")),
    *by_sign("iaf_cond_beta", 6.0, 80.0, 700.0, SOLVED, (*G, "t_ref_remaining"),
             busy_params={"tau_rise_ex": 0.5, "tau_decay_ex": 3.0, "tau_rise_in": 1.0, "tau_decay_in": 0.7}),
    *by_sign("iaf_cond_exp_sfa_rr", 3.0, 80.0, 900.0, SOLVED, (*G, "g_sfa", "g_rr")),
    *by_sign("aeif_cond_alpha", 6.0, 200.0, 1000.0, 1e-4, (*G, "w")),
    *by_sign("aeif_psc_exp", 300.0, 200.0, 1000.0, 1e-4, (*I, "w"), busy_params={"t_ref": 2.0}),
    *by_sign("aeif_psc_alpha", 200.0, 200.0, 1000.0, 1e-4, (*I, "w")),
    *by_sign("aeif_psc_delta", 2.0, 200.0, 1000.0, 1e-4, ("V_m", "w"), busy_params={"t_ref": 3.0}),
    *by_sign("hh_cond_exp_traub", 1.0, 30.0, 500.0, 2e-3, (*G, "Act_m", "Inact_h", "Act_n"),
             calm_params={"E_L": -75.0}, both={"scale": {"V_m": 2000.0, "Act_m": 20.0, "Inact_h": 20.0, "Act_n": 20.0}}),
    *by_sign("iaf_psc_exp_htum", 150.0, 200.0, 800.0, EXACT, I, busy_params={"t_ref_abs": 1.2, "t_ref_tot": 6.0}, both={"relative": ("V_m",)}),
    *by_sign("mat2_psc_exp", 150.0, 150.0, 1500.0, EXACT, ("V_m", "V_th"), both={}),
    *by_sign("amat2_psc_exp", 50.0, 50.0, 800.0, EXACT, (*I, "V_th", "V_th_v"), calm_params={"beta": -0.3}, busy_params={"beta": 0.3, "alpha_2": 2.0}),
    *by_port("iaf_psc_exp_multisynapse", -100.0, 200.0, 800.0, EXACT, ("V_m", "I_syn", "I_syn_1", "I_syn_3"), tau_syn=[0.7, 9.0, 25.0]),
    *by_port("iaf_psc_alpha_multisynapse", 60.0, 20.0, 800.0, EXACT, ("V_m", "I_syn", "I_syn_1", "I_syn_3"), tau_syn=[0.7, 9.0, 25.0]),
    *by_sign("gif_psc_exp", 20.0, 5.0, 200.0, EXACT, (*I, "E_sfa", "I_stc"), busy_params=GIF),
    *by_port("gif_psc_exp_multisynapse", 12.0, 5.0, 200.0, EXACT, ("V_m", "E_sfa", "I_stc"), tau_syn=[0.7, 9.0, 25.0], **GIF),
    *by_sign("gif_cond_exp", 2.0, 5.0, 200.0, SOLVED, (*G, "E_sfa", "I_stc"), busy_params=GIF | {"Delta_V": 1e-4}),
    *by_port("gif_cond_exp_multisynapse", 0.5, 5.0, 200.0, SOLVED, ("V_m", "E_sfa", "I_stc"), tau_syn=[0.7, 9.0, 25.0], E_rev=[0.0, -80.0, -20.0], **GIF),
    *by_sign("pp_psc_delta", 0.4, 50.0, 300.0, EXACT, ("V_m", "E_sfa"), calm_params={"c_2": 0.0}, busy_params=THRESHOLD),
    *by_port("aeif_cond_alpha_multisynapse", 3.0, 100.0, 1000.0, 1e-4, ("V_m", "w", "g_1", "g_3"), tau_syn=[0.7, 9.0, 2.0], E_rev=[0.0, -80.0, -20.0]),
    *by_port("aeif_cond_beta_multisynapse", 3.0, 100.0, 1000.0, 1e-4, ("V_m", "w", "g_1", "g_3"),
             tau_rise=[0.7, 2.0, 1.0], tau_decay=[3.0, 15.0, 1.0], E_rev=[0.0, -80.0, -20.0]),
    *(
        case
        for k, flags in enumerate(GLIF)
        for case in by_port("glif_psc", 40.0, 50.0, 350.0, EXACT, ("V_m", "I_syn", *GLIF_STATE), name=f"glif_psc{k + 1}", tau_syn=[0.7, 2.0, 25.0], **flags)
    ),
    *(
        case
        for k, flags in enumerate(GLIF)
        for case in by_port("glif_cond", 1.0, 50.0, 350.0, SOLVED, ("V_m", "g_1", "g_3", *GLIF_STATE), name=f"glif_cond{k + 1}",
                            tau_syn=[0.7, 2.0, 25.0], E_rev=[0.0, -85.0, -10.0], **flags)
    ),
    *(
        Case(f"ht_neuron-{name}", "ht_neuron", trains=HT_TRAINS, record=("V_m", "theta", *HT_STATE), current=([10.0, 60.0, 90.0], [amp, -0.2 * amp, 0.5 * amp]),
             tolerance=SOLVED, spikes=name == "busy", params=params, scale={"V_m": 30.0, "theta": 30.0, "I_T": 100.0, "I_NaP": 10.0, "I_h": 10.0})
        for name, amp, params in (("calm", 3.0, {}), ("busy", 40.0, {}), ("instant", 3.0, {"instant_unblock_NMDA": True}))
    ),
    *by_port("glif_psc_double_alpha", 20.0, 50.0, 350.0, EXACT, ("V_m", "I_syn", *GLIF_STATE),
             tau_syn_fast=[0.7, 2.0, 25.0], tau_syn_slow=[3.0, 6.0, 30.0], amp_slow=[0.3, 0.5, 1.2], **GLIF[4]),
    Case("iaf_chs_2007-calm", "iaf_chs_2007", trains=(([5.0, 30.0], 0.8), ([7.0], -1.0))),
    Case("iaf_chs_2007-busy", "iaf_chs_2007", trains=(([5.0, 12.0, 12.4, 40.0, 41.0], 1.5),), spikes=True),
]  # fmt: skip
