# SPDX-License-Identifier: Apache-2.0
"""Connection rules as values. `autapses`: may a node connect to itself; `multapses`: may a pair be connected more than once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_number, to_whole
from ..base.laws import Law
from ..base.named import named_arguments
from ..base.quantities import plain
from ..errors import bad_length, bad_parameter, bad_type
from ..space.expression import Drawn, Expression, Term
from ..space.masks import Mask
from . import catalog
from .distributions import Distribution

__all__ = [
    "Rule",
    "all_to_all",
    "explicit",
    "fixed_indegree",
    "fixed_outdegree",
    "fixed_total_number",
    "one_to_one",
    "pairwise_bernoulli",
    "pairwise_poisson",
    "rule_hint",
    "symmetric_pairwise_bernoulli",
]

RuleParameter = Any  # numbers, flags, arrays; masks and expressions where the edges are drawn before the kernel gets them
Amount = float | Distribution | Expression
"""A number; a distribution it is drawn from; or an expression, e.g. of distances."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the kernel by its name, with its parameters; see `neuropil.rules()` for all there are."""

    name: str
    parameters: Mapping[str, RuleParameter] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v}' for k, v in self.parameters.items())})"

    @property
    def drawn(self) -> bool:
        """Whether its edges are drawn before the kernel gets them: it has a mask or an expression, or the kernel does not have it."""
        if self.name in _NOT_OF_THE_KERNEL:
            return True
        for value in self.parameters.values():  # noqa: SIM110  (connect asks often: a generator takes longer)
            if isinstance(value, Term | Mask):
                return True
        return False

    def edge_shape(self, n_pre: int, n_post: int) -> tuple[int, ...] | None:
        """Shape that a two-dimensional array of weights or delays must have, or None when only one-dimensional arrays make sense."""
        if self.drawn:
            return None
        if not (rows := catalog.kernel_rules().get(self.name, _UNKNOWN).rows):
            return None
        sizes = {**self.parameters, "n_pre": n_pre, "n_post": n_post}
        return tuple(int(sizes.get(of, 0)) for of in rows)


@named_arguments
def all_to_all(*, autapses: bool = True) -> Rule:
    """Every node of pre to every node of post. Arrays of weights and delays: shape (n_post, n_pre), or flat in that order."""
    return _rule("all_to_all", {}, autapses, True)


@named_arguments
def one_to_one(*, autapses: bool = True) -> Rule:
    """The i-th node of pre to the i-th of post; both have the same length n. Arrays: shape (n,)."""
    return _rule("one_to_one", {}, autapses, True)


@named_arguments
def fixed_indegree(
    k: int | Distribution | Expression, *, p: Amount | None = None, mask: Mask | None = None, autapses: bool = True, multapses: bool = True
) -> Rule:
    """Every node of post gets k inputs from pre, drawn uniformly. Arrays: shape (n_post, k).

    k : or what it is for each target: drawn, or an expression of npl.position, rounded
    p : how likely a source is, up to a common factor: e.g. an expression of npl.distance
    mask : region around the target in which sources are looked for

    With p or a mask, or where k differs, there are no arrays. Raises TooFewNodes for a target that has too few sources.
    """
    return _degrees("fixed_indegree", "indegree", k, p, mask, autapses, multapses)


@named_arguments
def fixed_outdegree(
    k: int | Distribution | Expression, *, p: Amount | None = None, mask: Mask | None = None, autapses: bool = True, multapses: bool = True
) -> Rule:
    """Every node of pre gets k targets in post, drawn uniformly. Arrays: shape (n_pre, k).

    k, p, mask : as of `fixed_indegree`, of a source and its targets
    """
    return _degrees("fixed_outdegree", "outdegree", k, p, mask, autapses, multapses)


@named_arguments
def fixed_total_number(n: int, *, autapses: bool = True, multapses: bool = True) -> Rule:
    """n connections, each with source and target drawn uniformly. No arrays: no order of the connections is promised."""
    return _rule("fixed_total_number", {"N": to_count("n", n)}, autapses, multapses)


@named_arguments
def pairwise_bernoulli(p: Amount = 1.0, *, mask: Mask | None = None, around: str = "source", autapses: bool = True) -> Rule:
    """Each pair is connected with probability p, independently. The number of connections is random: no arrays.

    p : from 0 to 1, or an expression, e.g. of npl.distance: what is above 1 counts as 1, below 0 as 0
    mask : region around the source in which targets are connected; with around="target" the region around the target in which sources are
    """
    if around not in ("source", "target"):
        raise bad_parameter("around", around, "'source' or 'target'")
    found: dict[str, RuleParameter] = {"p": _chance(p)} | ({} if mask is None else {"mask": _mask(mask)})
    return _rule("pairwise_bernoulli", found | ({"around": around} if mask is not None and around != "source" else {}), autapses, True)


@named_arguments
def pairwise_poisson(mean: Amount, *, mask: Mask | None = None, autapses: bool = True) -> Rule:
    """Each pair gets a number of connections that is Poisson distributed with this mean, at most 500, independently. No arrays.

    mean : >= 0, or an expression, e.g. of npl.distance: what is below 0 counts as 0
    mask : region around the target in which sources are connected
    """
    found = _amount("mean", mean)
    if isinstance(found, float) and not 0.0 <= found <= 500.0:
        raise bad_parameter("mean", mean, "from 0 to 500")
    return _rule("pairwise_poisson", {"mean": found} | ({} if mask is None else {"mask": _mask(mask)}), autapses, True)


