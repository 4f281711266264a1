# SPDX-License-Identifier: Apache-2.0
"""Connection rules as values. `autapses`: may a node connect to itself; `multapses`: may a pair be connected more than once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_number, to_whole
from ..base.named import named_arguments
from ..errors import bad_length, bad_parameter, bad_type

__all__ = [
    "Rule",
    "all_to_all",
    "explicit",
    "fixed_indegree",
    "fixed_outdegree",
    "fixed_total_number",
    "one_to_one",
    "pairwise_bernoulli",
]

RuleParameter = float | bool | NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the kernel by its name, with its parameters; see `neuropil.rules()` for all there are."""

    name: str
    parameters: Mapping[str, RuleParameter] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v}' for k, v in self.parameters.items())})"

    def edge_shape(self, n_pre: int, n_post: int) -> tuple[int, ...] | None:
        """Shape that a two-dimensional array of weights or delays must have, or None when only one-dimensional arrays make sense."""
        if self.name == "all_to_all":
            return (n_post, n_pre)
        if self.name == "fixed_indegree":
            return (n_post, int(self.parameters.get("indegree", 0)))
        if self.name == "fixed_outdegree":
            return (n_pre, int(self.parameters.get("outdegree", 0)))
        return None


@named_arguments
def all_to_all(*, autapses: bool = True) -> Rule:
    """Every node of pre to every node of post. Arrays of weights and delays: shape (n_post, n_pre), or flat in that order."""
    return _rule("all_to_all", {}, autapses, True)


@named_arguments
def one_to_one(*, autapses: bool = True) -> Rule:
    """The i-th node of pre to the i-th of post; both have the same length n. Arrays: shape (n,)."""
    return _rule("one_to_one", {}, autapses, True)


@named_arguments
def fixed_indegree(k: int, *, autapses: bool = True, multapses: bool = True) -> Rule:
    """Every node of post gets k inputs from pre, drawn uniformly. Arrays: shape (n_post, k)."""
    return _rule("fixed_indegree", {"indegree": _count("k", k)}, autapses, multapses)


@named_arguments
def fixed_outdegree(k: int, *, autapses: bool = True, multapses: bool = True) -> Rule:
    """Every node of pre gets k targets in post, drawn uniformly. Arrays: shape (n_pre, k)."""
    return _rule("fixed_outdegree", {"outdegree": _count("k", k)}, autapses, multapses)


@named_arguments
def fixed_total_number(n: int, *, autapses: bool = True, multapses: bool = True) -> Rule:
    """n connections, each with source and target drawn uniformly. No arrays: no order of the connections is promised."""
    return _rule("fixed_total_number", {"N": _count("n", n)}, autapses, multapses)


@named_arguments
def pairwise_bernoulli(p: float, *, autapses: bool = True) -> Rule:
    """Each pair is connected with probability 0 <= p <= 1, independently. The number of connections is random: no arrays."""
    if not 0.0 <= (chance := to_number("p", p)) <= 1.0:
        raise bad_parameter("p", p, "from 0 to 1")
    return _rule("pairwise_bernoulli", {"p": chance}, autapses, True)


@named_arguments
def explicit(sources: ArrayLike, targets: ArrayLike, *, own_targets: bool = False) -> Rule:
    """Edge i goes from node sources[i] of pre to node targets[i] of post: positions, from 0, whole numbers of shape (n,). Arrays: shape (n,).

    own_targets: on several ranks every rank gives the edges that end on its own nodes (`Network.ranks_of`), and no others, with their weights
    and delays: what a rank holds is its share of the edges. Connecting is then collective. The network is the same as when every rank gives all
    edges, as long as those of one target come in the same order. Raises BadLength, BadType.
    """
    pair = [np.atleast_1d(np.asarray(positions)) for positions in (sources, targets)]
    for name, given, positions in zip(("sources", "targets"), (sources, targets), pair, strict=True):
        if positions.ndim != 1 or (positions.dtype.kind not in "iu" and positions.size):
            raise bad_type(name, given, "a one-dimensional array of positions")
    if len(pair[0]) != len(pair[1]):
        raise bad_length("targets", len(pair[1]), len(pair[0]))
    if not isinstance(own_targets, bool | np.bool_):
        raise bad_type("own_targets", own_targets, "True or False")
    found: dict[str, RuleParameter] = {"sources": pair[0].astype(np.int64), "targets": pair[1].astype(np.int64)}
    return Rule("explicit", found | ({"own_targets": True} if own_targets else {}))


def _count(name: str, value: int) -> int:
    if (number := to_whole(name, value)) < 0:
        raise bad_parameter(name, value, "at least 0")
    return number


def _rule(name: str, parameters: dict[str, RuleParameter], autapses: bool, multapses: bool) -> Rule:
    # Only what is forbidden is passed on: the kernel's rules allow both.
    for key, value in (("autapses", autapses), ("multapses", multapses)):
        if not isinstance(value, bool | np.bool_):
            raise bad_type(key, value, "True or False")
        if not value:
            parameters[f"allow_{key}"] = False
    return Rule(name, parameters)
