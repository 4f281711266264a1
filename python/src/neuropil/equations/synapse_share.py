# SPDX-License-Identifier: Apache-2.0
"""Short-term plasticity: rules whose spikes transmit a share of the weight that follows from the spikes of the source alone."""

from __future__ import annotations

from dataclasses import replace

from .expressions import Binary, Expression, Name, Number, changed, names
from .parsing import Assignment
from .synapse_rule import TIME, WEIGHT, Rule

__all__ = ["SINCE", "share_of", "without_time"]

SINCE = "ms since the last spike"  # no name of a user has spaces
MOST_PARAMETERS = 15  # VariedParameters of cpp/synapses/varied_parameters.hpp, less the delay of the axon


def share_of(rule: Rule) -> Expression | None:
    """What spikes transmit, divided by the weight, where that is the same for all synapses of a source; else None."""
    kinds = {v.kind for v in rule.variables}
    bounded = rule.low is not None or rule.high is not None
    if kinds != {"pre"} or rule.is_followed or rule.seen or rule.draws or bounded or len(rule.made.parameters) > MOST_PARAMETERS:
        return None
    if WEIGHT in {a.name for a in (*rule.on_pre, *rule.on_post)}:
        return None
    return divided(rule.transmit)


def divided(tree: Expression) -> Expression | None:
    """A product without its factor `w`; None where it is none."""
    match tree:
        case Name(name="w"):
            return Number(tree.place, 1.0)
        case Binary(operator="*") if WEIGHT not in names(tree.left):
            right = divided(tree.right)
            return right and (tree.left if is_one(right) else replace(tree, right=right))
        case Binary(operator="*" | "/") if WEIGHT not in names(tree.right):
            left = divided(tree.left)
            return left and (tree.right if is_one(left) and tree.operator == "*" else replace(tree, left=left))
    return None


def is_one(tree: Expression) -> bool:
    return isinstance(tree, Number) and tree.value == 1.0


def without_time(rule: Rule) -> Rule:
    """The rule without `t`, where that stands only in `t - last` and in `last = t`, for the time since the last spike of the source."""
    at = [k for k, each in enumerate(rule.on_pre) if each.value == Name(each.place, TIME) and each.operator == "="]
    last = rule.on_pre[at[0]].name if len(at) == 1 else ""
    kept = rule.variable(last)
    if kept is None or kept.tau or kept.initial or sum(a.name == last for a in rule.on_pre) > 1:
        return rule

    def since(node: Expression) -> Expression | None:
        is_span = (
            isinstance(node, Binary)
            and node.operator == "-"
            and (node.left, node.right) == (Name(node.place, TIME), Name(node.place, last))
        )
        return Name(node.place, SINCE) if is_span else None

    before = [replace(a, value=changed(a.value, since)) for a in rule.on_pre[: at[0]]]
    after = rule.on_pre[at[0] + 1 :]
    used = rule.made.reached(set().union(names(rule.transmit), *(names(a.value) for a in (*before, *after, *rule.on_post))))
    if used & {TIME, last}:
        return rule
    passed = rule.on_pre[at[0]]
    step = Assignment(last, "+=", Name(passed.place, SINCE), passed.place)
    return replace(rule, on_pre=(*before, step, *after))
