# SPDX-License-Identifier: Apache-2.0
"""Plots of bench/construct.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

COLOURS = ("#8c8c8c", "#ccb974", "#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#64b5cd", "#da8bc3", "#937860")


def _figure(columns: int, width: float, height: float = 4.2) -> tuple[Any, list[Any]]:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, columns, figsize=(width * columns, height), layout="constrained", squeeze=False)
    return figure, list(axes[0])


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def phases(bars: dict[str, dict[int, dict[str, float]]], path: Path) -> None:
    """Stacked phases over threads, a panel for each network, as figure 3 of Ippen et al. 2017. bars[network][threads][phase]: s."""
    figure, axes = _figure(len(bars), 3.6)
    for axis, (network, by_threads) in zip(axes, bars.items(), strict=True):
        bottom = [0.0] * len(by_threads)
        for k, name in enumerate(next(iter(by_threads.values()))):
            heights = [share[name] for share in by_threads.values()]
            axis.bar(range(len(heights)), heights, 0.6, bottom=bottom, color=COLOURS[k % len(COLOURS)], label=name)
            bottom = [a + b for a, b in zip(bottom, heights, strict=True)]
        axis.set_xticks(range(len(by_threads)), [str(t) for t in by_threads])
        axis.set(title=network, xlabel="threads", ylabel="time (s)")
        axis.title.set_fontsize(9)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8)
    _save(figure, path)


def allocators(rows: list[list], path: Path) -> None:
    """Build time and peak memory by allocator, a bar for each number of threads, as figures 5 and 7 of Ippen et al. 2017.

    rows: [allocator, threads, build s, init s, peak MB].
    """
    figure, axes = _figure(2, 5.0)
    names = list(dict.fromkeys(row[0] for row in rows))
    counts = list(dict.fromkeys(row[1] for row in rows))
    for axis, column, label in zip(axes, (2, 4), ("build (s)", "peak resident memory (MB)"), strict=True):
        for k, threads in enumerate(counts):
            values = {row[0]: row[column] for row in rows if row[1] == threads}
            places = [names.index(name) + 0.8 * (k + 0.5) / len(counts) - 0.4 for name in values]
            axis.bar(places, list(values.values()), 0.75 / len(counts), color=COLOURS[2 + k % 6], label=f"threads: {threads}")
        axis.set_xticks(range(len(names)), names)
        axis.set_ylabel(label)
    axes[0].legend(fontsize=8)
    _save(figure, path)
