# SPDX-License-Identifier: Apache-2.0
"""Pictures of a circuit as PNG: histograms of its touches, and one connection in space."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import matplotlib
from .pair import Cell, Pair
from .statistics import Summary

__all__ = ["connection", "histograms", "pathways", "space"]

PRE, POST, TOUCH, GREY = "#b8651b", "#4b3f8f", "#111111", "#8a8a8a"  # blue and red are excitatory and inhibitory populations


def histograms(summary: Summary) -> bytes:
    """Six panels: touches per connection, probability over distance, bouton density, degrees, type of the section, path length."""
    figure, axes = _figure(2, 3, (13.0, 7.2))
    _counts(axes[0], summary.counts)
    edges, probability = summary.probability
    axes[1].stairs(np.nan_to_num(probability), edges, fill=True, color=POST)
    axes[1].set(xlabel="distance of somata (µm)", ylabel="probability", title="connection probability", ylim=(0, None), xlim=(0, edges[-1]))
    axes[2].hist(summary.density, 30, color=PRE)
    mean = f"mean {summary.density.mean():.3f} per µm" if len(summary.density) else "no axons"
    axes[2].set(xlabel="touches per µm of axon", ylabel="presynaptic cells", title=f"bouton density, {mean}", xlim=(0, None))
    _degrees(axes[3], summary)
    names = list(summary.types)
    axes[4].barh(names, [summary.types[name] / max(summary.touches, 1) for name in names], color=GREY)
    axes[4].set(xlabel="part of the touches", title="postsynaptic section", xlim=(0, 1))
    axes[5].hist(summary.path, 50, color=PRE)
    axes[5].set(xlabel="path length from the soma (µm)", ylabel="touches", title="presynaptic path", xlim=(0, None))
    return _png(figure)


def _counts(axes: Any, counts: NDArray[np.int64]) -> None:
    top = int(max(np.percentile(counts, 99.5), 2)) if len(counts) else 2
    axes.hist(np.minimum(counts, top + 1), np.arange(0.5, top + 2.5), color=POST)
    axes.set_xlim(0.5, top + 1.5)
    _whole_numbers(axes.xaxis)
    mean = f"mean {counts.mean():.1f}, most {counts.max()}" if len(counts) else "none"
    axes.set(xlabel=f"touches of a connection (last bar: above {top})", ylabel="connections", title=f"touches per connection, {mean}")


def _degrees(axes: Any, summary: Summary) -> None:
    top = max(int(summary.out_degree.max(initial=1)), int(summary.in_degree.max(initial=1)))
    bins = np.linspace(-0.5, top + 0.5, min(top + 2, 40))
    for values, name, colour in ((summary.out_degree, "targets of a cell", PRE), (summary.in_degree, "sources of a cell", POST)):
        axes.hist(values, bins, histtype="step", linewidth=1.8, color=colour, label=f"{name}, mean {values.mean():.0f}")
    axes.legend(frameon=False, fontsize=8)
    _whole_numbers(axes.xaxis, axes.yaxis)
    axes.set(xlabel="connected cells", ylabel="cells", title="degree", ylim=(0, 1.3 * axes.get_ylim()[1]))


def _whole_numbers(*axes: Any) -> None:
    for axis in axes:
        axis.set_major_locator(matplotlib("ticker").MaxNLocator(integer=True, nbins=8))


def pathways(summary: Summary) -> bytes:
    """Two matrices over mtypes: probability of a connection, mean touches per connection."""
    names, touches, probability = summary.pathways
    size = max(4.6, 0.42 * len(names) + 1.8)
    figure, axes = _figure(1, 2, (2.2 * size, size + 0.5))
    for axis, values, title in ((axes[0], probability, "connection probability"), (axes[1], touches, "touches per connection")):
        image = axis.imshow(np.ma.masked_where(~(values > 0.0), values), cmap="viridis", vmin=0.0)
        axis.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=8)
        axis.set_yticks(range(len(names)), names, fontsize=8)
        axis.set(xlabel="postsynaptic", ylabel="presynaptic", title=title)
        axis.spines[:].set_visible(False)
        figure.colorbar(image, ax=axis, shrink=0.8)
    figure.supxlabel("white: no connections", fontsize=8, x=0.01, ha="left")
    return _png(figure)


def connection(pair: Pair) -> bytes:
    """The pair from the side, whole and around the touches."""
    figure, axes = _figure(1, 2, (12.0, 7.0))
    for axis in axes:
        for cell, colour in ((pair.post, POST), (pair.pre, PRE)):
            _cell(axis, cell, colour, cell is pair.pre)
        axis.scatter(pair.touches[:, 0], pair.touches[:, 1], s=30, color=TOUCH, zorder=5, label=f"{len(pair.touches)} touches")
        axis.set_aspect("equal", adjustable="datalim")
        axis.set(xlabel="x (µm)", ylabel="y (µm)")
    axes[0].legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0.0, -0.08), ncols=3)
    axes[0].set_title("both cells (pale: what does not take part)")
    axes[1].set_title("around the touches")
    _zoom(axes[1], pair.touches)
    return _png(figure)


def space(pair: Pair) -> bytes:
    """The pair in perspective, y up: the axon of one cell, the dendrites of the other, their touches."""
    figure = matplotlib("figure").Figure((7.5, 8.0))
    axes: Any = figure.add_axes((0.0, 0.06, 1.0, 0.92), projection="3d")
    axon, dendrites = f"axon of {pair.pre.gid} {pair.pre.mtype}", f"dendrites of {pair.post.gid} {pair.post.mtype}"
    for points, colour, width, name in ((pair.post.dendrites, POST, 1.4, dendrites), (pair.pre.axon, PRE, 0.6, axon)):
        axes.plot(points[:, 0], points[:, 2], points[:, 1], color=colour, linewidth=width, label=name)
    for cell, colour in ((pair.pre, PRE), (pair.post, POST)):
        axes.scatter(*cell.soma[[0, 2, 1]], s=140, color=colour, depthshade=False)
    dots = {"s": 26, "color": TOUCH, "edgecolors": "white", "linewidths": 0.6, "label": f"{len(pair.touches)} touches"}
    axes.scatter(*pair.touches[:, [0, 2, 1]].T, depthshade=False, zorder=10, **dots)
    axes.legend(frameon=False, fontsize=8, loc="upper center", ncols=3)
    axes.set(xlabel="\nx (µm)", ylabel="\nz (µm)", zlabel="\ny (µm)")
    axes.set_aspect("equal")
    for short in ("x", "y"):
        axes.locator_params(axis=short, nbins=3)
    axes.view_init(elev=12, azim=-60)
    return _png(figure)


def _cell(axes: Any, cell: Cell, colour: str, is_pre: bool) -> None:
    name = f"{'pre' if is_pre else 'post'} {cell.gid} {cell.mtype}"
    axes.plot(
        cell.axon[:, 0],
        cell.axon[:, 1],
        color=colour,
        linewidth=0.6,
        alpha=1.0 if is_pre else 0.15,
        label=f"{name}, axon",
    )
    axes.plot(
        cell.dendrites[:, 0],
        cell.dendrites[:, 1],
        color=colour,
        linewidth=1.3,
        alpha=0.25 if is_pre else 0.9,
        label=f"{name}, dendrites",
    )
    axes.add_patch(matplotlib("patches").Circle((cell.soma[0], cell.soma[1]), max(cell.radius, 1.0), color=colour, alpha=0.8))


def _zoom(axes: Any, touches: NDArray[np.float64]) -> None:
    """The touches, of many the middle 80 %; at least 60 um."""
    low, high = np.percentile(touches[:, :2], [10, 90] if len(touches) > 10 else [0, 100], axis=0)
    centre, half = 0.5 * (low + high), max(30.0, 0.6 * float((high - low).max()))
    axes.set_aspect("equal", adjustable="box")
    axes.set(xlim=(centre[0] - half, centre[0] + half), ylim=(centre[1] - half, centre[1] + half))


def _figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    figure = matplotlib("figure").Figure(size, layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(rows, columns)).flat)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
        axis.title.set_fontsize(10)
    return figure, axes


def _png(figure: Any) -> bytes:
    for axis in figure.axes:
        axis.title.set_fontsize(10)
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    return data.getvalue()
