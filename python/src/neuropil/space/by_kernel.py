# SPDX-License-Identifier: Apache-2.0
"""Edges drawn by the kernel: where mask and kernel of a rule are formulas of positions, without random numbers of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .code import Code, Instruction, NotCompiled
from .context import Floats, Ints, stream_of
from .expression import Term
from .masks import Mask
from .pairs import check
from .strips import Strips, cell_list, columns
from .task import PLACE, Edges, Task

_AT_ONCE = 1 << 15  # centres: bounds the memory of edges with keys
_SMALL, _KEPT = 4096, 64  # a rule caches searches between layers of at most so many nodes, for so many pairs of layers
_NONE = np.empty(0, np.int64)
Lister = Callable[[int, int], "_core.EdgeList"]  # edges of a seed and a draw


class Prepared(NamedTuple):
    """A rule between two sides as the kernel takes it. positions : of sources and targets, float64 (n, dims); candidates: None without a formula."""

    positions: tuple[Floats, Floats]
    candidates: _core.Candidates | None


def drawing(task: Task) -> ByKernel | None:
    """Who draws the edges, None where numpy must."""
    known, positions = task.rule.known, (task.pre.positions, task.post.positions)
    key = (id(positions[0]), id(positions[1]))  # of arrays that layers keep, and that are kept here
    found = known.get(key)
    if found is None:
        found = _prepared(task, positions)
        if max(map(len, positions)) <= _SMALL:
            if len(known) > _KEPT:
                known.clear()
            known[key] = found
    return None if found.candidates is None else ByKernel(task, found.candidates)


def _prepared(task: Task, positions: tuple[Floats, Floats]) -> Prepared:
    rule, pool, others, mask = task.rule, task.pool, task.others, task.rule.mask
    if mask is not None:
        check(mask, pool, rule.oversized)
    near = not pool.periodic  # moves in the mask are the shortest ones
    if mask is not None and pool.periodic:
        near = bool((np.maximum(-mask.low, mask.high) <= pool.extent / 2.0).all())
    form = "program", pool.dims, near
    if form not in rule.known:
        rule.known[form] = program(rule.kernel, mask, pool.dims, near)
    code = rule.known[form]
    if code is None:
        return Prepared(positions, None)
    period = pool.extent if pool.periodic else None
    if mask is None:  # all in one cell
        strips = cell_list(others.positions, others.lower_left, None, np.full(others.dims, np.inf))
    else:
        strips = cell_list(others.positions, pool.lower_left, period, mask.high - mask.low)
    images = 1 if mask is None or period is None else int(np.prod(2 * strips.images(mask) + 1))
    sides = _sides(task, strips, images, [] if near or period is None else period.tolist())
    nearby = {"strips": strips.description, "reach": strips.reach(mask, 1 if task.around_centre else -1)}
    return Prepared(positions, _core.Candidates(sides, nearby, code))


def program(kernel: float | Term, mask: Mask | None, dims: int, direct: bool) -> list[Instruction] | None:
    """Value of the kernel in the mask, 0 outside; None where there is no formula. `direct`: places in the mask are the shortest moves."""
    code = Code(dims, direct)
    try:
        value = kernel.code(code) if isinstance(kernel, Term) else code.constant(kernel)
        if mask is None:
            return code.finish(value)
        inside = mask.code(code, [code.input("in_mask", k) for k in range(dims)])
        return code.finish(code("choose", inside, value, code.constant(0.0)))
    except NotCompiled:
        return None


def has_lists(task: Task) -> bool:
    """Whether edges can be listed with sources of 32 bits."""
    return len(task.pre.gids) < 1 << 32


class ByKernel:
    """Draws the edges of a task."""

    def __init__(self, task: Task, candidates: _core.Candidates) -> None:
        self._task, self._candidates = task, candidates
        self._numbers = (task.seed, stream_of(task.draw, PLACE), task.threads)
        self._poisson = task.rule.name == "pairwise_poisson"

    def of_pairs(self) -> Iterator[Edges]:
        """Edges (source, target, key) whose number is drawn for each pair."""
        for some in _some(np.flatnonzero(self._task.own)):
            found = self._candidates.pairs(self._poisson, some).edges(*self._numbers)
            yield found[1], found[0], found[2]

    def lister(self) -> Lister:
        """The same as a list for the kernel, for any random numbers of the rule."""
        pairs, threads = self._candidates.pairs(self._poisson, np.flatnonzero(self._task.own)), self._task.threads
        return lambda seed, draw: pairs.list(seed, stream_of(draw, PLACE), threads)

    def chosen(self, drivers: Ints, degrees: Ints) -> Iterator[Edges]:
        """Edges (driver, other, key) of drivers that choose degrees[driver] others."""
        for some in _some(drivers):
            found, short = self._candidates.choices(degrees, self._task.rule.multapses, some, *self._numbers)
            self._check(short)
            yield found

    def listed_choices(self, drivers: Ints, degrees: Ints) -> _core.EdgeList:
        """The same as a list for the kernel, where targets are the drivers."""
        listed, short = self._candidates.list_choices(degrees, self._task.rule.multapses, drivers, *self._numbers)
        self._check(short)
        return listed

    def _check(self, short: int) -> None:
        """Raises TooFewNodes for the driver that has too few candidates, if there is one."""
        if short >= 0:
            raise self._task.too_few(short)


def _some(centres: Ints) -> list[Ints]:
    return np.array_split(centres, len(centres) // _AT_ONCE + 1)


def _sides(task: Task, strips: Strips, images: int, period: list[float]) -> dict[str, Any]:
    """Both sides as the kernel takes them; the arrays live as long as the dict."""
    order, loops = strips.order, task.loops
    return {
        "dims": task.centres.dims,
        "centre_is_target": task.by_target,
        "mask_around_centre": task.around_centre,
        "period": period,
        "order": order,
        "folded": strips.coordinates,
        "other_at": strips.places,
        "centre_at": columns(task.centres.positions),
        "other_gid": task.others.gids[order] if loops else _NONE,
        "centre_gid": task.centres.gids if loops else _NONE,
        "n_sources": len(task.pre.gids),
        "n_images": images,
    }
