# SPDX-License-Identifier: Apache-2.0
"""Attributes that the kernel is told: structural plasticity, waveform relaxation, and intervals of e-prop, which are a parameter of each neuron there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import Nodes
from ..engine import Ranges, catalog, to_spec
from .errors import NESTErrors, NotSupported, expect, translating
from .kernel import Session, session
from .projections import native, synapse_parameters
from .specs import ConnRule, SynSpec, to_specs
from .wires import SynapseKind

IN_INTERVALS = {  # attributes of the kernel in NEST, and the parameters of neurons that learn in intervals which they are here
    "eprop_update_interval": "update_interval",
    "eprop_learning_window": "learning_window",
    "eprop_reset_neurons_on_update": "reset_on_update",
}
_INTERVALS = "eligibility in intervals"  # what synapses read of such neurons
_OWN = {"allow_autapses": True, "allow_multapses": True, "post_synaptic_element": None, "pre_synaptic_element": None}


def set_intervals(s: Session, given: dict[str, Any]) -> None:
    """Sets intervals of e-prop for all neurons, those that are there and those to come. Raises KernelException, NotSupported."""
    before = {name: s.setting(name) for name in IN_INTERVALS}
    values = before | given
    if values == before:
        return
    interval, window = values["eprop_update_interval"], values["eprop_learning_window"]
    if not interval > 0.0:
        raise NESTErrors.KernelException("eprop_update_interval > 0 required.")
    if "eprop_learning_window" in given and not 0.0 < window <= interval:
        raise NESTErrors.KernelException("eprop_learning_window > 0 and <= eprop_update_interval required.")
    values["eprop_learning_window"] = min(window, interval)  # a longer one of before: learning all the time
    of_kernel = {IN_INTERVALS[name]: value for name, value in values.items()}
    rows = [row for row in s.registry.rows if row.model.entry.history == _INTERVALS]
    if rows and s.simulated:
        raise NotSupported(f"changing {', '.join(given)} after Simulate", "set it before")
    with translating():
        for row in rows:
            Nodes(s.network, Ranges.span(row.first, row.count)).set({key: float(value) for key, value in of_kernel.items()})
    of_nest = [s.node_models[name] for name, entry in catalog.models().items() if entry.history == _INTERVALS]
    for model in (*of_nest, *s.node_models.made()):
        if model.entry.history == _INTERVALS:
            model.kernel.update(of_kernel)
    s.settings.update(given)


def set_waveforms(s: Session, name: str, value: Any) -> None:
    """Sets one of the settings of waveform relaxation. Raises KernelException."""
    why = ""
    if name == "use_wfr" and s.registry.size:
        why = "Cannot enable/disable usage of waveform relaxation after nodes have been created. Please call ResetKernel first."
    elif name == "wfr_comm_interval" and s.wires.any:
        why = "Cannot change waveform communication interval after connections have been created. Please call ResetKernel first."
    elif name == "wfr_comm_interval" and not s.setting("use_wfr"):
        why = "Cannot set waveform communication interval when usage of waveform relaxation is disabled. Set use_wfr to true first."
    elif name == "wfr_comm_interval" and not value >= s.resolution:
        why = "Communication interval of the waveform relaxation must be greater or equal to the resolution of the simulation."
    elif name == "wfr_interpolation_order" and value not in (0, 1, 3):
        why = "Interpolation order must be 0, 1, or 3."
    elif name == "wfr_max_iterations" and value < 1:
        why = "Maximal number of iterations  for the waveform relaxation must be positive. To disable waveform relaxation set use_wfr instead."
    elif name == "wfr_tol" and not value >= 0.0:
        why = "Tolerance must be zero or positive"
    if why:
        raise NESTErrors.KernelException(why)
    if name == "use_wfr" and value and not s.setting("use_wfr"):
        s.settings["wfr_comm_interval"] = s.resolution
    s.settings[name] = value
    s.tell_waveforms()


# --- structural plasticity


def EnableStructuralPlasticity() -> None:  # noqa: N802
    """From now on synapses of structural_plasticity_synapses grow while the network runs, with any number of threads."""
    session().structure.on, session().structure.told = True, False


def DisableStructuralPlasticity() -> None:  # noqa: N802
    """From now on the synapses stay as they are."""
    session().structure.on, session().structure.told = False, False


def shown(s: Session) -> dict[str, dict[str, Any]]:
    """structural_plasticity_synapses."""
    entries = {name: {"synapse_model": "static_synapse", **_OWN, **entry} for name, entry in s.structure.given.items()}
    return {name: {key: entry[key] for key in sorted((*_OWN, "synapse_model"))} for name, entry in entries.items()}


def set_synapses(s: Session, value: Mapping[str, Any]) -> None:
    """Sets structural_plasticity_synapses. Raises UnknownSynapseType, BadProperty, TypeMismatch."""
    for name, entry in value.items():
        expect(isinstance(entry, Mapping), f"structural_plasticity_synapses['{name}'] is a dict")
        if not {"pre_synaptic_element", "post_synaptic_element"} <= entry.keys():
            raise NESTErrors.BadProperty("Structural plasticity requires both a pre- and postsynaptic element.")
    s.structure.delays = [float(_spec(entry).delay) for entry in value.values()]
    s.structure.given, s.structure.told = {name: dict(entry) for name, entry in value.items()}, False


def _spec(entry: Mapping[str, Any]) -> SynSpec:
    return to_specs({key: value for key, value in entry.items() if key not in _OWN}, ConnRule(), 1, 1)[0]


def set_interval(s: Session, value: float) -> None:
    """Sets structural_plasticity_update_interval (ms). Raises BadProperty."""
    steps = value / s.resolution
    if not (steps > 0.5 and abs(steps - round(steps)) < 1e-9 * max(1.0, steps)):
        raise NESTErrors.BadProperty(f"structural_plasticity_update_interval = {value}: must be a multiple of the resolution")
    s.structure.interval, s.structure.told = float(value), False


def prepare(s: Session) -> None:
    """Tells the kernel what is to grow, before the network is built."""
    structure = s.structure
    if structure.told or not (structure.on or structure.labels):
        return
    kernel = s.engine.kernel
    with translating():
        kernel.forget_growth()
        for name, entry in shown(s).items():
            spec = _spec(structure.given[name])
            numbers = _parameters(s, spec)
            if name not in structure.labels:
                structure.labels[name] = s.wires.grow(SynapseKind(spec.model.base, spec.model.name, -1))
            call = kernel.prepared(
                rule="explicit",
                synapse=spec.model.base,
                synapse_params=numbers,
                weight=to_spec("weight", native(spec.weight)),
                delay=to_spec("delay", native(spec.delay)),
                receptor=int(spec.receptor),
                label=structure.labels[name],
            )
            elements = entry["pre_synaptic_element"], entry["post_synaptic_element"]
            kernel.grow(*elements, call, bool(entry["allow_autapses"]), bool(entry["allow_multapses"]))
        kernel.set_updates(round(structure.interval / s.resolution), structure.on)
    structure.told = True


def _parameters(s: Session, spec: SynSpec) -> dict[str, float]:
    for key in spec.model.of_neuron:  # of every neuron that may become a target
        if any(key in row.extras for row in s.registry.rows):
            raise NotSupported(f"{spec.model.name} that grows where {key} of neurons was set", "leave it as it is")
    return synapse_parameters(spec)
