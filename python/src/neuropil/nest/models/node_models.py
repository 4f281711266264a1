# SPDX-License-Identifier: Apache-2.0
"""Node models by name: those of the kernel, and the recorders, which are nodes in NEST."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...classes import Entry
from ...engine import catalog
from ..errors import NESTErrors, NotSupported
from . import arrays, extras
from .nest_names import NODE_MODELS
from .table import ModelTable, until_loaded

CM = "cm_default"  # its parameters are those of its compartments and receptors: neuropil.nest.shapes
CLOCK = "iaf_psc_delta[clock]"  # with ignore_and_spike
PLACEHOLDER = "recorder"  # what the kernel has for a node of NEST that it does not simulate
_WEIGHTED = "weighted_spike_generator"  # a spike_generator with spike_weights
_OWN = frozenset({"interval_fire", PLACEHOLDER, _WEIGHTED})  # models of the kernel that no NEST user asks for
_OF_KERNEL = ("neuron", "stimulator")
_SETTABLE: dict[tuple[str, str, str], frozenset[str]] = {}  # by names of NEST and of the kernel, with the shape, and digest


@dataclass(slots=True)
class NodeModel:
    """A model that Create takes: one of the kernel (`base`), or a recorder, with its present defaults.

    scalars : kernel's names that hold one number per node, as NEST's users know them; vectors : arrays of devices;
    numbered : arrays that the kernel keeps as numbered scalars; recordable : what a multimeter can record
    kernel : defaults that were changed, in NEST's values; extras : keys that only NEST has, with their defaults
    shown : all defaults, once they were asked for; those of copies until they change
    """

    name: str
    base: str
    kind: str  # neuron, stimulator or recorder
    model_id: int
    entry: Entry
    scalars: frozenset[str]
    numbered: Mapping[str, tuple[str, ...]]
    recordable: tuple[str, ...]
    root: str  # of a copy: the model of NEST it descends from
    kernel: dict[str, Any] = field(default_factory=dict)
    extras: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, Any] = field(default_factory=dict)

    def copy(self, name: str, model_id: int) -> NodeModel:
        """The same model under another name, with defaults of its own."""
        return replace(self, name=name, model_id=model_id, kernel=dict(self.kernel), extras=dict(self.extras))

    def default(self, key: str) -> Any:
        """Present default of a key. Raises the built-in KeyError."""
        if key in self.kernel:
            return self.kernel[key]
        if key in self.extras:
            return self.extras[key]
        if key in (own := arrays.groups(self.base)):
            return {name: self.kernel.get(member, self.of_kernel(member)) for name, member in own[key].items()}
        if key in (shown := arrays.readable(self.entry)) and self.kind == "neuron":
            return [self.of_kernel(name) for name in shown[key][: self.default_counts[arrays.count_key(self.entry, key) or ""]]]
        if self.is_vector(key):
            return ()
        if key not in self.scalars:
            raise KeyError(key)
        return self.of_kernel(key)

    def of_kernel(self, name: str) -> Any:
        """Default of the kernel for a parameter or state variable."""
        name = self.same.get(name, (name,))[-1]
        found = self.entry.parameters.get(name) or self.entry.state[name]
        return to_nest(self, name, found.default)

    @property
    def same(self) -> dict[str, tuple[str, ...]]:
        """Names of the kernel by those of NEST, where these differ: all are set, the last is shown."""
        return extras.same_as(self.base)

    def renamed(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Values by the names that the kernel has for them."""
        if not (same := self.same) or not same.keys() & given.keys():
            return given
        ordered = sorted(given, key=lambda key: key in same and same[key][0] != key)  # mean and std say more than mu and sigma
        return {name: given[key] for key in ordered for name in same.get(key, (key,))}

    @property
    def default_counts(self) -> dict[str, int]:
        """How many entries of numbered arrays are in use by default, by the kernel's parameters that say so."""
        counts = {key: arrays.count_key(self.entry, key) or "" for key in self.numbered}
        found = {count: int(self.entry.parameters[count].default or 0) for count in counts.values()}
        return found | {counts[key]: len(self.kernel[key]) for key in counts if key in self.kernel}

    def is_vector(self, key: str) -> bool:
        """Whether a key of the kernel holds an array per node, either kind."""
        return key in self.numbered or (self.kind in _OF_KERNEL and key in self.entry.vectors)

    def is_flag(self, key: str) -> bool:
        """Whether a number of the kernel is True or False in NEST."""
        found = self.entry.parameters.get(key) or self.entry.state.get(key)
        return found is not None and found.unit == "0 or 1"

    @property
    def settable(self) -> frozenset[str]:
        """Keys that can be set."""
        if (key := (self.root, self.base, self.entry.digest)) not in _SETTABLE:
            own = self.entry.vectors if self.kind in _OF_KERNEL else ()
            own = (*own, *arrays.groups(self.base), *(("add_compartments", "add_receptors") if self.root == CM else ()))
            fixed = extras.read_only(self.root, self.entry.state) | ({"noise", "noisy_rate"} if extras.is_of_rate(self.base) else set())
            every = frozenset({*self.scalars, *self.numbered, *own, *self.extras})
            _SETTABLE[key] = every - {*arrays.RECEPTORS, "t_spike", *fixed}
        return _SETTABLE[key]

    @property
    def keys(self) -> list[str]:
        """Keys of the model's own, in alphabetical order."""
        shown = {*self.settable, *self.scalars, *self.extras, *(arrays.readable(self.entry) if self.kind == "neuron" else ())}
        return sorted(shown - {"add_compartments", "add_receptors"})


