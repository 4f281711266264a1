# SPDX-License-Identifier: Apache-2.0
"""Where variables of a synapse are kept: once per source, in the kernel's trace per target, or per synapse. Results are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .expressions import Expression, Name, Number, changed, names, text_of
from .simplify import simplified, without_zeros
from .synapse_rule import TIME, WEIGHT, Dynamics, Needed, Rule, needed
from .synapse_share import share_of, without_time

__all__ = ["Places", "Slot", "places_of"]

MOST_VALUES = 2  # PreValues::most of cpp/synapses/rule.hpp
MOST_TRACES = 2  # tau_minus and tau_minus_triplet


@dataclass(frozen=True)
class Slot:
    """A value of a source that its synapses get at a spike: just after the previous spike, or just before this one."""

    index: int
    after_last: bool


@dataclass(frozen=True)
class Trace:
    """A variable that is the kernel's trace number `index` times `factor`; None: 1."""

    index: int
    factor: Expression | None


@dataclass(frozen=True)
class Places:
    """Where each variable is, and the statements that synapses need.

    row : variables kept per source; own : per synapse; slots : of those in row, what synapses read; traces, taus : of the kernel, per target
    between : statements for the time between two events
    meets_all : statements at the target's spikes count even before the first spike of the source
    share : what is transmitted, divided by the weight, where it follows from `row` alone; then synapses do nothing themselves
    """

    row: tuple[str, ...]
    own: tuple[str, ...]
    slots: Mapping[str, Slot]
    traces: Mapping[str, Trace]
    taus: tuple[Expression, ...]
    on_pre: Needed
    on_post: Needed
    between: Needed
    meets_all: bool
    share: Expression | None = None


def places_of(rule: Rule) -> Places:
    """Chooses the place of each variable."""
    return shared(without_time(rule)) or single(rule)


def shared(rule: Rule) -> Places | None:
    """Of a rule whose synapses do nothing themselves, or None."""
    share = share_of(rule)
    row = pure_sources(rule)
    if share is None or len(row) < len(rule.variables):
        return None
    done = needed(rule.made, rule.on_pre, {*row, *rule.made.reached(names(share))})
    if {WEIGHT, TIME} & rule.made.reached(done.reads.union(*(names(a.value) for a in done.statements))):
        return None
    nothing = Needed((), frozenset())
    return Places(tuple(row), (), {}, {}, (), done, nothing, nothing, False, share)


def single(rule: Rule) -> Places:
    """Of a rule that updates synapses one by one."""
    traces, taus = traces_of(rule)
    row = [] if rule.is_followed else pure_sources(rule)
    while True:
        own = [v.name for v in rule.variables if v.kind != "third" and v.name not in (*row, *traces)]
        sent = rule.made.reached(names(rule.transmit))
        on_pre = needed(rule.made, rule.on_pre, {*own, WEIGHT, *sent})
        on_post, between = (needed(rule.made, done, {*own, WEIGHT}) for done in (rule.on_post, rule.between))
        slots = slots_of(row, on_pre, on_post)
        if len(slots) <= MOST_VALUES:
            break
        row = closed(rule, row[:-1])
    used = {name: trace for name, trace in traces.items() if name in on_pre.reads | on_post.reads}
    taus = taus[: max((trace.index + 1 for trace in used.values()), default=0)]
    return Places(tuple(row), tuple(own), slots, used, tuple(taus), on_pre, on_post, between, changes_before(rule, on_post, between))


def slots_of(row: list[str], on_pre: Needed, on_post: Needed) -> dict[str, Slot]:
    found: dict[str, Slot] = {}
    for name in row:
        if name in on_post.reads or name in on_pre.reads:
            found[name] = Slot(len(found), name in on_post.reads)
    return found


def pure_sources(rule: Rule) -> list[str]:
    """Variables that follow from the spikes of the source alone."""
    return closed(rule, [v.name for v in rule.of_kind("pre")])


def closed(rule: Rule, row: list[str]) -> list[str]:
    """Those whose statements use nothing but each other and parameters."""
    local = {a.name for a in rule.on_pre if rule.variable(a.name) is None} - {WEIGHT}
    allowed = {*row, *local}
    changing = {v.name for v in rule.variables} | local | {WEIGHT, TIME, str(rule.seen), *rule.draws}
    while True:
        wrong = {a.name for a in rule.on_pre if a.name in allowed and rule.made.reached(names(a.value)) & changing - allowed}
        if not wrong:
            return [name for name in row if name in allowed]
        allowed -= wrong


def traces_of(rule: Rule) -> tuple[dict[str, Trace], list[Expression]]:
    """Variables of the target that are traces of the kernel, and the time constants of these."""
    found: dict[str, Trace] = {}
    taus: list[Expression] = []
    followed = rule.made.reached(set().union(*(names(a.value) for a in rule.between)))
    for v in rule.of_kind("post"):
        step = trace_step(rule, v)
        if step is None or v.tau is None or v.name in followed:
            continue
        texts = [text_of(tau) for tau in taus]
        if text_of(v.tau) not in texts:
            if len(taus) == MOST_TRACES:
                continue
            taus.append(v.tau)
            texts.append(text_of(v.tau))
        one = isinstance(step, Number) and step.value == 1.0
        found[v.name] = Trace(texts.index(text_of(v.tau)), None if one else step)
    return found, taus


def trace_step(rule: Rule, v: Dynamics) -> Expression | None:
    """What each spike of the target adds to the variable, if it does that and no more."""
    steps = [a for a in rule.on_post if a.name == v.name]
    plain = len(steps) == 1 and steps[0].operator == "+=" and rule.is_constant(steps[0].value)
    return steps[0].value if plain and v.rest is None and v.initial is None else None


def changes_before(rule: Rule, on_post: Needed, between: Needed) -> bool:
    """Whether anything may change before the first spike of the source, while variables that are changed by such spikes only are 0."""
    zeros = {v.name for v in [*rule.of_kind("pre"), *rule.of_kind("synapse")] if v.initial is None and v.rest is None}
    for part in rule.made.parts:
        if is_zero_with(part.value, zeros):
            zeros.add(part.name)
    for each in (*on_post.statements, *between.statements):
        if rule.variable(each.name) is None and each.name != WEIGHT:
            zeros = zeros | {each.name} if is_zero_with(each.value, zeros) and each.operator == "=" else zeros - {each.name}
        elif not (each.operator in ("+=", "-=") and is_zero_with(each.value, zeros)):
            return True
    return False


def is_zero_with(tree: Expression, zeros: set[str]) -> bool:
    """Whether the expression is 0 where these names are."""
    tree = changed(tree, lambda node: Number(node.place, 0.0) if isinstance(node, Name) and node.name in zeros else None)
    tree = without_zeros(simplified(tree))
    return isinstance(tree, Number) and tree.value == 0.0
