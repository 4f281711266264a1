# SPDX-License-Identifier: Apache-2.0
"""Edges drawn before they are connected: for values that depend on what an edge joins, and for rules that the kernel does not have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..model.distributions import Distribution
from ..model.rules import Rule
from .conn_spec import ConnRule
from .errors import NESTErrors, translating
from .kernel import session
from .node_values import evaluate, is_parameter
from .ranks import gathered

if TYPE_CHECKING:
    from .node_collection import NodeCollection
    from .synapse_spec import SynSpec

Ints = NDArray[np.int64]
_CHUNK = 4_000_000  # pairs that are looked at together
_MEAN_OF_TABLES, _MOST_MEAN = (
    500.0,
    1e6,
)  # of connections of a pair: from which tables are used; at most (numbers of edges have room for 2^20)
_UNIFORM = ("uniform", 0.0, 1.0, "none", -np.inf, np.inf, None, 0.0, 1.0, 0)


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges that end on nodes of this rank: positions in pre and post and a number per edge, the same on any ranks; int64 of shape (n,).

    places : in space, what Parameters are evaluated for, by the number of the draw; at : which of an array's values each edge has, None: the i-th
    """

    source: Ints
    target: Ints
    key: Ints
    places: Callable[[int], Any] | None = None
    at: Ints | None = None

    def values(self, pre: NodeCollection, post: NodeCollection, value: Any) -> Any:
        """A number, or what a Parameter gives, or the array given, one per edge."""
        if not is_parameter(value):
            return float(value) if not isinstance(value, np.ndarray) else value if self.at is None else value[self.at]
        s = session()
        found = value.native()
        draw = s.next_draw()
        if isinstance(found, Distribution):
            return np.asarray(_core.draw_values(found.spec(), s.seed, draw, self.key))
        if found is not None:
            return float(found)
        from ..space.context import Context

        return value.evaluate(Context(s.seed, draw, self.key) if self.places is None else self.places(draw))


