# SPDX-License-Identifier: Apache-2.0
"""Edges of stimulators (poisson_generator, dc_generator, ...), which the kernel keeps with the device: one call for each link, in the order of their numbers."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.ranges import Ranges
from ..model.network import Network
from ..model.nodes import Nodes
from ..model.rules import all_to_all, explicit, one_to_one
from ..model.synapses import static
from .connecting import Work
from .edges import AT_ONCE, EdgePopulation
from .tables import different, to_number

__all__ = ["connect_links"]


Ints = NDArray[np.int64]


class _Edges(NamedTuple):
    """Edges of one link: gids of their ends, weights, delays (ms), and the number of the receptor."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]
    delay: NDArray[np.float64]
    receptor: int


def connect_links(net: Network, works: list[Work]) -> None:
    """Connects stimulators. Random numbers of a stimulator depend on the number of its link, `link` of an edge type: calls are made in this order."""
    numbered: dict[int, list[_Edges]] = {}
    others: list[list[_Edges]] = []
    for work in works:
        for number, edges in work.team.together(partial(_read, work)):
            if number is None:
                others.append([edges])
            else:
                numbered.setdefault(number, []).append(edges)
    made = 0
    for number in sorted(numbered):
        while made < number:
            made = _empty(net) + 1
        made = _connect(net, numbered[number]) + 1
    for parts in others:
        _connect(net, parts)


def _read(work: Work) -> list[tuple[int | None, _Edges]]:
    """Edges by type and model of the target, with the number of their link."""
    edges: EdgePopulation = work.edges
    found = []
    for some in work.rounds(AT_ONCE):
        for choice in filter(work.is_link, sorted(work.choices(some))):
            part, types = work.part(choice, some), work.of_group(choice[0])
            n = len(part.target)
            weight, delay = (
                np.broadcast_to(np.asarray(values, np.float64), n) for values in (work.weights(types, part), work.delays(types, part))
            )
            number = to_number(edges.file, f"edge type {types[0].number}", types[0].properties, "link")
            ends = work.source.gids[part.source], work.target.gids[part.target]
            found.append((None if np.isnan(number) else int(number), _Edges(*ends, weight, delay, types[0].receptor)))
    return found


def _empty(net: Network) -> int:
    """A call without edges, in the place of one that the network had before it was written; returns its number."""
    neuron = next(first for first, _, entry in net._populations.rows() if entry.kind == "neuron")
    nothing = np.empty(0, np.int64)
    given = (explicit(nothing, nothing), 1.0, net.resolution, None, 0, False)
    one = Nodes(net, Ranges.span(neuron, 1))
    return net._link(one, one, given, 0, None, (-1, None, None, False))[1]


def _connect(net: Network, parts: list[_Edges]) -> int:
    """Connects the edges of one link: all sources to all targets, or each to one; what fits neither is split by source. Returns the number of the last call."""
    source, target, weight, delay = (np.concatenate([part[k] for part in parts]) for k in range(4))
    sources, targets = different(source), different(target)
    pairs = len(source) == len(sources) == len(targets) > 1
    if not pairs and len(source) != len(sources) * len(targets):
        return max(_connect(net, [_of_source(gid, source, target, weight, delay, parts[0].receptor)]) for gid in sources)
    order = np.lexsort((target, source)) if pairs else np.lexsort((source, target))
    pre, post = (Nodes(net, Ranges.of(gids)) for gids in (sources, target[order] if pairs else targets))
    rule = one_to_one() if pairs else all_to_all()
    given = (rule, _plain(weight[order]), _plain(delay[order]), None, parts[0].receptor, False)
    port, number = net._link(pre, post, given, 0, None, (-1, None, None, False))
    net._note(pre, post, rule, (given[1], given[2], static(), port), ("", 0, number))
    return number


def _of_source(gid: int, source: Ints, target: Ints, weight: NDArray[np.float64], delay: NDArray[np.float64], receptor: int) -> _Edges:
    mine = source == gid
    return _Edges(source[mine], target[mine], weight[mine], delay[mine], receptor)


def _plain(values: NDArray[np.float64]) -> float | NDArray[np.float64]:
    return float(values[0]) if (values == values[0]).all() else values
