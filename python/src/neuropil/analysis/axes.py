# SPDX-License-Identifier: Apache-2.0
"""Axes, colours and histograms that all pictures share. Everything here takes plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.libraries import matplotlib
from ..base.named import named_arguments
from ..errors import bad_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOURS", "axes", "axes_pair", "colours", "histograms", "legend", "weight_histogram"]

COLOURS = ("#1f5f99", "#c2452d", "#3f8f5f", "#b8860b", "#6a4c93", "#4d4d4d")


def axes(ax: Axes | None) -> Axes:
    """The axes given, or new ones; without the upper and right line."""
    if ax is None:
        _, ax = matplotlib().subplots(figsize=(6.5, 3.6), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def axes_pair() -> tuple[Axes, Axes]:
    """New axes above each other, the lower ones a quarter as high."""
    _, (upper, lower) = matplotlib().subplots(2, 1, figsize=(7.5, 5.0), height_ratios=(4, 1), sharex=True, layout="constrained")
    for ax in (upper, lower):
        ax.spines[["top", "right"]].set_visible(False)
    return upper, lower


def legend(ax: Axes) -> Axes:
    """Adds a legend where something has a label."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize=8)
    return ax


def colours(n: int = 1000) -> list[Any]:
    """n colours, the first again after the last."""
    return [COLOURS[i % len(COLOURS)] for i in range(n)]


def histograms(
    data: Mapping[str, NDArray[np.float64]],
    bins: int | NDArray[np.float64],
    mean: str | None,
    ax: Axes | None,
    span: tuple[float, float] | None = None,
) -> Axes:
    """One filled histogram, or several as lines on common bins: a number of them or their edges."""
    ax = axes(ax)
    clean = {name: values[np.isfinite(values)] for name, values in data.items()}
    everything = np.concatenate(list(clean.values())) if clean else np.empty(0)
    edges = np.histogram_bin_edges(everything, bins, span)
    for (name, values), colour in zip(clean.items(), colours(len(clean)), strict=True):
        text = mean.format(values.mean()) if mean and len(values) else ""
        label = ", ".join(part for part in (name, text) if part)
        heights = np.histogram(values, edges)[0]
        ax.stairs(heights, edges, fill=len(clean) == 1, color=colour, linewidth=1.4, label=label or None)
    ax.set(xlim=(edges[0], edges[-1]), ylim=(0, None))
    return legend(ax)


@named_arguments
def weight_histogram(weights: ArrayLike, unit: str = "", *, bins: int = 60, ax: Axes | None = None) -> Axes:
    """Histogram of weights, with their number, mean and standard deviation."""
    array = np.asarray(weights, np.float64)
    if array.ndim != 1:
        raise bad_type("connections", weights, "Connections or a one-dimensional array")
    ax = histograms({"": array}, bins, None, ax)
    mean, deviation = (array.mean(), array.std()) if len(array) else (np.nan, np.nan)
    ax.set_title(f"{len(array)} synapses, {mean:.4g} ± {deviation:.3g}", fontsize=9, loc="left")
    ax.set(xlabel=f"weight ({unit})" if unit else "weight", ylabel="synapses")
    return ax
