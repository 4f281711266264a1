# SPDX-License-Identifier: Apache-2.0
"""Edges of rules in space: which nodes a mask and a kernel connect. Random numbers are keyed by pairs and drivers, never by ranks.

pairwise_bernoulli looks around every source for targets (with use_on_source around every target for sources), fixed_outdegree likewise;
fixed_indegree and pairwise_poisson look around every target for sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_length, bad_parameter
from . import by_kernel
from .by_kernel import Lister
from .by_numpy import ByNumpy
from .context import Context, Ints
from .expression import Term
from .layers import Part
from .pairs import PairContext
from .task import Drawing, Edges, SpatialRule, Task

__all__ = ["edge_context", "edge_list", "edges", "lister"]

_EMPTY = np.empty(0, np.int64)


def edges(pre: Part, post: Part, rule: SpatialRule, seed: int, draw: int, own: NDArray[np.bool_], threads: int = 1) -> Edges:
    """Edges that end on nodes of this rank.

    Parameters
    ----------
    pre, post : nodes in space
    own : bool (len(post),): which targets live on this rank
    threads : how many may help; the edges do not depend on it

    Returns positions in pre and in post, targets ascending, and a key per edge that does not depend on ranks; int64 (n,). Raises
    BadLength and BadParameter for masks that do not fit, NoPositions, TooFewNodes.
    """
    rule = _ready(rule, pre, post)
    task = Task(pre, post, rule, seed, draw, own, threads)
    drawing: Drawing = by_kernel.drawing(task) or ByNumpy(task)
    if rule.degree is None:
        return _joined(drawing.of_pairs())
    return _inwards(task, drawing) if rule.inwards else _outwards(task, drawing)


def edge_list(pre: Part, post: Part, rule: SpatialRule, seed: int, draw: int, own: NDArray[np.bool_], threads: int = 1) -> Any:
    """The edges of `edges`, as a list for the kernel's rule "explicit": four bytes each, no keys. None where there is no such list.

    Raises as `edges`.
    """
    found = lister(pre, post, rule, own, threads)
    return found and found(seed, draw)


def lister(pre: Part, post: Part, rule: SpatialRule, own: NDArray[np.bool_], threads: int = 1) -> Lister | None:
    """What makes the lists of `edge_list` between these nodes, given seed and draw; it raises as `edges`. None where there are none."""
    task = Task(pre, post, _ready(rule, pre, post), 0, 0, own, threads)
    drawing = by_kernel.drawing(task) if task.by_target and by_kernel.has_lists(task) else None
    if drawing is None:
        return None
    if task.rule.degree is None:
        return drawing.lister()
    drivers = np.flatnonzero(own)

    def listed(seed: int, draw: int) -> Any:
        again = by_kernel.drawing(now := replace(task, seed=seed, draw=draw))
        assert again is not None
        return again.listed_choices(drivers, _degrees(now))

    return listed


def edge_context(pre: Part, post: Part, rule: SpatialRule, found: Edges, seed: int, draw: int) -> Context:
    """What weights, delays and other expressions are evaluated for on these edges: distances wrap as the rule sees them."""
    pool = rule.pool(pre, post)
    ends = (pre.positions, found[0], post.positions, found[1])
    return PairContext(seed, draw, found[2], extent=pool.extent, periodic=pool.periodic, ends=ends)


def _ready(rule: SpatialRule, pre: Part, post: Part) -> SpatialRule:
    if pre.dims != post.dims:
        raise bad_length("targets", f"positions of {post.dims} dimensions, that is", f"as many as sources, {pre.dims}")
    mask = None if rule.mask is None else rule.mask.on(rule.pool(pre, post))
    return rule if mask is rule.mask else replace(rule, mask=mask, known={})


def _inwards(task: Task, drawing: Drawing) -> Edges:
    """Edges of targets that choose their sources."""
    target, source, key = _joined(drawing.chosen(np.flatnonzero(task.own), _degrees(task)))
    return source, target, key


def _outwards(task: Task, drawing: Drawing) -> Edges:
    """Edges of sources that choose their targets: every rank follows all choices and keeps what ends on its own nodes."""
    kept = []
    for source, target, key in drawing.chosen(np.arange(len(task.pre.gids)), _degrees(task)):
        mine = np.flatnonzero(task.own[target])
        kept.append((source[mine], target[mine], key[mine]))
    source, target, key = _joined(iter(kept))
    order = np.argsort(target, kind="stable")
    return source[order], target[order], key[order]


def _degrees(task: Task) -> Ints:
    """Degree of every driver, int64 (n,). Raises BadParameter for negative ones."""
    degree, drivers = task.rule.degree, task.centres
    if not isinstance(degree, Term):
        return np.full(len(drivers.gids), degree, np.int64)
    values = np.rint(degree.evaluate(replace(task.context(drivers.gids), node_pos=drivers.positions)))
    if not (np.isfinite(values) & (values >= 0.0)).all():
        raise bad_parameter("number of connections", float(values[~(values >= 0.0) | ~np.isfinite(values)][0]), "a finite number >= 0")
    return values.astype(np.int64)


def _joined(parts: Iterator[Edges]) -> Edges:
    found = list(parts)
    if len(found) == 1:
        return found[0]
    columns = list(zip(*found, strict=True))
    return tuple(np.concatenate(column) for column in columns) if columns else (_EMPTY, _EMPTY, _EMPTY)  # type: ignore[return-value]
