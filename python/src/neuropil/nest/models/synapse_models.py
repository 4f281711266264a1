# SPDX-License-Identifier: Apache-2.0
"""Synapse models by name: those of the kernel, their variants in NEST (_hpc, _lbl, _hom_w), and copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...classes import Entry
from ...engine import catalog
from ..errors import NESTErrors
from . import hardware
from .faces import values
from .nest_names import SIZES, SYNAPSE_MODELS, VARIANTS
from .table import ModelTable, until_loaded

SUB_STEP_DELAY = "sub_step_delay"  # of cont_delay_synapse in the kernel: subtracted from the delay in whole steps (ms)
CONT_DELAY_SYNAPSE = "cont_delay_synapse"
DIFFUSION = "diffusion_connection"
GAP = "gap_junction"
_NO_DELAY = {GAP: "gap_junction connection has no delay", DIFFUSION: "diffusion_connection has no delay."}
_FACTORS = "Please use the parameters drift_factor and diffusion_factor to specifiy the weights."
DOPAMINE_SYNAPSE = "stdp_dopamine_synapse"
TRANSMITTER = "volume_transmitter"  # of it in the kernel: a node by its number; in NEST a NodeCollection of the model


@dataclass(slots=True)
class SynapseModel:
    """A model that Connect takes: one of the kernel (`base`) with its present defaults.

    parameters : defaults of the kernel's parameters that were changed; `labelled`: connections carry a synapse_label
    homogeneous : parameters, common to all connections, that Connect refuses
    """

    name: str
    base: str
    model_id: int
    entry: Entry
    weight: Any = 1.0
    delay: Any = 1.0
    receptor_type: int = 0
    parameters: dict[str, float] = field(default_factory=dict)
    weight_recorder: Any = None
    transmitter: Any = None
    homogeneous: frozenset[str] = frozenset()
    labelled: bool = False
    label: int = -1
    each_step: bool = True  # optimize_each_step of synapses that do not use it
    rate_before: tuple[float, float] | None = None  # learning rate of e-prop until it was changed, with connections; when (ms)
    sizeof: int = 32
    root: str = ""  # of a copy: the model of NEST it descends from
    extras: Mapping[str, float] = field(default_factory=dict)  # keys that only NEST has, which keep their values

    def copy(self, name: str, model_id: int) -> SynapseModel:
        """The same model under another name, with defaults of its own."""
        return replace(self, name=name, model_id=model_id, parameters=dict(self.parameters))

    @property
    def zero_is_positive(self) -> bool:
        """Whether a weight of 0 has the wrong sign beside a Wmax below 0, as in NEST."""
        return bool(self.entry.face.get("one_sided")) and "Wmax" not in self.homogeneous

    @property
    def own_parameters(self) -> list[str]:
        """Parameters of the kernel's model that are the synapse's in NEST, too."""
        return _own_parameters(self.base)

    @property
    def optimizes(self) -> bool:
        """Whether it has an optimizer, which is a dict in NEST: neuropil.nest.models.optimizers."""
        return "adam" in self.entry.parameters and not self.entry.digest

    def marked(self, mark: str) -> list[str]:
        """Parameters that have a mark (cpp/base/field.hpp)."""
        return [name for name, f in self.entry.parameters.items() if mark in f.marks]

    def is_whole(self, key: str) -> bool:
        """Whether a parameter is a whole number in NEST."""
        return key in self.entry.parameters and "whole" in self.entry.parameters[key].marks

    @property
    def of_connection(self) -> list[str]:
        """Values that each connection shows, weight among them: not those that are common to all of the model."""
        return [name for name in ("weight", *self.own_parameters, *self.entry.state) if name not in self.homogeneous]

    @property
    def of_neuron(self) -> list[str]:
        """Parameters of the kernel's model that belong to the target neuron in NEST."""
        return [] if self.entry.digest else self.marked("of_target")

    @property
    def is_modulated(self) -> bool:
        """Whether a volume_transmitter changes its weights."""
        return TRANSMITTER in self.entry.parameters

    def has_state(self, key: str) -> bool:
        """Whether spikes change what a connection shows by this key."""
        if self.entry.digest:
            return key in self.entry.state
        return key in self.extras or (key in self.entry.parameters and "changes" in self.entry.parameters[key].marks)

    def default(self, key: str) -> Any:
        """Present default of a parameter of the kernel. Raises the built-in KeyError."""
        return self.parameters[key] if key in self.parameters else self.entry.parameters[key].default


