# SPDX-License-Identifier: Apache-2.0
"""Connections whose edges or values are worked out before the kernel gets them.

Rules with masks and expressions, weights that depend on distances, rules from devices. Every rank works out the edges that end on its own
nodes; random numbers are keyed by edges (law 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import _core, errors
from ..errors import IllegalConnection, NeuropilError, NoPositions, bad_delay, bad_parameter
from ..space import drawing
from ..space.context import Context
from ..space.drawing import edge_context
from ..space.expression import Term
from ..space.formulas import formulas, values_of
from ..space.layers import same_period
from ..space.task import SpatialRule
from ..space.unplaced import symmetric_pairs
from .arguments import check_shape, kernel_arguments, to_receptor
from .distributions import Distribution
from .drawing import Draws
from .edges import Edges, Ints, Side
from .from_devices import check_targets, senders, split
from .nodes import Nodes
from .readings import Readings
from .rules import Rule
from .synapses import Synapse

__all__ = ["calls", "columns", "edges_of", "explicit", "together"]

_MOST_STEPS = 65535  # of a delay
Call = tuple[Nodes, Nodes, dict[str, Any]]
R = TypeVar("R")


def calls(
    network: Readings, pre: Nodes, post: Nodes, rule: Rule, values: tuple[Any, Any, Synapse], draw: Draws, more: tuple[Any, ...]
) -> list[Call]:
    """Calls of the kernel that connect by a rule: sources, targets and arguments.

    values : weight, delay and synapse model; more : receptor, double_weights, label, recorder
    """
    found = together(network, lambda: _prepared(network, (pre, post), rule, values, draw, more))
    if isinstance(found, Whole):
        return [(pre, post, kernel_arguments(network, pre, post, found.rule, found.weight, found.delay, values[2], *more))]
    if len(found.devices):
        return split(network, found.nodes, found.devices, found.edges, found.values, more)
    made = explicit(network, {"sources": found.edges.source, "targets": found.edges.target})
    weight, delay, model = found.values
    return [(*found.nodes, kernel_arguments(network, *found.nodes, made, weight, delay, model, *more))]


class Whole(NamedTuple):
    """A rule of the kernel, with a weight and a delay that the kernel draws or computes itself."""

    rule: Rule
    weight: Any
    delay: Any


class Prepared(NamedTuple):
    """Edges between nodes, some of them devices (positions in the first), with weight, delay and synapse model."""

    nodes: tuple[Nodes, Nodes]
    devices: Ints
    edges: Edges
    values: tuple[Any, Any, Synapse]


def _prepared(
    network: Readings, nodes: tuple[Nodes, Nodes], rule: Rule, values: tuple[Any, Any, Synapse], draw: Draws, more: tuple[Any, ...]
) -> Whole | Prepared:
    """What this rank works out for its own nodes."""
    pre, post = nodes
    check_targets(post)
    to_receptor(more[0], post)
    first = Side.of(network, pre)
    sides = first, first if post is pre else Side.of(network, post)
    weight, delay, model = values
    named = {"weight": weight, "delay": delay, **model.parameters}
    check_positions(*sides, rule, named)
    for name, value in named.items():
        check_shape(name, value, rule, len(pre), len(post))
    devices = senders(pre)
    if rule.name == "symmetric_pairwise_bernoulli":
        if len(devices):
            raise IllegalConnection(
                "symmetric_pairwise_bernoulli: pre has devices, which cannot receive spikes; pre and post must be neurons"
            )
        both = pre + post
        side = Side.of(network, both)
        edges = _both_ways(sides, side, rule, draw)
        return Prepared((both, both), devices, edges, columns(network, (side, side), edges, values, draw, more[1]))
    whole = None if len(devices) else _whole(network, sides, rule, values, draw)
    if whole is not None:
        return whole
    edges = edges_of(network, nodes, sides, rule, draw)
    return Prepared(nodes, devices, edges, columns(network, sides, edges, values, draw, more[1], len(devices) > 0))


def columns(
    network: Readings,
    sides: tuple[Side, Side],
    edges: Edges,
    values: tuple[Any, Any, Synapse],
    draw: Draws,
    double_weights: bool,
    all_drawn: bool = False,
) -> tuple[Any, Any, Synapse]:
    """Weight, delay and synapse model with values of the edges; with all_drawn also of what the kernel could draw."""
    weight, delay, model = values

    def each(name: str, value: Any, also: bool) -> Any:
        return column(sides, edges, name, value, draw, network.threads, also)

    own = any(isinstance(value, Term | np.ndarray) for value in model.parameters.values())
    parameters = {name: each(name, value, own) for name, value in model.parameters.items()}
    computed = isinstance(weight, Term)
    weight, delay = each("weight", weight, all_drawn), each("delay", delay, all_drawn)
    if computed and not double_weights:
        weight = weight.astype(np.float32).astype(np.float64)  # as the kernel stores what it computes itself
    if isinstance(delay, np.ndarray):
        _check_delays(network, delay)
    return weight, delay, Synapse(model.name, parameters)


def _check_delays(network: Readings, delay: NDArray[np.float64]) -> None:
    """Raises BadDelay for delays (ms) that are not from one step to the most steps that the kernel takes."""
    h = network.resolution
    steps = np.floor(delay / h + 0.5)
    wrong = ~((steps >= 1.0) & (steps <= _MOST_STEPS))
    if wrong.any():
        raise bad_delay("delay", float(delay[wrong][0]), f"between one step of the resolution ({h:g} ms) and {_MOST_STEPS} steps")


def _whole(network: Readings, sides: tuple[Side, Side], rule: Rule, values: tuple[Any, Any, Synapse], draw: Draws) -> Whole | None:
    """The call where the kernel can work out all values itself, so that no arrays over edges are made; None where it cannot."""
    weight, delay, model = values
    if any(isinstance(value, Term) for value in model.parameters.values()):
        return None
    pre, post = sides
    given = {name: v for name, v in (("weight", weight), ("delay", delay)) if isinstance(v, Term)}
    if given:
        found = formulas(given, pre.part, post.part, draw.seed, draw.next)
        if not found:
            return None
        weight, delay = found.get("weight", weight), found.get("delay", delay)
    if rule.drawn:
        listed = listed_edges(network, sides, rule, draw)
        if listed is None:
            return None
        rule = explicit(network, {"list": listed})
    return Whole(rule, weight, delay)


def explicit(network: Readings, edges: dict[str, Any]) -> Rule:
    """The rule that makes these edges, of this rank where there are several."""
    return Rule("explicit", edges | ({"own_targets": True} if network.n_ranks > 1 else {}))


def _both_ways(sides: tuple[Side, Side], both: Side, rule: Rule, draw: Draws) -> Edges:
    """Edges of symmetric_pairwise_bernoulli and those back, as positions in all nodes."""
    there, back = symmetric_edges(sides, rule, draw)
    order = np.argsort(both.gids)
    pre, post = (order[np.searchsorted(both.gids, side.gids, sorter=order)] for side in sides)
    source, target = np.concatenate([pre[there.source], post[back.source]]), np.concatenate([post[there.target], pre[back.target]])
    key = np.concatenate([2 * there.key, 2 * back.key + 1])
    sorting = np.lexsort((key, target))
    return Edges(source[sorting], target[sorting], key[sorting])


def check_positions(pre: Side, post: Side, rule: Rule, values: Mapping[str, Any]) -> None:
    """Raises NoPositions where positions are asked for that are not there, IllegalConnection for those of different spaces."""
    asking = [name for name, value in {**rule.parameters, **values}.items() if isinstance(value, Term) and value.is_spatial()]
    asking += ["mask"] if "mask" in rule.parameters else []
    if not asking:
        return
    for name, side in (("pre", pre), ("post", post)):
        if side.part is None:
            raise NoPositions(f"{asking[0]} depends on positions, but nodes of {name} have none: give them in create(..., positions=...)")
    a, b = pre.placed(), post.placed()
    if a.dims != b.dims:
        raise IllegalConnection(f"{asking[0]}: positions of pre have {a.dims} dimensions, those of post {b.dims}; they must be equal")
    if a.periodic != b.periodic or (a.periodic and not same_period(a, b)):
        raise IllegalConnection(
            f"{asking[0]}: pre and post have different periodic boundaries, so distances between them are not defined; "
            "create both with the same extent and periodic"
        )


def edges_of(network: Readings, nodes: tuple[Nodes, Nodes], sides: tuple[Side, Side], rule: Rule, draw: Draws) -> Edges:
    """The edges of a rule."""
    pre, post = sides
    if not rule.drawn:
        found = network._kernel.draw_edges(nodes[0]._ranges.ascending(), nodes[1]._ranges.ascending(), rule.name, rule.parameters)
        source, target, key, at = (np.asarray(column, np.int64) for column in found)
        return Edges(source, target, key, at if len(at) == len(key) else None)
    return Edges(*drawing.edges(pre.placed(), post.placed(), to_spatial(rule), draw.seed, draw.next(), post.own, network.threads))


def listed_edges(network: Readings, sides: tuple[Side, Side], rule: Rule, draw: Draws) -> Any:
    """The edges of a drawn rule as a list of the kernel's, four bytes each; None where there is no such list."""
    pre, post = sides
    return drawing.edge_list(pre.placed(), post.placed(), to_spatial(rule), draw.seed, draw.next(), post.own, network.threads)


