# SPDX-License-Identifier: Apache-2.0
"""Pictures of plain columns, as files and front ends have them: spikes over rates, traces of several nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_time, to_times
from ..base.libraries import needed
from ..base.named import named_arguments


@named_arguments
def spikes_over_rates(
    shown: tuple[ArrayLike, ArrayLike],
    times: ArrayLike,
    n: int,
    *,
    bin_width: float | None = 5.0,
    grey: bool = False,
    title: str = "",
    label: str = "Time (ms)",
) -> list[Any]:
    """Points of spikes in a new figure, and below them the mean rate of n nodes; returns the lines of the points.

    shown : times and gids of the points, each of shape (m,); times : of all spikes (ms), for the rate; bin_width : of the rate (ms), None: no rate
    """
    where, all_times = (to_times("shown", shown[0]), shown[1]), to_times("times", times)
    bin_width = None if bin_width is None else to_time("bin_width", bin_width)
    figure = needed("matplotlib.pyplot", "plot", "pictures need").figure()
    upper, lower = (figure.subplots(), None) if bin_width is None else figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    drawn: list[Any] = upper.plot(*where, ".k" if grey else ".", markersize=3)
    upper.set(ylabel="Neuron ID", title=title)
    upper.locator_params(axis="y", integer=True)
    if bin_width is not None:
        _draw_rate(lower, all_times, n, bin_width, "0.3" if grey else "C1", upper.get_xlim())
    (lower or upper).set_xlabel(label)
    return drawn


def _draw_rate(ax: Any, times: NDArray[Any], n: int, width: float, colour: str, limits: tuple[float, float]) -> None:
    edges = times.min() + width * np.arange(max(1, np.ceil(np.ptp(times) / width)))
    counts, _ = np.histogram(times, np.append(edges, np.inf))
    ax.bar(edges, 1000.0 * counts / (width * n), width=width, align="edge", color=colour)
    ax.set(ylabel="Rate (spks/s)", xlim=limits)


@named_arguments
def traces(gids: NDArray[Any], columns: tuple[NDArray[Any], NDArray[Any]], shown: Any, *, grey: bool = False, **labels: str) -> list[Any]:
    """A line per node in the current axes; returns the lines.

    gids : of the samples; columns : their times and values, each of shape (m,); shown : gids, None: all
    """
    axes = needed("matplotlib.pyplot", "plot", "pictures need").gca()
    lines: list[Any] = []
    for gid in (np.unique(gids) if shown is None else np.asarray(shown).ravel()).tolist():
        lines += axes.plot(*(column[gids == gid] for column in columns), *(["k"] if grey else []), label=f"Neuron {gid}")
    axes.set(**labels)
    axes.legend(loc="best")
    return lines
