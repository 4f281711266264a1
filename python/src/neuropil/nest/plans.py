# SPDX-License-Identifier: Apache-2.0
"""Calls of Connect that are like an earlier one but for the nodes and some numbers.

Networks of many populations make thousands of them. What an earlier call found out from the specifications and from the models of the nodes is
not found out again; what depends on the nodes or on the numbers is checked every time. A call that is in any way unusual goes the long way,
which raises all errors.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..classes import Distribution
from ..engine import PreparedConnect, to_spec
from ..space.engine import SpatialRule
from . import edges, grid, projections, senders, wiring
from .errors import translating
from .kernel import Session, generation, session
from .models.node_models import CM, takes_ports
from .models.synapse_models import GAP
from .node_collection import NodeCollection
from .parameters.expression import Parameter
from .registry import Row
from .spatial.masks import Mask
from .specs import ConnRule, to_rule
from .wires import SynapseKind

_MOST = 4096  # plans that are kept
_NUMBERS = frozenset({float, int, np.float64})
_PLAIN = frozenset({*_NUMBERS, bool, str, np.int64, np.bool_})
_OF_RULES = frozenset({"N", "indegree", "outdegree", "p"})
_OF_SYNAPSES = frozenset({"weight", "delay"})
_MOST_VALUE = 2.0**63  # beyond, and for what is no number, the long way finds the error

Key = tuple[Any, ...]


class Plan(NamedTuple):
    """A call of the kernel for specifications of one form, between nodes of two models; with a rule for its numbers, too.

    arguments : of the kernel; borrowed : parameters that the synapses have from their targets, with the values that are in `arguments`
    ports : receptors are chosen by number, and nodes of the model may have different numbers of them; in_space : the rule looks at positions
    call : of the kernel, None: the plan is for any numbers; space : the rule that draws the edges
    """

    arguments: dict[str, Any]
    kind: SynapseKind
    borrowed: tuple[tuple[str, Any], ...]
    ports: bool
    in_space: bool
    rule: ConnRule = ConnRule()
    call: PreparedConnect | None = None
    space: SpatialRule | None = None


def repeat(s: Session, pre: Any, post: Any, conn_spec: Any, syn_spec: Any) -> tuple[bool, Key | None]:
    """Connects as an earlier call did. Returns whether it has, and else the key by which to keep this call."""
    if type(pre) is not NodeCollection or type(post) is not NodeCollection:
        return False, None
    now = generation()
    if pre._generation is not now or post._generation is not now:
        return False, None
    a, b = pre._row(), post._row()
    numbers: dict[str, float] = {}
    rest: list[Any] = []
    form = _form(conn_spec, _OF_RULES, numbers, rest), _form(syn_spec, _OF_SYNAPSES, numbers, rest)
    if a is None or b is None or ... in form:
        return False, None
    key = ((*form, id(a.model), id(b.model)), *rest)
    plan = s.plans.get(key) or _for_numbers(s, key, conn_spec, syn_spec)
    if plan is None or not _fits(plan, b, numbers, pre, post):
        return False, key
    wired = wiring.stimulators(pre, [plan.kind.model]) if a.model.kind == "stimulator" else {}
    assert plan.call is not None
    with translating():
        lister = edges.lister_in_space(pre, post, plan.space) if plan.space else None
        if plan.space and lister is None:
            return False, key
        draw = s.engine.draws + 1 if lister else s.engine.draws
        listed = lister(s.seed, draw) if lister else None
        s.engine.connect_prepared(plan.call, pre._ranges, post._ranges, numbers.get("weight"), numbers.get("delay"), listed)
        s.engine.draws = draw  # refused calls change no random numbers of later ones
    s.wires.note_call(plan.kind)
    if wired:
        s.wires.of_stimulators |= wired
    return True, key


def _form(spec: Any, free: frozenset[str], numbers: dict[str, float], rest: list[Any]) -> Any:
    """What a specification says, to be compared, but for values that may differ from call to call; `...` where it cannot be.

    free : names of these values: numbers of synapses are added to `numbers`, others to `rest`
    """
    if type(spec) is not dict:
        return spec if spec is None or type(spec) is str else ...
    form: list[Any] = []
    free = frozenset() if "Wmax" in spec else free  # its sign must be that of the weight
    for name, value in spec.items():
        kind: Any = type(value)
        if kind in _NUMBERS and name in free and abs(value) < _MOST_VALUE:
            form += name, float
            if name in _OF_SYNAPSES:
                numbers[name] = value
            else:
                rest.append(value)
        elif isinstance(value, Parameter) and name in free and (structure := value.structure()) is not None:
            form += name, Parameter
            rest.append(structure)
        elif (content := _content(value)) is not None:
            form += name, content
        else:
            return ...
    return tuple(form)


def _content(value: Any, inside: bool = False) -> Any:
    """What tells a value from others, to be compared; None where it cannot be. inside : of a dict, such as a mask, where lists are short."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return kind, value or repr(value)  # 0.0 and -0.0 differ
    if kind is dict or (inside and kind in (list, tuple)):
        parts = [_content(each, inside=True) for each in (value.values() if kind is dict else value)]
        return None if None in parts else (kind, *(value if kind is dict else ()), *parts)
    if isinstance(value, Parameter):
        return value.structure() or value.structure  # a bound method equals those of the same object alone
    return value if isinstance(value, Mask) else None


