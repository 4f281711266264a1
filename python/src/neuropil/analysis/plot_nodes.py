# SPDX-License-Identifier: Apache-2.0
"""Pictures of nodes: where they are, what a mask and an expression say around one of them, who is connected to whom. See `plot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.libraries import matplotlib
from ..base.named import named_arguments
from ..errors import NoPositions, bad_parameter
from ..space.context import Context, wrapped
from ..space.expression import Term
from ..space.layers import Part
from ..space.masks import Mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..model.connections import Connections
    from ..model.nodes import Nodes

__all__ = ["around", "graph", "positions"]

_MARGIN = 1.1  # axes are wider than the space by this factor
_FINE = 401  # points along an axis on which a mask is drawn
_MOST = 200  # nodes of a graph that can still be told apart


@named_arguments
def positions(nodes: Nodes | Part, *, colour: Any = "C0", size: float = 20.0, figure: Figure | None = None, ax: Axes | None = None) -> Axes:
    """Nodes in space, a dot each, in a frame that is the space they are in; with `ax` given the dots alone. Raises NoPositions.

    `figure`: where new axes are made, default a new one; those that it has are taken as `ax`.
    """
    part = _part(nodes)
    if ax is None and figure is not None and figure.axes:
        ax = figure.axes[0]
    axes: Any = _frame(part, figure) if ax is None else ax
    axes.scatter(*part.positions.T, s=size, c=colour, zorder=3)
    return axes  # type: ignore[no-any-return]


@named_arguments
def around(
    node: Nodes | Part,
    value: Term | None = None,
    mask: Mask | None = None,
    *,
    edges: Sequence[float] | None = None,
    shape: Sequence[int] = (100, 100),
    colours: Any = "Greens",
    mask_colour: Any = "yellow",
    ax: Axes | None = None,
) -> Axes:
    """An expression, such as a connection probability, as a function of where the other end is, and a mask, around one node in two dimensions.

    `edges`: (x_min, x_max, y_min, y_max) of the picture, default the space; `shape`: values along x and y. Raises NoPositions, BadParameter.
    """
    part = _part(node)
    if len(part.positions) != 1 or part.dims != 2:
        raise bad_parameter("node", f"{len(part.positions)} in {part.dims} dimensions", "one node in two dimensions")
    low = part.lower_left
    seen = [low[0], low[0] + part.extent[0], low[1], low[1] + part.extent[1]] if edges is None else list(edges)
    if ax is None:
        ax = matplotlib().subplots()[1]
    ax.set(xlim=seen[:2], ylim=seen[2:])
    if value is not None:
        _draw_value(ax, part, value, seen, shape, colours)
    if mask is not None:
        _draw_mask(ax, part, mask.on(part), seen, mask_colour)
    return ax


@named_arguments
def graph(
    connections: Connections | ArrayLike,
    nodes: Nodes | ArrayLike | None = None,
    *,
    names: Mapping[int, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Nodes on a circle, and an arrow for each pair that is connected. Few nodes only: at most 200 can be told apart.

    `connections`: Connections, or pairs of gids, shape (n, 2); `nodes`: those of the circle, default all that are connected; others lie outside
    of it; `names`: texts by gid, default the gid. Raises BadParameter.
    """
    given: Any = connections
    ends = np.stack([given.source, given.target], axis=1) if hasattr(given, "source") else np.asarray(given, np.int64)
    pairs = {(int(a), int(b)) for a, b in ends.reshape(-1, 2).tolist()}
    every = {gid for pair in pairs for gid in pair}
    inside = sorted(every) if nodes is None else np.asarray(getattr(nodes, "gids", nodes), np.int64).tolist()
    outside = sorted(every - set(inside))
    if len(inside) + len(outside) > _MOST:
        raise bad_parameter("nodes", len(inside) + len(outside), f"at most {_MOST} to be drawn one by one")
    places = _on_circle(inside, 1.0) | _on_circle(outside, 1.5)
    if ax is None:
        ax = matplotlib().subplots(figsize=(7, 7))[1]
    for source, target in sorted(pairs):
        _arrow(ax, places[source], places[target])
    for gid, (x, y) in places.items():
        ax.text(x, y, (names or {}).get(gid, str(gid)), ha="center", va="center", bbox={"boxstyle": "circle", "fc": "white", "ec": "C0"})
    ax.set_axis_off()
    ax.set(xlim=(-1.8, 1.8), ylim=(-1.8, 1.8), aspect="equal")
    return ax


