# SPDX-License-Identifier: Apache-2.0
"""Part of ./run bench scaling: figures 4, 7D / 8D and 10 of Jordan et al. (2018) with our sizes, by the model, with dry runs as points."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.report import LOWER, Row, Table
from bench.sides import Settings
from neuropil.base.hooks import ScriptDone, in_force
from neuropil.cli.commands.plan import Counting, Outcome, Wish, spread_out
from neuropil.cli.commands.plan_plot import COLOURS, TERMS
from neuropil.cli.jobs import hpc_benchmark

THREADS = 8
K_COMPUTER, JUQUEEN, IPPEN = 18_205, 18_000, 7000  # neurons per rank; Jordan 2018 figures 8 and 7, Ippen 2017
INDEGREE = 11_250
FILLED = 13e9  # bytes per rank of figures 2 and 4
PAPER_FILLED = {28_672: 730e6}  # Jordan 2018, 3.5.3: neurons that fit JUQUEEN, 16 GB per node, 5g
PAPER_MEMORY = 16e9
MODEL = "model"


def planned(
    neurons: int, ranks: int, memory: float | None = None, indegree: int = INDEGREE, exchange: str = "neighbor", plastic: bool = True
) -> Outcome:
    """hpc_benchmark with so many neurons on each rank, 8 threads, at about the 8 spikes/s of the papers."""
    import neuropil

    hook = Counting(ranks, Wish(THREADS, memory=memory, rate=8.0, exchange=exchange))
    with in_force(hook):
        net = neuropil.Network(hpc_benchmark.RESOLUTION)
        hpc_benchmark.build(net, hpc_benchmark.plan(neurons * ranks, indegree, plastic))
        with suppress(ScriptDone):
            net.build()
    assert hook.outcome is not None
    return hook.outcome


def flatness(outcomes: Sequence[Outcome]) -> Row:
    """Growth of memory per rank from 10^3 to 10^6 ranks, without the process itself."""
    sizes = [o.plan.total - o.plan.bytes["base"] for o in outcomes if 1000 <= o.plan.ranks <= 1_000_000]
    return Row(
        "memory per rank, growth from 10^3 to 10^6 ranks",
        "%",
        [100 * (max(sizes) / sizes[0] - 1)],
        goal=3.0,
        sense=LOWER,
        note=f"{MODEL}, weak scaling",
    )


def run(settings: Settings, dry: Sequence[dict[str, Any]]) -> tuple[list[Row], list[Table]]:
    """Figures in OUTPUT/scaling, rows and tables. `dry`: results of bench.scaling_memory."""
    settings.say("scaling: figures of the model")
    folder = settings.output / "scaling"
    folder.mkdir(parents=True, exist_ok=True)
    ranks = [1, *spread_out(32, 1_000_000)]
    weak = [planned(K_COMPUTER, m) for m in ranks]
    filled = [planned(K_COMPUTER, m, FILLED) for m in ranks]
    full = [at_full(o) for o in filled]
    stacked_figure(folder / "weak.png", weak, dry, "Weak scaling: 18 205 neurons and 204.8 M synapses per rank", None)
    stacked_figure(folder / "filled.png", full, (), "Maximum filling, 13 GB per rank", FILLED)
    size_figure(folder / "size.png", ranks, [planned(K_COMPUTER, m, PAPER_MEMORY) for m in ranks])
    rows = [flatness(weak)]
    for m, theirs in PAPER_FILLED.items():
        ours = planned(K_COMPUTER, m, PAPER_MEMORY)
        neurons = (ours.factor or 0.0) * ours.plan.n_nodes
        rows.append(
            Row(
                f"neurons that fit {m} ranks of 16 GB",
                "x of 5g",
                [neurons / theirs],
                note=f"{MODEL}; {neurons:.3g} against {theirs:.3g} in the paper",
            )
        )
    return rows, [weak_table(weak, dry), filled_table(filled)]


def at_full(o: Outcome) -> Outcome:
    """The network that fills the memory."""
    return planned(round(K_COMPUTER * (o.factor or 0.0)), o.plan.ranks)


def weak_table(weak: Sequence[Outcome], dry: Sequence[dict[str, Any]]) -> Table:
    lines: list[list[str | float]] = []
    for o in weak:
        if o.plan.ranks in (1, 100, 1000, 10_000, 100_000, 1_000_000):
            p = o.plan
            lines.append(
                [
                    f"{p.ranks}",
                    MODEL,
                    p.total / 1e9,
                    p.peak / 1e9,
                    p.bytes["index"] / 1e9,
                    p.bytes["routing"] / 1e9,
                    p.bytes["buffers"] / 1e6,
                    sum(p.seconds.values()),
                ]
            )
    for r in dry:
        if r["neurons"] == K_COMPUTER:
            lines.append(
                [
                    f"{r['ranks']}",
                    "dry run",
                    r["resident"] / 1e9,
                    r["peak_resident"] / 1e9,
                    r["memory"]["index"] / 1e9,
                    r["memory"]["routing"] / 1e9,
                    "",
                    r["seconds"]["build"],
                ]
            )
    headers = ["ranks", "", "GB per rank", "peak GB", "sources, rows GB", "routing GB", "buffers MB", "build s"]
    return Table(f"Weak scaling, {K_COMPUTER} neurons per rank, K = {INDEGREE}, {THREADS} threads per rank", headers, lines, 2)


def filled_table(filled: Sequence[Outcome]) -> Table:
    lines: list[list[str | float]] = []
    for o in filled:
        if o.plan.ranks in (100, 1000, 10_000, 100_000, 1_000_000):
            factor = o.factor or 0.0
            lines.append(
                [
                    f"{o.plan.ranks}",
                    MODEL,
                    factor * K_COMPUTER,
                    factor * o.plan.n_nodes / 1e9,
                    factor * o.plan.synapses * o.plan.ranks / 1e12,
                ]
            )
    return Table(
        f"Maximum filling, 13 GB per rank, K = {INDEGREE}",
        ["ranks", "", "neurons per rank", "neurons (10^9)", "synapses (10^12)"],
        lines,
        2,
    )


# --- figures


def stacked_figure(path: Path, found: Sequence[Outcome], dry: Sequence[dict[str, Any]], title: str, memory: float | None) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.4), layout="constrained")
    ranks = [o.plan.ranks for o in found]
    terms = {name: [o.plan.bytes.get(name, 0.0) / 1e9 for o in found] for name in COLOURS}
    terms = {name: values for name, values in terms.items() if max(values) > 1e-3}
    axes.stackplot(ranks, list(terms.values()), labels=[TERMS[name] for name in terms], colors=[COLOURS[name] for name in terms])
    axes.plot(ranks, [o.plan.peak / 1e9 for o in found], "k:", linewidth=1.0, label="most while building")
    points = [r for r in dry if r["neurons"] == K_COMPUTER]
    axes.plot(
        [r["ranks"] for r in points],
        [r["resident"] / 1e9 for r in points],
        "ko",
        markersize=6,
        label="resident set, dry run" if points else None,
    )
    if memory is not None:
        axes.axhline(memory / 1e9, color="black", linestyle="--", linewidth=1.0)
    axes.axvline(82_944, color="black", linestyle="--", linewidth=0.6)
    axes.annotate(
        "K computer",
        (82_944, axes.get_ylim()[1]),
        xytext=(-3, -3),
        textcoords="offset points",
        rotation=90,
        ha="right",
        va="top",
        fontsize=7,
    )
    axes.set(xscale="log", xlim=(ranks[0], ranks[-1]), xlabel=f"ranks, {THREADS} threads each", ylabel="memory per rank (GB)")
    axes.set_ylim(bottom=0.0)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.set_title(f"{title} (model)", loc="left", fontsize=10)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def size_figure(path: Path, ranks: Sequence[int], found: Sequence[Outcome]) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4.2), layout="constrained")
    neurons = [(o.factor or 0.0) * o.plan.n_nodes for o in found]
    axes.loglog(ranks, neurons, "-", color="#c2452d", label="neuropil (model)")
    axes.loglog(list(PAPER_FILLED), list(PAPER_FILLED.values()), "s", color="#1f5f99", label="5g on JUQUEEN (Jordan 2018)")
    axes.loglog([82_944], [1.51e9], "^", color="#3f8f5f", label="5g on the K computer, not filled (Jordan 2018)")
    axes.set(xlabel=f"ranks of 16 GB, {THREADS} threads each", ylabel=f"largest network (neurons, K = {INDEGREE})")
    axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
