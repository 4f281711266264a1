# SPDX-License-Identifier: Apache-2.0
"""Keys of nodes that NEST has and the kernel does not, with their defaults."""

from __future__ import annotations

import sys
from typing import Any

FOREVER = sys.float_info.max  # NEST's default of stop
ITSELF_ONLY: dict[str, Any] = {  # may be read, and set to this value only: the kernel has no such thing
    "Ca": 0.0,
    "tau_Ca": 10000.0,
    "beta_Ca": 0.001,
    "synaptic_elements": {},
    "frozen": False,
    "ignore_and_spike": False,
    "stimulus_source": "",
    "precise_times": False,
    "flush_event_send_interval": float("inf"),
}

_ARCHIVING = {"Ca": 0.0, "tau_Ca": 10000.0, "beta_Ca": 0.001, "tau_minus": 20.0, "tau_minus_triplet": 110.0, "synaptic_elements": {}}
_NEURON = {**_ARCHIVING, "frozen": False, "ignore_and_spike": False, "ignore_and_spike_interval": 100.0, "ignore_and_spike_offset": 1.0}
_STIMULATOR = {"label": "", "stimulus_source": "", "frozen": False}
_RECORDER = {"label": "", "record_to": "memory", "start": 0.0, "stop": FOREVER, "origin": 0.0, "time_in_steps": False, "frozen": False}
_METER = {**_RECORDER, "interval": 1.0, "offset": 0.0}
_WINDOW = {"start": 0.0, "stop": FOREVER, "origin": 0.0, "frozen": False}

RECORDERS: dict[str, dict[str, Any]] = {
    "spike_recorder": _RECORDER,
    "multimeter": {**_METER, "record_from": []},
    "voltmeter": {**_METER, "record_from": ["V_m"]},
}

_OF_MODEL: dict[str, dict[str, Any]] = {
    "spike_generator": {"allow_offgrid_times": False, "shift_now_spikes": False, "precise_times": False, "spike_weights": ()},
    "step_current_generator": {"allow_offgrid_times": False},
    "step_rate_generator": {"allow_offgrid_times": False},
    "inhomogeneous_poisson_generator": {"allow_offgrid_times": False},
    "spike_train_injector": {"allow_offgrid_times": False, "shift_now_spikes": False, "precise_times": False},
    "parrot_neuron": {"flush_event_send_interval": float("inf")},
}


def of_model(name: str, kind: str) -> dict[str, Any]:
    """NEST-only keys of a model of the kernel, with defaults."""
    common = _NEURON if kind == "neuron" else _STIMULATOR
    solver = {"gsl_error_tol": 1e-6} if name.startswith("aeif_") and name != "aeif_psc_delta" else {}
    return {**common, **solver, **_OF_MODEL.get(name, {})}