def by_kernel(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> Edges:
    """Edges of a rule of the kernel."""
    from .projections import native_rule

    network = session().network
    made: Rule = native_rule(rule)
    with translating():
        found = network._kernel.draw_edges(pre._ranges.ascending(), post._ranges.ascending(), made.name, made.parameters)
    source, target, key, at = (np.asarray(column, np.int64) for column in found)
    if len(at) == len(key) or session().n_ranks == 1:
        return Edges(source, target, key, at=at if len(at) else None)
    everyone = gathered(key[:, None].view(np.float64))[0].view(np.int64).ravel()
    return Edges(source, target, key, at=np.searchsorted(np.sort(everyone), key))


def by_rule(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> Edges:
    """Edges of any rule."""
    if rule.name == "pairwise_poisson":
        return _pairwise(pre, post, rule, _poisson_counts)
    if rule.name == "pairwise_bernoulli" and rule.drawn:
        return _pairwise(pre, post, rule, lambda u, p: (u < p).astype(np.int64))
    if rule.name in ("fixed_indegree", "fixed_outdegree") and rule.drawn:
        return _drawn_degrees(pre, post, rule)
    return by_kernel(pre, post, rule)


def uniform(draw: int, keys: Ints) -> NDArray[np.float64]:
    """One number in [0, 1) per key, float64 of shape (n,)."""
    return np.asarray(_core.draw_values(_UNIFORM, session().seed, draw, keys))


def _poisson_counts(u: NDArray[np.float64], mean: Any) -> Ints:
    """Quantiles of Poisson distributions: the smallest k with P(K <= k) > u."""
    means = np.broadcast_to(np.fmax(np.asarray(mean, np.float64), 0.0), u.shape)
    count = np.zeros(u.shape, np.int64)
    if means.size and means.max() > _MOST_MEAN:
        raise NESTErrors.BadProperty(f"a mean number of {means.max():g} connections of a pair: at most {_MOST_MEAN:g}")
    large = means > _MEAN_OF_TABLES
    for one in np.unique(means[large]).tolist():
        some = means == one
        count[some] = _large_poisson_counts(u[some], one)
    term = np.where(large, 1.0, np.exp(-np.where(large, 0.0, means)))  # exp(-mean) would be 0 for large means
    total = term.copy()
    while (more := (u >= total) & (total < 1.0 - 1e-15)).any():
        count[more] += 1
        term = np.where(more, term * means / np.maximum(count, 1), term)
        total = np.where(more, total + term, total)
    return count


def _large_poisson_counts(u: NDArray[np.float64], mean: float) -> Ints:
    """The same for one mean, by the probabilities of all numbers that are not beyond 12 standard deviations."""
    half = 12.0 * math.sqrt(mean)
    k = np.arange(max(0, math.floor(mean - half)), math.ceil(mean + half) + 1)
    log_factorial = np.array([math.lgamma(n + 1.0) for n in k.tolist()])
    upto = np.cumsum(np.exp(k * math.log(mean) - mean - log_factorial))
    return np.asarray(k[np.minimum(np.searchsorted(upto, u, side="right"), len(k) - 1)])


def _pairwise(pre: NodeCollection, post: NodeCollection, rule: ConnRule, counts: Any) -> Edges:
    """Edges whose number is drawn for each pair, a block of targets at a time."""
    s = session()
    draw, draw_number = s.next_draw(), s.next_draw()
    n = len(pre)
    sources, gids = pre._gids, post._gids
    own = np.flatnonzero(s.own(gids))
    step = max(1, _CHUNK // n)
    parts = []
    for at in range(0, len(own), step):
        targets = own[at : at + step]
        keys = (targets[:, None] * n + np.arange(n)).ravel()
        number = _numbers(rule.number, s.seed, draw_number, keys)
        k = counts(uniform(draw, keys), number)
        if not rule.autapses:
            k[np.equal.outer(gids[targets], sources).ravel()] = 0
        some = np.repeat(np.flatnonzero(k), k[k > 0])
        parts.append((some % n, targets[some // n], keys[some], k[some]))
    source, target, pair = (np.concatenate([part[j] for part in parts]) if parts else np.empty(0, np.int64) for j in range(3))
    return Edges(source, target, _edge_keys(pair, n * len(gids)))


def _edge_keys(pair: Ints, n_pairs: int) -> Ints:
    """Numbers of edges, each its own: the pair, and which of its edges."""
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    within = np.arange(len(pair)) - np.repeat(first, np.diff(first, append=len(pair)))
    return np.where(within < 64, pair * 64 + within, n_pairs * 64 + (pair << 20) + within)


def _numbers(value: Any, seed: int, draw: int, keys: Ints) -> Any:
    if not is_parameter(value):
        return float(value)
    found = value.native()
    if isinstance(found, Distribution):
        return np.asarray(_core.draw_values(found.spec(), seed, draw, keys))
    if found is not None:
        return float(found)
    from ..space.context import Context

    return value.evaluate(Context(seed, draw, keys))


def symmetric(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> tuple[Edges, Edges]:
    """Edges of symmetric_pairwise_bernoulli, and those back: each pair (source, target) that is drawn is connected both ways."""
    draw = session().next_draw()
    return _drawn_pairs(pre, post, rule, draw, len(pre), 1), _drawn_pairs(post, pre, rule, draw, 1, len(pre))


def _drawn_pairs(pre: NodeCollection, post: NodeCollection, rule: ConnRule, draw: int, per_target: int, per_source: int) -> Edges:
    """Pairs with their own key, target position * per_target + source position * per_source, whichever way they are looked at."""
    s = session()
    sources, gids = pre._gids, post._gids
    own = np.flatnonzero(s.own(gids))
    index = np.arange(len(sources), dtype=np.int64)
    step = max(1, _CHUNK // len(sources))
    parts = []
    for at in range(0, len(own), step):
        targets = own[at : at + step]
        keys = np.add.outer(targets * per_target, index * per_source).ravel()
        wanted = uniform(draw, keys) < _numbers(rule.number, s.seed, draw, keys)
        wanted &= np.not_equal.outer(gids[targets], sources).ravel()
        some = np.flatnonzero(wanted)
        parts.append((some % len(sources), targets[some // len(sources)], keys[some]))
    source, target, key = (np.concatenate([part[k] for part in parts]) if parts else np.empty(0, np.int64) for k in range(3))
    return Edges(source, target, key)


def _drawn_degrees(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> Edges:
    """Fixed in- or outdegrees that differ from node to node."""
    inwards = rule.name == "fixed_indegree"
    driver, pool = (post, pre) if inwards else (pre, post)
    s = session()
    degrees = _degrees(driver, rule, len(pool))
    draw = s.next_draw()
    mine = np.flatnonzero(s.own(post._gids)) if inwards else np.arange(len(driver))
    driver_gids, pool_gids = driver._gids, pool._gids
    found = [_choose(k, int(degrees[k]), driver_gids[k], pool_gids, rule, draw) for k in mine.tolist()]
    who = np.repeat(mine, [len(f) for f in found])
    partner = np.concatenate(found) if found else np.empty(0, np.int64)
    key = who * (1 << 22) + np.concatenate([np.arange(len(f)) for f in found]) if found else who
    if inwards:
        return Edges(partner, who, key)
    own = s.own(pool_gids)[partner]
    order = np.argsort(partner[own], kind="stable")
    return Edges(who[own][order], partner[own][order], key[own][order])


def _degrees(driver: NodeCollection, rule: ConnRule, n_pool: int) -> Ints:
    gids = driver._gids
    value = evaluate(driver, gids, rule.number)
    if isinstance(value, Distribution):
        value = _core.draw_values(value.spec(), session().seed, session().next_draw(), gids)
    degrees = np.broadcast_to(np.maximum(np.asarray(np.round(value), np.int64), 0), len(gids))
    if not rule.multapses and len(degrees) and degrees.max() > n_pool - (not rule.autapses):
        raise NESTErrors.BadProperty(f"{rule.key.capitalize()} cannot be larger than population size.")
    return degrees


def _choose(k: int, degree: int, gid: int, pool: Ints, rule: ConnRule, draw: int) -> Ints:
    """Positions in the pool of the partners of the k-th driver."""
    n = len(pool)
    banned = int(np.searchsorted(pool, gid)) if not rule.autapses and gid in pool else -1
    if rule.multapses:
        keys = k * (1 << 22) + np.arange(degree, dtype=np.int64)
        m = n - (banned >= 0)
        found = np.minimum((uniform(draw, keys) * m).astype(np.int64), m - 1)
        return found + ((found >= banned) & (banned >= 0))
    u = uniform(draw, k * (1 << 32) + np.arange(n, dtype=np.int64))
    if banned >= 0:
        u[banned] = 2.0
    return np.sort(np.argpartition(u, degree - 1)[:degree]) if degree else np.empty(0, np.int64)


def pairs_of(pre: NodeCollection, post: NodeCollection, found: Edges, spec: SynSpec) -> tuple[Ints, Ints, SynSpec]:
    """Ids of sources and targets of edges, with a value per edge of all that varies; of all ranks. Collective."""
    columns: dict[str, Any] = {"weight": spec.weight, "delay": spec.delay, "receptor_type": spec.receptor, **spec.parameters}
    varied = [key for key, value in columns.items() if is_parameter(value) or isinstance(value, np.ndarray)]
    values = [np.broadcast_to(found.values(pre, post, columns[key]), len(found.key)).astype(np.float64) for key in varied]
    whole = np.stack([pre._gids[found.source], post._gids[found.target], found.key], axis=1).view(np.float64)
    table, _ = gathered(np.concatenate([whole, np.stack(values, axis=1) if values else np.empty((len(whole), 0))], axis=1))
    source, target, key = np.ascontiguousarray(table[:, :3]).view(np.int64).T
    order = np.lexsort((key, target))
    columns |= {name: np.ascontiguousarray(table[order, 3 + k]) for k, name in enumerate(varied)}
    weight, delay, receptor = (columns.pop(name) for name in ("weight", "delay", "receptor_type"))
    return source[order], target[order], replace(spec, weight=weight, delay=delay, receptor=receptor, parameters=columns)


def edges_in_space(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> Edges:
    """Edges by a rule, mask or kernel in space."""
    from .spatial import connecting

    a, b, given = _in_space(pre, post, rule)
    s = session()
    draw = s.next_draw()
    columns = connecting.edges(a, b, given, s.seed, draw, s.own(post._gids), s.threads)
    return Edges(*columns, lambda draw: connecting.edge_context(a, b, given, columns, s.seed, draw))


def _in_space(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> tuple[Any, Any, dict[str, Any]]:
    if pre._layer is None or post._layer is None:
        raise TypeError("For a spatial connection both pre and post must have positions")
    number = {} if rule.number is None else {rule.key: rule.number}
    given = {"rule": rule.name, **number, "allow_autapses": rule.autapses, "allow_multapses": rule.multapses, **rule.spatial}
    return _part(pre), _part(post), given


def connect_in_space(pre: NodeCollection, post: NodeCollection, rule: ConnRule, specs: list[SynSpec]) -> None:
    """Connects by a rule, mask or values that look at positions."""
    from . import projections
    from .spatial import connecting

    a, b, given = _in_space(pre, post, rule)
    s = session()
    draw, own = s.next_draw(), s.own(post._gids)
    if all(projections.takes_list(post, spec) for spec in specs):
        listed = connecting.edge_list(a, b, given, s.seed, draw, own, s.threads)
        if listed is not None:
            for spec in specs:
                projections.connect_list(pre, post, listed, spec)
            return
    columns = connecting.edges(a, b, given, s.seed, draw, own, s.threads)
    found = Edges(*columns, lambda draw: connecting.edge_context(a, b, given, columns, s.seed, draw))
    for spec in specs:
        projections.connect_edges(pre, post, found, spec)


def _part(nodes: NodeCollection) -> Any:
    """The layer of a collection, or the part of it that the collection holds."""
    return nodes._layer.part(nodes._gids)
