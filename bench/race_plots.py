# SPDX-License-Identifier: Apache-2.0
"""The picture of bench/race.py: real-time factor by year and by CPU cores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.race import Entry

KINDS = {  # colour, marker, size, legend
    "cpu": ("#1f5fa8", "o", 34, "CPU (NEST)"),
    "gpu": ("#3a9150", "s", 30, "GPU"),
    "special": ("#8a63b0", "D", 26, "neuromorphic, FPGA"),
    "ours": ("#d1342f", "*", 150, "neuropil"),
}
RIGHT, LEFT, ABOVE = (7, 0, "left"), (-9, 0, "right"), (0, 10, "left")  # where a label is: offset in points, alignment
PLACES = {("SpiNNaker", 2019): ABOVE, ("GeNN", 2021): LEFT, ("CsNN", 2022): LEFT}
REAL_TIME = {"color": "#777777", "linewidth": 0.9, "linestyle": (0, (4, 3)), "zorder": 0}


def scatter(axes: Any, entries: list[Entry], x: str) -> None:
    for kind, (colour, marker, size, label) in KINDS.items():
        some = [e for e in entries if e.kind == kind]
        if some:
            place = [getattr(e, x) for e in some], [e.real_time_factor for e in some]
            axes.scatter(*place, color=colour, marker=marker, s=size, label=label, edgecolor="white", linewidth=0.6, zorder=3)


def say(axes: Any, text: str, x: float, y: float, kind: str, where: tuple[int, int, str] = RIGHT) -> None:
    axes.annotate(
        text,
        (x, y),
        xytext=where[:2],
        textcoords="offset points",
        ha=where[2],
        va="center",
        fontsize=7.5,
        color=KINDS[kind][0],
        fontweight="bold" if kind == "ours" else "normal",
        linespacing=1.05,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.85},
        zorder=2,
    )


def best_of_ours(entries: list[Entry]) -> list[Entry]:
    """One entry for each machine that carries the label: its fastest run."""
    best: dict[tuple[str, int | None], Entry] = {}
    for entry in (e for e in entries if e.kind == "ours"):
        key = (entry.hardware, entry.cores)
        best[key] = min(entry, best.get(key, entry), key=lambda e: e.real_time_factor)
    return list(best.values())


def by_year(axes: Any, entries: list[Entry]) -> None:
    scatter(axes, entries, "year")
    for e in [e for e in entries if e.kind != "ours"] + best_of_ours(entries):
        text = f"{e.simulator}, {e.hardware if e.cores is None else f'{e.cores} cores'}"
        text += f"\nof {e.hardware}" if e.kind == "ours" else ""
        say(axes, text, e.year, e.real_time_factor, e.kind, LEFT if e.kind == "ours" else PLACES.get((e.simulator, e.year), RIGHT))
    years = range(min(e.year for e in entries), max(e.year for e in entries) + 1)
    axes.set_xticks(years, [str(year) for year in years])
    axes.set(
        xlabel="year of publication", ylabel="real-time factor\n(wall time per biological time)", xlim=(years[0] - 0.4, years[-1] + 0.9)
    )


def diagonals(axes: Any, limits: tuple[float, float]) -> None:
    """Lines of equal cost: cores x real-time factor."""
    for cost, x in ((1, 4.5), (10, 45.0), (100, 7.5), (1000, 70.0)):
        axes.plot(limits, [cost / edge for edge in limits], color="#cccccc", linewidth=0.8, zorder=0)
        style = {"rotation": -47, "rotation_mode": "anchor", "ha": "center", "va": "bottom", "fontsize": 6.5, "color": "#8a8a8a"}
        axes.text(x, 1.04 * cost / x, f"{cost} core s per s", **style)


def by_cores(axes: Any, entries: list[Entry]) -> None:
    limits = (1.0, 1000.0)
    diagonals(axes, limits)
    on_cpus = [e for e in entries if e.cores is not None]
    scatter(axes, on_cpus, "cores")
    for e in [e for e in on_cpus if e.kind == "cpu"]:
        say(axes, f"NEST {e.year}", e.cores or 0, e.real_time_factor, e.kind, LEFT)
    for e in best_of_ours(entries):
        say(axes, f"neuropil,\n{e.hardware}", e.cores or 0, e.real_time_factor, e.kind)
    axes.set(xlabel="CPU cores", xlim=limits, xscale="log")
    axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])


def draw(entries: list[Entry], file: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(9.6, 4.2), width_ratios=[1.7, 1.0], sharey=True, layout="constrained")
    by_year(panels[0], entries)
    by_cores(panels[1], entries)
    for axes in panels:
        axes.axhline(1.0, **REAL_TIME)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    panels[0].set_yscale("log")
    panels[0].set(ylim=(0.03, 40.0))
    panels[0].set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
    panels[0].text(panels[0].get_xlim()[1], 1.04, "real time", fontsize=7, color="#777777", ha="right", va="bottom")
    panels[0].legend(loc="lower left", fontsize=8, frameon=False)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=140)
    pyplot.close(figure)
