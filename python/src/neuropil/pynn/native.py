# SPDX-License-Identifier: Apache-2.0
"""Models of the kernel as cell types and synapse types: parameters have the kernel's names and units, weights and delays those of PyNN."""

from __future__ import annotations

from typing import Any, ClassVar

from pyNN.models import BaseCellType, BaseSynapseType
from pyNN.standardmodels.base import check_delays

from ..engine import catalog
from .cells import KernelModel
from .errors import refuse, refuse_unknown
from .synapses import KernelSynapse

__all__ = ["native_cell_type", "native_synapse_type"]


class NativeCellType(KernelModel, BaseCellType):
    """A neuron model of the kernel."""

    injectable = True
    units: ClassVar[dict[str, str]] = {}
    weight_factor = 1000.0

    def receptor(self, receptor_type: str) -> tuple[int | str, float]:
        """Weights are nA or uS where the model takes pA or nS; else they are in the unit of the model."""
        number = int(receptor_type) if receptor_type.isdigit() else 0 if receptor_type in ("excitatory", "inhibitory") else receptor_type
        return number, -self.weight_factor if self.conductance_based and receptor_type == "inhibitory" else self.weight_factor

    def can_record(self, variable: str, location: Any = None) -> bool:
        """Whether the model has a state variable of this name."""
        return variable in self.recordable


class NativeSynapseType(KernelSynapse, BaseSynapseType):
    """A synapse model of the kernel."""

    parameter_checks: ClassVar[dict[str, Any]] = {"delay": check_delays}

    def to_kernel(self, values: Any, factor: float, taus: Any) -> dict[str, Any]:
        """The same, without weights and delays."""
        return {name: value for name, value in values.items() if name not in ("weight", "delay")}

    def from_kernel(self, name: str, read: Any, factor: float) -> Any:
        return read(name)

    @property
    def native_parameters(self) -> Any:
        """Those that were given, weight and delay."""
        return self.parameter_space


def native_cell_type(model_name: str) -> type[NativeCellType]:
    """A cell type of a neuron model of the kernel, by its name. Raises NotSupported for other names."""
    if model_name not in catalog.models():
        refuse_unknown("neuron model of neuropil", model_name, catalog.models())
    entry = catalog.models()[model_name]
    if entry.vectors or not entry.state or "V_m" not in entry.state:
        refuse(model_name, "only neuron models with a potential V_m can be cell types")
    conductance = entry.weight_unit == "nS"
    receptors = entry.receptors or (tuple("12345678") if entry.input == "ports" else ("excitatory", "inhibitory"))
    members = {
        "__doc__": entry.doc,
        "kernel_model": model_name,
        "default_parameters": {name: float(field.default or 0.0) for name, field in entry.parameters.items()},
        "default_initial_values": {name: float(field.default or 0.0) for name, field in entry.state.items() if not name.startswith("_")},
        "states": {name: (name, 1.0) for name in entry.recordables},
        "recordable": ["spikes", *entry.recordables],
        "units": {name: field.unit for name, field in {**entry.parameters, **entry.state}.items()},
        "receptor_types": receptors,
        "conductance_based": conductance,
        "weight_factor": 1000.0 if entry.weight_unit in ("pA", "nS") else 1.0,
    }
    return type(model_name, (NativeCellType,), members)


def native_synapse_type(model_name: str) -> type[NativeSynapseType]:
    """A synapse type of a synapse model of the kernel, by its name. Raises NotSupported for other names."""
    if model_name not in catalog.synapses():
        refuse_unknown("synapse model of neuropil", model_name, catalog.synapses())
    entry = catalog.synapses()[model_name]
    if not entry.delayed:
        refuse(model_name, "connections without delay cannot be made by PyNN, but gap junctions: ElectricalSynapse makes them")
    parameters = {name: float(field.default or 0.0) for name, field in entry.parameters.items()}
    members = {"__doc__": entry.doc, "kernel_model": model_name, "default_parameters": {"weight": 0.0, "delay": None, **parameters}}
    return type(model_name, (NativeSynapseType,), members)