@named_arguments
def symmetric_pairwise_bernoulli(p: Amount) -> Rule:
    """Each pair of a node of pre and one of post is connected in both directions with probability p, else in none. No node connects to itself.

    p : from 0 to 1, or an expression, e.g. of npl.distance

    The projection holds both directions; their values are drawn independently. No arrays.
    """
    return Rule("symmetric_pairwise_bernoulli", {"p": _chance(p)})


@named_arguments
def explicit(sources: ArrayLike, targets: ArrayLike, *, own_targets: bool = False) -> Rule:
    """Edge i goes from node sources[i] of pre to node targets[i] of post: positions, from 0, whole numbers of shape (n,). Arrays: shape (n,).

    `Network.connect_gids` connects nodes by their gids.

    own_targets: on several ranks every rank gives the edges that end on its own nodes (`Network.ranks_of`), and no others, with their weights
    and delays: what a rank holds is its share of the edges. Connecting is then collective. The network is the same as when every rank gives all
    edges, as long as those of one target come in the same order. Raises BadLength, BadType.
    """
    found: dict[str, RuleParameter] = {"sources": to_positions("sources", sources), "targets": to_positions("targets", targets)}
    if len(found["sources"]) != len(found["targets"]):
        raise bad_length("targets", len(found["targets"]), len(found["sources"]))
    return Rule("explicit", found | ({"own_targets": True} if to_flag("own_targets", own_targets) else {}))


_UNKNOWN = catalog.Entry("", "rule", "")
_NOT_OF_THE_KERNEL = ("pairwise_poisson", "symmetric_pairwise_bernoulli")


def _degrees(name: str, key: str, k: Any, p: Any, mask: Any, autapses: bool, multapses: bool) -> Rule:
    found: dict[str, RuleParameter] = {key: _amount("k", k) if isinstance(k, Distribution | Term) else to_count("k", k)}
    if p is not None:
        found["p"] = _amount("p", p)
        if isinstance(found["p"], float) and not found["p"] > 0.0:
            raise bad_parameter("p", p, "> 0, or an expression")
    if mask is not None:
        found["mask"] = _mask(mask)
    if isinstance(found.get("p"), float) and not isinstance(found[key], Term) and mask is None:
        del found["p"]  # the same for all
    return _rule(name, found, autapses, multapses)


def _amount(name: str, value: Any) -> float | Term:
    """A number; or an expression."""
    value = plain(name, value, "")
    if isinstance(value, Distribution):
        return Drawn(value)
    if not isinstance(value, Term):
        return to_number(name, value)
    return value if (found := value.native()) is None or isinstance(found, Law) else float(found)


def _chance(p: Any) -> float | Term:
    """A probability. Raises BadParameter for numbers that are none."""
    found = _amount("p", p)
    if isinstance(found, float) and not 0.0 <= found <= 1.0:
        raise bad_parameter("p", p, "from 0 to 1")
    return found


def _mask(mask: Any) -> Mask:
    if not isinstance(mask, Mask):
        raise bad_type("mask", mask, "a mask: npl.space.circle(...), npl.space.box(...), ...")
    return mask


def to_count(name: str, value: Any) -> int:
    """A number of edges. Raises BadType, BadParameter."""
    if (number := to_whole(name, value)) < 0:
        raise bad_parameter(name, value, "at least 0")
    return number


def to_flag(name: str, value: Any) -> bool:
    """Raises BadType for what is not a bool."""
    if not isinstance(value, bool | np.bool_):
        raise bad_type(name, value, "True or False")
    return bool(value)


def to_positions(name: str, given: ArrayLike) -> NDArray[np.int64]:
    """Positions in a set of nodes, shape (n,). Raises BadType."""
    if hasattr(given, "gids"):  # Nodes: their gids would be taken for positions
        raise bad_type(name, given, "positions in pre and post; net.connect_gids(sources, targets) takes nodes and gids")
    positions = np.atleast_1d(np.asarray(given))
    if positions.ndim != 1 or (positions.dtype.kind not in "iu" and positions.size):
        raise bad_type(name, given, "a one-dimensional array of positions")
    return positions.astype(np.int64)


def _rule(name: str, parameters: dict[str, RuleParameter], autapses: bool, multapses: bool) -> Rule:
    # Only what is forbidden is passed on: the kernel's rules allow both.
    for key, value in (("autapses", autapses), ("multapses", multapses)):
        if not to_flag(key, value):
            parameters[f"allow_{key}"] = False
    return Rule(name, parameters)


_RULES = (
    fixed_indegree,
    fixed_outdegree,
    fixed_total_number,
    pairwise_bernoulli,
    pairwise_poisson,
    symmetric_pairwise_bernoulli,
    all_to_all,
    one_to_one,
)
_IN_NEST = {"indegree": "k", "outdegree": "k", "N": "n", "allow_autapses": "autapses", "allow_multapses": "multapses"}
_LONGEST = 30  # text of a value that a hint repeats


def rule_hint(name: str, value: object) -> str:
    """What to do with an argument of `connect` that belongs to a rule; "" for one that does not."""
    shown = text if len(text := repr(value)) <= _LONGEST else "..."
    own = _IN_NEST.get(name, name)
    rules = [
        rule for rule in _RULES if own in signature(rule).parameters and (name not in ("indegree", "outdegree") or name in rule.__name__)
    ]
    main = [rule for rule in rules if signature(rule).parameters[own].kind is not Parameter.KEYWORD_ONLY]
    made = [f"npl.{rule.__name__}({shown})" for rule in main] or [f"npl.{rule.__name__}(..., {own}={shown})" for rule in rules]
    more = ", ..." if len(made) > 2 else ""
    return f"it belongs to a rule: connect(pre, post, {' or '.join(made[:2])}{more})" if made else ""