def _part(nodes: Any) -> Part:
    found: Part | None = nodes if isinstance(nodes, Part) else nodes._network._populations.part(nodes._ranges)
    if found is None:
        raise NoPositions("nodes with positions are needed: create(..., positions=...)")
    return found


def _frame(part: Part, figure: Figure | None) -> Any:
    """New axes that show a whole space."""
    ax: Any = (matplotlib().figure() if figure is None else figure).add_subplot(111, projection="3d" if part.dims == 3 else None)
    half = np.where(part.extent > 0.0, part.extent, 1.0) / 2.0
    for name, centre, width in zip("xyz", part.center.tolist(), half.tolist(), strict=False):
        ax.set(**{f"{name}lim": (centre - _MARGIN * width, centre + _MARGIN * width), f"{name}label": name})
    if part.dims == 2:
        ax.add_patch(matplotlib("patches").Rectangle(tuple(part.center - half), *(2.0 * half), fill=False, edgecolor="0.6", linewidth=0.8))
        ax.set_aspect("equal")
    return ax


def _draw_value(ax: Axes, part: Part, value: Term, edges: Sequence[float], shape: Sequence[int], colours: Any) -> None:
    x, y = (np.linspace(low, high, n) for low, high, n in zip(edges[::2], edges[1::2], shape, strict=True))
    targets = np.column_stack([axis.ravel() for axis in np.meshgrid(x, y)])
    n = len(targets)
    context = Context(1, 0, np.arange(n, dtype=np.int64), None, np.repeat(part.positions, n, axis=0), targets, part.extent, part.periodic)
    table = value.evaluate(context).reshape(len(y), len(x))
    most = max(1.0, float(np.nanmax(table)))
    image = ax.imshow(table, extent=tuple(edges), origin="lower", cmap=colours, vmin=0.0, vmax=most, aspect="equal")  # type: ignore[arg-type]
    ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)


def _draw_mask(ax: Axes, part: Part, mask: Mask, edges: Sequence[float], colour: Any) -> None:
    x, y = np.linspace(edges[0], edges[1], _FINE), np.linspace(edges[2], edges[3], _FINE)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(x, y)]) - part.positions[0][:, None]
    points = np.stack([wrapped(grid[k], part, k) for k in range(2)])
    inside = mask.inside(points).reshape(_FINE, _FINE).astype(np.float64)
    if inside.any():
        ax.contourf(x, y, inside, levels=[0.5, 1.5], colors=[colour], alpha=0.3, zorder=2)
        ax.contour(x, y, inside, levels=[0.5], colors=["0.4"], linewidths=1.5, zorder=2)


def _on_circle(gids: Sequence[int], radius: float) -> dict[int, tuple[float, float]]:
    angles = np.linspace(0.0, 2.0 * np.pi, len(gids), endpoint=False).tolist()
    return {gid: (radius * float(np.cos(angle)), radius * float(np.sin(angle))) for gid, angle in zip(gids, angles, strict=True)}


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """An arrow that bends, so that both directions can be seen; a loop for a node that is its own target."""
    style: dict[str, Any] = {"color": "0.5"}
    if start == end:
        style |= {"arrowstyle": "<->", "connectionstyle": "arc3,rad=2"}
        ax.annotate("", (end[0] * 1.02, end[1] * 1.02), (start[0] * 1.2 + 0.02, start[1] * 1.2 + 0.02), arrowprops=style)
    else:
        style |= {"arrowstyle": "->", "connectionstyle": "arc3,rad=0.12", "shrinkA": 14, "shrinkB": 14}
        ax.annotate("", end, start, arrowprops=style)
