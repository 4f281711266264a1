# SPDX-License-Identifier: Apache-2.0
"""Edges of stimulators (poisson_generator, dc_generator, ...), which the kernel keeps with the device: one call for each link, in the order of their numbers.

Every rank reads and gives the edges onto its own neurons.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Ranges
from ..circuit.team import Team
from ..model.arguments import kernel_arguments
from ..model.network import Network
from ..model.nodes import Nodes
from ..model.rules import Rule, explicit
from ..model.synapses import static
from .connecting import Choice, Work, listed
from .edges import AT_ONCE
from .tables import different, to_number

__all__ = ["connect_links"]


Ints = NDArray[np.int64]
Key = tuple[Choice, int | None]  # with the number of the link, None where the type names none


class _Edges(NamedTuple):
    """Edges of this rank: gids of their ends, weights and delays (ms)."""

    source: Ints
    target: Ints
    weight: NDArray[np.float64]
    delay: NDArray[np.float64]

    def take(self, at: NDArray[np.bool_] | Ints) -> _Edges:
        """Some of the edges."""
        return _Edges(self.source[at], self.target[at], self.weight[at], self.delay[at])


class _Part(NamedTuple):
    """Edges of a choice. targets: gids of the nodes of its model, on whichever ranks; receptor: its number."""

    edges: _Edges
    targets: Ints
    receptor: int


def connect_links(net: Network, works: list[Work]) -> None:
    """Connects stimulators. Random numbers of a stimulator depend on the number of its link, `link` of an edge type: calls are made in this order."""
    numbered: dict[int, list[_Part]] = {}
    others: list[list[_Part]] = []
    for work in works:
        for (_, number), part in _parts(work):
            if number is None:
                others.append([part])
            else:
                numbered.setdefault(number, []).append(part)
    made = 0
    for number in sorted(numbered):
        while made < number:
            made = _empty(net) + 1
        made = _connect(net, numbered[number]) + 1
    for parts in others:
        _connect(net, parts)


def _parts(work: Work) -> list[tuple[Key, _Part]]:
    """The same keys on all ranks, in the same order. Collective."""
    found = work.team.together(partial(_read, work))
    keys = sorted({key for some in work.team.gather([*found]) for key in some})
    nodes, values = np.empty(0, np.int64), np.empty(0)
    parts = []
    for key in keys:
        (group, model), _ = key
        edges = _joined(found.pop(key, [_Edges(nodes, nodes, values, values)]))
        parts.append((key, _Part(edges, work.target.of_model(model).gids, work.of_group(group)[0].receptor)))
    return parts


def _read(work: Work) -> dict[Key, list[_Edges]]:
    """Edges onto nodes of this rank, by type and model of the target, and by the number of their link."""
    found: dict[Key, list[_Edges]] = {}
    for some in work.rounds(AT_ONCE):
        for choice in filter(work.is_link, work.choices(some)):
            part, types = work.part(choice, some), work.of_group(choice[0])
            values = (work.weights(types, part), work.delays(types, part))
            weight, delay = (np.broadcast_to(np.asarray(each, np.float64), len(part.target)) for each in values)
            number = to_number(work.edges.file, f"edge type {types[0].number}", types[0].properties, "link")
            edges = _Edges(work.source.gids[part.source], work.target.gids[part.target], weight, delay)
            found.setdefault((choice, None if np.isnan(number) else int(number)), []).append(edges)
    return found


def _joined(parts: list[_Edges]) -> _Edges:
    if len(parts) == 1:
        return parts[0]
    source, target, weight, delay = (np.concatenate([part[k] for part in parts]) for k in range(4))
    return _Edges(source, target, weight, delay)


def _empty(net: Network) -> int:
    """A call without edges, in the place of one that the network had before it was written; returns its number."""
    neuron = next(first for first, _, entry in net._populations.rows() if entry.kind == "neuron")
    nothing = np.empty(0, np.int64)
    given = (explicit(nothing, nothing), 1.0, net.resolution, None, 0, False)
    one = Nodes(net, Ranges.span(neuron, 1))
    return net._link(one, one, given, 0, None, (-1, None, None, False))[1]


def _connect(net: Network, parts: list[_Part]) -> int:
    """Connects the edges of one link: all sources to all targets, or each to one; what fits neither is split by source. Returns the number of the last call. Collective."""
    team, edges = Team(net._comm), _joined([part.edges for part in parts])
    order = np.lexsort((edges.source, edges.target))
    edges = edges if (order[1:] > order[:-1]).all() else edges.take(order)  # files are mostly in this order
    again = _repeat(edges)
    post, number = Nodes(net, Ranges.of(different(np.concatenate([part.targets for part in parts])))), -1
    most = max(team.gather(int(again.max(initial=0))))
    for layer in range(most + 1):
        some = edges.take(again == layer) if most else edges
        for sources in _sources(team, some):
            mine = some if len(sources) > 1 else some.take(some.source == sources[0])
            number = _link(net, team, Nodes(net, Ranges.of(sources)), post, mine, parts[0].receptor)
    return number


def _repeat(edges: _Edges) -> Ints:
    """Of sorted edges, how many edges between the same two nodes come before each: the kernel has one for each link."""
    new = np.append(True, (np.diff(edges.source) != 0) | (np.diff(edges.target) != 0))[: len(edges.source)]
    at = np.arange(len(new))
    return at - np.maximum.accumulate(np.where(new, at, 0))


def _sources(team: Team, edges: _Edges) -> list[Ints]:
    """The stimulators of each call, those of all ranks. Collective."""
    found = team.gather((len(edges.source), len(different(edges.target)), Ranges.of(different(edges.source)).table))
    n, n_targets = (sum(each[k] for each in found) for k in range(2))
    sources = different(np.concatenate([Ranges(table).ids() for _, _, table in found]))
    at_once = n == len(sources) * n_targets or n == len(sources) == n_targets
    return [sources] if at_once else [np.array([gid]) for gid in sources]


def _link(net: Network, team: Team, pre: Nodes, post: Nodes, edges: _Edges, receptor: int) -> int:
    """One call of the kernel; returns its number. Collective."""
    n, (weight, delay) = _values(team, edges)
    ends = np.searchsorted(pre.gids, edges.source), np.searchsorted(post.gids, edges.target)
    rule = Rule("explicit", listed(*ends) | {"own_targets": True})
    arguments = kernel_arguments(net, pre, post, rule, weight, delay, None, receptor, False)
    number = net._connect(pre, post, arguments | {"projection": (-1, None, None, False)})
    every = [
        values if isinstance(values, float) else np.broadcast_to(0.0, n) for values in (weight, delay)
    ]  # arrays are noted by their length
    net._note(pre, post, rule, (every[0], every[1], static(), receptor), ("", 0, number))
    return number


def _values(team: Team, edges: _Edges) -> tuple[int, list[float | NDArray[np.float64]]]:
    """Number of edges of all ranks; weights and delays of those of this rank, one number where those of all ranks are equal. Collective."""
    given = edges.weight, edges.delay
    some = [{*values[:1].tolist(), *values[values != values[:1]][:1].tolist()} for values in given]
    counts, found = zip(*team.gather((len(edges.target), some)), strict=True)
    every = [set().union(*(of_rank[k] for of_rank in found)) for k in range(2)]
    return sum(counts), [same.pop() if len(same) == 1 else values for same, values in zip(every, given, strict=True)]
