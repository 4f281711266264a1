# SPDX-License-Identifier: Apache-2.0
"""What scripts of NEST see of models: what the C++ file of each says (cpp/base/field.hpp: Face, and marks of fields), and keys of all of a kind."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...classes import Entry
from ...engine import catalog

ENDLESS = 1e300  # from here on the kernel means forever
FOREVER = sys.float_info.max  # NEST's default of stop
FIXED: dict[str, Any] = {"stimulus_source": "", "precise_times": False, "spike_multiplicities": ()}
"""Keys that may be set to this value only, where the kernel has no such thing."""

GROWTH: dict[str, Any] = {"Ca": 0.0, "beta_Ca": 0.001, "synaptic_elements": {}, "t_spike": -1.0, "tau_Ca": 10000.0}  # see elements.py
_ARCHIVE = {**GROWTH, "tau_minus": 20.0, "tau_minus_triplet": 110.0}
_CLOCK = {"ignore_and_spike": False, "ignore_and_spike_interval": 100.0, "ignore_and_spike_offset": 1.0}
_STIMULATOR = {"label": "", "stimulus_source": "", "frozen": False}
_INJECTOR = {**_STIMULATOR, "allow_offgrid_times": False, "shift_now_spikes": False}
_WINDOW = {"start": 0.0, "stop": FOREVER, "origin": 0.0, "frozen": False}
_RECORDER = {"label": "", "record_to": "memory", **_WINDOW, "time_in_steps": False}
_METER = {**_RECORDER, "interval": 1.0, "offset": 0.0}
_CORRELATION = {**_WINDOW, "Tstart": 0.0, "Tstop": FOREVER}

RECORDERS: dict[str, dict[str, Any]] = {  # nodes of NEST that the kernel does not simulate
    **dict.fromkeys(("spike_recorder", "spin_detector", "weight_recorder"), _RECORDER),
    "multimeter": {**_METER, "record_from": []},
    "voltmeter": {**_METER, "record_from": ["V_m"]},
    "correlation_detector": {**_CORRELATION, "delta_tau": 0.5, "tau_max": 5.0},
    "correlomatrix_detector": {**_CORRELATION, "N_channels": 1, "delta_tau": 0.5, "tau_max": 5.0},
    "correlospinmatrix_detector": {**_CORRELATION, "N_channels": 1, "delta_tau": 0.1, "tau_max": 1.0},
}
FILTERS = {"weight_recorder": ("senders", "targets")}  # shown once they were set


@dataclass(frozen=True, slots=True)
class Face:
    """Of a node model.

    extras : keys that only NEST has, with their defaults; fixed : those of them that may be set to nothing else
    receptors : names, from 1; current_ports : numbers of those that take currents; compartments : keys with dicts, and the potential in each
    element_type : where it is not the kind; not_default : keys of nodes that GetDefaults does not show
    own_synapses : the kernel's synapses between nodes of the model, by receptor type; lent : parameters that they have from their sources
    restarts : parameters, and the state variable that is 0 after one was set; bad_value : class of errors of values, where not BadProperty
    """

    extras: Mapping[str, Any]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    receptors: tuple[str, ...] = ()
    compartments: Mapping[str, str] = field(default_factory=dict)
    element_type: str = ""
    not_default: tuple[str, ...] = ()
    own_synapses: Mapping[int, str] = field(default_factory=dict)
    lent: frozenset[str] = frozenset()
    restarts: Mapping[str, str] = field(default_factory=dict)
    bad_value: str = ""
    silent: bool = False
    binary: bool = False
    second_receptor: bool = False
    receptors_from_1: bool = False
    no_currents: bool = False
    off_grid: bool = False
    sampled: bool = False
    uses_wfr: bool = False

    @property
    def receptor_types(self) -> dict[str, int]:
        """Numbers of receptors by their names."""
        return {name: 1 + k for k, name in enumerate(self.receptors)}

    @property
    def current_ports(self) -> list[int]:
        """Receptors that take currents: of the soma, of other compartments."""
        return [1 + k for k, name in enumerate(self.receptors) if name.endswith("_curr")]


BORROWED: dict[str, tuple[str, Face]] = {  # models of NEST that are another one in the kernel
    "spike_dilutor": ("parrot_neuron", Face({**_STIMULATOR, **_WINDOW, "p_copy": 1.0}, FIXED, element_type="stimulator")),
    "spike_train_injector": ("spike_generator", Face(_INJECTOR, FIXED, element_type="neuron")),
}


def face_of(name: str, entry: Entry, kind: str) -> Face:
    """The face of a model of the kernel, by its name in NEST."""
    if name in BORROWED:
        return BORROWED[name][1]
    says = entry.face
    base: dict[str, Any] = {"frozen": False} if kind == "neuron" else _STIMULATOR
    if kind == "neuron":
        base = base | (_ARCHIVE if says.get("archives", True) else {}) | (_CLOCK if says.get("ignores", True) else {})
    fixed, own = values(says.get("fixed_keys", "")), words(says.get("own_synapse", ""))
    extras = {key: value for key, value in {**base, **values(says.get("keys", "")), **fixed}.items() if key not in entry.names}
    return Face(
        extras,
        {**FIXED, **fixed},
        tuple(says.get("receptors", "").split()),
        words(says.get("compartments", "")),
        says.get("element_type", ""),
        tuple(says.get("not_default", "").split()),
        {int(receptor): synapse for receptor, synapse in own.items()},
        frozenset(key for synapse in own.values() for key in catalog.synapses()[synapse].parameters),
        words(says.get("restarts", "")),
        says.get("bad_value", ""),
        silent=says.get("silent", False) or not entry.spikes,
        **{flag: says.get(flag, False) for flag in _FLAGS},
        uses_wfr=not entry.spikes or "potential" in entry.takes,
    )


_FLAGS = ("binary", "second_receptor", "receptors_from_1", "no_currents", "off_grid", "sampled")


def words(text: str) -> dict[str, str]:
    """Pairs of a text such as "soma=V_m.s dendritic=V_m.p"."""
    return dict(word.split("=") for word in text.split())


def values(text: str) -> dict[str, Any]:
    """Keys and values of a text such as "offset=0.0 noise=[]"."""
    found = {key: json.loads(value) for key, value in words(text).items()}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in found.items()}


def is_shown(f: catalog.Field) -> bool:
    """Whether a parameter or state variable of the kernel is a key of the status, by its own name."""
    return not f.name.startswith("_") and not {"hidden", "recorded_only"}.intersection(f.marks)


def is_recorded(f: catalog.Field) -> bool:
    """Whether a multimeter records a state variable."""
    return not f.name.startswith("_") and not {"hidden", "status_only"}.intersection(f.marks)


def named(entry: Entry) -> dict[str, tuple[str, ...]]:
    """Names that only NEST has -> those of the kernel: all are set, the last is shown."""
    fields = [*entry.parameters.values(), *entry.state.values()]
    own = {f.name for f in fields if is_shown(f)}
    return {f.nest_name: (*{f.nest_name}.intersection(own), f.name) for f in fields if f.nest_name and "recorded_only" not in f.marks}
