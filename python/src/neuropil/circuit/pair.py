# SPDX-License-Identifier: Apache-2.0
"""One connection in space: the two cells and their touches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_parameter
from .edges import Connections, EdgeFile
from .morphologies import APICAL, AXON, BASAL, Morphology, Shelf
from .nodes import NodeFile
from .placing import lines, placed

__all__ = ["Cell", "Pair", "choose_pair", "load_pair"]


@dataclass(frozen=True)
class Cell:
    """A cell at its place: lines of its axon and of its dendrites (rows of nan between sections), centre and radius of the soma; um."""

    gid: int
    mtype: str
    axon: NDArray[np.float64]
    dendrites: NDArray[np.float64]
    soma: NDArray[np.float64]
    radius: float


@dataclass(frozen=True)
class Pair:
    """A presynaptic and a postsynaptic cell; touches: centres on the axis of the presynaptic side, float64 (n, 3), um; labels: what each is."""

    pre: Cell
    post: Cell
    touches: NDArray[np.float64]
    labels: list[str]


def choose_pair(connections: Connections, wanted: tuple[int, int] | None = None) -> int:
    """Number of the connection to show: the one that is wanted, else one with very many touches (the 99.9th percentile). Raises BadParameter."""
    if wanted is not None and len(connections):
        found = np.flatnonzero((connections.source == wanted[0]) & (connections.target == wanted[1]))
        if not len(found):
            raise bad_parameter("pair", wanted, _hint(connections, wanted))
        return int(found[0])
    if not len(connections):
        raise bad_parameter("pair", wanted, "left out: these cells have no touches")
    order = np.argsort(connections.count + (connections.source == connections.target) * -(1 << 40), kind="stable")
    return int(order[int(0.999 * (len(order) - 1))])


def _hint(connections: Connections, wanted: tuple[int, int]) -> str:
    """What `wanted`, a pair without touches, could be instead."""
    near = connections.target[connections.source == wanted[0]].tolist()
    if near:
        return f"a pair with touches; those of {wanted[0]} are with {near[:8]}{'...' if len(near) > 8 else ''}"
    first = int(connections.source[0]), int(connections.target[0])
    back = (
        f", the axon of {wanted[1]} touches {wanted[0]}" if wanted[::-1] in zip(connections.source, connections.target, strict=True) else ""
    )
    return f"(presynaptic, postsynaptic) with touches, e.g. {first}: the axon of {wanted[0]} touches no cell{back}"


def load_pair(edges: EdgeFile, connections: Connections, which: int, nodes: NodeFile, shelf: Shelf) -> Pair:
    """Reads the two cells and the touches of a connection. Raises BadFile."""
    source, target = int(connections.source[which]), int(connections.target[which])
    first, count = int(connections.first[which]), int(connections.count[which])
    names = [f"efferent_center_{axis}" for axis in "xyz"]
    found = edges.read([*names, "afferent_section_type", "efferent_distance_soma", "spine_length"], first, first + count)
    labels = [
        f"touch {k + 1}: {path:.0f} um along the axon, on {('', 'soma', 'axon', 'basal dendrite', 'apical dendrite')[min(int(kind), 4)]}, gap {gap:.2f} um"
        for k, (path, kind, gap) in enumerate(
            zip(found["efferent_distance_soma"], found["afferent_section_type"], found["spine_length"], strict=True)
        )
    ]
    cells = [_cell(nodes, shelf, gid) for gid in (source, target)]
    return Pair(cells[0], cells[1], np.stack([found[name] for name in names], axis=1).astype(np.float64), labels)


def _cell(nodes: NodeFile, shelf: Shelf, gid: int) -> Cell:
    cells = nodes.read(np.array([gid], np.int64))
    shape: Morphology = shelf.get(cells.morphologies)[0]
    points = placed(shape, cells.rotation[0], cells.position[0])
    mtype = cells.mtypes[int(cells.mtype[0])] if cells.mtypes else ""
    centre = placed(_soma_point(shape), cells.rotation[0], cells.position[0])[0]
    return Cell(gid, mtype, lines(shape, points, (AXON,)), lines(shape, points, (BASAL, APICAL)), centre, shape.soma_radius)


def _soma_point(shape: Morphology) -> Morphology:
    return Morphology(
        shape.soma_centre[None], np.zeros(1), shape.begin[:1], shape.parent[:0], shape.kind[:0], shape.soma_centre, shape.soma_radius
    )
