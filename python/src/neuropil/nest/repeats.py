# SPDX-License-Identifier: Apache-2.0
"""Calls of Connect that differ from an earlier one in nothing but the nodes, or but the nodes and numbers.

Networks of many populations make thousands of them. What was found out for the earlier call, from the specifications and the models of the
nodes, is not found out again; what depends on the nodes or on numbers is checked every time. A call that is in any way unusual goes the
long way, which raises all errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from .. import errors as native
from ..classes import Distribution
from . import projections, senders, wiring
from .continuous import GAP
from .errors import translated
from .kernel import Session, generation, session
from .models.node_models import CM, takes_ports
from .node_collection import NodeCollection
from .parameters.expression import Parameter
from .plans import Key, Plan
from .registry import Row
from .specs import ConnRule, to_rule
from .wires import Span

_PLAIN = frozenset({float, int, bool, str, np.float64, np.int64, np.bool_})
_NUMBERS = frozenset({float, int, np.float64})
_FREE = frozenset({"N", "indegree", "outdegree", "p", "weight", "delay"})

Numbers = tuple[float | None, float | None]
"""Weight and delay (ms); None: as planned."""
_AS_PLANNED: Numbers = (None, None)


def repeat(pre: Any, post: Any, conn_spec: Any, syn_spec: Any) -> tuple[bool, Key | None]:
    """Connects as an earlier call did. Returns whether it has, and else the key by which to keep this call."""
    if type(pre) is not NodeCollection or type(post) is not NodeCollection:
        return False, None
    now = generation()
    if pre._generation != now or post._generation != now:
        return False, None
    a, b = pre._place or _place(pre), post._place or _place(post)
    if a[0] is None or b[0] is None:
        return False, None
    rule, synapse = _content(conn_spec), _content(syn_spec)
    if rule is None or synapse is None:
        return False, None
    s = session()
    key = (rule, synapse, id(a[0].model), id(b[0].model))
    plan, numbers = s.plans.exact(key), _AS_PLANNED
    if plan is None and (plan := s.plans.alike(_alike_key(key, conn_spec, syn_spec))) is not None:
        found = _numbers_alone(plan, rule, syn_spec)
        plan, numbers = (plan, found) if found else (_with_numbers(s, plan, key, conn_spec, syn_spec), _AS_PLANNED)
    wired = wiring.stimulators(pre, [plan.identity.model]) if plan is not None and a[0].model.kind == "stimulator" else {}
    done = plan is not None and _fits(plan, pre, post, b[0]) and _connect(s, plan, numbers, pre, post, a[1], b[1])
    s.wires.of_stimulators |= wired if done else {}
    return done, key


def _content(spec: Any, free: frozenset[str] = frozenset()) -> Key | None:
    """What a specification says, to be compared; None where that cannot be. Of keys in `free` the type of the value alone."""
    if type(spec) is not dict:
        return (spec,) if spec is None or type(spec) is str else None
    found: list[Any] = []
    for key, value in spec.items():
        kind: Any = type(value)
        if kind in _PLAIN:
            found += key, kind, None if key in free else value or repr(value)  # 0.0 and -0.0 differ
        elif isinstance(value, Parameter):
            kind = value.structure()
            if kind is None:
                return None
            found += key, Parameter if key in free else kind
        else:
            return None
    return tuple(found)


def _place(nodes: NodeCollection) -> tuple[Row | None, Span]:
    """The row of nodes that are one range within it, None of others; lowest and highest id."""
    table = nodes._ranges.table
    found: tuple[Row | None, Span] = (None, (0, 0))
    if len(table) == 1:
        first, count, stride = table[0].tolist()
        last, row = first + (count - 1) * stride, session().registry.row(first)
        if stride > 0 and last < row.first + row.count:
            found = row, (first, last)
    object.__setattr__(nodes, "_place", found)
    return found


def _fits(plan: Plan, pre: NodeCollection, post: NodeCollection, row: Row) -> bool:
    """Whether a plan is good for these nodes. Raises as wiring.check_population and projections.check_receptor."""
    rule = plan.rule
    if rule.name == "one_to_one" and len(pre) != len(post):
        return False
    if not rule.multapses:
        wiring.check_population(rule, len(pre), len(post))
    if plan.ports:
        projections.check_receptor(plan.arguments["receptor"], post._ranges)
    return not plan.borrowed or plan.borrowed == _borrowed(row, [key for key, _ in plan.borrowed])


def _connect(s: Session, plan: Plan, numbers: Numbers, pre: NodeCollection, post: NodeCollection, a: Span, b: Span) -> bool:
    """Connects, unless the connections need another label than those of the plan."""
    label, wires = plan.arguments["label"], s.wires
    kind = plan.kind if plan.kind is not None and label == 0 and wires.takes(plan.kind[0], a, b) else None
    if kind is None and wires.label_of(plan.identity, a, b) != label:
        return False
    if plan.call is None:
        plan.call = s.engine.kernel.prepared(**plan.arguments)
    try:
        s.engine.connect_prepared(plan.call, pre._ranges, post._ranges, *numbers)
    except native.NeuropilError as error:
        found = translated(error)
        if found is error:
            raise
        raise found from error
    pairs = plan.rule.name == "one_to_one"
    delay = plan.arguments["delay"] if numbers[1] is None else ("constant", numbers[1])
    if kind is None:
        plan.kind = wires.note(plan.identity, a, b, label, pre._ranges, post._ranges, pairs, delay), plan.identity.lends
    else:
        wires.note_call(kind[0], a, b, pre._ranges, post._ranges, kind[1], pairs, delay)
    return True


@contextmanager
def watched(key: Key | None, pre: NodeCollection, post: NodeCollection, conn_spec: Any, syn_spec: Any, rule: ConnRule) -> Iterator[None]:
    """Keeps what a call finds out that goes the long way inside. `key`: from `repeat`; None: no other call can repeat it."""
    plans = session().plans
    plans.made = None if key is None else []
    try:
        yield
        if key is not None:
            _keep(key, pre, post, conn_spec, syn_spec, rule)
    finally:
        plans.made = None


def _keep(key: Key, pre: NodeCollection, post: NodeCollection, conn_spec: Any, syn_spec: Any, rule: ConnRule) -> None:
    """Keeps what a call that went the long way has found out, if it was one call of the kernel that others may repeat."""
    s = session()
    made = s.plans.made
    if made is None or len(made) != 1 or made[0].rule == "explicit" or not s.settings.get("dict_miss_is_error", True):
        return
    one, source, target = made[0], pre._place[0], post._place[0]
    if one.pre is not pre._ranges or one.post is not post._ranges:
        return
    if (
        one.identity.base == GAP or source.model.root == senders.DILUTOR or target.model.root == CM or target.model.base in senders.SPECIAL
    ):  # parameters of nodes decide
        return
    borrowed = _borrowed(target, one.of_neuron)
    if borrowed is not None:
        free = not (isinstance(syn_spec, dict) and "Wmax" in syn_spec)  # no other value depends on the weight
        plan = Plan(rule, key[0], one.arguments, one.identity, borrowed, takes_ports(target.model.entry))
        s.plans.keep(key, plan, _alike_key(key, conn_spec, syn_spec) if free else None)


def _borrowed(row: Row, keys: list[str]) -> tuple[tuple[str, Any], ...] | None:
    """Values that all nodes of a row share, by key; None where they differ."""
    values = [row.extras[key] if key in row.extras else row.model.extras[key] for key in keys]
    return None if any(isinstance(value, list) for value in values) else tuple(zip(keys, values, strict=True))


def _alike_key(key: Key, conn_spec: Any, syn_spec: Any) -> Key:
    return (_content(conn_spec, _FREE), _content(syn_spec, _FREE), *key[2:])


def _numbers_alone(plan: Plan, rule: Key, syn_spec: Any) -> Numbers | None:
    """Weight and delay of a call that differs in these alone, None for one that is not given; None where more differs, or is not allowed."""
    if rule != plan.content or type(syn_spec) is not dict:
        return None
    found = [syn_spec.get(name) for name in ("weight", "delay")]
    if any(value is not None and (type(value) not in _NUMBERS or not math.isfinite(value)) for value in found):
        return None
    if found[1] is not None:
        projections.check_delays(found[1])
    return found[0], found[1]


def _with_numbers(s: Session, plan: Plan, key: Key, conn_spec: Any, syn_spec: Any) -> Plan | None:
    """The plan of a call that differs in weight, delay or the number of the rule, with those of this one."""
    rule = to_rule(conn_spec)
    changed: dict[str, Any] = {"rule_params": projections.native_rule(rule).parameters}
    for name in ("weight", "delay"):
        if not isinstance(syn_spec, dict) or name not in syn_spec:
            continue
        value = syn_spec[name]
        found = value.native() if isinstance(value, Parameter) else value
        if found is None or not isinstance(found, Distribution | float | int):
            return None
        if name == "delay":
            projections.check_delays(found)
        changed[name] = projections.value_spec(name, found)
    made = replace(plan, rule=rule, content=key[0], arguments=plan.arguments | changed, call=None, kind=None)
    s.plans.keep(key, made)
    return made
