# SPDX-License-Identifier: Apache-2.0
"""One connection in space as an interactive plotly figure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .figures import POST, PRE, TOUCH
from .libraries import library
from .pair import Cell, Pair

__all__ = ["figure"]


def figure(pair: Pair) -> Any:
    """A plotly Figure: axons, dendrites and somata of both cells, each to be switched on and off, and the touches with what they are. y is up."""
    graph = library("plotly.graph_objects")
    traces = []
    for cell, colour, side in ((pair.pre, PRE, "pre"), (pair.post, POST, "post")):
        name = f"{side} {cell.gid} {cell.mtype}"
        traces += [
            _line(graph, cell.axon, f"{name}: axon", colour, 2, "legendonly" if side == "post" else True),
            _line(graph, cell.dendrites, f"{name}: dendrites", colour, 4, True),
            _sphere(graph, cell, name, colour),
        ]
    x, y, z = pair.touches.T
    dots = {"size": 5, "color": TOUCH, "line": {"color": "white", "width": 1}}
    traces.append(
        graph.Scatter3d(x=x, y=z, z=y, mode="markers", marker=dots, text=pair.labels, hoverinfo="text", name=f"{len(pair.touches)} touches")
    )
    axes = {
        f"{axis}axis": {"title": {"text": f"{name} (µm)"}, "backgroundcolor": "#fafafa", "gridcolor": "#e2e2e2"}
        for axis, name in zip("xyz", "xzy", strict=True)
    }
    view = graph.Figure(traces)
    view.update_layout(
        scene={**axes, "aspectmode": "data", "camera": {"eye": {"x": 1.6, "y": 1.2, "z": 0.4}}},
        legend={"orientation": "h", "y": 0.0},
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        height=760,
        template="plotly_white",
    )
    return view


def _line(graph: Any, points: NDArray[np.float64], name: str, colour: str, width: int, visible: Any) -> Any:
    x, y, z = (np.round(column, 2) for column in points.T) if len(points) else ([], [], [])
    return graph.Scatter3d(
        x=x, y=z, z=y, mode="lines", line={"color": colour, "width": width}, name=name, hoverinfo="name", visible=visible, connectgaps=False,
        opacity=0.9 if width < 4 else 0.6,
    )  # fmt: skip


def _sphere(graph: Any, cell: Cell, name: str, colour: str) -> Any:
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 20), np.linspace(0.0, np.pi, 12))
    r = max(cell.radius, 1.0)
    x, y, z = (cell.soma[k] + r * part for k, part in enumerate((np.cos(u) * np.sin(v), np.cos(v), np.sin(u) * np.sin(v))))
    return graph.Surface(
        x=x,
        y=z,
        z=y,
        surfacecolor=np.zeros_like(x),
        colorscale=[[0, colour], [1, colour]],
        showscale=False,
        name=f"{name}: soma",
        hoverinfo="name",
    )