def to_nest(model: NodeModel, key: str, value: Any) -> Any:
    """A number of the kernel as NEST shows it."""
    if model.is_flag(key):
        return bool(value)
    if key in extras.CHOICES:
        return extras.CHOICES[key][int(value)]
    if key == "stop" and value >= extras.ENDLESS:
        return extras.FOREVER
    if key == "V_min" and value <= -extras.ENDLESS and model.base not in extras.NO_LOWEST:
        return float("-inf")
    return int(value) if key in extras.WHOLE else value


def is_shown_otherwise(model: NodeModel, key: str) -> bool:
    """Whether `to_nest` changes numbers of a key."""
    return key in ("stop", "V_min", *extras.WHOLE, *extras.CHOICES) or model.is_flag(key)


def takes_ports(entry: Entry) -> bool:
    """Whether receptors of a model are chosen by number."""
    return entry.input == "ports" or arrays.receptor_count(entry) is not None


def node_models() -> ModelTable[NodeModel]:
    """All node models by name. Reading an unknown name raises UnknownModelName."""
    return ModelTable(_numbers, _made, NESTErrors.UnknownModelName, "{} is not a known model name.", 1000)


@until_loaded
def _numbers() -> dict[str, int]:
    """Models that there are, with their numbers: those of NEST, then those that only the kernel has."""
    of_kernel = {*catalog.models(), *catalog.devices()}
    found = {name: k for k, name in enumerate(NODE_MODELS) if name in extras.RECORDERS or extras.KERNEL_NAMES.get(name, name) in of_kernel}
    own = [name for name in (*catalog.models(), *catalog.devices()) if name not in found and name not in _OWN]
    return found | {name: len(NODE_MODELS) + k for k, name in enumerate(own)}


@until_loaded
def _made(name: str, model_id: int, shape: str = "") -> NodeModel:
    """The model as the kernel has it: to be copied before it is changed. `shape`: the kernel's name with a shape."""
    if name in extras.RECORDERS:
        entry = catalog.devices()[PLACEHOLDER]
        return NodeModel(name, entry.name, "recorder", model_id, entry, frozenset(), {}, (), name, extras=dict(extras.RECORDERS[name]))
    base = shape or extras.KERNEL_NAMES.get(name, name)
    entry_found = catalog.node_model(base)
    kind = "neuron" if base in catalog.models() else "stimulator"
    numbered = arrays.parameters(entry_found)
    hidden = arrays.hidden_counts(entry_found).union(arrays.members(name), *numbered.values(), *arrays.states(entry_found).values())
    shown = [state for state in entry_found.state if not state.startswith("_")]
    states = [state for state in shown if extras.in_status(name, state)]
    scalars = frozenset({*entry_found.parameters, *states} - hidden - {*extras.NOT_OF_NEST.get(name, ())})
    scalars = (scalars - {names[-1] for names in extras.same_as(base).values() if len(names) > 1 or names[0].startswith("gain_")}) | {
        *extras.same_as(base)
    }
    renamed = {kernel: name for name, kernel in extras.RECORDED_AS.get(name, {}).items()}
    recorded = (*(renamed.get(state, state) for state in shown if extras.is_recorded(name, state)), *entry_found.recorded)
    only = {k: v for k, v in extras.of_model(name, kind).items() if k not in entry_found.names}
    if name == CM:
        scalars, recorded = frozenset({"V_th"}), ()
    return NodeModel(name, base, kind, model_id, entry_found, scalars, numbered, recorded, name, extras=only)


def with_shape(model: NodeModel, base: str) -> NodeModel:
    """The same model with another shape, by the name that the kernel has for it."""
    made = _made(model.root, 0, base)
    return replace(model, base=base, entry=made.entry, scalars=made.scalars, numbered=made.numbered, recordable=made.recordable)


def with_room(model: NodeModel, given: Mapping[str, Any]) -> NodeModel:
    """The model with as many receptors as the arrays that are given have entries, if it has fewer; with a clock, if it is to spike by one. Raises NotSupported."""
    on = given.get("ignore_and_spike", model.extras.get("ignore_and_spike", False))
    on = on is not False and bool(np.any(on))
    if on and model.base.startswith("eprop_iaf"):
        raise NotSupported(f"ignore_and_spike of {model.name}", "only iaf_psc_delta spikes by a clock")
    if on and model.base == "iaf_psc_delta":
        made = with_shape(model, CLOCK)
        moved = {key: value for key, value in model.extras.items() if key in made.entry.names}
        return replace(made, kernel=model.kernel | moved, extras={key: model.extras[key] for key in model.extras.keys() - moved.keys()})
    if not model.numbered:
        return model
    ports = {key: len(names) for key, names in model.numbered.items() if arrays.count_key(model.entry, key) in arrays.RECEPTORS}
    most = max((_longest(given[key]) for key in ports if key in given), default=0)
    return with_shape(model, f"{model.base.partition('[')[0]}[{most}]") if most > max(ports.values(), default=0) else model


def _longest(value: Any) -> int:
    """Entries of an array, or of the longest of some."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return 0
    return max((len(each) for each in value if hasattr(each, "__len__")), default=len(value))


def with_spike_weights(model: NodeModel) -> NodeModel:
    """The spike_generator whose spikes have weights: made at each target, as of other stimulators."""
    only = {key: value for key, value in model.extras.items() if key != "spike_weights"} | {
        "precise_times": False,
        "spike_multiplicities": (),
    }
    entry = catalog.devices()[_WEIGHTED]
    kernel = {key: value for key, value in model.kernel.items() if key in entry.names or key in entry.vectors}
    return replace(model, base=_WEIGHTED, entry=entry, scalars=model.scalars & {*entry.names}, kernel=kernel, extras=only)
