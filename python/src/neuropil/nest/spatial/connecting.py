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
from ..parameters.context import Ints
from . import by_kernel
from .by_numpy import ByNumpy
from .layers import Part
from .pairs import PairContext, on_pool
from .specification import SpatialRule, parse
from .task import Drawing, Edges, Task

_EMPTY = np.empty(0, np.int64)


def edges(pre: Part, post: Part, conn_spec: Mapping[str, Any], seed: int, draw: int, own: NDArray[np.bool_], threads: int = 1) -> Edges:
    """Edges that end on nodes of this rank.

    Parameters
    ----------
    pre, post : nodes in space
    conn_spec : rule, mask, p, indegree, outdegree, pairwise_avg_num_conns, use_on_source, allow_autapses, allow_multapses, allow_oversized_mask
    own : bool (len(post),): which targets live on this rank
    threads : how many may help; the edges do not depend on it

    Returns positions in pre and in post, targets ascending, and a key per edge that does not depend on ranks; int64 (n,). Raises ValueError for
    other rules and keys, BadProperty for masks that do not fit, KernelException where there are not enough candidates.
    """
    rule = _ready(parse(conn_spec), pre, post)
    task = Task(pre, post, rule, seed, draw, own, threads)
    drawing: Drawing = by_kernel.drawing(task) or ByNumpy(task)
    if rule.degree is None:
        return _joined(drawing.of_pairs())
    return _inwards(task, drawing) if rule.inwards else _outwards(task, drawing)


def edge_list(pre: Part, post: Part, conn_spec: Mapping[str, Any], seed: int, draw: int, own: NDArray[np.bool_], threads: int = 1) -> Any:
    """The edges of `edges`, as a list for the kernel's rule "explicit": four bytes each, no keys. None where there is no such list.

    Raises as `edges`.
    """
    rule = _ready(parse(conn_spec), pre, post)
    task = Task(pre, post, rule, seed, draw, own, threads)
    drawing = by_kernel.drawing(task) if task.by_target and by_kernel.has_lists(task) else None
    if drawing is None:
        return None
    return drawing.listed_pairs() if rule.degree is None else drawing.listed_choices(np.flatnonzero(own), _degrees(task))


def edge_context(pre: Part, post: Part, conn_spec: Mapping[str, Any], found: Edges, seed: int, draw: int) -> Context:
    """What weights, delays and other Parameters are evaluated for on these edges: distances wrap as the rule of conn_spec sees them."""
    pool = parse(conn_spec).pool(pre, post)
    ends = (pre.positions, found[0], post.positions, found[1])
    return PairContext(seed, draw, found[2], extent=pool.extent, periodic=pool.periodic, ends=ends)


def _ready(rule: SpatialRule, pre: Part, post: Part) -> SpatialRule:
    if pre.dims != post.dims:
        raise NESTErrors.BadProperty(f"sources in {pre.dims} dimensions and targets in {post.dims}")
    return replace(rule, mask=on_pool(rule.mask, rule.pool(pre, post)))


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
    """Degree of every driver, int64 (n,). Raises BadProperty for negative ones."""
    degree, drivers = task.rule.degree, task.centres
    if not isinstance(degree, Parameter):
        return np.full(len(drivers.gids), degree, np.int64)
    degrees = np.rint(degree.evaluate(replace(task.context(drivers.gids), node_pos=drivers.positions))).astype(np.int64)
    if (degrees < 0).any():
        raise NESTErrors.BadProperty("the number of connections of a node cannot be less than zero")
    return degrees


def _joined(parts: Iterator[Edges]) -> Edges:
    found = list(parts)
    if len(found) == 1:
        return found[0]
    columns = list(zip(*found, strict=True))
    return tuple(np.concatenate(column) for column in columns) if columns else (_EMPTY, _EMPTY, _EMPTY)  # type: ignore[return-value]


__all__ = ["edge_context", "edge_list", "edges", "parse"]
