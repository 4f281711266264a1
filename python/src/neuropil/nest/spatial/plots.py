# SPDX-License-Identifier: Apache-2.0
"""Pictures of layers and of what their nodes are connected to; matplotlib is imported when used."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ...space.context import Context, wrapped
from ...space.layers import Part
from ..errors import translating
from ..node_collection import NodeCollection
from .functions import GetSourcePositions, GetTargetPositions, checked
from .layers import part_of
from .masks import to_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARGIN = 1.1  # axes are wider than the layer by this factor
_FINE = 401  # points along an axis on which a mask is drawn


def PlotLayer(layer: Any, fig: Figure | None = None, nodecolor: Any = "b", nodesize: float = 20) -> Figure:  # noqa: N802
    """Draws all nodes of a layer into a new figure, or `fig`, and returns it. Raises TypeError, LayerExpected."""
    part = part_of(checked(layer, "layer"))
    ax = _axes(fig, part)
    ax.scatter(*part.positions.T, s=nodesize, c=nodecolor)
    return _figure(ax)


def PlotTargets(  # noqa: N802
    src_nrn: Any,
    tgt_layer: Any,
    syn_type: str | None = None,
    fig: Figure | None = None,
    mask: Any = None,
    probability_parameter: Any = None,
    src_color: Any = "red",
    src_size: float = 50,
    tgt_color: Any = "blue",
    tgt_size: float = 20,
    mask_color: Any = "yellow",
    probability_cmap: Any = "Greens",
) -> Figure:
    """Draws the targets in tgt_layer of one node, the node, and on request mask and connection probability around it. Returns the figure.

    mask, probability_parameter : 2-D only, see `PlotProbabilityParameter`. Raises TypeError, LayerExpected.
    """
    driver, layer = _single(src_nrn, "src_nrn"), checked(tgt_layer, "tgt_layer")
    positions = GetTargetPositions(driver, layer, syn_type)[0]
    look = (mask, probability_parameter, mask_color, probability_cmap)
    return _partners(driver, layer, positions, fig, (tgt_color, tgt_size), (src_color, src_size), look)


def PlotSources(  # noqa: N802
    src_layer: Any,
    tgt_nrn: Any,
    syn_type: str | None = None,
    fig: Figure | None = None,
    mask: Any = None,
    probability_parameter: Any = None,
    tgt_color: Any = "red",
    tgt_size: float = 50,
    src_color: Any = "blue",
    src_size: float = 20,
    mask_color: Any = "yellow",
    probability_cmap: Any = "Greens",
) -> Figure:
    """Draws the sources in src_layer of one node, as `PlotTargets`."""
    driver, layer = _single(tgt_nrn, "tgt_nrn"), checked(src_layer, "src_layer")
    positions = GetSourcePositions(layer, driver, syn_type)[0]
    look = (mask, probability_parameter, mask_color, probability_cmap)
    return _partners(driver, layer, positions, fig, (src_color, src_size), (tgt_color, tgt_size), look)


def PlotProbabilityParameter(  # noqa: N802
    source: Any,
    parameter: Any = None,
    mask: Any = None,
    edges: Any = (-0.5, 0.5, -0.5, 0.5),
    shape: Any = (100, 100),
    ax: Axes | None = None,
    prob_cmap: Any = "Greens",
    mask_color: Any = "yellow",
) -> None:
    """Draws a Parameter, as a function of where the other end of a connection is, and a mask around one node in 2-D.

    mask : a Mask or a dict {name: {...}, "anchor": [...]}; edges : (x_min, x_max, y_min, y_max) of the picture; shape : values along x and y;
    ax : where to draw, default new axes. Raises ValueError when there is nothing to draw, or in 3-D.
    """
    if parameter is None and mask is None:
        raise ValueError("give a parameter, a mask, or both")
    part = part_of(_single(source, "source"))
    if part.dims != 2:
        raise ValueError("Parameters and masks are drawn in 2 dimensions only")
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    ax.set_xlim(edges[0], edges[1])
    ax.set_ylim(edges[2], edges[3])
    if parameter is not None:
        _draw_parameter(ax, part, parameter, edges, shape, prob_cmap)
    if mask is not None:
        _draw_mask(ax, part, mask, edges, mask_color)


def _draw_parameter(ax: Axes, part: Part, parameter: Any, edges: Any, shape: Any, cmap: Any) -> None:
    x, y = (np.linspace(low, high, n) for low, high, n in zip(edges[::2], edges[1::2], shape, strict=True))
    targets = np.column_stack([axis.ravel() for axis in np.meshgrid(x, y)])
    n = len(targets)
    sources = np.repeat(part.positions, n, axis=0)
    context = Context(1, 0, np.arange(n, dtype=np.int64), None, sources, targets, part.extent, part.periodic)
    values = parameter.evaluate(context).reshape(len(y), len(x))
    image = ax.imshow(
        values, extent=tuple(edges), origin="lower", cmap=cmap, vmin=0.0, vmax=max(1.0, float(np.nanmax(values))), aspect="equal"
    )
    ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)


def _draw_mask(ax: Axes, part: Part, mask: Any, edges: Any, color: Any) -> None:
    given = to_mask(mask)
    if given is None:
        return
    with translating():
        region = given.on(part)
    x, y = np.linspace(edges[0], edges[1], _FINE), np.linspace(edges[2], edges[3], _FINE)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(x, y)]) - part.positions[0][:, None]
    points = np.stack([wrapped(grid[k], part, k) for k in range(2)])
    inside = region.inside(points).reshape(_FINE, _FINE).astype(np.float64)
    if inside.any():
        ax.contourf(x, y, inside, levels=[0.5, 1.5], colors=[color], alpha=0.3, zorder=2)
        ax.contour(x, y, inside, levels=[0.5], colors=["0.4"], linewidths=1.5, zorder=2)


def _partners(
    driver: NodeCollection,
    layer: NodeCollection,
    positions: Any,
    fig: Any,
    look: tuple[Any, Any],
    driver_look: tuple[Any, Any],
    extras: Any,
) -> Figure:
    """A node and its partners in a layer. look, driver_look: colour and size; extras: mask, Parameter, colour, colour map."""
    part, centre = part_of(layer), part_of(driver)
    ax = _axes(fig, part)
    mask, parameter, color, cmap = extras
    if (mask is not None or parameter is not None) and part.dims == 2:
        edges = [*ax.get_xlim(), *ax.get_ylim()]
        PlotProbabilityParameter(driver, parameter, mask, edges, (100, 100), ax, cmap, color)
    elif mask is not None or parameter is not None:
        warnings.warn("mask and probability_parameter are drawn in 2 dimensions only", stacklevel=3)
    where = np.array(positions, np.float64).reshape(-1, part.dims)
    ax.scatter(*where.T, c=look[0], s=look[1], zorder=3)
    ax.scatter(*centre.positions.T, c=driver_look[0], s=driver_look[1], zorder=4)
    return _figure(ax)


def _single(nodes: Any, name: str) -> NodeCollection:
    if not isinstance(nodes, NodeCollection) or len(nodes) != 1:
        raise TypeError(f"{name} must be a NodeCollection of one node")
    return nodes


def _axes(fig: Figure | None, part: Part) -> Any:
    """Axes that show a whole layer: those of a figure, if it has some."""
    import matplotlib.pyplot as plt

    figure = plt.figure() if fig is None else fig
    if figure.axes:
        return figure.axes[0]
    ax: Any = figure.add_subplot(111, projection="3d" if part.dims == 3 else None)
    half = np.where(part.extent > 0.0, part.extent, 1.0) / 2.0
    for name, centre, width in zip("xyz", part.center.tolist(), half.tolist(), strict=False):
        getattr(ax, f"set_{name}lim")(centre - _MARGIN * width, centre + _MARGIN * width)
        getattr(ax, f"set_{name}label")(name)
    if part.dims == 2:
        low = part.center - half
        ax.add_patch(plt.Rectangle((low[0], low[1]), 2.0 * half[0], 2.0 * half[1], fill=False, edgecolor="0.6", linewidth=0.8))
        ax.set_aspect("equal")
    return ax


def _figure(ax: Axes) -> Figure:
    figure: Figure = ax.figure  # type: ignore[assignment]
    return figure
