# SPDX-License-Identifier: Apache-2.0
"""Plots of bench/touch.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

COLOURS = {"reading": "#b8860b", "indexing": "#6a4c93", "detecting": "#1f5f99", "spooling": "#8a8a8a", "writing": "#3f8f5f"}


def phases(found: list[dict], path: Path) -> None:
    """Stacked phases of the slowest rank, one bar per run."""
    figure, (axes,) = _figure(1, 7.5)
    bottom = np.zeros(len(found))
    for name, colour in COLOURS.items():
        heights = np.array([max(seconds.get(name, 0.0) for seconds in e["phases"]) for e in found])
        axes.bar(range(len(found)), heights, bottom=bottom, color=colour, label=name, width=0.7)
        bottom += heights
    axes.set_xticks(
        range(len(found)), [f"{e['ranks']} x {e['threads']}\n{e['exchange'] if e['ranks'] > 1 else ''}" for e in found], fontsize=8
    )
    axes.set(xlabel="ranks x threads", ylabel="time (s)", title=f"{found[0]['touches']:,} touches of {found[0]['cells']} cells")
    axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _save(figure, path)


def traffic(found: list[dict], path: Path) -> None:
    """Time, bytes sent and partners over ranks; the first two for one tile per rank."""
    every, found = found, [e for e in found if e["tiles"] == e["ranks"]]
    figure, axes = _figure(3, 3.8)
    ranks = [e["ranks"] for e in found]
    axes[0].plot(ranks, [e["seconds"] for e in found], "o-", color="#1f5f99")
    axes[0].set(ylabel="time (s)", title="one tile per rank")
    for name, label, colour in (("bytes_sent", "sent", "#c2452d"), ("bytes_index", "index", "#6a4c93")):
        per_rank = [sum(c.get(name, 0.0) for c in e["counters"]) / e["ranks"] / 1e6 for e in found]
        axes[1].plot(ranks, per_rank, "o-", color=colour, label=label)
    axes[1].set(ylabel="MB per rank", title="moved and kept")
    axes[1].legend(frameon=False, fontsize=8)
    part = [100.0 * sum(c.get("partners", 0.0) for c in e["counters"]) / e["ranks"] / max(e["ranks"] - 1, 1) for e in every]
    axes[2].plot([e["ranks"] for e in every], part, "o-", color="#3f8f5f")
    axes[2].set(ylabel="% of the other ranks", title="partners of a rank")
    for axis in axes:
        axis.set(xlabel="ranks", xticks=ranks if axis is not axes[2] else [e["ranks"] for e in every], ylim=(0, None))
    _save(figure, path)


def _figure(columns: int, width: float) -> tuple[Any, list[Any]]:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, columns, figsize=(width * columns, 3.8), layout="constrained", squeeze=False)
    for axis in axes[0]:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, list(axes[0])


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    figure.savefig(path, dpi=120)
    pyplot.close(figure)
