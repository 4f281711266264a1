# SPDX-License-Identifier: Apache-2.0
"""Edges of rules that do not look at positions and that the kernel does not have, drawn with numpy.

Random numbers are keyed by pairs and drivers, never by ranks. All take gids of sources and targets, int64 (n,), and return positions in
both and a key per edge, int64 (edges,).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.laws import Law, Spec
from ..errors import bad_parameter
from .context import Context
from .expression import Term

__all__ = [
    "ThirdPool",
    "bernoulli_counts",
    "chosen_partners",
    "drawn_edges",
    "drawn_values",
    "from_distribution",
    "own_of_all",
    "pairwise",
    "poisson_counts",
    "symmetric_pairs",
    "uniforms",
]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Edges = tuple[Ints, Ints, Ints]
Places = Callable[[Ints, Ints, Ints], Context]
_CHUNK = 4_000_000  # pairs that are looked at together
_MEAN_OF_TABLES, _MOST_MEAN = 500.0, 1e6  # of a pair: from which tables are used; at most (numbers of edges have room for 2^20)
_UNIFORM: Spec = ("uniform", 0.0, 1.0, "none", -math.inf, math.inf, None, 0.0, 1.0, 0)


def uniforms(seed: int, draw: int, keys: Ints) -> Floats:
    """One number in [0, 1) per key."""
    return np.asarray(_core.draw_values(_UNIFORM, seed, draw, keys))


def from_distribution(distribution: Law, seed: int, draw: int, keys: Ints) -> Floats:
    """One value per key."""
    return np.asarray(_core.draw_values(distribution.spec(), seed, draw, keys))


def drawn_values(value: Any, seed: int, draw: int, keys: Ints) -> Any:
    """A number as it is; what an expression gives for each key, float64 of the shape of keys."""
    if not isinstance(value, Term):
        return float(value)
    found = value.native()
    if isinstance(found, Law):
        return from_distribution(found, seed, draw, keys)
    return float(found) if found is not None else value.evaluate(Context(seed, draw, keys))


def bernoulli_counts(u: Floats, p: Any) -> Ints:
    """1 with probability p, else 0."""
    return np.asarray(u < p).astype(np.int64)


def poisson_counts(u: Floats, mean: Any) -> Ints:
    """Quantiles of Poisson distributions: the smallest k with P(K <= k) > u. Raises BadParameter for means that are too large."""
    means = np.broadcast_to(np.fmax(np.asarray(mean, np.float64), 0.0), u.shape)
    count = np.zeros(u.shape, np.int64)
    if means.size and means.max() > _MOST_MEAN:
        raise bad_parameter("mean", float(means.max()), f"at most {_MOST_MEAN:g} connections of a pair")
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


def _large_poisson_counts(u: Floats, mean: float) -> Ints:
    """The same for one mean, by the probabilities of all numbers that are not beyond 12 standard deviations."""
    half = 12.0 * math.sqrt(mean)
    k = np.arange(max(0, math.floor(mean - half)), math.ceil(mean + half) + 1)
    log_factorial = np.array([math.lgamma(n + 1.0) for n in k.tolist()])
    upto = np.cumsum(np.exp(k * math.log(mean) - mean - log_factorial))
    return np.asarray(k[np.minimum(np.searchsorted(upto, u, side="right"), len(k) - 1)])


def pairwise(
    pre: Ints, post: Ints, own: Ints, counts: Callable[[Floats, Any], Ints], number: Any, autapses: bool, seed: int, draws: tuple[int, int]
) -> Edges:
    """Edges whose number is drawn for each pair by `counts`, from what `number` gives for it; own: positions of the targets of this rank.

    draws : for the pairs, and for `number`
    """
    n = len(pre)
    step = max(1, _CHUNK // n)
    parts = []
    for at in range(0, len(own), step):
        targets = own[at : at + step]
        keys = (targets[:, None] * n + np.arange(n)).ravel()
        k = counts(uniforms(seed, draws[0], keys), drawn_values(number, seed, draws[1], keys))
        if not autapses:
            k[np.equal.outer(post[targets], pre).ravel()] = 0
        some = np.repeat(np.flatnonzero(k), k[k > 0])
        parts.append((some % n, targets[some // n], keys[some]))
    source, target, pair = _joined(parts)
    return source, target, _edge_keys(pair, n * len(post))


def drawn_edges(
    rule: str, number: Any, pre: Ints, post: Ints, own: NDArray[np.bool_], loops: tuple[bool, bool], seed: int, next_draw: Callable[[], int]
) -> Edges:
    """Edges of a rule whose number differs from pair to pair, or from node to node, that end on the targets of this rank, bool (len(post),).

    rule : pairwise_bernoulli or pairwise_poisson; number : of a pair, a number or an expression
    rule : fixed_indegree or fixed_outdegree; number : of each target or source, int64 (n,)
    loops : whether autapses and multapses are allowed; next_draw : gives numbers that no other draw of the network has

    Raises BadParameter for means that are too large.
    """
    mine = np.flatnonzero(own)
    if rule.startswith("pairwise"):
        counts = poisson_counts if rule == "pairwise_poisson" else bernoulli_counts
        return pairwise(pre, post, mine, counts, number, loops[0], seed, (next_draw(), next_draw()))
    if rule == "fixed_indegree":
        target, source, key = chosen_partners(post, mine, number, pre, loops, seed, next_draw())
        return source, target, key
    source, target, key = chosen_partners(pre, np.arange(len(pre)), number, post, loops, seed, next_draw())
    kept = np.flatnonzero(own[target])
    kept = kept[np.argsort(target[kept], kind="stable")]
    return source[kept], target[kept], key[kept]


def _edge_keys(pair: Ints, n_pairs: int) -> Ints:
    """Numbers of edges, each its own: the pair, and which of its edges."""
    first = np.flatnonzero(np.diff(pair, prepend=-1))
    within = np.arange(len(pair)) - np.repeat(first, np.diff(first, append=len(pair)))
    return np.where(within < 64, pair * 64 + within, n_pairs * 64 + (pair << 20) + within)


def symmetric_pairs(
    pre: Ints, post: Ints, own_post: Ints, own_pre: Ints, p: Any, seed: int, draw: int, places: Places | None = None
) -> tuple[Edges, Edges]:
    """Edges from pre to post, each pair with probability p, and those back, with the same key; no node connects to itself.

    places : what p is evaluated for, from positions in pre and post and keys of pairs; None: p does not depend on positions
    """

    def probability(source: Ints, target: Ints, keys: Ints) -> Any:
        if not isinstance(p, Term):
            return float(p)
        return p.evaluate(
            Context(seed, draw, keys) if places is None else places(source, target, keys)
        )  # never the words of the choice itself

    n = len(pre)
    there = _symmetric(pre, post, own_post, lambda a, b: (k := b * n + a, uniforms(seed, draw, k) < probability(a, b, k)))
    back = _symmetric(post, pre, own_pre, lambda b, a: (k := b * n + a, uniforms(seed, draw, k) < probability(a, b, k)))
    return there, back


def _symmetric(pre: Ints, post: Ints, own: Ints, wanted_of: Callable[[Ints, Ints], tuple[Ints, NDArray[np.bool_]]]) -> Edges:
    """Pairs that are wanted; wanted_of gives keys and choices of positions in pre and post."""
    index = np.arange(len(pre), dtype=np.int64)
    step = max(1, _CHUNK // len(pre))
    parts = []
    for at in range(0, len(own), step):
        targets = own[at : at + step]
        keys, wanted = wanted_of(np.tile(index, len(targets)), np.repeat(targets, len(pre)))
        wanted &= np.not_equal.outer(post[targets], pre).ravel()
        some = np.flatnonzero(wanted)
        parts.append((some % len(pre), targets[some // len(pre)], keys[some]))
    return _joined(parts)


def chosen_partners(drivers: Ints, mine: Ints, degrees: Ints, pool: Ints, loops: tuple[bool, bool], seed: int, draw: int) -> Edges:
    """Partners in the pool of the drivers number `mine`, degrees[k] of driver k: (driver, partner, key). loops: autapses, multapses allowed."""
    found = [_choose(k, int(degrees[k]), int(drivers[k]), pool, loops, seed, draw) for k in mine.tolist()]
    who = np.repeat(mine, [len(f) for f in found])
    partner = np.concatenate(found) if found else np.empty(0, np.int64)
    key = who * (1 << 22) + np.concatenate([np.arange(len(f)) for f in found]) if found else who
    return who, partner, key


def _choose(k: int, degree: int, gid: int, pool: Ints, loops: tuple[bool, bool], seed: int, draw: int) -> Ints:
    """Positions in the pool of the partners of the k-th driver."""
    autapses, multapses = loops
    n = len(pool)
    banned = int(np.searchsorted(pool, gid)) if not autapses and gid in pool else -1
    if multapses:
        keys = k * (1 << 22) + np.arange(degree, dtype=np.int64)
        m = n - (banned >= 0)
        found = np.minimum((uniforms(seed, draw, keys) * m).astype(np.int64), m - 1)
        return found + ((found >= banned) & (banned >= 0))
    u = uniforms(seed, draw, k * (1 << 32) + np.arange(n, dtype=np.int64))
    if banned >= 0:
        u[banned] = 2.0
    return np.sort(np.argpartition(u, degree - 1)[:degree]) if degree else np.empty(0, np.int64)


class ThirdPool(NamedTuple):
    """Third nodes of edges: each edge has with probability p one of the `size` in the pool of its target.

    blocks : the pools follow one another in the order of targets; else each is drawn from all
    """

    p: float
    size: int
    blocks: bool
    n_post: int
    n_third: int

    @staticmethod
    def of(p: float, size: int, kind: Any, n_post: int, n_third: int) -> ThirdPool:
        """The pools of a kind, "random" or "block". Raises BadParameter."""
        if not 0.0 <= p <= 1.0:
            raise bad_parameter("p", p, "from 0 to 1")
        if not 1 <= size <= n_third:
            raise bad_parameter("pool_size", size, f"from 1 to the number of third nodes, {n_third}")
        if kind not in ("random", "block"):
            raise bad_parameter("pool", kind, "'random' or 'block'")
        if kind == "block" and not ((size == 1 and n_post % n_third == 0) or n_post * size == n_third):
            raise bad_parameter(
                "pool_size", size, f"1 with a multiple of {n_third} targets, or such that all third nodes are used once, with pool='block'"
            )
        return ThirdPool(p, size, kind == "block", n_post, n_third)

    def thirds(self, target: Ints, key: Ints, seed: int, draws: tuple[int, int, int]) -> Ints:
        """Position of the third node of each edge with this target and key, -1 without; int64 (n,). draws : for p, the pools and the choice."""
        chosen = np.minimum((uniforms(seed, draws[2], key) * self.size).astype(np.int64), self.size - 1)
        if self.blocks and self.n_post * self.size == self.n_third:
            third = target * self.size + chosen
        elif self.blocks:
            third = target // (self.n_post // self.n_third)
        else:
            targets, index = np.unique(target, return_inverse=True)
            pools = [_pool(int(t), self.n_third, self.size, seed, draws[1]) for t in targets]
            third = np.array(pools, np.int64).reshape(-1, self.size)[index, chosen]
        return np.where(uniforms(seed, draws[0], key) < self.p, third, -1)


def _pool(target: int, n: int, size: int, seed: int, draw: int) -> Ints:
    """Which nodes are in the pool of a target: `size` of n, each set as likely."""
    u = uniforms(seed, draw, target * (1 << 32) + np.arange(n, dtype=np.int64))
    return np.argpartition(u, size - 1)[:size] if size < n else np.arange(n)


def own_of_all(comm: Any, edges: Edges, own: NDArray[np.bool_]) -> Edges:
    """Of the edges of all ranks those that end on own targets, in order of targets and keys. Collective unless comm is None."""
    if comm is not None:
        parts = [np.frombuffer(part, np.int64).reshape(3, -1) for part in _core.gather_bytes(comm, np.stack(edges).tobytes())]
        everything = np.concatenate(parts, axis=1)
        source, target, key = everything[:, own[everything[1]]]
        edges = (source, target, key)
    order = np.lexsort((edges[2], edges[1]))
    return edges[0][order], edges[1][order], edges[2][order]


def _joined(parts: list[tuple[Ints, Ints, Ints]]) -> Edges:
    source, target, key = (np.concatenate([part[j] for part in parts]) if parts else np.empty(0, np.int64) for j in range(3))
    return source, target, key
