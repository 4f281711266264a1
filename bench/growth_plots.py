# SPDX-License-Identifier: Apache-2.0
"""Plots of bench/growth.py: small multiples, a column per axis and a row per number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

PICTURES = {
    "growth_size.png": ("neurons", "neurons, K = 100", "indegree"),
    "growth_shape.png": ("populations", "delays", "rate", "threads", "ranks"),
}
LABELS = {
    "run": "run\n(s per s)", "neuron": "neuron and step\n(ns)", "event": "event\n(ns)", "build": "building a synapse\n(ns)", "bytes": "bytes per synapse",
}  # fmt: skip
AXIS_LABELS = {"neurons": "neurons N (K = {0.indegree})", "neurons, K = 100": "neurons N (K = {0.indegree})", "indegree": "in-degree K (N = {0.neurons})",
               "delays": "width of delays (steps)", "rate": "rate (Hz)"}  # fmt: skip
SIDES = {"neuropil": ("#1f5fa8", "o", "neuropil"), "NEST": ("#c44e52", "s", "NEST 3.10")}
LIMIT = ("#555555", "limit of the machine's memory")


def quantity(axis: str) -> str:
    """Field of a cell that an axis changes."""
    return axis.partition(",")[0]


def points(found: list[Any], axis: str, value: Any) -> tuple[list[float], list[float]]:
    """Where `value` of a cell is known."""
    pairs = [(getattr(m.cell, quantity(axis)), y) for m in found if (y := value(m)) is not None]
    return [x for x, _ in pairs], [y for _, y in pairs]


def panel(axes: Any, axis: str, number: str, found: list[Any], limits: dict) -> None:
    for side, (colour, marker, label) in SIDES.items():
        x, y = points(found, axis, lambda m, side=side: m.value(side, number))
        axes.plot(x, y, color=colour, marker=marker, markersize=4.5, linewidth=1.4, label=label)
        spread = [(getattr(m.cell, quantity(axis)), m.values(side, number)) for m in found]
        axes.vlines(
            [a for a, v in spread if v], [min(v) for _, v in spread if v], [max(v) for _, v in spread if v], color=colour, linewidth=1.0
        )
    x, y = points(found, axis, lambda m: limits[m.cell][number] if m.cell in limits else None)
    axes.plot(x, y, color=LIMIT[0], linestyle="--", linewidth=1.2, label=LIMIT[1])
    for m in found:
        if "NEST" in m.why_not and not m.runs["NEST"]:
            axes.axvline(
                getattr(m.cell, quantity(axis)),
                color=SIDES["NEST"][0],
                alpha=0.35,
                linestyle=":",
                linewidth=1.5,
                label="NEST cannot hold it",
            )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(visible=True, which="major", alpha=0.25, linewidth=0.6)


def ticks(axes: Any, axis: str, found: list[Any]) -> None:
    """Where cells are, if they are few and not powers of ten."""
    values = sorted({getattr(m.cell, quantity(axis)) for m in found})
    axes.set_xticks([], minor=True)
    if quantity(axis) != "neurons":
        axes.set_xticks(values, [f"{value:g}" for value in values])


def plain_numbers(axes: Any) -> None:
    """Numbers instead of powers, closer together where a row spans little."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axes.get_ylim()
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 200 * low else (1.0,)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def labelled(panels: Any, rows: list[str], columns: list[str], by_axis: dict[str, list[Any]]) -> None:
    for row, number in enumerate(rows):
        panels[row][0].set_ylabel(LABELS[number], fontsize=9)
        plain_numbers(panels[row][0])
    for column, axis in enumerate(columns):
        ticks(panels[-1][column], axis, by_axis[axis])
        panels[-1][column].set_xlabel(AXIS_LABELS.get(axis, axis).format(by_axis[axis][0].cell), fontsize=9)
    for one in panels.flat:
        one.tick_params(labelsize=8)


def picture(by_axis: dict[str, list[Any]], columns: list[str], limits: dict, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = list(LABELS)
    size = (2.0 + 3.0 * len(columns), 0.8 + 2.1 * len(rows))
    figure, panels = pyplot.subplots(len(rows), len(columns), figsize=size, sharex="col", sharey="row", squeeze=False, layout="constrained")
    for row, number in enumerate(rows):
        for column, axis in enumerate(columns):
            panel(panels[row][column], axis, number, by_axis[axis], limits)
    labelled(panels, rows, columns, by_axis)
    shown: dict[str, Any] = {}
    for one in panels.flat:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    figure.legend(shown.values(), shown.keys(), loc="outside upper center", ncols=4, fontsize=9, frameon=False)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw(by_axis: dict[str, list[Any]], limits: dict, folder: Path) -> list[Path]:
    """The pictures of which something was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, axes in PICTURES.items():
        columns = [axis for axis in axes if any(m.value(side, "run") for m in by_axis.get(axis, []) for side in SIDES)]
        if columns:
            picture(by_axis, columns, limits, folder / name)
            made.append(folder / name)
    return made
