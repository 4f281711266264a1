# SPDX-License-Identifier: Apache-2.0
"""What the kernel knows by name: neuron models, devices, synapse models and connection rules, with parameters, units and defaults."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.named import named_arguments
from ..base.quantities import has_unit, plain
from ..errors import Stale, UnknownName, bad_parameter, unknown_name

__all__ = ["Catalogue", "Entry", "Field", "describe", "devices", "models", "rules", "synapses"]

_LOWEST = -sys.float_info.max


class Field(NamedTuple):
    """A parameter or state variable.

    default : None where there is none
    bound : "any" (finite), "positive", "non_negative" or "not_nan" (may be infinite); of a rule's parameter what it is: "count", "probability",
        "number", "flag", "positions" or "edges"
    marks, nest_name, choices : what scripts of NEST see of it: marks (cpp/base/field.hpp), another name, names for 0, 1, ..., parted by spaces
    """

    name: str
    unit: str
    default: float | bool | None
    doc: str
    bound: str = "any"
    marks: tuple[str, ...] = ()
    nest_name: str = ""
    choices: str = ""


@runtime_checkable
class Loadable(Protocol):
    """A model of one's own, which may be compiled when it is first used."""

    @property
    def name(self) -> str:
        """By which the kernel will know it."""

    def loaded(self) -> Entry:
        """Its entry, once the kernel knows it."""


L = TypeVar("L", bound=Loadable)


@dataclass(frozen=True, slots=True)
class Entry:
    """A model, device, synapse model or rule. `repr` is its documentation.

    input : how a neuron takes spikes: by_sign of the weight, single, count (weights ignored) or ports (chosen by number)
    precise : whether a neuron takes and emits spikes between grid points
    effect : of a device: spikes (made at each target), current, emits (spikes that travel like a neuron's), values (for continuous connections)
    varied : parameters of a synapse model that may differ from synapse to synapse
    recorded : of a device: what can be sampled of it, its current I or its rate
    carries : of a synapse model: the value of the source that its connections bring in every step; "" where they transmit spikes
    delayed : whether connections of a synapse model have a delay
    takes_spikes : False of a model of one's own whose C++ says `static constexpr bool takes_spikes = false;`
    digest : hash of the source of a model that was loaded; "" of what is built in
    history : what synapses read of a neuron, or of their targets, beside spikes; sends, takes : values along continuous connections, by name
    spikes : False of a neuron that neither takes nor sends spikes; current_ports : places of a neuron that currents of devices may go to
    face : what scripts of NEST see of it (cpp/base/field.hpp)
    rows : of a rule: shape of two-dimensional arrays of weights and delays, of n_pre, n_post and names of parameters; () where there are none
    """

    name: str
    kind: str
    doc: str
    parameters: Mapping[str, Field] = field(default_factory=dict)
    state: Mapping[str, Field] = field(default_factory=dict)
    vectors: Mapping[str, Field] = field(default_factory=dict)
    receptors: tuple[str, ...] = ()
    input: str = ""
    effect: str = ""
    precise: bool = False
    varied: frozenset[str] = frozenset()
    recorded: Mapping[str, Field] = field(default_factory=dict)
    carries: str = ""
    delayed: bool = True
    rows: tuple[str, ...] = ()
    digest: str = ""
    takes_spikes: bool = True
    history: str = ""
    sends: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    spikes: bool = True
    current_ports: int = 1
    face: Mapping[str, Any] = field(default_factory=dict)

    def loaded(self) -> Entry:
        """Itself. Raises Stale where another model of this name was loaded since."""
        if not is_present(self):
            raise Stale(f"model '{self.name}': another one was loaded by this name since")
        return self

    @property
    def recordables(self) -> list[str]:
        """Names of the quantities that `Network.record` takes."""
        return [*(name for name in self.state if not name.startswith("_")), *self.recorded]

    @property
    def names(self) -> list[str]:
        """Names that nodes of this model have as attributes."""
        return [*self.parameters, *(name for name in self.state if not name.startswith("_")), *self.vectors]

    @property
    def weight_unit(self) -> str:
        """Unit of the weight of spikes that come in: nS or uS where they add to a conductance, pA to a current, mV to the potential.

        "" where a weight is a number without unit, or does not matter.
        """
        if self.kind != "neuron" or self.input == "count":
            return ""
        if self.input == "single":
            return next((self.state[name].unit for name in ("V_m", "h") if name in self.state), "")
        units = {f.unit for name, f in self.state.items() if name.lstrip("_").startswith(("g_", "s_", "I_"))}
        return next((unit for unit in ("nS", "uS", "pA") if unit in units), "")

    def __repr__(self) -> str:
        lines = [f"{self.name} ({self.kind}): {self.doc}"]
        lines += [] if self.takes_spikes else ["  takes no spikes"]
        if self.receptors:
            lines.append(f"  receptors: {', '.join(self.receptors)}")
        if self.weight_unit:
            lines.append(f"  weights of spikes: {self.weight_unit}")
        state = {k: f for k, f in self.state.items() if not k.startswith("_")}
        shown = [("parameters", self.parameters), ("arrays", self.vectors), ("state", state), ("recorded", self.recorded)]
        for title, fields in shown:
            if fields:
                lines.append(f"  {title}:")
                lines += [_line(f) for f in fields.values()]
        return "\n".join(lines)


