# SPDX-License-Identifier: Apache-2.0
"""Node models by name: those of the kernel, and the recorders, which are nodes in NEST."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ... import catalog
from ...catalog import Entry
from ..errors import NESTErrors, NotSupported
from . import extras
from .nest_names import NODE_MODELS

PLACEHOLDER = "recorder"  # what the kernel has for a node of NEST that it does not simulate
_OWN = frozenset({"interval_fire", PLACEHOLDER})  # models of the kernel that no NEST user asks for


@dataclass(slots=True)
class NodeModel:
    """A model that Create takes: one of the kernel (`base`), or a recorder, with its present defaults.

    kernel : defaults of the kernel's parameters, state and arrays that were changed, in NEST's values
    extras : keys that only NEST has, with their defaults
    """

    name: str
    base: str
    kind: str  # neuron, stimulator or recorder
    model_id: int
    entry: Entry
    root: str = ""  # of a copy: the model of NEST it descends from
    kernel: dict[str, Any] = field(default_factory=dict)
    extras: dict[str, Any] = field(default_factory=dict)

    def copy(self, name: str, model_id: int) -> NodeModel:
        """The same model under another name, with defaults of its own."""
        return replace(self, name=name, model_id=model_id, root=self.root or self.name, kernel=dict(self.kernel), extras=dict(self.extras))

    def default(self, key: str) -> Any:
        """Present default of a key. Raises the built-in KeyError."""
        if key in self.kernel:
            return self.kernel[key]
        if key in self.extras:
            return self.extras[key]
        if self.kind == "recorder":
            raise KeyError(key)
        if key in self.entry.vectors:
            return ()
        found = self.entry.parameters.get(key) or self.entry.state[key]
        return to_nest(self, key, found.default)

    def is_scalar(self, key: str) -> bool:
        """Whether a key of the kernel holds one number per node."""
        return self.kind != "recorder" and (key in self.entry.parameters or key in self.recordable)

    def is_vector(self, key: str) -> bool:
        """Whether a key of the kernel holds an array per node."""
        return self.kind != "recorder" and key in self.entry.vectors

    def is_flag(self, key: str) -> bool:
        """Whether a number of the kernel is True or False in NEST."""
        found = self.entry.parameters.get(key) or self.entry.state.get(key)
        return found is not None and found.unit == "0 or 1"

    @property
    def recordable(self) -> list[str]:
        """Names that a multimeter can record."""
        return [] if self.kind == "recorder" else self.entry.recordables

    @property
    def keys(self) -> list[str]:
        """Keys that can be set, in alphabetical order."""
        own = [] if self.kind == "recorder" else self.entry.names
        return sorted({*own, *self.extras})


def to_nest(model: NodeModel, key: str, value: Any) -> Any:
    """A number of the kernel as NEST shows it."""
    if model.is_flag(key):
        return bool(value)
    if key == "stop" and value == float("inf"):
        return extras.FOREVER
    return value


class NodeModels(Mapping[str, NodeModel]):
    """All node models by name, in NEST's order, then copies. Reading an unknown name raises UnknownModelName, NotSupported."""

    def __init__(self) -> None:
        self._models: dict[str, NodeModel] = {}
        for model_id, name in enumerate(NODE_MODELS):
            made = _make(name, model_id)
            if made is not None:
                self._models[name] = made
        known = [*catalog.models(), *catalog.devices()]
        for name in known:
            if name not in self._models and name not in _OWN:
                made = _make(name, len(NODE_MODELS) + len(self._models))
                assert made is not None
                self._models[name] = made

    def __getitem__(self, name: str) -> NodeModel:
        found = self._models.get(name)
        if found is not None:
            return found
        if name in NODE_MODELS:
            raise NotSupported(f"node model {name}")
        raise NESTErrors.UnknownModelName(f"{name} is not a known model name.")

    def __contains__(self, name: object) -> bool:
        return name in self._models

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    def copy(self, existing: str, new: str) -> NodeModel:
        """Adds a copy under a new name."""
        made = self[existing].copy(new, 1000 + len(self._models))
        self._models[new] = made
        return made

    def drop(self, name: str) -> None:
        """Undoes `copy`."""
        del self._models[name]


def _make(name: str, model_id: int) -> NodeModel | None:
    """The model as the kernel has it, None where it has not."""
    if name in extras.RECORDERS:
        entry = catalog.devices().get(PLACEHOLDER) or catalog.devices()["dc_generator"]
        return NodeModel(name, entry.name, "recorder", model_id, entry, extras=dict(extras.RECORDERS[name]))
    entry_found = catalog.models().get(name) or catalog.devices().get(name)
    if entry_found is None:
        return None
    kind = "neuron" if name in catalog.models() else "stimulator"
    only = {k: v for k, v in extras.of_model(name, kind).items() if k not in entry_found.names}
    return NodeModel(name, name, kind, model_id, entry_found, extras=only)
