# SPDX-License-Identifier: Apache-2.0
"""Edges drawn before they are connected: for values that depend on what an edge joins, and for rules that the kernel does not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import Ints, gathered
from ..space import engine as space
from ..space.engine import Part, SpatialRule
from .errors import NESTErrors, translating
from .kernel import session
from .node_collection import NodeCollection
from .node_values import drawn_values, is_parameter
from .specs import ConnRule, SynSpec


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

    def of_sources(self, pre: Ints, sources: Ints) -> Edges:
        """Those of some of the sources `pre`, with positions among these, ascending."""
        some = np.flatnonzero(np.isin(pre[self.source], sources))
        at = some if self.at is None else self.at[some]
        return Edges(np.searchsorted(sources, pre[self.source[some]]), self.target[some], self.key[some], None, at)

    def values(self, value: Any) -> Any:
        """A number, or what a Parameter gives, or the array given, one per edge."""
        if not is_parameter(value):
            return float(value) if not isinstance(value, np.ndarray) else value if self.at is None else value[self.at]
        s, draw = session(), session().next_draw()
        if self.places is None or value.native() is not None:
            return space.drawn_values(value, s.seed, draw, self.key)
        return value.evaluate(self.places(draw))


def by_kernel(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> Edges:
    """Edges of a rule of the kernel."""
    made = rule.native()
    with translating():
        found = session().engine.kernel.draw_edges(pre._ranges.ascending(), post._ranges.ascending(), made.name, made.parameters)
    source, target, key, at = (np.asarray(column, np.int64) for column in found)
    if len(at) == len(key) or session().n_ranks == 1:
        return Edges(source, target, key, at=at if len(at) else None)
    everyone = gathered(key[:, None].view(np.float64))[0].view(np.int64).ravel()
    return Edges(source, target, key, at=np.searchsorted(np.sort(everyone), key))


def by_rule(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> Edges:
    """Edges of any rule."""
    if rule.name != "pairwise_poisson" and not (rule.drawn and rule.name in ("pairwise_bernoulli", "fixed_indegree", "fixed_outdegree")):
        return by_kernel(pre, post, rule)
    s, loops = session(), (rule.autapses, rule.multapses)
    number = rule.number if rule.name.startswith("pairwise") else _degrees(pre, post, rule)
    with translating():
        return Edges(*space.drawn_edges(rule.name, number, pre._gids, post._gids, s.own(post._gids), loops, s.seed, s.next_draw))


def symmetric(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> tuple[Edges, Edges]:
    """Edges of symmetric_pairwise_bernoulli, and those back: each pair (source, target) that is drawn is connected both ways."""
    s = session()
    own_post, own_pre = (np.flatnonzero(s.own(nodes._gids)) for nodes in (post, pre))
    with translating():
        there, back = space.symmetric_pairs(pre._gids, post._gids, own_post, own_pre, rule.number, s.seed, s.next_draw())
    return Edges(*there), Edges(*back)


def _degrees(pre: NodeCollection, post: NodeCollection, rule: ConnRule) -> Ints:
    """In- or outdegrees that differ from node to node. Raises BadProperty where there are too few others."""
    driver, pool = (post, pre) if rule.name == "fixed_indegree" else (pre, post)
    degrees: Ints = np.maximum(np.round(drawn_values(driver, driver._gids, rule.number)).astype(np.int64), 0)
    if not rule.multapses and len(degrees) and degrees.max() > len(pool) - (not rule.autapses):
        raise NESTErrors.BadProperty(f"{rule.key.capitalize()} cannot be larger than population size.")
    return degrees


def pairs_of(pre: NodeCollection, post: NodeCollection, found: Edges, spec: SynSpec) -> tuple[Ints, Ints, SynSpec]:
    """Ids of sources and targets of edges, with a value per edge of all that varies; of all ranks. Collective."""
    varied = [key for key, value in spec.values.items() if is_parameter(value) or isinstance(value, np.ndarray)]
    values = [np.broadcast_to(found.values(spec.values[key]), len(found.key)).astype(np.float64) for key in varied]
    whole = np.stack([pre._gids[found.source], post._gids[found.target], found.key], axis=1).view(np.float64)
    table, _ = gathered(np.concatenate([whole, np.stack(values, axis=1) if values else np.empty((len(whole), 0))], axis=1))
    source, target, key = np.ascontiguousarray(table[:, :3]).view(np.int64).T
    order = np.lexsort((key, target))
    return source[order], target[order], spec.changed({name: np.ascontiguousarray(table[order, 3 + k]) for k, name in enumerate(varied)})


def lister_in_space(pre: NodeCollection, post: NodeCollection, rule: SpatialRule) -> Any:
    """What makes the edges of `in_space`, as a list for the kernel, from seed and draw; None where there are no such lists."""
    s = session()
    whole = all(nodes._layer is not None and len(nodes) == len(nodes._layer.positions) for nodes in (pre, post))
    known, key = rule.known if whole and len(rule.known) < 128 else {}, (pre._layer, post._layer)  # bounded
    if key not in known:
        known[key] = space.lister(*sides(pre, post), rule, s.own(post._gids), s.threads)
    return known[key]


def by_formula(spec: SynSpec, pre: NodeCollection, post: NodeCollection, rule: SpatialRule | None = None) -> SynSpec:
    """With weight and delay as formulas of the kernel's, where it has all operations. rule : None: edges and values look at no positions."""
    s, values = session(), (("weight", spec.weight), ("delay", spec.delay))
    given = {name: v for name, v in values if is_parameter(v) and (rule is None or v.native() is None)}
    if all(v.native() is not None for v in given.values()) or (s.delay_bounds is not None and "delay" in given):
        return spec
    if rule is None:
        return spec.changed(space.unplaced_formulas(given, s.seed, s.next_draw))
    return spec.changed(space.formulas_in_space(given, *sides(pre, post), rule, s.seed, s.next_draw))


def sides(pre: NodeCollection, post: NodeCollection) -> tuple[Part, Part]:
    """Sources and targets, and where they are. Raises TypeError for nodes without positions."""
    if pre._layer is None or post._layer is None:
        raise TypeError("For a spatial connection both pre and post must have positions")
    first, second = (n._layer.part(None if len(n) == len(n._layer.positions) else n._gids) for n in (pre, post))
    return first, second


def in_space(pre: NodeCollection, post: NodeCollection, rule: SpatialRule, draw: int) -> Edges:
    """Edges by a rule, mask or kernel in space."""
    s, (sources, targets) = session(), sides(pre, post)
    with translating():
        columns = space.edges(sources, targets, rule, s.seed, draw, s.own(post._gids), s.threads)
    return Edges(*columns, lambda draw: space.edge_context(sources, targets, rule, columns, s.seed, draw))