class Catalogue(Mapping[str, Entry]):
    """What there is of one kind, by name; in a REPL one line for each."""

    __slots__ = ("_entries", "_shaped")

    def __init__(self, entries: Mapping[str, Entry | Callable[[], Entry]], shaped: Callable[[str], Entry] | None = None) -> None:
        """Entries are made when they are asked for: a network needs few. `shaped` gives that of a model with a shape, "name[shape]"."""
        self._entries = dict(entries)
        self._shaped = shaped

    def add(self, entry: Entry) -> None:
        """Adds an entry, or replaces that of its name."""
        self._entries[entry.name] = entry

    def __getitem__(self, name: str) -> Entry:
        if name not in self:
            raise unknown_name("model", name, [*self._entries])
        found = self._entries.get(name)
        if found is None and self._shaped is not None:
            return self._shaped(name)
        if not isinstance(found, Entry):
            assert found is not None
            found = self._entries[name] = found()
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """The entry, or the default where there is none of this name."""
        return self[name] if name in self else default  # noqa: SIM401  (this is get)

    def __contains__(self, name: object) -> bool:
        return name in self._entries or (self._shaped is not None and isinstance(name, str) and _family(name) in self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _ipython_key_completions_(self) -> list[str]:
        return [*self]

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(shorten(f"{name:{width}}  {entry.doc}", 120) for name, entry in self.items())

    def _repr_html_(self) -> str:
        from html import escape  # here: most programs print no HTML

        rows = "".join(f"<tr><td><code>{escape(name)}</code></td><td>{escape(entry.doc)}</td></tr>" for name, entry in self.items())
        return f"<table>{rows}</table>"


def weight_unit(entries: Iterable[Entry]) -> str:
    """Unit of the weights that these models have in common, "" where they differ."""
    units = {entry.weight_unit for entry in entries}
    return units.pop() if len(units) == 1 else ""


def weight_unit_between(pre: Iterable[Entry], post: Iterable[Entry]) -> str:
    """Unit of the weights of connections: that of the targets; the weight of a current is a factor."""
    return "" if any(entry.effect == "current" for entry in pre) else weight_unit(post)


def without_units(entries: Iterable[Entry], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of parameters and state as numbers in the units of these models. Raises BadParameter for those of another dimension."""
    return {name: plain(name, value, _unit(entries, name)) if has_unit(value) else value for name, value in values.items()}


def _unit(entries: Iterable[Entry], name: str) -> str:
    """Unit of a parameter or state variable, "" where there is none."""
    kinds = [kind for entry in entries for kind in (entry.parameters, entry.state, entry.vectors)]
    return next((kind[name].unit for kind in kinds if name in kind), "")


def no_limit(default: float) -> float:
    """A default; infinity where the kernel has a number that stands for no limit."""
    if default == _LOWEST:
        return -math.inf
    return math.inf if default >= 1e300 else default


def to_kernel(entries: Iterable[Entry], name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of a parameter with the kernel's number for no limit (V_min) instead of minus infinity."""
    if all(e.parameters[name].default == _LOWEST for e in entries if name in e.parameters):
        values[values == -math.inf] = _LOWEST
    return values


def shorten(line: str, width: int) -> str:
    """Cuts a line that is too long at a word, with an ellipsis."""
    return line if len(line) <= width else line[: width - 3].rsplit(" ", 1)[0] + " ..."


def _line(f: Field) -> str:
    default = "" if f.default is None else str(f.default) if isinstance(f.default, bool) else f"{no_limit(f.default):g}"
    bound = "" if f.bound == "any" else f" ({'may be infinite' if f.bound == 'not_nan' else f.bound.replace('_', '-')})"
    return f"    {f.name:20} {default:>10} {f.unit:9} {f.doc}{bound}".rstrip()


def _family(name: str) -> str:
    """The model without its shape."""
    return name.partition("[")[0] if name.endswith("]") else name


@cache
def models() -> Catalogue:
    """Neuron models by name; "name[shape]" gives a model with another shape, where a model has several."""
    return _entries(_core.models(), "neuron", _shaped)


def add_model(found: dict[str, Any]) -> Entry:
    """Makes a neuron or synapse model known that the kernel has loaded."""
    entry = _entry(found, found["kind"])
    every = synapses() if entry.kind == "synapse" else models()
    if entry.name in every and every[entry.name].digest == entry.digest:
        return every[entry.name]
    every.add(entry)
    _shaped.cache_clear()
    _loads.append(entry.name)
    _announced.pop(entry.name, None)
    return entry


_loads: list[str] = []
_announced: dict[str, Loadable] = {}


def loads() -> int:
    """How many models of one's own have been loaded: what was found out about all models holds as long as this number does not change."""
    return len(_loads)


def announced(model: L) -> L:
    """Notes a model of one's own, to be compiled when a front end asks for its name (`bring`). Raises BadParameter for the name of a built-in model."""
    known = models().get(model.name) or synapses().get(model.name)
    if known is not None and not known.digest:
        raise bad_parameter("name", model.name, f"another name: {model.name} is a built-in {known.kind} model")
    _announced[model.name] = model
    return model


def bring(name: str) -> None:
    """Loads the model of one's own of this name that was announced last, if any. Raises what its `loaded` raises."""
    if name in _announced:
        _announced[name].loaded()
        _announced.pop(name, None)


def is_present(entry: Entry) -> bool:
    """Whether no other model of one's own was loaded by the name of this one since."""
    return not entry.digest or (synapses() if entry.kind == "synapse" else models())[entry.name].digest == entry.digest


@cache
def _shaped(name: str) -> Entry:
    return _entry(_core.model(name), "neuron")


@cache
def devices() -> Catalogue:
    """Stimulating devices by name."""
    return _entries(_core.devices(), "stimulator")


@cache
def synapses() -> Catalogue:
    """Synapse models by name."""
    return _entries(_core.synapses(), "synapse")


@cache
def rules() -> Catalogue:
    """Connection rules by name."""
    return Catalogue(dict(sorted({**kernel_rules(), **_MORE_RULES}.items())))


@cache
def kernel_rules() -> Catalogue:
    """Connection rules that the kernel has itself."""
    return _entries(_core.rules(), "rule")


def _rule(name: str, doc: str, *parameters: Field) -> Entry:
    return Entry(name, "rule", doc, {parameter.name: parameter for parameter in parameters})


_MORE_RULES = {  # that the kernel is given the edges of
    entry.name: entry
    for entry in (
        _rule(
            "pairwise_poisson",
            "Each pair gets a Poisson distributed number of connections, with a mean that may depend on positions.",
            Field("mean", "", None, "mean number of connections of a pair", "non_negative"),
            Field("mask", "", None, "region around the target in which its sources are"),
        ),
        _rule(
            "symmetric_pairwise_bernoulli",
            "Each pair is connected in both directions with a probability, else in none.",
            Field("p", "", None, "of a pair", "probability"),
        ),
        _rule(
            "tripartite",
            "A primary rule, and third nodes that some of its connections go through as well: Network.connect_tripartite.",
            Field("p", "", None, "of a connection of the primary rule to have a third node", "probability"),
            Field("pool_size", "", None, "third nodes from which those of a target are drawn", "count"),
            Field("pool", "", None, "random: drawn for each target; block: those in its place"),
        ),
    )
}


@named_arguments
def describe(name: str) -> Entry:
    """The model, device, synapse model or rule called `name`. Raises UnknownName."""
    everything = [models(), devices(), synapses(), rules()]
    for table in everything:
        if name in table:
            return table[name]
    raise unknown_name("model", name, [known for table in everything for known in table])


def refuse_recorder(name: str) -> None:
    """Raises UnknownName for the recorders of NEST: `Network.record` does what they do."""
    if name in ("spike_recorder", "spike_detector", "multimeter", "voltmeter"):
        raise UnknownName(
            f"unknown model '{name}': net.record(nodes) records spikes, net.record(nodes, 'V_m') the course of a quantity", "model", name
        )


def refuse_texts(entry: Entry, values: Mapping[str, Any]) -> None:
    """Raises UnknownName for a text that no parameter takes, an option of `create` that was misspelt, and for a dict of parameters."""
    for name, value in values.items():
        if isinstance(value, Mapping) and name not in (*entry.names, "synaptic_elements"):
            text = f"unknown parameter '{name}' of {entry.name}: give each parameter by its name, create(model, n, {next(iter(value), entry.names[0])}=...)"
            raise UnknownName(text, "parameter", name)
        if isinstance(value, str) and name not in entry.names:
            raise unknown_name(f"parameter of {entry.name}", name, [*entry.names, "area", "name", "positions"])


def node_model(name: str) -> Entry:
    """Entry of what `Network.create` can make."""
    return models().get(name) or devices()[name]


def _entries(found: list[dict[str, Any]], kind: str, shaped: Callable[[str], Entry] | None = None) -> Catalogue:
    return Catalogue({d["name"]: partial(_entry, d, kind) for d in found}, shaped)


def _entry(d: dict[str, Any], kind: str) -> Entry:
    return Entry(
        name=d["name"],
        kind=d.get("kind", kind),
        doc=d["doc"],
        parameters={f.name: f for f in map(_field, d.get("parameters", ()))},
        state={f.name: f for f in map(_field, d.get("state", ()))},
        vectors={name: Field(name, unit, None, doc) for name, unit, doc in d.get("vectors", ())},
        receptors=tuple(d.get("receptors", ())),
        input=d.get("input", ""),
        effect=d.get("effect", ""),
        precise=d.get("precise", False),
        varied=frozenset(d.get("varied", ())),
        recorded={f.name: f for f in map(_field, d.get("recorded", ()))},
        carries=d.get("carries", ""),
        delayed=d.get("delayed", True),
        rows=tuple(d.get("rows", ())),
        digest=d.get("digest", ""),
        takes_spikes=d.get("takes_spikes", True),
        history=d.get("history", ""),
        sends=tuple(d.get("sends", ())),
        takes=tuple(d.get("takes", ())),
        spikes=d.get("spikes", True),
        current_ports=d.get("current_ports", 1),
        face=d.get("face", {}),
    )


def _field(values: Any) -> Field:
    return Field(values, "", None, "") if isinstance(values, str) else Field(*values)
