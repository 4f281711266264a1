# SPDX-License-Identifier: Apache-2.0
"""Pictures of layers and of what their nodes are connected to, drawn by neuropil.plot; matplotlib is imported when used."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ... import plot
from ..errors import translating
from ..node_collection import NodeCollection, checked
from .functions import GetSourceNodes, GetTargetNodes
from .layers import part_of
from .masks import to_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Dots = tuple[Any, float]
"""Their colour and size."""


def PlotLayer(layer: Any, fig: Figure | None = None, nodecolor: Any = "b", nodesize: float = 20) -> Figure:  # noqa: N802
    """Draws all nodes of a layer into a new figure, or `fig`, and returns it. Raises TypeError, LayerExpected."""
    part = part_of(checked(layer, "layer"))
    return _figure(plot.positions(part, colour=nodecolor, size=nodesize, figure=fig))


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
    found = GetTargetNodes(driver, layer, syn_type)[0]
    look = (mask, probability_parameter, mask_color, probability_cmap)
    return _partners(driver, layer, found, fig, ((tgt_color, tgt_size), (src_color, src_size)), look)


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
    found = GetSourceNodes(layer, driver, syn_type)[0]
    look = (mask, probability_parameter, mask_color, probability_cmap)
    return _partners(driver, layer, found, fig, ((src_color, src_size), (tgt_color, tgt_size)), look)


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

    mask : a Mask or a dict {name: {...}, "anchor": [...]}; circles, doughnuts, ellipses and rectangles are patches where space has ends; edges : (x_min, x_max, y_min, y_max) of the picture; shape : values along x and y;
    ax : where to draw, default new axes. Raises ValueError when there is nothing to draw, or in 3-D.
    """
    if parameter is None and mask is None:
        raise ValueError("give a parameter, a mask, or both")
    part = part_of(_single(source, "source"))
    if part.dims != 2:
        raise ValueError("Parameters and masks are drawn in 2 dimensions only")
    native = to_mask(mask)
    patch = None
    if native is not None and not part.periodic and isinstance(mask, Mapping):
        from matplotlib.colors import to_rgba

        look = {"facecolor": to_rgba(mask_color, 0.2), "edgecolor": (0.0, 0.0, 0.0, 0.2), "linewidth": 2.0, "zorder": 0.5}
        patch = plot.mask_patch(native, part.positions[0], **look)
    with translating():
        rest = native if patch is None else None
        ax = plot.around(part, parameter, rest, edges=edges, shape=shape, colours=prob_cmap, mask_colour=mask_color, ax=ax)
    if patch is not None:
        ax.add_patch(patch)


def _partners(
    driver: NodeCollection, layer: NodeCollection, found: NodeCollection, fig: Any, dots: tuple[Dots, Dots], extras: Any
) -> Figure:
    """A node and its partners in a layer. dots: of partners and node; extras: mask, Parameter, colour, colour map."""
    part, (mask, parameter, color, cmap) = part_of(layer), extras
    partners = layer._layer.part(found._gids)
    ax = plot.positions(partners, colour=dots[0][0], size=dots[0][1], figure=fig)
    plot.positions(part_of(driver), colour=dots[1][0], size=dots[1][1], ax=ax)
    if (mask is not None or parameter is not None) and part.dims == 2:
        PlotProbabilityParameter(driver, parameter, mask, [*ax.get_xlim(), *ax.get_ylim()], (100, 100), ax, cmap, color)
    elif mask is not None or parameter is not None:
        warnings.warn("mask and probability_parameter are drawn in 2 dimensions only", stacklevel=3)
    return _figure(ax)


def _figure(ax: Axes) -> Figure:
    figure: Figure = ax.figure  # type: ignore[assignment]
    return figure


def _single(nodes: Any, name: str) -> NodeCollection:
    if not isinstance(nodes, NodeCollection) or len(nodes) != 1:
        raise TypeError(f"{name} must be a NodeCollection of one node")
    return nodes
