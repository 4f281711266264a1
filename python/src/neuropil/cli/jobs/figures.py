# SPDX-License-Identifier: Apache-2.0
"""The picture of a job: raster plot, rates and irregularity of all populations."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from neuropil.cli.jobs.statistics import Activity

EXCITATORY, INHIBITORY, REFERENCE = "#1f5f99", "#c2452d", "#222222"
MAX_DOTS = 40_000
MAX_ROWS = 4000  # neurons in the raster, all populations together


def overview(
    path: Path,
    times: np.ndarray,
    gids: np.ndarray,
    populations: Mapping[str, tuple[int, int]],
    activity: Mapping[str, "Activity"],
    reference: Mapping[str, Mapping[str, float]],
    title: str,
) -> Path:
    """Draw spikes (times [ms], gids) of populations name -> (first gid, number of neurons) as a PNG; `reference` may hold published rates."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, middle, right) = pyplot.subplots(
        1, 3, figsize=(12, 5.5), width_ratios=(3, 1, 1), layout="constrained", gridspec_kw={"wspace": 0.04}
    )
    raster(left, times, gids, populations)
    bars(middle, activity, "rate", "rate (spikes/s)", reference.get("rate"))
    bars(right, activity, "cv_isi", "CV of ISI", reference.get("cv_isi"))
    legend(figure, list(populations))
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return path


def colour(name: str) -> str:
    """Colour of a population, by the last letter of its name: E or I."""
    return INHIBITORY if name.endswith("I") else EXCITATORY


def legend(figure: Any, names: list[str]) -> None:
    """Says what the colours mean, where populations are named E and I."""
    from matplotlib.patches import Patch

    if {name[-1:] for name in names} == {"E", "I"}:
        kinds = [Patch(color=EXCITATORY, label="excitatory"), Patch(color=INHIBITORY, label="inhibitory")]
        figure.legend(handles=kinds, loc="upper right", ncols=2, frameon=False, fontsize=9)


def raster(axes: Any, times: np.ndarray, gids: np.ndarray, populations: Mapping[str, tuple[int, int]]) -> None:
    """Every n-th neuron of every population, first population on top; the time axis is cut where dots would merge."""
    total = sum(count for _, count in populations.values())
    stride = max(1, -(-total // MAX_ROWS))
    begin, end = (float(times.min()), float(times.max())) if len(times) else (0.0, 1.0)
    shown = min(end - begin, (end - begin) * MAX_DOTS * stride / max(len(times), 1))
    row, ticks = 0, []
    for name, (first, count) in populations.items():
        rows = -(-count // stride)
        mine = (gids >= first) & (gids < first + count) & ((gids - first) % stride == 0) & (times <= begin + shown)
        axes.plot(times[mine], row + (gids[mine] - first) // stride, ".", color=colour(name), markersize=2, markeredgewidth=0)
        ticks.append((row + rows / 2, name))
        row += rows
        axes.axhline(row, color="0.85", linewidth=0.5)
    axes.set(xlim=(begin, begin + max(shown, 1e-3)), ylim=(row, 0), xlabel="time (ms)")
    axes.set_yticks([tick[0] for tick in ticks], [tick[1] for tick in ticks])
    axes.set_title("every neuron" if stride == 1 else f"1 of {stride} neurons", fontsize=9)


def bars(axes: Any, activity: Mapping[str, "Activity"], field: str, label: str, reference: Mapping[str, float] | None) -> None:
    """One bar per population and a mark at the reference value."""
    names = list(activity)
    place = np.arange(len(names))
    axes.barh(place, [getattr(activity[name], field) for name in names], color=[colour(name) for name in names], height=0.7)
    if reference:
        axes.plot([reference[name] for name in names], place, "|", color=REFERENCE, markersize=14, markeredgewidth=2, label="published")
        axes.legend(frameon=False, fontsize=8, loc="upper right")
    axes.set(ylim=(len(names) - 0.5, -0.5), xlabel=label)
    axes.set_yticks(place, names)
    axes.spines[["top", "right"]].set_visible(False)
