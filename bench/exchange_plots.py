# SPDX-License-Identifier: Apache-2.0
"""Figures of the exchange benchmarks: run times by strategy and ranks, time of every interval, bursts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

BLUE, GREY, ORANGE, RED = "#3b6ea8", "#b8bcc2", "#e0893b", "#c0392b"


def figure(rows: int, columns: int, size: tuple[float, float], **options):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt.subplots(rows, columns, figsize=size, squeeze=False, layout="constrained", **options)


def save(chart, path: Path) -> Path:
    import matplotlib.pyplot as plt

    path.parent.mkdir(parents=True, exist_ok=True)
    chart.savefig(path, dpi=120)
    plt.close(chart)
    return path


def panels(results: list[dict]) -> dict[tuple, list[dict]]:
    """Results by (cells, connections, ranks), those of one rank left out."""
    by: dict[tuple, list[dict]] = {}
    for result in results:
        if result["ranks"] > 1:
            by.setdefault((result["cells"], result["connections"], result["ranks"]), []).append(result)
    return by


def bars(results: list[dict], folder: Path) -> Path:
    """Mean over ranks of computation, waiting and exchange, one bar per way to exchange; a row per network, a column per number of ranks."""
    by = panels(results)
    networks, ranks = list(dict.fromkeys(key[:2] for key in by)), sorted({key[2] for key in by})
    most = {network: max(len(by.get((*network, r), [])) for r in ranks) for network in networks}
    heights = [1.2 + 0.2 * most[network] for network in networks]
    chart, axes = figure(len(networks), len(ranks), (4.6 * len(ranks), sum(heights)), gridspec_kw={"height_ratios": heights})
    for i, network in enumerate(networks):
        for j, r in enumerate(ranks):
            bar_panel(axes[i, j], by.get((*network, r), []), f"{network[0]} cells x {network[1]}, {r} ranks", j == 0)
    axes[0, -1].legend(loc="best", frameon=False, fontsize=8)
    return save(chart, folder / "run_times.png")


def bar_panel(ax, results: list[dict], title: str, named: bool) -> None:
    if not results:
        ax.axis("off")
        return
    place, left = np.arange(len(results)), np.zeros(len(results))
    for text, keys, color in (
        ("computation", ["compute"], BLUE),
        ("wait", ["wait"], GREY),
        ("exchange", ["collocate", "exchange", "deliver"], ORANGE),
    ):
        width = np.array([sum(result[f"mean_{key}_s"] for key in keys) for result in results])
        ax.barh(place, width, left=left, color=color, label=text, height=0.75)
        left = left + width
    ax.set_yticks(place, [result["name"] for result in results] if named else [""] * len(results), fontsize=8)
    ax.set(
        title=title + ("\n(more ranks than cores)" if crowded(results) else ""),
        xlabel="run time (s), mean of ranks",
        ylim=(len(results) - 0.5, -0.5),
    )
    ax.title.set_fontsize(9)
    ax.spines[["top", "right"]].set_visible(False)


def crowded(results: list[dict]) -> bool:
    from bench import programs

    return bool(results) and results[0]["ranks"] > programs.cores()


def curves(results: list[dict], folder: Path) -> Path:
    """As figures 5 to 8: computation of rank 0, of the mean and of the slowest rank, and all of the interval."""
    columns = 4
    rows = -(-len(results) // columns)
    chart, axes = figure(rows, columns, (4.0 * columns, 2.5 * rows))
    for ax, result in zip(axes.flat, results, strict=False):
        curve_panel(ax, result)
    for ax in list(axes.flat)[len(results) :]:
        ax.axis("off")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    chart.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return save(chart, folder / "intervals.png")


def curve_panel(ax, result: dict) -> None:
    lines = {key: 1e3 * np.array(result["curves"][key]) for key in ("total", "most", "mean", "rank0")}
    time = np.linspace(0.0, result["duration"], len(lines["total"]), endpoint=False)
    styles = {
        "total": ("all of the interval", RED, 0.9, "-"),
        "most": ("computation, slowest rank", "black", 0.8, ":"),
        "mean": ("computation, mean", "black", 1.6, "-"),
        "rank0": ("computation, rank 0", BLUE, 0.8, "-"),
    }
    for key, (text, color, width, style) in styles.items():
        ax.plot(time, lines[key], color=color, lw=width, ls=style, label=text)
    top = 1.6 * np.percentile(lines["total"], 90)
    ax.set(title=curve_title(result, int((lines["total"] > top).sum())), ylim=(0.0, top), xlabel="time (ms)", ylabel="interval (ms)")
    ax.title.set_fontsize(8.5)
    ax.spines[["top", "right"]].set_visible(False)


def curve_title(result: dict, above: int) -> str:
    where = f"{result['ranks']} ranks" + (" (more than cores)" if crowded([result]) else "")
    text = f"{result['name']}, {where}\n{result['cells']} cells x {result['connections']}\n"
    text += f"run {result['run_s']:.2f} s, computation {result['compute_s']:.2f} s, {result['rounds']} rounds"
    return text + (f", {above} above" if above else "")


def bursts(results: list[dict], folder: Path) -> Path:
    """Input of every interval, most of any rank and mean, for each distribution, topology, with and without bursts."""
    shown = [result for result in results if result["curves"]]
    kinds = list(dict.fromkeys((result["topology"], result["burst_ms"]) for result in shown))
    names = list(dict.fromkeys(result["distribution"] for result in shown))
    chart, axes = figure(len(kinds), len(names), (4.2 * len(names), 2.2 * len(kinds)), sharex=True, sharey=True)
    for result in shown:
        burst_panel(axes[kinds.index((result["topology"], result["burst_ms"])), names.index(result["distribution"])], result)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    chart.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
    for ax in axes[-1]:
        ax.set_xlabel("time (ms)")
    for ax in axes[:, 0]:
        ax.set_ylabel("spikes per interval")
    return save(chart, folder / "bursts.png")


def burst_panel(ax, result: dict) -> None:
    most, mean = (np.array(result["curves"][key]) for key in ("input_most", "input_mean"))
    time = np.linspace(0.0, result["duration"], len(most), endpoint=False)
    ax.fill_between(time, mean, most, color=ORANGE, lw=0, alpha=0.5)
    ax.plot(time, most, color=RED, lw=0.8, label="input of the rank with most")
    ax.plot(time, mean, color="black", lw=1.0, label="mean of ranks")
    ax.set_title(
        f"{result['topology']}, {result['distribution']}, {'bursts' if result['burst_ms'] else 'uniform'}: max/mean {result['input_imbalance']:.2f}",
        fontsize=9,
    )
    ax.spines[["top", "right"]].set_visible(False)
