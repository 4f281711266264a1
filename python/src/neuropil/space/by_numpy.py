# SPDX-License-Identifier: Apache-2.0
"""Edges drawn with numpy: for any expression. Pairs come in chunks, random numbers belong to pairs and drivers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_parameter
from . import choosing
from .context import Floats, Ints
from .expression import Term
from .pairs import PairContext, Pairs, Search
from .task import MOST, PLACE, Edges, Task


class ByNumpy:
    """Draws the edges of a task."""

    def __init__(self, task: Task) -> None:
        self._task = task
        rule = task.rule
        self._search = Search(task.centres, task.others, task.pool, rule.mask, 1 if task.around_centre else -1, rule.oversized)
        self._loops = task.loops

    def of_pairs(self) -> Iterator[Edges]:
        """Edges whose number is drawn for each pair."""
        for pairs in self._search.around(np.flatnonzero(self._task.own)):
            context = self._context(pairs)
            u = context.uniforms(PLACE)
            p = self._kernel(context)
            if self._task.rule.name == "pairwise_bernoulli":
                chosen = np.flatnonzero(u < p)
                yield pairs.other[chosen], pairs.centre[chosen], context.keys[chosen]
            else:
                number = poisson_quantile(u, np.broadcast_to(p, u.shape))
                chosen = np.repeat(np.arange(len(u)), number)
                which = np.arange(len(chosen)) - np.repeat(np.cumsum(number) - number, number)
                yield pairs.other[chosen], pairs.centre[chosen], context.keys[chosen] * MOST + which

    def chosen(self, drivers: Ints, degrees: Ints) -> Iterator[Edges]:
        """Choices (driver, other, key) of drivers with these numbers."""
        for pairs in self._search.around(drivers):
            seen, count = np.unique(pairs.centre, return_counts=True)
            candidates, some = self._candidates(pairs, seen, count)
            wanted = degrees[seen]
            if len(few := choosing.short(candidates, wanted, self._task.rule.multapses)):
                raise self._task.too_few(int(seen[few[0]]))
            if self._task.rule.multapses:
                who, which = choosing.with_repeats(candidates, wanted, seen, self._uniform)
            else:
                who, which = choosing.without_repeats(candidates, wanted, self._uniform)
            driver = seen[who]
            yield driver, some.other[which], (driver << 32) + _within(who)
            degrees[seen] = 0
        if len(left := drivers[degrees[drivers] > 0]):
            raise self._task.too_few(int(left[0]))

    def _candidates(self, pairs: Pairs, seen: Ints, count: Ints) -> tuple[choosing.Candidates, Pairs]:
        context = self._context(pairs)
        weight = None
        if isinstance(self._task.rule.kernel, Term) or self._task.rule.kernel <= 0.0:
            weight = np.array(np.broadcast_to(self._kernel(context), (len(pairs),)))
            weight = np.where(weight > 0.0, weight, 0.0)  # not a number: no
        if self._loops:
            kept = np.flatnonzero(~self._is_loop(pairs))
            pairs, context = pairs.take(kept), context.take(kept)
            weight = None if weight is None else weight[kept]
            count = np.bincount(np.searchsorted(seen, pairs.centre), minlength=len(seen))
        begin = np.concatenate([[0], np.cumsum(count)])
        return choosing.Candidates(begin, weight, context.keys), pairs

    def _uniform(self, kind: int, keys: Ints) -> Floats:
        return self._task.context(keys).uniforms(PLACE + kind)

    def _context(self, pairs: Pairs) -> PairContext:
        source, target = (pairs.other, pairs.centre) if self._task.by_target else (pairs.centre, pairs.other)
        key = target * len(self._task.pre.gids) + source
        if pairs.image is not None:
            key = key * self._search.n_images + pairs.image
        moves: tuple[Floats, ...] = ()
        if pairs.moves and self._search.moves_are_shortest:
            moves = tuple(-move for move in pairs.moves) if self._task.by_target else pairs.moves
        ends = (self._task.pre.positions, source, self._task.post.positions, target)
        task, pool = self._task, self._task.pool
        return PairContext(task.seed, task.draw, key, extent=pool.extent, periodic=pool.periodic, ends=ends, moves=moves)

    def _kernel(self, context: PairContext) -> Any:
        """Values of the kernel for pairs: a number or float64 (n,); 0 for a node with itself where that is forbidden."""
        kernel = self._task.rule.kernel
        values: Any = kernel.evaluate(context) if isinstance(kernel, Term) else kernel
        if not self._loops or self._task.rule.degree is not None:
            return values
        _, source, _, target = context.ends
        return np.where(self._task.pre.gids[source] == self._task.post.gids[target], 0.0, values)

    def _is_loop(self, pairs: Pairs) -> NDArray[np.bool_]:
        return np.asarray(self._task.centres.gids[pairs.centre] == self._task.others.gids[pairs.other])


def _within(who: Ints) -> Ints:
    """0, 1, 2, ... within each run of equal entries."""
    first = np.flatnonzero(np.diff(who, prepend=-1))
    return np.arange(len(who)) - np.repeat(first, np.diff(first, append=len(who)))


def poisson_quantile(u: Floats, mean: Floats) -> Ints:
    """Number of events: the smallest k with P(K <= k) >= u for K ~ Poisson(mean); none for means that are not positive. int64 (n,).

    Raises BadParameter for means above 500: a pair has at most 1023 connections.
    """
    if len(mean) and np.nanmax(mean) > 500.0:
        raise bad_parameter("mean", float(np.nanmax(mean)), "at most 500 connections of a pair")
    left = np.flatnonzero(mean > 0.0)
    number = np.zeros(len(u), np.int64)
    term = np.exp(-mean[left])
    upto = term.copy()
    for k in range(1, MOST):
        more = u[left] > upto
        if not more.any():
            break
        left, term, upto = left[more], term[more] * mean[left[more]] / k, upto[more]
        upto = upto + term
        number[left] = k
    return number
