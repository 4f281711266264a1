# SPDX-License-Identifier: Apache-2.0
"""nest.visualization: a network as a picture of nodes and arrows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import NESTErrors
from ..node_collection import NodeCollection
from ..synapse_collection import GetConnections

__all__ = ["plot_network"]

_MOST = 200  # nodes that can still be told apart


def plot_network(nodes: NodeCollection, filename: str, ext_conns: bool = False, plot_modelnames: bool = False) -> None:
    """Draws nodes on a circle and their connections as arrows into a file (png, pdf, svg, ...).

    ext_conns : also connections to nodes that are not in `nodes`, which are drawn outside; plot_modelnames : models instead of ids

    Raises TypeError, ValueError for files of other kinds and for too many nodes.
    """
    import matplotlib.pyplot as plt

    if not isinstance(nodes, NodeCollection):
        raise TypeError("nodes must be a NodeCollection")
    found = GetConnections(source=nodes, target=None if ext_conns else nodes)
    pairs = set(zip(found.sources(), found.targets(), strict=True))
    places = _places(nodes.tolist(), sorted({target for _, target in pairs} - set(nodes.tolist())))
    figure, axes = plt.subplots(figsize=(7, 7))
    for source, target in sorted(pairs):
        _arrow(axes, places[source], places[target])
    names = dict(zip(nodes.tolist(), np.atleast_1d(nodes.get("model")), strict=True)) if plot_modelnames else {}
    for gid, (x, y) in places.items():
        axes.text(x, y, names.get(gid, str(gid)), ha="center", va="center", bbox={"boxstyle": "circle", "fc": "white", "ec": "C0"})
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set(xlim=(-1.8, 1.8), ylim=(-1.8, 1.8))
    if Path(filename).suffix.removeprefix(".") not in figure.canvas.get_supported_filetypes():
        plt.close(figure)
        raise ValueError(f"Filename must end in one of {', '.join('.' + kind for kind in figure.canvas.get_supported_filetypes())}")
    figure.savefig(filename)
    plt.close(figure)


def _places(inside: list[int], outside: list[int]) -> dict[int, tuple[float, float]]:
    if len(inside) + len(outside) > _MOST:
        raise NESTErrors.BadParameter(f"at most {_MOST} nodes can be drawn")
    found: dict[int, tuple[float, float]] = {}
    for gids, radius in ((inside, 1.0), (outside, 1.5)):
        for gid, angle in zip(gids, np.linspace(0.0, 2.0 * np.pi, len(gids), endpoint=False), strict=True):
            found[gid] = (radius * float(np.cos(angle)), radius * float(np.sin(angle)))
    return found


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    """An arrow that bends, so that both directions can be seen; a loop for a node that is its own target."""
    if start == end:
        axes.annotate(
            "",
            (end[0] * 1.02, end[1] * 1.02),
            (start[0] * 1.2 + 0.02, start[1] * 1.2 + 0.02),
            arrowprops={"arrowstyle": "<->", "connectionstyle": "arc3,rad=2", "color": "0.5"},
        )
        return
    axes.annotate(
        "", end, start, arrowprops={"arrowstyle": "->", "connectionstyle": "arc3,rad=0.12", "color": "0.5", "shrinkA": 14, "shrinkB": 14}
    )
