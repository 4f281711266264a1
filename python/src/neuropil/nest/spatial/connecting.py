# SPDX-License-Identifier: Apache-2.0
"""Edges of rules in space: which nodes a mask and a kernel connect. Random numbers are keyed by pairs and drivers, never by ranks.

pairwise_bernoulli looks around every source for targets (with use_on_source around every target for sources), fixed_outdegree likewise;
fixed_indegree and pairwise_poisson look around every target for sources.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import NESTErrors
from ..parameters import Context, Parameter
from ..parameters.context import Floats, Ints
from . import choosing
from .layers import Part
from .pairs import PairContext, Pairs, Search, on_pool
from .specification import SpatialRule, parse

_PLACE = 1 << 40  # of our own random numbers: beyond those of any Parameter
_MOST = 1 << 10  # connections of a pair that keys tell apart
_EMPTY = np.empty(0, np.int64)

Edges = tuple[Ints, Ints, Ints]


def edges(pre: Part, post: Part, conn_spec: Mapping[str, Any], seed: int, draw: int, own: NDArray[np.bool_]) -> Edges:
    """Edges that end on nodes of this rank.

    Parameters
    ----------
    pre, post : nodes in space
    conn_spec : rule, mask, p, indegree, outdegree, pairwise_avg_num_conns, use_on_source, allow_autapses, allow_multapses, allow_oversized_mask
    own : bool (len(post),): which targets live on this rank

    Returns positions in pre and in post, targets ascending, and a key per edge that does not depend on ranks; int64 (n,). Raises ValueError for
    other rules and keys, BadProperty for masks that do not fit, KernelException where there are not enough candidates.
    """
    rule = _ready(parse(conn_spec), pre, post)
    make = _Maker(pre, post, rule, seed, draw, own)
    if rule.degree is None:
        return _joined(make.of_pairs())
    return _joined(make.inwards() if rule.inwards else make.outwards())


def edge_context(pre: Part, post: Part, conn_spec: Mapping[str, Any], found: Edges, seed: int, draw: int) -> Context:
    """What weights, delays and other Parameters are evaluated for on these edges: distances wrap as the rule of conn_spec sees them."""
    pool = parse(conn_spec).pool(pre, post)
    return PairContext(
        seed, draw, found[2], extent=pool.extent, periodic=pool.periodic, ends=(pre.positions, found[0], post.positions, found[1])
    )


def _ready(rule: SpatialRule, pre: Part, post: Part) -> SpatialRule:
    if pre.dims != post.dims:
        raise NESTErrors.BadProperty(f"sources in {pre.dims} dimensions and targets in {post.dims}")
    return replace(rule, mask=on_pool(rule.mask, rule.pool(pre, post)))


def _joined(parts: Iterator[Edges]) -> Edges:
    columns = list(zip(*parts, strict=True))
    return tuple(np.concatenate(column) for column in columns) if columns else (_EMPTY, _EMPTY, _EMPTY)  # type: ignore[return-value]


class _Maker:
    """One call of `edges`."""

    def __init__(self, pre: Part, post: Part, rule: SpatialRule, seed: int, draw: int, own: NDArray[np.bool_]) -> None:
        self._pre, self._post, self._rule, self._own = pre, post, rule, own
        self._pool = rule.pool(pre, post)
        self._base = Context(seed, draw, _EMPTY, extent=self._pool.extent, periodic=self._pool.periodic)
        # The sides whose nodes are walked through: targets, so that each rank finds its own, except where a source chooses its targets.
        self._by_target = rule.degree is None or rule.inwards
        centres, others = (post, pre) if self._by_target else (pre, post)
        around_centre = self._by_target == rule.inwards
        self._search = Search(centres, others, self._pool, rule.mask, 1 if around_centre else -1, rule.oversized)
        self._loops = not rule.autapses and len(np.intersect1d(pre.gids, post.gids)) > 0

    # --- rules of pairs

    def of_pairs(self) -> Iterator[Edges]:
        """Edges whose number is drawn for each pair."""
        for pairs in self._search.around(np.flatnonzero(self._own)):
            context = self._context(pairs)
            u = context.uniforms(_PLACE)
            p = self._kernel(context)
            if self._rule.name == "pairwise_bernoulli":
                chosen = np.flatnonzero(u < p)
                yield pairs.other[chosen], pairs.centre[chosen], context.keys[chosen]
            else:
                number = poisson_quantile(u, np.broadcast_to(p, u.shape))
                chosen = np.repeat(np.arange(len(u)), number)
                which = np.arange(len(chosen)) - np.repeat(np.cumsum(number) - number, number)
                yield pairs.other[chosen], pairs.centre[chosen], context.keys[chosen] * _MOST + which

    # --- fixed degrees

    def inwards(self) -> Iterator[Edges]:
        """Edges of targets that choose their sources."""
        degrees = self._degrees(self._post)
        for driver, other, key in self._chosen(np.flatnonzero(self._own), degrees):
            yield other, driver, key

    def outwards(self) -> Iterator[Edges]:
        """Edges of sources that choose their targets: every rank follows all choices and keeps what ends on its own nodes."""
        degrees = self._degrees(self._pre)
        kept = []
        for driver, other, key in self._chosen(np.arange(len(self._pre.gids)), degrees):
            mine = np.flatnonzero(self._own[other])
            kept.append((driver[mine], other[mine], key[mine]))
        source, target, key = _joined(iter(kept))
        order = np.argsort(target, kind="stable")
        yield source[order], target[order], key[order]

    def _chosen(self, drivers: Ints, degrees: Ints) -> Iterator[Edges]:
        """Choices (driver, other, key) of drivers with these numbers."""
        for pairs in self._search.around(drivers):
            seen, count = np.unique(pairs.centre, return_counts=True)
            candidates, some = self._candidates(pairs, seen, count)
            wanted = degrees[seen]
            if len(few := choosing.short(candidates, wanted, self._rule.multapses)):
                raise self._too_few(int(seen[few[0]]))
            if self._rule.multapses:
                who, which = choosing.with_repeats(candidates, wanted, seen, self._uniform)
            else:
                who, which = choosing.without_repeats(candidates, wanted, self._uniform)
            driver = seen[who]
            yield driver, some.other[which], (driver << 32) + _within(who)
            degrees[seen] = 0
        if len(left := drivers[degrees[drivers] > 0]):
            raise self._too_few(int(left[0]))

    def _candidates(self, pairs: Pairs, seen: Ints, count: Ints) -> tuple[choosing.Candidates, Pairs]:
        context = self._context(pairs)
        weight = None
        if isinstance(self._rule.kernel, Parameter) or self._rule.kernel <= 0.0:
            weight = np.array(np.broadcast_to(self._kernel(context), (len(pairs),)))
            weight = np.where(weight > 0.0, weight, 0.0)  # not a number: no
        if self._loops:
            kept = np.flatnonzero(~self._is_loop(pairs))
            pairs, context = pairs.take(kept), context.take(kept)
            weight = None if weight is None else weight[kept]
            count = np.bincount(np.searchsorted(seen, pairs.centre), minlength=len(seen))
        begin = np.concatenate([[0], np.cumsum(count)])
        return choosing.Candidates(begin, weight, context.keys), pairs

    def _too_few(self, driver: int) -> Exception:
        side, other = ("target", "sources") if self._rule.inwards else ("source", "targets")
        gid = (self._post if self._rule.inwards else self._pre).gids[driver]
        where = " in the mask" if self._rule.mask is not None else ""
        found: Exception = NESTErrors.KernelException(f"{side} {gid} has too few {other}{where} to choose from")
        return found

    def _degrees(self, drivers: Part) -> Ints:
        """Degree of every driver, int64 (n,). Raises BadProperty for negative ones."""
        degree = self._rule.degree
        if not isinstance(degree, Parameter):
            return np.full(len(drivers.gids), degree, np.int64)
        context = replace(self._base, keys=drivers.gids, node_pos=drivers.positions)
        degrees = np.rint(degree.evaluate(context)).astype(np.int64)
        if (degrees < 0).any():
            raise NESTErrors.BadProperty("the number of connections of a node cannot be less than zero")
        return degrees

    # --- pairs

    def _uniform(self, kind: int, keys: Ints) -> Floats:
        return replace(self._base, keys=keys).uniforms(_PLACE + kind)

    def _context(self, pairs: Pairs) -> PairContext:
        source, target = (pairs.other, pairs.centre) if self._by_target else (pairs.centre, pairs.other)
        key = target * len(self._pre.gids) + source
        if pairs.image is not None:
            key = key * self._search.n_images + pairs.image
        moves: tuple[Floats, ...] = ()
        if pairs.moves and self._search.moves_are_shortest:
            moves = tuple(-move for move in pairs.moves) if self._by_target else pairs.moves
        ends = (self._pre.positions, source, self._post.positions, target)
        base = self._base
        return PairContext(base.seed, base.draw, key, extent=base.extent, periodic=base.periodic, ends=ends, moves=moves)

    def _kernel(self, context: PairContext) -> Any:
        """Values of the kernel for pairs: a number or float64 (n,); 0 for a node with itself where that is forbidden."""
        kernel = self._rule.kernel
        values: Any = kernel.evaluate(context) if isinstance(kernel, Parameter) else kernel
        if not self._loops or self._rule.degree is not None:
            return values
        _, source, _, target = context.ends
        return np.where(self._pre.gids[source] == self._post.gids[target], 0.0, values)

    def _is_loop(self, pairs: Pairs) -> NDArray[np.bool_]:
        centres, others = (self._post, self._pre) if self._by_target else (self._pre, self._post)
        return np.asarray(centres.gids[pairs.centre] == others.gids[pairs.other])


def _within(who: Ints) -> Ints:
    """0, 1, 2, ... within each run of equal entries."""
    first = np.flatnonzero(np.diff(who, prepend=-1))
    return np.arange(len(who)) - np.repeat(first, np.diff(first, append=len(who)))


def poisson_quantile(u: Floats, mean: Floats) -> Ints:
    """Number of events: the smallest k with P(K <= k) >= u for K ~ Poisson(mean); none for means that are not positive. int64 (n,).

    Raises BadProperty for means above 500: a pair has at most 1023 connections.
    """
    if len(mean) and np.nanmax(mean) > 500.0:
        raise NESTErrors.BadProperty(f"a mean number of connections of {np.nanmax(mean):g} for a pair: at most 500")
    left = np.flatnonzero(mean > 0.0)
    number = np.zeros(len(u), np.int64)
    term = np.exp(-mean[left])
    upto = term.copy()
    for k in range(1, _MOST):
        more = u[left] > upto
        if not more.any():
            break
        left, term, upto = left[more], term[more] * mean[left[more]] / k, upto[more]
        upto = upto + term
        number[left] = k
    return number


__all__ = ["edge_context", "edges", "parse", "poisson_quantile"]
