# SPDX-License-Identifier: Apache-2.0
"""Plots of bench/exchange_scaling.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import cost_model, exchange_only, programs

PHASES = {"update": "#c44e52", "collocate": "#4c72b0", "exchange": "#55a868", "deliver": "#8172b3", "wait": "#cccccc"}
REGIMES = {"dense": "#4c72b0", "sparse": "#c44e52"}
STYLES = ("-", "--", "-.", ":")


def _figure(columns: int, width: float = 5.2, height: float = 4.2) -> tuple[Any, list[Any]]:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, columns, figsize=(width * columns, height), layout="constrained", squeeze=False)
    return figure, list(axes[0])


def _save(figure: Any, path: Path, legend_of: Any = None) -> None:
    """`legend_of`: axes whose legend goes below all panels."""
    from matplotlib import pyplot

    if legend_of is not None:
        figure.legend(*legend_of.get_legend_handles_labels(), loc="outside lower center", ncols=5, fontsize=8)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def phases(entries: list[dict], path: Path) -> None:
    """Stacked phases (mean over ranks) over ranks x threads, as figure 12 of Jordan et al. 2018."""
    figure, axes = _figure(2, 6.5)
    for axis, kind in zip(axes, ("strong", "weak"), strict=True):
        _phases(axis, [e for e in entries if e["scaling"] == kind])
        axis.set(title=f"{kind} scaling", xlabel="ranks x threads, regime", ylabel="time (s), mean over ranks")
    _save(figure, path, axes[0])


def _phases(axis: Any, chosen: list[dict]) -> None:
    bottom = [0.0] * len(chosen)
    for name, color in PHASES.items():
        heights = [e["phases"][name][1] for e in chosen]
        axis.bar(range(len(chosen)), heights, bottom=bottom, color=color, label=name, width=0.75)
        bottom = [a + b for a, b in zip(bottom, heights, strict=True)]
    labels = [f"{e['ranks']} x {e['threads']}\n{e['regime'] if e['ranks'] > 1 else ''}" for e in chosen]
    axis.set_xticks(range(len(chosen)), labels, fontsize=8)
    over = [k for k, e in enumerate(chosen) if e["ranks"] * e["threads"] > programs.cores()]
    if over:
        axis.axvspan(over[0] - 0.5, len(chosen) - 0.5, color="#fff3d6", zorder=0)
        axis.text(over[0] - 0.4, 0.985, "more ranks x threads than cores", fontsize=8, va="top", transform=axis.get_xaxis_transform())
    axis.set_ylim(0, 1.15 * max(bottom))
    axis.set_xlim(-0.6, len(chosen) - 0.4)


def routing(found: list[dict], neurons: int, indegree: int, path: Path) -> None:
    """Memory of routing of one rank over ranks: measured (dots), model (lines); one panel per number of threads."""
    threads = sorted({e["threads"] for e in found})
    figure, axes = _figure(len(threads))
    beyond = [2**k for k in range(1, 13)]
    for axis, t in zip(axes, threads, strict=True):
        for regime, color in REGIMES.items():
            chosen = [e for e in found if e["regime"] == regime and e["threads"] == t]
            nets = [cost_model.Network(m, neurons, indegree, 0.0, threads=t, regime=regime) for m in beyond]
            axis.plot([e["ranks"] for e in chosen], [e["bytes"] for e in chosen], "o", color=color, label=f"{regime}, measured")
            axis.plot(beyond, [cost_model.routing_bytes(net) for net in nets], "-", color=color, lw=1, label=f"{regime}, model")
        axis.axvline(indegree, color="#888888", lw=0.8, ls=":")
        axis.text(indegree * 1.1, 0.03, "ranks = K", fontsize=8, color="#666666", transform=axis.get_xaxis_transform())
        axis.set(xscale="log", yscale="log", xlabel="ranks")
        axis.set_title(f"{t} thread{'s' * (t > 1)} and {neurons} neurons per rank, K = {indegree}", fontsize=10)
    axes[0].set_ylabel("memory of routing of a rank (bytes)")
    _save(figure, path, axes[0])


def _colors(names: list[str]) -> dict[str, Any]:
    from matplotlib import colormaps

    return {name: colormaps["tab10"](k) for k, name in enumerate(names)}


def alone(found: list[dict], path: Path) -> None:
    """Communication alone on the most ranks: time over size, over fraction, and the price of random partners and fresh buffers."""
    ranks = max(e["ranks"] for e in found)
    of_ranks = [e for e in found if e["ranks"] == ranks]
    colors = _colors(list(dict.fromkeys(map(exchange_only.label, of_ranks))))
    figure, axes = _figure(3, 5.0, 4.6)
    most, size = max(e["count"] for e in of_ranks), exchange_only.BASE["size"]
    usual = {"partners": "fixed", "buffers": "reused"}
    for axis, key, wanted in ((axes[0], "size", {"count": most}), (axes[1], "count", {"size": size})):
        for name, entries in exchange_only.chosen(of_ranks, **wanted, **usual).items():
            points = sorted((e[key], 1e6 * e["seconds"][1]) for e in entries)
            axis.plot(*zip(*points, strict=True), "o-", ms=4, lw=1.2, color=colors[name], label=name)
        axis.set(yscale="log", ylabel="us per exchange (median)")
    axes[0].set(xscale="log", xlabel="bytes for each partner", title=f"{ranks} ranks, all are partners")
    axes[1].set(xlabel="partners of a rank", title=f"{size // 1024} kB for each partner", xticks=sorted({e["count"] for e in of_ranks}))
    _ratios(axes[2], of_ranks, colors)
    figure.suptitle(
        "Communication alone" + (f" (oversubscribed: {programs.cores()} cores)" if ranks > programs.cores() else ""), fontsize=11
    )
    _save(figure, path, axes[0])


def _ratios(axis: Any, found: list[dict], colors: dict[str, Any]) -> None:
    """Time with random partners and with fresh buffers relative to fixed partners and reused buffers; half of the ranks, 32 kB."""
    half = max(-(-(max(e["ranks"] for e in found) - 1) // 2), 1)
    size = exchange_only.BASE["size"]
    base = exchange_only.chosen(found, count=half, size=size, partners="fixed", buffers="reused")
    variants = {"random partners": {"partners": "random", "buffers": "reused"}, "fresh buffers": {"partners": "fixed", "buffers": "fresh"}}
    names = [name for name in colors if name in base]
    for k, (label, wanted) in enumerate(variants.items()):
        other = exchange_only.chosen(found, count=half, size=size, **wanted)
        values = [other[name][0]["seconds"][1] / base[name][0]["seconds"][1] for name in names]
        axis.barh([y + 0.4 * k - 0.2 for y in range(len(names))], values, height=0.38, label=label, color=("#4c72b0", "#dd8452")[k])
    axis.axvline(1.0, color="black", lw=0.8)
    axis.set_yticks(range(len(names)), names, fontsize=8)
    axis.invert_yaxis()
    axis.set(xlabel="time relative to fixed partners, reused buffers", title=f"{size // 1024} kB to half of the ranks")
    axis.legend(fontsize=8)


def model(path: Path) -> None:
    """Modelled time of an exchange over ranks, one panel per network."""
    figure, axes = _figure(len(cost_model.REGIMES), 4.3, 4.8)
    colors = _colors(list(cost_model.COSTS))
    ranks = [2**k for k in range(6, 18)]
    for axis, (title, net) in zip(axes, cost_model.REGIMES.items(), strict=True):
        for k, name in enumerate(cost_model.COSTS):
            times = [1e6 * cost_model.seconds(name, cost_model.load(cost_model.at(net, m))) for m in ranks]
            axis.plot(ranks, times, STYLES[k % 4], color=colors[name], lw=1.6, label=name)
        axis.axhline(1e3 * net.interval, color="black", lw=0.8, ls=":")
        axis.text(ranks[-1], 1.08e3 * net.interval, "interval in biological time", fontsize=7, ha="right")
        axis.set(xscale="log", yscale="log", xlabel="ranks", title=title)
    axes[0].set_ylabel("us per exchange, modelled")
    figure.suptitle(f"MODEL, not measured: {cost_model.CLUSTER.name}", fontsize=11)
    _save(figure, path, axes[0])
