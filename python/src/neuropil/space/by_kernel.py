# SPDX-License-Identifier: Apache-2.0
"""Edges drawn by the kernel: where mask and kernel of a rule are formulas of positions, without random numbers of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .code import Code, Instruction, NotCompiled
from .context import Floats, Ints, stream_of
from .expression import Term
from .masks import Mask
from .pairs import check
from .strips import Reach, Strips, cell_list, columns
from .task import PLACE, Edges, Task

_AT_ONCE = 1 << 15  # centres: bounds the memory of edges with keys
_SMALL, _KEPT = 4096, 64  # a rule caches searches between layers of at most so many nodes, for so many pairs of layers
_NONE = np.empty(0, np.int64)


class Prepared(NamedTuple):
    """A rule between two sides as the kernel takes it. positions : of sources and targets, float64 (n, dims)."""

    positions: tuple[Floats, Floats]
    code: list[Instruction] | None
    sides: dict[str, Any]
    strips: dict[str, Any]
    reach: Reach


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
    return None if found.code is None else ByKernel(task, found)


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
    period = pool.extent if pool.periodic else None
    if mask is None:  # all in one cell
        strips = cell_list(others.positions, others.lower_left, None, np.full(others.dims, np.inf))
    else:
        strips = cell_list(others.positions, pool.lower_left, period, mask.high - mask.low)
    images = 1 if mask is None or period is None else int(np.prod(2 * strips.images(mask) + 1))
    sides = _sides(task, strips, images, [] if near or period is None else period.tolist())
    return Prepared(positions, rule.known[form], sides, strips.description, strips.reach(mask, 1 if task.around_centre else -1))


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

    def __init__(self, task: Task, prepared: Prepared) -> None:
        assert prepared.code is not None
        self._task, self._code, self._sides = task, prepared.code, prepared.sides
        self._where = {"strips": prepared.strips, "reach": prepared.reach}
        self._numbers = (task.seed, stream_of(task.draw, PLACE), task.threads)
        self._poisson = task.rule.name == "pairwise_poisson"

    def of_pairs(self) -> Iterator[Edges]:
        """Edges (source, target, key) whose number is drawn for each pair."""
        for some in _some(np.flatnonzero(self._task.own)):
            found = _core.pairwise_in_space(self._sides, self._near(some), self._code, self._poisson, *self._numbers)
            yield found[1], found[0], found[2]

    def listed_pairs(self) -> Any:
        """The same as a list for the kernel."""
        listed = _core.EdgeList()
        _core.pairwise_into(listed, self._sides, self._near(np.flatnonzero(self._task.own)), self._code, self._poisson, *self._numbers)
        return listed

    def chosen(self, drivers: Ints, degrees: Ints) -> Iterator[Edges]:
        """Edges (driver, other, key) of drivers that choose degrees[driver] others."""
        for some in _some(drivers):
            found, short = _core.choose_in_space(
                self._sides, self._near(some), self._code, degrees, self._task.rule.multapses, *self._numbers
            )
            self._check(short)
            yield found

    def listed_choices(self, drivers: Ints, degrees: Ints) -> Any:
        """The same as a list for the kernel, where targets are the drivers."""
        listed = _core.EdgeList()
        self._check(
            _core.choose_into(listed, self._sides, self._near(drivers), self._code, degrees, self._task.rule.multapses, *self._numbers)
        )
        return listed

    def _check(self, short: int) -> None:
        """Raises TooFewNodes for the driver that has too few candidates, if there is one."""
        if short >= 0:
            raise self._task.too_few(short)

    def _near(self, some: Ints) -> dict[str, Any]:
        """Where the kernel looks for the others of centres with these numbers."""
        return {**self._where, "centres": np.ascontiguousarray(some)}


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