def _for_numbers(s: Session, key: Key, conn_spec: Any, syn_spec: Any) -> Plan | None:
    """A plan for other numbers than those so far. Raises what the long way would raise; None: it must be taken. key : of `repeat`."""
    plan = s.plans.get(key[0])
    if plan is None:
        return None
    rule = to_rule(conn_spec)
    arguments = plan.arguments | {"rule_params": (projections.explicit({}) if plan.in_space else rule.native()).parameters}
    for name in _OF_SYNAPSES:
        value = syn_spec.get(name) if type(syn_spec) is dict else None
        if isinstance(value, Parameter):
            drawn = value.native()
            if not isinstance(drawn, Distribution | float | int):
                return None
            if name == "delay":
                grid.check_delays(drawn)
            arguments[name] = to_spec(name, drawn)
    space = wiring.spatial(rule) if plan.in_space else None
    call = s.engine.kernel.prepared(**arguments)
    found = Plan(arguments, plan.kind, plan.borrowed, plan.ports, plan.in_space, rule, call, space)
    _keep(s, key, found)
    return found


def _keep(s: Session, key: Key, plan: Plan) -> None:
    if len(s.plans) >= _MOST:
        s.plans.clear()
    s.plans[key] = plan


def _fits(plan: Plan, target: Row, numbers: dict[str, float], pre: NodeCollection, post: NodeCollection) -> bool:
    """Whether a plan is good for these nodes and numbers. Raises what the long way would raise."""
    if plan.rule.name == "one_to_one" and len(pre) != len(post):
        return False
    if plan.borrowed and plan.borrowed != _borrowed(target, [name for name, _ in plan.borrowed]):
        return False
    if plan.ports:
        projections.check_receptor(plan.arguments["receptor"], post._ranges)
    if "delay" in numbers:
        grid.check_delays(numbers["delay"])
    return True


def keep(key: Key, calls: list[projections.Made], pre: NodeCollection, post: NodeCollection) -> None:
    """Keeps what a call that went the long way has found out, if it was one call of the kernel that others may repeat. key : of `repeat`."""
    s = session()
    if len(calls) != 1 or not s.setting("dict_miss_is_error") or "formula" in (calls[0].arguments[name][0] for name in _OF_SYNAPSES):
        return
    made, source, target = calls[0], pre._row(), post._row()
    assert source and target, "only such calls have a key"
    if made.pre is not pre._ranges or made.post is not post._ranges or (made.arguments["rule"] == "explicit" and not made.in_space):
        return
    if (
        made.kind.base == GAP or source.model.root == senders.DILUTOR or target.model.root == CM or target.model.face.lent
    ):  # parameters of nodes decide
        return
    borrowed = _borrowed(target, s.synapse_models[made.kind.model].of_neuron)
    if borrowed is None:
        return
    s.plans.pop(key, None)  # it was for other parameters of the nodes
    arguments = made.arguments | {"rule_params": {}}
    _keep(s, key[0], Plan(arguments, made.kind, borrowed, takes_ports(target.model.entry), made.in_space))


def _borrowed(row: Row, keys: list[str]) -> tuple[tuple[str, Any], ...] | None:
    """Values that all nodes of a row share, by key; None where they differ."""
    values = [row.extras[key] if key in row.extras else row.model.extras[key] for key in keys]
    return None if any(isinstance(value, list) for value in values) else tuple(zip(keys, values, strict=True))
