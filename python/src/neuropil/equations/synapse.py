# SPDX-License-Identifier: Apache-2.0
"""Synapse models from equations: their C++ file, their summary, and how they are used in networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..base.named import named_arguments
from ..errors import bad_type
from ..model.catalog import Entry, announced, synapses
from ..model.synapses import Synapse, synapse
from ..own_models.building import digest_of
from ..own_models.loading import load_source
from .expressions import text_of
from .synapse_events import settable_rule
from .synapse_following import rule_file
from .synapse_places import Places, places_of
from .synapse_reading import describe_synapse
from .synapse_rule import Rule, statement
from .units import named
from .values import Value

__all__ = ["SynapseModel", "modelled", "synapse_model"]


@dataclass(frozen=True)
class SynapseModel:
    """A synapse model made from equations: see `synapse_model`. Call it to set parameters: model(lr=0.02).

    Attributes
    ----------
    name
        Of the model.
    source
        The C++ file that the equations became.
    rule
        What the equations were read as.
    places
        Where each variable is kept.
    """

    name: str
    source: str
    rule: Rule
    places: Places

    @property
    def parameters(self) -> dict[str, float]:
        """Default value of each parameter, in its unit."""
        return {p.name: p.default for p in self.rule.made.parameters}

    @property
    def units(self) -> dict[str, str]:
        """Unit of each variable and parameter; "" for numbers."""
        made = self.rule.made
        return {v.name: named(v.unit) for v in self.rule.variables} | {p.name: p.unit for p in made.parameters}

    @property
    def kept(self) -> dict[str, str]:
        """Where each variable is kept: "source", "target", "synapse", or "nowhere" if nothing uses it."""
        places = dict.fromkeys(self.places.row, "source") | dict.fromkeys(self.places.own, "synapse")
        places |= {v.name: "transmitter" for v in self.rule.of_kind("third")}
        return {v.name: places.get(v.name, "target" if v.name in self.places.traces else "nowhere") for v in self.rule.variables}

    @property
    def entry(self) -> Entry:
        """What `neuropil.synapses()` has of the model; compiles it. Raises as `loaded`."""
        return self.loaded()

    def loaded(self) -> Entry:
        """Compiles the source, unless that was done before, and loads it: `Network.connect` does it. Raises MissingCompiler, ModelError."""
        if self.name in synapses() and synapses()[self.name].digest == digest_of(self.source):
            return synapses()[self.name]
        return load_source(self.source, f"{self.name}.cpp")

    def __call__(self, **parameters: Any) -> Synapse:
        """The model with parameters that differ from the defaults, for `connect`. Raises as `loaded`, and UnknownName, BadParameter, BadType."""
        return synapse(self.loaded().name, **parameters)

    def summary(self) -> str:
        """Statements, variables, where they are kept, and parameters with their units, as a text."""
        rule, made, kept = self.rule, self.rule.made, self.kept
        lines = [f"{self.name}: {self._cost()}", "", "variables"]
        for v in rule.variables:
            begin = "" if v.initial is None else f", begins with {text_of(v.initial)}"
            lines.append(f"  {made.lines[v.name]} ({v.kind}): {_KEPT[kept[v.name]]}{begin}")
        lines += [f"  {made.lines[part.name]}" for part in made.parts]
        for name, done in rule.written:
            lines += [name, *(f"  {statement(each)}" for each in done)] if done else []
        lines += ["transmit", f"  {text_of(rule.transmit)}"]
        lines += ["parameters", *(f"  {p.name} = {p.default:g} {p.unit}".rstrip() for p in made.parameters)]
        bounds = [f"w >= {text_of(rule.low)}"] if rule.low else []
        bounds += [f"w <= {text_of(rule.high)}"] if rule.high else []
        return "\n".join([*lines, *(["bounds", f"  {', '.join(bounds)}"] if bounds else [])])

    def _cost(self) -> str:
        n = len(self.places.own)
        per_synapse = f"{n} value{'s' * (n > 1)} per synapse beside the weight" if n else "nothing is kept per synapse but the weight"
        early = " Spikes of targets count before the first spike of a source, too." if self.places.meets_all else ""
        return f"{per_synapse}.{early}"

    def __repr__(self) -> str:
        return f"SynapseModel({self.name!r}: {', '.join(f'{name} per {where}' for name, where in self.kept.items())})"


_KEPT = {
    "source": "kept once per source",
    "target": "the kernel's trace of the target",
    "synapse": "kept per synapse",
    "transmitter": "the kernel's concentration of the transmitter",
    "nowhere": "not used",
}


@named_arguments
def synapse_model(
    name: str,
    *equations: str,
    on_pre: str = "",
    on_post: str = "",
    parameters: Mapping[str, Value] = {},
    bounds: Sequence[Value | None] | None = None,
    transmit: str = "w",
    initial: Mapping[str, Value] = {},
    on_third: str = "",
    between: str = "",
    seen: str | None = None,
    settable: bool = False,
    doc: str = "",
) -> SynapseModel:
    """A synapse model from equations, as C++ text; docs/howto/own_models.md describes the language.

    Parameters
    ----------
    name
        Of the model: letters, digits and _.
    equations
        A line for each variable, "dx/dt = -x/tau_plus (pre)": it decays between spikes. (pre): only spikes of the source change it, (post):
        only spikes of the target, (synapse): both. A part that has a name: "gain = A*x".
    on_pre, on_post
        Statements at spikes of the source and of the target, such as "w -= lr*y; x += 1". w is the weight, in the unit of the target.
    parameters
        Default values: numbers, or texts with a unit such as "20 ms". Units that are not given follow from the equations.
    bounds
        Least and greatest weight: numbers or expressions of parameters, such as ("0", "Wmax"); None: no bound. Each change is cut to them.
    transmit
        What arrives at the target after on_pre.
    initial
        Values of variables at the beginning: numbers or expressions of parameters. Others begin with 0.
    on_third
        What a spike of the volume transmitter does to the variable (third): "n += 1/tau_n". The parameter `volume_transmitter` names the node.
    between
        Statements for the time between two events, spikes of the source, the target and the transmitter. They see the values at its
        beginning and its length `elapsed` (ms), and change w and variables (synapse) in the way that does not depend on how it is cut.
    seen
        Variable of the targets, neurons with a line (seen), that on_pre, on_post and transmit read: "V_m : mV".
    settable
        Variables may be set between runs; they are kept per synapse, with the time of its last event.
    doc
        One sentence on the model.

    Returns
    -------
    SynapseModel
        With the C++ text, `source`, and a `summary()`. `connect(..., synapse=model)` and `synapse=model(lr=0.02)` take it.

    Raises
    ------
    EquationError, UnitError, BadParameter, BadType
    """
    if wrong := [text for text in (*equations, doc) if not isinstance(text, str)]:
        raise bad_type("equations" if wrong[0] is not doc else "doc", wrong[0], "a text")
    lines = "\n".join(equations)
    rule = describe_synapse(name, lines, on_pre, on_post, parameters, bounds, transmit, initial, doc, on_third, between, seen)
    return modelled(settable_rule(rule) if settable else rule)


def modelled(rule: Rule) -> SynapseModel:
    """The model of a rule."""
    places = places_of(rule)
    return announced(SynapseModel(rule.made.name, rule_file(rule, places), rule, places))
