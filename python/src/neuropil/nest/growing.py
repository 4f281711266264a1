# SPDX-License-Identifier: Apache-2.0
"""Structural plasticity: the synapses that grow, by the attributes of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .errors import NESTErrors, NotSupported, expect, translating
from .kernel import Session, session
from .projections import synapse_parameters, value_spec
from .specs import ConnRule, SynSpec, to_specs
from .wires import Kind

_OWN = {"allow_autapses": True, "allow_multapses": True, "post_synaptic_element": None, "pre_synaptic_element": None}


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
                everyone = (1, s.registry.size)
                structure.labels[name] = s.wires.grow(Kind(spec.model.base, spec.model.name, numbers, -1, 0, everyone, everyone))
            call = kernel.prepared(
                rule="explicit",
                synapse=spec.model.base,
                synapse_params=numbers,
                weight=value_spec("weight", spec.weight),
                delay=value_spec("delay", spec.delay),
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