def is_flag(model: SynapseModel, key: str) -> bool:
    """Whether a number of the kernel is True or False in NEST."""
    return key in model.entry.parameters and model.entry.parameters[key].unit == "0 or 1"


def to_nest(model: SynapseModel, key: str, value: Any) -> Any:
    """A parameter as NEST shows it."""
    return bool(value) if is_flag(model, key) else int(value) if model.is_whole(key) else value


def check_values(model: SynapseModel, given: Any) -> None:
    """Raises BadProperty where a delay, or a weight, is given that such connections do not have."""
    if "delay" in given and not model.entry.delayed:
        raise NESTErrors.BadProperty(_NO_DELAY.get(model.base, f"{model.base} has no delay. Please use rate_connection_delayed."))
    if "weight" in given and model.base == DIFFUSION:
        raise NESTErrors.BadProperty(_FACTORS)


def synapse_models() -> ModelTable[SynapseModel]:
    """All synapse models by name, in NEST's order. Reading an unknown name raises UnknownSynapseType."""
    return ModelTable(_numbers, _made, NESTErrors.UnknownSynapseType, "Synapse with name {} does not exist.", len(SYNAPSE_MODELS))


@until_loaded
def _numbers() -> dict[str, int]:
    """Models that there are, with their numbers: those of NEST, then those of one's own."""
    found = {name: k for k, name in enumerate(SYNAPSE_MODELS) if _base(name) in catalog.synapses()}
    own = [name for name, entry in catalog.synapses().items() if entry.digest]
    return found | {name: len(SYNAPSE_MODELS) + k for k, name in enumerate(own) if name not in found}


def _plain(name: str) -> str:
    """The model that one is a variant of."""
    return name.removesuffix(VARIANTS[0]).removesuffix(VARIANTS[1])


def _base(name: str) -> str:
    """The kernel's model of one of NEST; none where it has none."""
    name = _plain(name)
    name = "static_synapse" if name == "static_synapse_hom_w" else name
    return name if name in catalog.synapses() else name.removesuffix("_hom")  # the kernel's parameters are always common to many synapses


@until_loaded
def _made(name: str, model_id: int) -> SynapseModel:
    """The model as the kernel has it: to be copied before it is changed."""
    if name not in SYNAPSE_MODELS:
        return SynapseModel(name, name, model_id, catalog.synapses()[name], root=name)
    base = _base(name)
    entry, size = catalog.synapses()[base], SIZES[_plain(name)]
    parameters = values(entry.face.get("defaults", ""))
    return SynapseModel(
        name,
        base,
        model_id,
        entry,
        weight=parameters.pop("weight", 1.0),
        parameters=parameters,
        homogeneous=_homogeneous(_plain(name), entry),
        labelled=name.endswith("_lbl"),
        sizeof=size + (8 if name.endswith("_lbl") else -16 if name.endswith("_hpc") else 0),
        root=name,
        extras=values(entry.face.get("fixed_keys", "")),
    )


_OF_ONE = frozenset({"changes", "of_target", "of_connection"})
_NOT_OWN = frozenset({"hidden", "of_target", "of_optimizer"})


@until_loaded
def _own_parameters(base: str) -> list[str]:
    entry = catalog.synapses()[base]
    if entry.digest:
        return [name for name in entry.parameters if name != TRANSMITTER]
    arrays = hardware.tables() if base == hardware.FACETS else {}
    elsewhere = {*values(entry.face.get("defaults", "")), *(name for names in arrays.values() for name in names)}
    return [*(name for name, f in entry.parameters.items() if not _NOT_OWN.intersection(f.marks) and name not in elsewhere), *arrays]


def _homogeneous(name: str, entry: Entry) -> frozenset[str]:
    if not name.endswith(("_hom", "_hom_w")) and not entry.face.get("common"):
        return frozenset(key for key, f in entry.parameters.items() if "of_model" in f.marks)
    weight = ["weight"] if name in ("static_synapse_hom_w", "tsodyks_synapse_hom") else []
    arrays = hardware.tables() if entry.name == hardware.FACETS else ()
    return frozenset((*weight, *arrays, *(key for key, f in entry.parameters.items() if not _OF_ONE.intersection(f.marks))))


def check_signs(weight: Any, most: Any, zero_is_positive: Any) -> None:
    """Raises BadProperty where a weight has not the sign of its Wmax; numbers or arrays, nan: without Wmax."""
    wrong = (np.less(weight, 0.0) != np.less(most, 0.0)) & ~np.isnan(most)
    if np.any(wrong & (np.not_equal(weight, 0.0) | zero_is_positive)):
        raise NESTErrors.BadProperty("Weight and Wmax must have same sign.")
