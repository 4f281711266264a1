# SPDX-License-Identifier: Apache-2.0
"""Numbers about the touches of a circuit: per connection, over distance, along axons, per cell, per pathway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .edges import Connections, EdgeFile
from .morphologies import AXON, Shelf
from .nodes import NodeFile

__all__ = ["Summary", "axon_lengths", "connection_probability", "summarise"]

_MOST_PAIRS = 4_000_000  # pairs of cells that are looked at for the number of pairs by distance
_BINS = 25


@dataclass(frozen=True)
class Summary:
    """All that the report draws. Arrays by cell are of the whole population.

    probability: (edges of bins in um (b + 1,), probability of a connection (b,)); density: touches per um of axon, by cell with an axon;
    pathways: (names, mean touches per connection (k, k), probability of a connection (k, k)), source by row.
    """

    touches: int
    connections: int
    cells: int
    counts: NDArray[np.int64]
    probability: tuple[NDArray[np.float64], NDArray[np.float64]]
    density: NDArray[np.float64]
    out_degree: NDArray[np.int64]
    in_degree: NDArray[np.int64]
    pathways: tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64]]
    types: dict[str, int]
    path: NDArray[np.float64]


def summarise(edges: EdgeFile, connections: Connections, nodes: NodeFile, shelf: Shelf) -> Summary:
    """Reads what is needed; node ids must have been checked."""
    by_source = np.bincount(connections.source, connections.count, nodes.n)
    axons = axon_lengths(nodes, shelf)
    taking_part = (axons > 0.0) & (by_source > 0)
    return Summary(
        edges.n,
        len(connections),
        nodes.n,
        connections.count,
        connection_probability(connections, nodes.positions()),
        by_source[taking_part] / axons[taking_part],
        np.bincount(connections.source, minlength=nodes.n),
        np.bincount(connections.target, minlength=nodes.n),
        _pathways(connections, nodes),
        _types(edges),
        _path_lengths(edges),
    )


def connection_probability(
    connections: Connections, positions: NDArray[np.float64], seed: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Part of the ordered pairs of cells that are connected, by the distance of their somata: edges of bins (um) and probability (nan: no pairs).

    Of many cells a random sample of pairs says how many there are.
    """
    n = len(positions)
    if n * (n - 1) <= _MOST_PAIRS:
        source, target = np.divmod(np.arange(n * n), n)
        factor = 1.0
    else:
        dice = np.random.default_rng(seed)
        source, target = dice.integers(0, n, (2, _MOST_PAIRS))
        factor = n * n / _MOST_PAIRS
    other = source != target
    all_distances = np.linalg.norm(positions[source[other]] - positions[target[other]], axis=1)
    joined = connections.source != connections.target
    distances = np.linalg.norm(positions[connections.source[joined]] - positions[connections.target[joined]], axis=1)
    edges = np.linspace(0.0, max(float(np.max(all_distances, initial=0.0)), 1e-9), _BINS + 1)
    pairs = factor * np.histogram(all_distances, edges)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return edges, np.where(pairs > 0, np.histogram(distances, edges)[0] / pairs, np.nan)


def axon_lengths(nodes: NodeFile, shelf: Shelf) -> NDArray[np.float64]:
    """Length of the axon of every cell (um): float64 (n,)."""
    morphology, names = nodes.labels("morphology")
    used = np.unique(morphology)
    lengths = np.zeros(len(names))
    for k in used:
        shape = shelf.get([names[k]])[0]
        lengths[k] = shape.section_lengths()[shape.kind == AXON].sum()
    return lengths[morphology]


def _pathways(connections: Connections, nodes: NodeFile) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64]]:
    mtype, names = nodes.labels("mtype")
    names = names or ("cells",)
    k = len(names)
    pair = mtype[connections.source].astype(np.int64) * k + mtype[connections.target]
    number, touches = (np.bincount(pair, weights, k * k).reshape(k, k) for weights in (None, connections.count))
    cells = np.bincount(mtype, minlength=k)
    with np.errstate(divide="ignore", invalid="ignore"):
        return names, touches / number, number / (np.outer(cells, cells) - np.diag(cells))


_NAMES = ("", "soma", "axon", "basal dendrite", "apical dendrite")


def _types(edges: EdgeFile) -> dict[str, int]:
    """Touches by the type of the postsynaptic section."""
    if "afferent_section_type" not in edges.names:
        return {}
    counts = np.zeros(256, np.int64)
    for block in edges.blocks(("afferent_section_type",)):
        counts += np.bincount(block["afferent_section_type"].astype(np.int64).clip(0, 255), minlength=256)
    return {_NAMES[k] if k < len(_NAMES) else f"type {k}": int(counts[k]) for k in range(1, 256) if counts[k]}


def _path_lengths(edges: EdgeFile, most: int = 1_000_000) -> NDArray[np.float64]:
    """Path lengths along the axon (um), of every k-th touch where there are many."""
    name = "efferent_distance_soma"
    every = max(1, edges.n // most)
    parts: Sequence[NDArray[np.float64]] = [block[name][::every] for block in edges.blocks((name,))] if name in edges.names else []
    return np.concatenate([np.empty(0), *parts])
