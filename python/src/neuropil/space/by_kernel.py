# SPDX-License-Identifier: Apache-2.0
"""Edges drawn by the kernel: where mask and kernel of a rule are formulas of positions, without random numbers of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from .code import Code, Instruction, NotCompiled
from .context import Ints, stream_of
from .expression import Term
from .masks import Mask
from .pairs import check
from .strips import Strips, cell_list, columns
from .task import PLACE, Edges, Task

_AT_ONCE = 1 << 15  # centres: bounds the memory of edges with keys
_NONE = np.empty(0, np.int64)


def drawing(task: Task) -> ByKernel | None:
    """Who draws the edges, None where numpy must."""
    rule, pool = task.rule, task.pool
    if rule.mask is not None:
        check(rule.mask, pool, rule.oversized)
    near = not pool.periodic  # what the mask sees are the shortest moves
    if rule.mask is not None and pool.periodic:
        near = bool((np.maximum(-rule.mask.low, rule.mask.high) <= pool.extent / 2.0).all())
    form = pool.dims, near
    if form not in rule.programs:
        rule.programs[form] = program(rule.kernel, rule.mask, *form)
    code = rule.programs[form]
    return None if code is None else ByKernel(task, code, near)


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
    """Draws the edges of a task. near : moves need no folding."""

    def __init__(self, task: Task, code: list[Instruction], near: bool) -> None:
        self._task, self._code = task, code
        pool, others, mask = task.pool, task.others, task.rule.mask
        period = pool.extent if pool.periodic else None
        if mask is None:  # all in one cell
            self._strips = cell_list(others.positions, others.lower_left, None, np.full(others.dims, np.inf))
        else:
            self._strips = cell_list(others.positions, pool.lower_left, period, mask.high - mask.low)
        images = 1 if mask is None or period is None else int(np.prod(2 * self._strips.images(mask) + 1))
        self._sides = _sides(task, self._strips, images, [] if near or period is None else period.tolist())
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
        reach = self._strips.reach(self._task.rule.mask, 1 if self._task.around_centre else -1)
        return {"strips": self._strips.description, "reach": reach, "centres": np.ascontiguousarray(some)}


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
