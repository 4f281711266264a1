# SPDX-License-Identifier: Apache-2.0
"""Expressions and statements of a synapse as C++, and the members that they need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .expressions import Expression, Name, Number, text_of
from .names import Namer, cpp_name
from .parsing import Assignment
from .printing import Printer
from .synapse_places import Places
from .synapse_rule import WEIGHT, Dynamics, Needed, Rule, statement

__all__ = ["RuleCode", "member"]

_WORDS = frozenset(  # that the text of rules uses
    re.findall(
        r"\w+",
        """
    Bound Decay DecayTable Decays Event Field Moment PreValues Rule RuleDefaults Span Step WeightBounds BadParameter
    advance amplifies at before bounded check common cubed dt e event first from happened hears high kept kind largest_weight last left low math
    meets_all met most_parameters ms name npl offset_of own p post pre previous random reads_history rng row row_values send source squared
    stamp_of state std synapse_values synapses tau_minus tau_minus_triplet then time_of together until value values weight weight_bounds
    drawn go next normal_of now pass power previous shown step_ms time_ms to volume
    """,
    )
)


def member(name: str) -> str:
    """What the user's name is called in C++."""
    return cpp_name(name, _WORDS)


class RuleCode:
    """Writes expressions and statements of one rule."""

    def __init__(self, rule: Rule, places: Places) -> None:
        self.rule, self.places, self.made = rule, places, rule.made
        self.printer = Printer("power")  # exponents of rules are often 1 or 0: synapses are updated one by one, so a branch is cheap
        everything = [v.name for v in rule.variables] + [p.name for p in self.made.parts] + [p.name for p in self.made.parameters]
        local = [a.name for a in (*rule.on_pre, *rule.on_post)]
        self.namer = Namer([*everything, *local, *_WORDS])
        self.derived: dict[str, str] = {}  # member -> text, of what follows from parameters
        self.decays: dict[str, str] = {}  # text of a time constant -> member
        self.by_text: dict[str, str] = {}

    # Expressions

    def code(self, tree: Expression, renamed: Mapping[str, str] = {}) -> str:
        """An expression as C++. renamed : names that are called something else here."""
        return self.printer.text(tree, lambda name: renamed.get(name) or self.named(name))

    def named(self, name: str) -> str:
        """A name; a part that follows from parameters is a member with this name."""
        part = self.made.part(name)
        if part and not part.changes and member(name) not in self.derived:
            self.derived[member(name)] = self.code(part.value)
        return member(name)

    def constant(self, tree: Expression, wish: str) -> str:
        """An expression of parameters: itself if it is short, else a member."""
        text = self.code(tree)
        if isinstance(tree, Number | Name):
            return text
        if text not in self.by_text:
            self.by_text[text] = self.namer.make(wish)
            self.derived[self.by_text[text]] = text
        return self.by_text[text]

    def decay(self, v: Dynamics) -> str:
        """The member that gives the decay of a variable over a time."""
        assert v.tau is not None
        text = self.constant(v.tau, f"tau_{v.name}")
        if text not in self.decays:
            self.decays[text] = self.namer.make(f"decay_{v.tau.name if isinstance(v.tau, Name) else v.name}")
        return self.decays[text]

    def decayed(self, v: Dynamics, value: str, factor: str) -> str:
        """The value after some time."""
        if v.tau is None:
            return value
        if v.rest is None:
            return f"{value} * {factor}"
        rest = self.constant(v.rest, f"{v.name}_rest")
        return f"{rest} + ({value} - {rest}) * {factor}"

    def with_initial(self, v: Dynamics, kept: str) -> str:
        """A variable from what is kept of it, which begins with 0."""
        return kept if v.initial is None else f"{self.constant(v.initial, f'{v.name}_initial')} + {kept}"

    def less_initial(self, v: Dynamics) -> str:
        """What is kept of a variable."""
        return member(v.name) if v.initial is None else f"{member(v.name)} - {self.constant(v.initial, f'{v.name}_initial')}"

    def variables(self, chosen: Iterable[str]) -> list[Dynamics]:
        """Variables with these names, in order."""
        wanted = set(chosen)
        return [v for v in self.rule.variables if v.name in wanted]

    # Statements

    def statements(self, done: Iterable[Assignment], declared: set[str], renamed: Mapping[str, str] = {}) -> list[str]:
        """Statements in order, each with its text as a comment. declared : names that need no declaration."""
        lines = []
        for each in done:
            known = each.name == WEIGHT or each.name in declared
            declared.add(each.name)
            value = self.code(each.value, renamed)
            lines += [f"// {statement(each)}", f"{'' if known else 'double '}{member(each.name)} {each.operator} {value};"]
            if each.name == WEIGHT and self.bounded:
                lines.append("w = bounded(w);")
        return lines

    def declared(self, done: Needed) -> set[str]:
        """Names that have a value before the statements."""
        return {*self.places.own, *(v.name for v in self.variables(done.reads))}

    def parts(self, trees: list[Expression], renamed: Mapping[str, str] = {}) -> list[str]:
        """Declarations of parts that expressions use; `renamed` may give them other names."""
        lines = []
        for part in self.made.needed_parts(trees):
            called = renamed.get(part.name) or member(part.name)
            lines += [f"// {part.name} = {text_of(part.value)}", f"const double {called} = {self.code(part.value, renamed)};"]
        return lines

    @property
    def bounded(self) -> bool:
        """Whether weights have bounds."""
        return self.rule.low is not None or self.rule.high is not None
