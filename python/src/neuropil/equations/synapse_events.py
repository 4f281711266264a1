# SPDX-License-Identifier: Apache-2.0
"""Rules whose variables can be set while a network runs: kept per synapse as they were at its last event, with the time of this event.

Each event lets variables decay since the last event, then does its statements. So nothing but its events changes a synapse, and synapse_history
can carry out events that the kernel has not delivered yet. The kernel takes what was set before its next event (synapse_settable).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..errors import bad_parameter
from .description import Parameter
from .expressions import text_of
from .parsing import Assignment, read_assignments
from .synapse_rule import TIME, WEIGHT, Dynamics, Rule, default_of
from .units import SYMBOLS, named

__all__ = ["EARLY", "EPOCH", "LAST", "LATE", "SETTLED", "set_name", "settable_rule"]

LAST, EPOCH = "last", "epoch"  # variables: time of the last event [ms]; value of `settled` that the others follow
SETTLED, LATE, EARLY = "settled", "late", "early"  # parameters
LOCAL = ("now",)


def set_name(variable: str) -> str:
    """The parameter with the value that a variable is set to."""
    return f"{variable}_set"


def settable_rule(rule: Rule) -> Rule:
    """The rule with variables that can be set. Raises BadParameter for what it cannot have."""
    kept = [*(v.name for v in rule.variables), LAST]
    more = [*map(set_name, kept), SETTLED, LATE, EARLY]
    unfit = {"parts": rule.made.parts, "between and on_third": rule.is_followed, "seen": rule.seen, "random numbers": rule.draws}
    if found := [what for what, used in unfit.items() if used]:
        raise bad_parameter("settable", True, f"False in a rule with {found[0]}")
    taken = {*kept[:-1], *(p.name for p in rule.made.parameters), *(a.name for a in (*rule.on_pre, *rule.on_post))}
    if clash := sorted(taken & {*more, LAST, EPOCH, *LOCAL}):
        raise bad_parameter("settable", True, f"False in a rule with the name {clash[0]}, or another name")
    on_pre = statements(rule, rule.on_pre, f"{TIME} + {LATE}", "on_pre")
    on_post = statements(rule, rule.on_post, f"{TIME} + {LATE} - {EARLY}", "on_post") if rule.on_post else ()
    ms = SYMBOLS["ms"][0]
    times = [Dynamics(name, "synapse", None, None, None, ms) for name in (LAST, EPOCH)]
    variables = (*(replace(v, kind="synapse", tau=None, rest=None) for v in rule.variables), *times)
    begins = {set_name(v.name): default_of(rule.made, v.initial) if v.initial else 0.0 for v in variables[:-1]}
    units = {set_name(v.name): named(v.unit) for v in variables[:-1]}
    parameters = [Parameter(name, begins.get(name, 0.0), units.get(name, "ms")) for name in more]
    made = replace(
        rule.made,
        parameters=(*rule.made.parameters, *parameters),
        reset=(*rule.made.reset, *on_pre, *on_post),
        lines={**rule.made.lines, **{name: f"d{name}/dt = 0" for name in (LAST, EPOCH)}},
    )
    return replace(rule, made=made, variables=variables, on_pre=on_pre, on_post=on_post, settable=True)


def statements(rule: Rule, done: Iterable[Assignment], now: str, part: str) -> tuple[Assignment, ...]:
    """An event: the time since the last event, then statements."""
    lines = [f"now = {now}", *(f"{v.name} = {decayed(v)}" for v in rule.variables if v.tau), f"{LAST} = now"]
    for each in done:
        value = text_of(each.value) if each.operator == "=" else f"{each.name} {each.operator[0]} ({text_of(each.value)})"
        if each.name == WEIGHT:
            value = f"max({value}, {text_of(rule.low)})" if rule.low else value
            value = f"min({value}, {text_of(rule.high)})" if rule.high else value
        lines.append(f"{each.name} = {value}")
    return tuple(read_assignments("\n".join(lines), part))


def decayed(v: Dynamics) -> str:
    """A variable now."""
    assert v.tau is not None
    factor = f"exp(({LAST} - now) / ({text_of(v.tau)}))"
    if v.rest is None:
        return f"{v.name} * {factor}"
    return f"({text_of(v.rest)}) + ({v.name} - ({text_of(v.rest)})) * {factor}"
