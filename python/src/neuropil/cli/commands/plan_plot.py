# SPDX-License-Identifier: Apache-2.0
"""Pictures of plans over the number of ranks, after Jordan et al. (2018), figures 2, 4, 7 and 10."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from neuropil.plan.plan import TERMS

if TYPE_CHECKING:
    from neuropil.cli.commands.plan import Outcome, Wish

COLOURS = {
    "base": "#9a9a9a",
    "buffers": "#5c5c5c",
    "neurons": "#1f5f99",
    "input": "#5f9fd0",
    "traces": "#a6cbe8",
    "devices": "#6a4c93",
    "recordings": "#b9a3d6",
    "in_flight": "#e0d3ef",
    "routing": "#3f8f5f",
    "index": "#b8860b",
    "synapses": "#c2452d",
}


def plot(path: Path, found: Sequence[Outcome], wish: Wish, title: str) -> None:
    """Bytes per rank by term, stacked; beside it the largest network that fits (where memory is given) or the time to build."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.6), width_ratios=(3, 2), layout="constrained")
    stacked(left, found, wish)
    (network_size if wish.memory is not None else times)(right, found, wish)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def stacked(axes: Any, found: Sequence[Outcome], wish: Wish) -> None:
    """Bytes per rank. One number of ranks: a bar."""
    ranks = np.array([o.plan.ranks for o in found], dtype=float)
    terms = {name: np.array([o.plan.bytes.get(name, 0.0) for o in found]) / 1e9 for name in COLOURS}
    terms = {name: values for name, values in terms.items() if values.max() > 0.0}
    if len(found) > 1:
        axes.stackplot(ranks, list(terms.values()), labels=[TERMS[name] for name in terms], colors=[COLOURS[name] for name in terms])
        axes.plot(ranks, [o.plan.peak / 1e9 for o in found], color="black", linewidth=1.0, linestyle=":", label="most while building")
        axes.set_xscale("log")
        axes.set_xlim(ranks[0], ranks[-1])
    else:
        bottom = 0.0
        for name, values in terms.items():
            axes.bar([0], values, bottom=bottom, width=0.5, color=COLOURS[name], label=TERMS[name])
            bottom += float(values[0])
        axes.set_xlim(-1.0, 1.0)
        axes.set_xticks([0], [f"{found[0].plan.ranks}"])
    if wish.per_rank is not None:
        axes.axhline(wish.per_rank / 1e9, color="black", linestyle="--", linewidth=1.0, label="memory of a rank")
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel(f"ranks, {wish.threads} threads each")
    axes.set_ylabel("memory per rank (GB)")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def network_size(axes: Any, found: Sequence[Outcome], wish: Wish) -> None:
    """Largest network, and the one that was planned."""
    ranks = [o.plan.ranks for o in found]
    largest = [(o.factor or 0.0) * o.plan.n_nodes for o in found]
    axes.loglog(ranks, largest, "o-", color="#c2452d", label="largest that fits")
    axes.loglog(ranks, [o.plan.n_nodes for o in found], "s--", color="#1f5f99", label="as described")
    axes.loglog(ranks, [largest[0] * r / ranks[0] for r in ranks], color="#9a9a9a", linewidth=1.0, label="in proportion to ranks")
    axes.set_xlabel("ranks")
    axes.set_ylabel("nodes of the network")
    axes.legend(fontsize=8, frameon=False)


def times(axes: Any, found: Sequence[Outcome], wish: Wish) -> None:
    """Seconds to build by phase."""
    ranks = [o.plan.ranks for o in found]
    for phase in dict.fromkeys(name for o in found for name in o.plan.seconds):
        axes.plot(ranks, [wish.slower * o.plan.seconds.get(phase, 0.0) for o in found], "o-", label=phase)
    axes.plot(ranks, [wish.slower * sum(o.plan.seconds.values()) for o in found], "k:", label="all")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("ranks")
    axes.set_ylabel("time to build (s)")
    axes.legend(fontsize=8, frameon=False)
