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
from . import arrays
from .faces import BORROWED, ENDLESS, FIXED, FOREVER, RECORDERS, Face, face_of, is_recorded, is_shown, named
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
    same : names of the kernel by those of NEST, where these differ: all are set, the last is shown; groups : see arrays.groups
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
    face: Face
    same: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, Mapping[str, str]]
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
        if key in self.groups:
            return {name: self.kernel.get(member, self.of_kernel(member)) for name, member in self.groups[key].items()}
        if key in (shown := arrays.readable(self.entry)) and self.kind == "neuron":
            return [self.of_kernel(name) for name in shown[key][: self.default_counts[arrays.count_key(self.entry, key) or ""]]]
        if self.is_vector(key):
            return ()
        if key not in self.scalars:
            raise KeyError(key)
        return self.of_kernel(key)

    def of_kernel(self, name: str) -> Any:
        """Default of the kernel for a parameter or state variable."""
        if (found := self.field(name)) is None:
            raise KeyError(name)
        return to_nest(self, name, found.default)

    def field(self, key: str) -> catalog.Field | None:
        """The parameter or state variable of a key; None where it is none."""
        name = self.same[key][-1] if key in self.same else key
        return self.entry.parameters.get(name) or self.entry.state.get(name)

    def recorded_as(self, name: str) -> str:
        """The kernel's name of what a multimeter records."""
        return next((f.name for f in self.entry.state.values() if f.nest_name == name and is_recorded(f)), name)

    @property
    def element_type(self) -> str:
        """NEST's kind of node."""
        return self.face.element_type or self.kind

    @property
    def is_readout(self) -> bool:
        """Whether its receptors take values, not spikes."""
        return bool(self.face.receptors) and not takes_ports(self.entry)

    def is_array(self, key: str) -> bool:
        """Whether a key that only NEST has holds an array of numbers."""
        return isinstance(self.face.extras.get(key, FIXED.get(key)), tuple) and self.root != CM

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
        found = self.field(key)
        return found is not None and found.unit == "0 or 1"

    @property
    def settable(self) -> frozenset[str]:
        """Keys that can be set."""
        if (key := (self.root, self.base, self.entry.digest)) not in _SETTABLE:
            own = self.entry.vectors if self.kind in _OF_KERNEL else ()
            own = (*own, *self.groups, *(("add_compartments", "add_receptors") if self.root == CM else ()))
            fixed = {key for name, f in self.entry.state.items() if "read_only" in f.marks for key in (name, f.nest_name)}
            every = frozenset({*self.scalars, *self.numbered, *own, *self.extras})
            _SETTABLE[key] = every - {*arrays.RECEPTORS, "t_spike", *fixed}
        return _SETTABLE[key]

    @property
    def keys(self) -> list[str]:
        """Keys of the model's own, in alphabetical order."""
        shown = {*self.settable, *self.scalars, *self.extras, *(arrays.readable(self.entry) if self.kind == "neuron" else ())}
        return sorted(shown - {"add_compartments", "add_receptors"})


def no_limit(found: catalog.Field | None) -> float | None:
    """What NEST shows of numbers that stand for no limit in the kernel; None where they do not."""
    if found is None or found.name == "stop":
        return found and FOREVER
    return float("-inf") if found.default == -FOREVER and "lowest_shown" not in found.marks else None


def to_nest(model: NodeModel, key: str, value: Any) -> Any:
    """A number of the kernel as NEST shows it."""
    found = model.field(key)
    if found is None:
        return value
    if found.unit == "0 or 1":
        return bool(value)
    if found.choices:
        return found.choices.split()[int(value)]
    if abs(value) >= ENDLESS and (limit := no_limit(found)) is not None and (value > 0.0) == (limit > 0.0):
        return limit
    return int(value) if "whole" in found.marks else value


def is_shown_otherwise(model: NodeModel, key: str) -> bool:
    """Whether `to_nest` changes numbers of a key."""
    f = model.field(key)
    return f is not None and (f.unit == "0 or 1" or bool(f.choices) or no_limit(f) is not None or "whole" in f.marks)


def takes_ports(entry: Entry) -> bool:
    """Whether receptors of a model are chosen by number."""
    return entry.input == "ports" or arrays.receptor_count(entry) is not None


def node_models() -> ModelTable[NodeModel]:
    """All node models by name. Reading an unknown name raises UnknownModelName."""
    return ModelTable(_numbers, as_made, NESTErrors.UnknownModelName, "{} is not a known model name.", 1000)


@until_loaded
def _numbers() -> dict[str, int]:
    """Models that there are, with their numbers: those of NEST, then those that only the kernel has."""
    of_kernel = {*catalog.models(), *catalog.devices()}
    found = {
        name: k for k, name in enumerate(NODE_MODELS) if name in RECORDERS or (BORROWED[name][0] if name in BORROWED else name) in of_kernel
    }
    own = [name for name in (*catalog.models(), *catalog.devices()) if name not in found and name not in _OWN]
    return found | {name: len(NODE_MODELS) + k for k, name in enumerate(own)}


@until_loaded
def as_made(name: str, model_id: int, shape: str = "") -> NodeModel:
    """The model as the kernel has it: to be copied before it is changed. `shape`: the kernel's name with a shape."""
    if name in RECORDERS:
        entry, face = catalog.devices()[PLACEHOLDER], Face(RECORDERS[name])
        return NodeModel(name, entry.name, "recorder", model_id, entry, frozenset(), {}, (), name, face, {}, {}, extras=dict(face.extras))
    base = shape or (BORROWED[name][0] if name in BORROWED else name)
    entry = catalog.node_model(base)
    kind = "neuron" if base in catalog.models() else "stimulator"
    face, same = face_of(name, entry, kind), named(entry)
    groups, numbered = arrays.groups(entry, face.compartments), arrays.parameters(entry)
    counts = {arrays.count_key(entry, array) for array in numbered} - {*arrays.RECEPTORS}  # NEST has none: an array has its length
    elsewhere = counts.union(*(group.values() for group in groups.values()), *numbered.values(), *arrays.states(entry).values())
    fields = [*entry.parameters.values(), *entry.state.values()]
    scalars = {f.name for f in fields if is_shown(f)} - elsewhere | same.keys()
    recorded = (*(f.nest_name or f.name for f in entry.state.values() if is_recorded(f)), *entry.recorded)
    if name == CM:
        scalars, recorded = {"V_th"}, ()
    extras = dict(face.extras)
    return NodeModel(name, base, kind, model_id, entry, frozenset(scalars), numbered, recorded, name, face, same, groups, extras=extras)


def with_shape(model: NodeModel, base: str) -> NodeModel:
    """The same model with another shape, by the name that the kernel has for it."""
    made = as_made(model.root, 0, base)
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
