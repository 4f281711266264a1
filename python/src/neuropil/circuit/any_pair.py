# SPDX-License-Identifier: Apache-2.0
"""What a page needs to show any connected pair in 3-D: shapes once each, places of cells, touches. pairs.js draws it."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .edges import Connections, EdgeFile
from .libraries import library
from .morphologies import Shelf
from .nodes import NodeFile

__all__ = ["choices", "expected_touches", "section"]

MOST_TOUCHES, MOST_POINTS = 60_000, 400_000  # of the page; of larger circuits the connections with most touches are taken
MOST_CELLS = 3000  # with distances among all pairs of cells
BIN = 100.0  # um, of distances of somata
_SIDES = {
    "along": "efferent_distance_soma",
    "to_soma": "afferent_distance_soma",
    "kind": "afferent_section_type",
    "gap": "spine_length",
}


def expected_touches(connections: Connections, nodes: NodeFile) -> NDArray[np.float64]:
    """Touches that each connection would have by its cell types and its distance alone, float64 (n_connections,).

    The mean over all ordered pairs of different cells of the same two types whose somata are as far apart (bins of BIN um), pairs without
    touches counted. In circuits of more than MOST_CELLS cells over all pairs of these types.
    """
    mtype, names = nodes.labels("mtype")
    kinds, kind = max(len(names), 1), mtype.astype(np.int64)
    positions = nodes.positions()

    def key(source: NDArray[np.int64], target: NDArray[np.int64]) -> NDArray[np.int64]:
        types = kind[source] * kinds + kind[target]
        if nodes.n > MOST_CELLS:
            return np.asarray(types)
        apart = np.linalg.norm(positions[source] - positions[target], axis=1)
        return np.asarray(types * (1 << 20) + (apart / BIN).astype(np.int64))

    own = key(connections.source, connections.target)
    found, place = np.unique(own, return_inverse=True)
    other = connections.source != connections.target
    touches = np.bincount(place[other], connections.count[other], len(found))
    return np.asarray(touches / np.maximum(_pairs(found, nodes.n, kind, kinds, key), 1.0))[place]


def _pairs(found: NDArray[np.int64], n: int, kind: NDArray[np.int64], kinds: int, key: Any) -> NDArray[np.float64]:
    """Ordered pairs of different cells for each key."""
    if n > MOST_CELLS:
        cells = np.bincount(kind, minlength=kinds).astype(np.float64)
        return np.asarray((np.outer(cells, cells) - np.diag(cells)).ravel()[found])
    number = np.zeros(len(found))
    for cell in range(n):  # one after the other: memory is that of a row
        others = np.delete(np.arange(n), cell)
        keys = key(np.full(n - 1, cell), others)
        at = np.minimum(np.searchsorted(found, keys), max(len(found) - 1, 0))
        np.add.at(number, at[found[at] == keys], 1.0)
    return number


def choices(edges: EdgeFile, connections: Connections, nodes: NodeFile, shelf: Shelf, shown: int) -> dict[str, Any]:
    """Data of the page. shown : number of the connection that is shown first."""
    chosen, cells = _chosen(connections, nodes, shelf, shown)
    names = cells.morphologies
    expected = expected_touches(connections, nodes)
    first, count = connections.first[chosen], connections.count[chosen]
    index = np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]), count) + np.arange(count.sum())
    columns = [f"efferent_center_{axis}" for axis in "xyz"] + [name for name in _SIDES.values() if name in edges.names]
    touches = edges.read(columns)
    place = np.searchsorted(cells.gid, np.stack([connections.source[chosen], connections.target[chosen]]))
    return {
        "shapes": [_shape(shelf, name) for name in names],
        "cells": {
            "gid": cells.gid.tolist(),
            "shape": cells.morphology.tolist(),
            "mtype": [cells.mtypes[k] if cells.mtypes else "" for k in cells.mtype],
            "position": _packed(cells.position),
            "rotation": _packed(cells.rotation),
        },
        "pairs": {
            "source": place[0].tolist(),
            "target": place[1].tolist(),
            "count": count.tolist(),
            "expected": np.round(expected[chosen], 3).tolist(),
        },
        "touches": {
            "centre": _packed(np.stack([touches[f"efferent_center_{axis}"][index] for axis in "xyz"], axis=1)),
            **{short: _packed(touches[name][index]) for short, name in _SIDES.items() if name in touches},
        },
        "shown": int(np.flatnonzero(chosen == shown)[0]),
        "all": len(chosen) == len(connections),
    }


def _chosen(connections: Connections, nodes: NodeFile, shelf: Shelf, shown: int) -> tuple[NDArray[np.int64], Any]:
    """Numbers of the connections that fit into a page, ascending, and their cells."""
    order = np.argsort(-connections.count, kind="stable")
    order = np.concatenate([[shown], order[order != shown]])
    order = order[np.cumsum(connections.count[order]) <= max(MOST_TOUCHES, int(connections.count[shown]))]
    while True:
        chosen = np.sort(order)
        cells = nodes.read(np.unique(np.concatenate([connections.source[chosen], connections.target[chosen]])))
        if len(order) == 1 or sum(len(shelf.get([name])[0].points) for name in cells.morphologies) <= MOST_POINTS:
            return chosen, cells
        order = order[: (len(order) + 1) // 2]


def _shape(shelf: Shelf, name: str) -> dict[str, Any]:
    shape = shelf.get([name])[0]
    soma = [*np.round(shape.soma_centre, 3).tolist(), round(float(shape.soma_radius), 3)]
    return {"points": _packed(shape.points), "begin": shape.begin.tolist(), "kind": shape.kind.tolist(), "soma": soma}


def _packed(values: ArrayLike) -> str:
    """float32, little-endian, in base64."""
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def section(data: dict[str, Any]) -> str:
    """HTML: plotly, the lists of cells, the facts of the pair and the view."""
    plotly = library("plotly.offline").get_plotlyjs()
    program = (Path(__file__).parent / "pairs.js").read_text()
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    lists = "".join(f"<label>{what} <select id='pair-{name}'></select></label> " for name, what in (("pre", "axon of"), ("post", "onto")))
    return (
        f"<p>{lists}<button type='button' id='pair-next'>another pair</button></p><p id='pair-facts' aria-live='polite'></p>"
        "<div id='pair-view' role='img' aria-label='two cells and their touches in space'></div>"
        f"<script>{plotly}</script><script type='application/json' id='pair-data'>{text}</script><script>{program}</script>"
    )
