# SPDX-License-Identifier: Apache-2.0
"""Keys of nodes that NEST has and the kernel does not, with their defaults."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WHOLE = _words("n_proc gamma_shape dead_time_shape activity n_synapses n_receptors N n_events")  # whole numbers in NEST
ENDLESS = 1e300  # from here on the kernel means forever
FOREVER = sys.float_info.max  # NEST's default of stop
ASTROCYTE = "astrocyte_lr_1994"  # no neuron: keeps no history of spikes
PARROTS = ("parrot_neuron", "parrot_neuron_ps")
BINARY = frozenset({"erfc_neuron", "ginzburg_neuron", "mcculloch_pitts_neuron"})  # neurons with two states
ITSELF_ONLY: dict[str, Any] = {  # may be read, and set to this value only: the kernel has no such thing
    "stimulus_source": "",
    "precise_times": False,
    "spike_multiplicities": (),
    "noise": (),
    "V_noise": 0.0,
}

OF_NUMBERS = frozenset({"asc_init", "spike_multiplicities", "spike_weights", "noise"})  # shown as float64 of shape (n,)

GROWTH: dict[str, Any] = {"Ca": 0.0, "beta_Ca": 0.001, "synaptic_elements": {}, "t_spike": -1.0, "tau_Ca": 10000.0}  # see elements.py
_ARCHIVING = {**GROWTH, "tau_minus": 20.0, "tau_minus_triplet": 110.0}
_NEURON = {**_ARCHIVING, "frozen": False, "ignore_and_spike": False, "ignore_and_spike_interval": 100.0, "ignore_and_spike_offset": 1.0}
_LEARNER = {key: value for key, value in _NEURON.items() if key not in _ARCHIVING} | {"flush_event_send_interval": float("inf")}
_STIMULATOR = {"label": "", "stimulus_source": "", "frozen": False}
_RECORDER = {"label": "", "record_to": "memory", "start": 0.0, "stop": FOREVER, "origin": 0.0, "time_in_steps": False, "frozen": False}
_METER = {**_RECORDER, "interval": 1.0, "offset": 0.0}
_WINDOW = {"start": 0.0, "stop": FOREVER, "origin": 0.0, "frozen": False}

RECORDERS: dict[str, dict[str, Any]] = {
    "spike_recorder": _RECORDER,
    "multimeter": {**_METER, "record_from": []},
    "spin_detector": _RECORDER,
    "correlomatrix_detector": {**_WINDOW, "N_channels": 1, "delta_tau": 0.5, "tau_max": 5.0, "Tstart": 0.0, "Tstop": FOREVER},
    "correlospinmatrix_detector": {**_WINDOW, "N_channels": 1, "delta_tau": 0.1, "tau_max": 1.0, "Tstart": 0.0, "Tstop": FOREVER},
    "correlation_detector": {**_WINDOW, "delta_tau": 0.5, "tau_max": 5.0, "Tstart": 0.0, "Tstop": FOREVER},
    "weight_recorder": _RECORDER,
    "voltmeter": {**_METER, "record_from": ["V_m"]},
}

FILTERS = {"weight_recorder": ("senders", "targets")}  # shown once they were set

_OF_MODEL: dict[str, dict[str, Any]] = {
    "spike_generator": {"allow_offgrid_times": False, "shift_now_spikes": False, "spike_weights": ()},
    "step_current_generator": {"allow_offgrid_times": False},
    "step_rate_generator": {"allow_offgrid_times": False},
    "inhomogeneous_poisson_generator": {"allow_offgrid_times": False},
    "spike_train_injector": {"allow_offgrid_times": False, "shift_now_spikes": False, "precise_times": False},
    **{key: {"asc_init": (0.0, 0.0)} for key in ("glif_psc", "glif_psc_double_alpha", "glif_cond")},
    "iaf_chs_2007": {"noise": (), "V_noise": 0.0},
    "parrot_neuron": {"flush_event_send_interval": float("inf")},
    "iaf_psc_exp_ps_lossless": {"offset": 0.0},
    "cm_default": {"compartments": (), "receptors": ()},
}


_NOT_IN_STATUS = _words(  # state of the kernel that NEST records, but does not show in the status
    "ASCurrents_sum I I_KNa I_NaP I_SIC I_T I_ahp I_ex.p I_h I_in.p g_AMPA g_GABA_A g_GABA_B g_NMDA g_ahp_now g_ex.d g_ex.p g_ex.s "
    "g_in.d g_in.p g_in.s t_ref_remaining threshold z"
)
_NOT_IN_STATUS_OF: dict[str, tuple[str, ...]] = {  # likewise, of some models that others show
    "hh_cond_exp_traub": ("g_ex", "g_in"),
    "iaf_chxk_2008": ("g_ex", "g_in", "dg_ex", "dg_in"),
    "aeif_psc_delta_clopath": ("V_th",),
    "iaf_bw_2001_exact": ("I_AMPA", "I_GABA", "I_NMDA", "s_NMDA"),
    "glif_cond": ("threshold_spike", "threshold_voltage"),
}
PRECISE = ("iaf_psc_delta_ps", "iaf_psc_alpha_ps", "iaf_psc_exp_ps", "iaf_psc_exp_ps_lossless")
_EPROP = ("eprop_iaf", "eprop_iaf_adapt", "eprop_iaf_psc_delta", "eprop_iaf_psc_delta_adapt")
_RECURRENT = (*_EPROP, "eprop_iaf_bsshslm_2020", "eprop_iaf_adapt_bsshslm_2020")
READOUTS = ("eprop_readout", "eprop_readout_bsshslm_2020")
_ALONE: dict[str, dict[str, Any]] = {  # all that models have which are no neurons or stimulators like others
    "spike_dilutor": {**_STIMULATOR, **_WINDOW, "p_copy": 1.0},
    "gif_pop_psc_exp": {"frozen": False, "len_kernel": -1},
    "volume_transmitter": {"deliver_interval": 1, "frozen": False},
    **{model: {"frozen": False} for model in (ASTROCYTE, *READOUTS)},
    **dict.fromkeys(_RECURRENT, _LEARNER),
}


def of_model(name: str, kind: str) -> dict[str, Any]:
    """NEST-only keys of a model of the kernel, with defaults."""
    if name in _ALONE:
        return dict(_ALONE[name])
    solver = {"gsl_error_tol": 1e-6} if name.startswith("aeif_") and name != "aeif_psc_delta" else {}
    return {**(_NEURON if kind == "neuron" else _STIMULATOR), **solver, **_OF_MODEL.get(name, {})}


IN_INTERVALS = {  # models whose parameters of intervals are the kernel's in NEST, by the names there
    "eprop_update_interval": "update_interval",
    "eprop_learning_window": "learning_window",
    "eprop_reset_neurons_on_update": "reset_on_update",
}
EVENT_DRIVEN = (*_EPROP, "eprop_readout")
WITH_INTERVALS = ("eprop_iaf_bsshslm_2020", "eprop_iaf_adapt_bsshslm_2020", "eprop_readout_bsshslm_2020")
CHOICES: dict[str, tuple[str, ...]] = {  # parameters that have names in NEST, by number in the kernel
    "surrogate_gradient_function": ("piecewise_linear", "exponential", "fast_sigmoid_derivative", "arctan_derivative"),
    "loss": ("mean_squared_error", "cross_entropy"),
}
NO_LOWEST = ("iaf_psc_delta", "iaf_psc_delta_ps", "izhikevich", *_RECURRENT, *READOUTS)  # V_min is the lowest number by default, not -inf
_READ_ONLY = _words(  # state that is shown, but not settable
    "E_sfa I_AMPA I_GABA I_NMDA I_stc I_syn S V_th V_th_adapt error_signal h is_refractory learning_signal mean n_events readout_signal "
    "readout_signal_unnorm surrogate_gradient target_signal"
)
_READ_ONLY_OF = {"iaf_psc_alpha_ps": {"I_syn_ex", "I_syn_in", "dI_syn_ex", "dI_syn_in"}, "iaf_psc_exp_ps_lossless": {"offset"}}
NOT_OF_NEST: dict[str, tuple[str, ...]] = {  # parameters that only the kernel has
    "iaf_psc_exp_multisynapse": ("V_min",),
    **dict.fromkeys(WITH_INTERVALS, tuple(IN_INTERVALS.values())),
}
ELEMENT_TYPES = {
    "spike_dilutor": "stimulator",
    "spike_train_injector": "neuron",
    "volume_transmitter": "other",
}  # that are not the kernel's
RECORDED_AS = {"iaf_chxk_2008": {"g_ahp": "g_ahp_now"}}  # recordables that have the name of a parameter: the kernel's name
KERNEL_NAMES = {"spike_dilutor": "parrot_neuron", "spike_train_injector": "spike_generator"}  # models of NEST that are one in the kernel
_PORTS: dict[str, list[str]] = {  # names of receptors, from 1
    "ht_neuron": ["AMPA", "NMDA", "GABA_A", "GABA_B"],
    **{model: ["AMPA", "GABA", "NMDA"] for model in ("iaf_bw_2001", "iaf_bw_2001_exact")},
    "iaf_cond_alpha_mc": [f"{part}_{kind}" for part in ("soma", "proximal", "distal") for kind in ("exc", "inh")]
    + ["soma_curr", "proximal_curr", "distal_curr"],
    "eprop_readout": ["eprop_learning_window", "target_signal"],
    "eprop_readout_bsshslm_2020": ["readout_signal", "target_signal"],
    "pp_cond_exp_mc_urbanczik": ["soma_exc", "soma_inh", "dendritic_exc", "dendritic_inh", "soma_curr", "dendritic_curr"],
}
RECEPTOR_TYPES = {model: {name: 1 + k for k, name in enumerate(names)} for model, names in _PORTS.items()}
_NOT_RECORDED: dict[str, tuple[str, ...]] = {  # beginnings of names that NEST shows, but does not record; "": in all models
    "": (*(f"ASCurrents_{k}" for k in range(1, 5)), "V_th_alpha_", "dI_syn_", "dg_", "is_refractory", "w_NMDA_"),
    "mat2_psc_exp": ("I_syn",),
    "gif_cond_exp_multisynapse": ("g_",),
    "gif_psc_exp_multisynapse": ("I_syn_",),
    "glif_psc": ("I_syn_",),
    "glif_psc_double_alpha": ("I_syn_",),
    "iaf_psc_exp_ps": ("I_syn_",),
    "iaf_tum_2000": ("x", "y", "u"),
}


@cache
def is_of_rate(model: str) -> bool:
    """Whether a model has a rate in place of spikes."""
    return ("_rate_" in model and not model.startswith("step")) or model.startswith("rate_transformer") or model == "siegert_neuron"


@cache
def uses_wfr(model: str) -> bool:
    """Whether connections without delay may end on nodes of a model."""
    return is_of_rate(model) or "_gap" in model


@cache
def is_silent(model: str) -> bool:
    """Whether nodes of a model send no spikes."""
    return is_of_rate(model) or model == ASTROCYTE


@cache
def same_as(model: str) -> dict[str, tuple[str, ...]]:
    """Names that NEST's users know rate neurons' parameters by -> those of the kernel: all are set, the last is shown."""
    if not is_of_rate(model) or model == "siegert_neuron":
        return {}
    gauss = {"mu": "gain_mu", "sigma": "gain_sigma"} if "gauss" in model else {}
    if model.startswith("rate_transformer"):
        return {key: (name,) for key, name in gauss.items()}
    return {"mean": ("mu",), "std": ("sigma",)} | {key: (key, name) for key, name in gauss.items()}


def in_status(model: str, state: str) -> bool:
    """Whether NEST shows a state variable in the status of a model."""
    hidden = state.startswith("I_syn") and not model.startswith(("aeif_psc", "gif_pop", *PRECISE))
    return not hidden and not state.startswith("w_NMDA_") and state not in _NOT_IN_STATUS and state not in _NOT_IN_STATUS_OF.get(model, ())


def read_only(model: str, states: Iterable[str]) -> set[str]:
    """Keys of a model that are shown and cannot be set."""
    found = {state for state in states if state in _READ_ONLY} | _READ_ONLY_OF.get(model, set())
    return found - {"E_sfa"} if model == "pp_psc_delta" else found


def is_recorded(model: str, state: str) -> bool:
    """Whether NEST's multimeter records a state variable of a model."""
    return not state.startswith((*_NOT_RECORDED[""], *_NOT_RECORDED.get(model, ())))