def symmetric_edges(sides: tuple[Side, Side], rule: Rule, draw: Draws) -> tuple[Edges, Edges]:
    """Edges of symmetric_pairwise_bernoulli and those back."""
    pre, post = sides
    number, spatial = draw.next(), SpatialRule(rule.name)

    def places(source: Ints, target: Ints, keys: Ints) -> Context:
        return edge_context(pre.placed(), post.placed(), spatial, (source, target, keys), draw.seed, number)

    own = np.flatnonzero(post.own), np.flatnonzero(pre.own)
    there, back = symmetric_pairs(pre.gids, post.gids, *own, rule.parameters["p"], draw.seed, number, places)
    return Edges(*there), Edges(*back)


def to_spatial(rule: Rule) -> SpatialRule:
    """The rule as neuropil.space knows it."""
    p = rule.parameters
    degree = p.get("indegree", p.get("outdegree"))
    return SpatialRule(
        rule.name,
        p.get("mask"),
        p.get("p", p.get("mean", 1.0)),
        degree,
        rule.name in ("fixed_indegree", "pairwise_poisson") or p.get("around") == "target",
        p.get("allow_autapses", True),
        p.get("allow_multapses", True),
    )


def column(sides: tuple[Side, Side], edges: Edges, name: str, value: Any, draw: Draws, threads: int, all_drawn: bool = False) -> Any:
    """A number or a distribution as it is, one value per edge of arrays and expressions; with all_drawn of distributions, too.

    Raises BadParameter for arrays where the rule gives the edges no order, and for values that are not finite.
    """
    if isinstance(value, Distribution):
        return np.asarray(_core.draw_values(value.spec(), draw.seed, draw.number(name, value), edges.key)) if all_drawn else value
    if not isinstance(value, Term):
        if not np.ndim(value):
            return value
        if edges.at is None:
            raise bad_parameter(name, "an array", "a number, a distribution or an expression with this connection rule")
        return np.asarray(value, np.float64).ravel()[edges.at]
    ends = tuple(side.part for side in sides)
    found = values_of(value, ends[0], ends[1], (edges.source, edges.target, edges.key), draw.seed, draw.next(), threads)
    if not np.isfinite(found).all():
        raise bad_parameter(name, float(found[~np.isfinite(found)][0]), "finite for every connection")
    return found


def together(network: Readings, work: Callable[[], R]) -> R:
    """What `work` returns, which every rank does for its own nodes; the error of the lowest rank that has one of its own on all of them. Collective."""
    found: R | None = None
    error: NeuropilError | None = None
    try:
        found = work()
    except NeuropilError as raised:
        error = raised
    if network.n_ranks > 1 and not network._kernel.dry:
        mine = b"" if error is None else f"{type(error).__name__}\n{error}".encode()
        texts = [bytes(part).decode() for part in _core.gather_bytes(network._comm, mine) if len(part)]
        first = next((text for text in texts if not text.startswith("RankError")), texts[0] if texts else "")
        if first and (error is None or mine.decode() != first):
            name, _, message = first.partition("\n")
            error = getattr(errors, name)(message)
    if error is not None:
        raise error
    return found  # type: ignore[return-value]
