# SPDX-License-Identifier: Apache-2.0
"""Neurons that PyNN composes of a neuron and named receptors, as multisynapse models of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pyNN.parameters import ParameterSpace
from pyNN.standardmodels import build_translations, cells, receptors

from .. import Nodes
from .cells import ADAPTIVE, INTEGRATE, MILLI, KernelModel, Quantities
from .errors import refuse

__all__ = [
    "LIF",
    "AdExp",
    "AlphaPSR",
    "BetaPSR",
    "CondAlphaPostSynapticResponse",
    "CondBetaPostSynapticResponse",
    "CondExpPostSynapticResponse",
    "CurrExpPostSynapticResponse",
    "ExpPSR",
    "PointNeuron",
]


class LIF(cells.LIF):
    __doc__ = cells.LIF.__doc__
    translations = build_translations(*INTEGRATE)
    kernel_models: ClassVar[Mapping[str, str]] = {"CurrExpPostSynapticResponse": "iaf_psc_exp_multisynapse"}
    states: ClassVar[Quantities] = {"v": ("V_m", 1.0)}


class AdExp(cells.AdExp):
    __doc__ = cells.AdExp.__doc__
    translations = build_translations(*ADAPTIVE)
    kernel_models: ClassVar[Mapping[str, str]] = {
        "CondAlphaPostSynapticResponse": "aeif_cond_alpha_multisynapse",
        "CondBetaPostSynapticResponse": "aeif_cond_beta_multisynapse",
    }
    states: ClassVar[Quantities] = {"v": ("V_m", 1.0), "w": ("w", MILLI)}


class CurrExpPostSynapticResponse(receptors.CurrExpPostSynapticResponse):
    __doc__ = receptors.CurrExpPostSynapticResponse.__doc__ or "A current that decays exponentially."
    recordable: ClassVar[list[str]] = ["isyn"]
    native: ClassVar[Mapping[str, str]] = {"tau_syn": "tau_syn"}


class CondAlphaPostSynapticResponse(receptors.CondAlphaPostSynapticResponse):
    __doc__ = receptors.CondAlphaPostSynapticResponse.__doc__ or "A conductance with the shape of an alpha function."
    recordable: ClassVar[list[str]] = ["gsyn"]
    native: ClassVar[Mapping[str, str]] = {"tau_syn": "tau_syn", "e_syn": "E_rev"}


class CondBetaPostSynapticResponse(receptors.CondBetaPostSynapticResponse):
    __doc__ = receptors.CondBetaPostSynapticResponse.__doc__ or "A conductance with the shape of a difference of exponentials."
    recordable: ClassVar[list[str]] = ["gsyn"]
    native: ClassVar[Mapping[str, str]] = {"tau_rise": "tau_rise", "tau_decay": "tau_decay", "e_syn": "E_rev"}


class CondExpPostSynapticResponse(receptors.CondExpPostSynapticResponse):
    __doc__ = receptors.CondExpPostSynapticResponse.__doc__ or "A conductance that decays exponentially."
    recordable: ClassVar[list[str]] = ["gsyn"]
    native: ClassVar[Mapping[str, str]] = {"tau_syn": "tau_syn", "e_syn": "E_rev"}


AlphaPSR, BetaPSR, ExpPSR = CondAlphaPostSynapticResponse, CondBetaPostSynapticResponse, CondExpPostSynapticResponse


class PointNeuron(KernelModel, cells.PointNeuron):
    """A neuron with named receptors. Parameters of receptors are called "receptor.parameter"."""

    def __init__(self, neuron: Any, **post_synaptic_receptors: Any) -> None:
        super().__init__(neuron, **post_synaptic_receptors)
        self._receptors = {name: post_synaptic_receptors[name] for name in self.receptor_types}
        kinds = {type(receptor).__name__ for receptor in post_synaptic_receptors.values()}
        if len(kinds) != 1 or next(iter(kinds)) not in neuron.kernel_models:
            known = ", ".join(neuron.kernel_models)
            refuse(f"PointNeuron({type(neuron).__name__})", f"receptors {', '.join(sorted(kinds))}: all must be one of {known}")
        self.kernel_model = neuron.kernel_models[kinds.pop()]
        own = {f"{name}.{key}": receptor.parameter_space[key] for name, receptor in self._receptors.items() for key in receptor.native}
        self.parameter_space = ParameterSpace({**dict(neuron.parameter_space.items()), **own}, self.get_schema())
        self.translations = {**neuron.translations, **build_translations(*((name, name, _get(name), _get(name)) for name in own))}
        quantities = {f"{name}.{key}": (_symbol(key, k), MILLI) for k, name in enumerate(self._receptors, 1) for key in self._keys(name)}
        self.states = {**neuron.states, **quantities}

    def _keys(self, receptor: str) -> list[str]:
        return list(self._receptors[receptor].recordable)

    def get_schema(self) -> dict[str, Any]:
        return {**self.neuron.get_schema(), **{f"{name}.{key}": float for name, r in self._receptors.items() for key in r.native}}

    def get_parameter_names(self) -> list[str]:
        return [*self.get_schema()]

    def has_parameter(self, name: str) -> bool:
        return name in self.get_schema()

    def computed_parameters_include(self, parameter_names: Any) -> bool:
        return bool(self.neuron.computed_parameters_include(parameter_names))

    def computed_parameters(self) -> list[str]:
        return list(self.neuron.computed_parameters())

    def receptor(self, receptor_type: str) -> tuple[int | str, float]:
        """Receptors have numbers."""
        return [*self._receptors].index(receptor_type) + 1, 1.0 / MILLI

    def tau_syn(self, cells: Any, receptor_type: str) -> Any:
        return np.asarray(cells.get(f"{receptor_type}.tau_syn", gather=True), np.float64)

    def to_kernel(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The kernel numbers parameters of receptors."""
        count = "n_synapses" if self.kernel_model == "iaf_psc_exp_multisynapse" else "n_receptors"
        return {**{self._numbered(name): value for name, value in values.items()}, count: len(self._receptors)}

    def from_kernel(self, name: str, nodes: Nodes) -> Any:
        return np.array(nodes.get(self._numbered(name)))

    def _numbered(self, name: str) -> str:
        receptor, _, key = name.partition(".")
        if not key:
            return name
        return f"{self._receptors[receptor].native[key]}_{[*self._receptors].index(receptor) + 1}"


def _symbol(key: str, number: int) -> str:
    return f"{'I_syn' if key == 'isyn' else 'g'}_{number}"


def _get(name: str) -> Any:
    return lambda **values: values[name]
