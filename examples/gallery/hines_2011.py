# SPDX-License-Identifier: Apache-2.0
"""Hines, Kumar & Schürmann (2011): send a spike to the ranks that need it, and deal neighbours to different ranks.

M. L. Hines, S. Kumar & F. Schürmann, Front. Comput. Neurosci. 5:49. The paper compares MPI_Allgather, which tells every rank of
every spike, with methods of many messages (multisend) on 8 K to 128 K ranks of a Blue Gene/P. Cells fire every 20 to 40 ms and have
1000 random connections each. A spike of such a cell goes to M (1 - (1 - 1/M)^1000) of M ranks. The paper ends with load: cells
that burst together should live on different ranks.

Left: 2^21 cells with 1000 inputs each, as in the paper, on 8 K to 128 K ranks. One rank is built and run for 100 ms in a dry run, with
the other ranks taken as alike. Numbers of messages and spikes are counts; no time is measured.
Right: 4096 cells on 8 ranks, in 8 groups that fire five times faster in turn, with connections to the 100 nearest cells. One
process simulates the cells; events of each rank are counted from its spikes for two ways to deal cells to ranks.
"""

from typing import Any

import numpy as np

import neuropil as npl
from neuropil.cli.jobs import artificial_cells

CELLS, INPUTS = 2**21, 1000
RANKS = np.array([8, 16, 32, 64, 128]) * 1024
END = 100.0  # ms
SMALL, NEAREST, PARTS, TURN = 4096, 100, 8, 30.0  # cells, connections, groups and ranks, ms


def destinations(ranks: np.ndarray) -> np.ndarray:
    """Ranks that a spike goes to, by expectation."""
    return ranks * -np.expm1(INPUTS * np.log1p(-1.0 / ranks))


def counted(ranks: int) -> tuple[float, float, float]:
    """Messages per spike, spikes that arrive at a rank in 1 ms, and spikes of the whole network in 1 ms; from a dry run."""
    net = npl.Network(resolution=0.1, seed=1, threads=1, dry_run=npl.dry_run(ranks=ranks), exchange="multisend")
    artificial_cells.build(net, CELLS, INPUTS)
    net.run(END, progress=False)
    found = net.counters
    return found["messages"] / found["spikes"], found["messages"] / ranks / END, found["spikes"] / END


def burst_events() -> np.ndarray:
    """Events of each rank in each turn, for neighbours on the same rank and for cells dealt in turn; shape (2, turns, ranks)."""
    net = npl.Network(resolution=0.1, seed=1)
    cells = artificial_cells.build(net, SMALL, NEAREST, "adjacent")
    spikes = net.record(cells)
    artificial_cells.run_bursts(net, cells, PARTS, TURN)
    data, edges = spikes.data(), net.connections()
    first = int(cells.gids[0])
    turn = np.minimum((data.times / TURN).astype(int), PARTS - 1)
    per_turn = np.zeros((PARTS, SMALL))
    np.add.at(per_turn, (turn, data.gids - first), 1.0)
    source, target = edges.source - first, edges.target - first
    found = np.zeros((2, PARTS, PARTS))
    for k, rank in enumerate((target * PARTS // SMALL, target % PARTS)):
        targets = np.zeros((SMALL, PARTS))
        np.add.at(targets, (source, rank), 1.0)
        found[k] = per_turn @ targets
    return found


def numbers() -> dict[str, Any]:
    """Messages beside the formula, what allgather brings in addition, and the imbalance of bursts."""
    messages, arriving, every = np.array([counted(int(ranks)) for ranks in RANKS]).T
    events = burst_events()
    imbalance = (events.max(axis=2) / events.mean(axis=2)).mean(axis=1)
    return {
        "messages per spike on 128 K ranks": float(messages[-1]),
        "largest relative difference from the formula": float(np.abs(messages / destinations(RANKS) - 1.0).max()),
        "spikes of an allgather over those that a rank needs, 128 K ranks": float(every[-1] / arriving[-1]),
        "events of the busiest rank over the mean, neighbours together": float(imbalance[0]),
        "events of the busiest rank over the mean, dealt in turn": float(imbalance[1]),
        "messages": messages,
        "arriving": arriving,
        "every": every,
        "events": events,
    }


def draw(found: dict[str, Any]) -> Any:
    """Messages per spike, spikes that arrive at a rank, events of each rank in the first turn."""
    import matplotlib.pyplot as plt

    figure, (sent, arrive, burst) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    fine = np.geomspace(RANKS[0], RANKS[-1], 100)
    sent.semilogx(fine, destinations(fine), color="0.6", label="formula")
    sent.semilogx(RANKS, found["messages"], "o", label="multisend, dry run")
    sent.set(xlabel="ranks", ylabel="messages per spike", ylim=(900.0, 1020.0))
    arrive.loglog(RANKS, found["every"], "s-", label="allgather")
    arrive.loglog(RANKS, found["arriving"], "o-", label="multisend")
    arrive.set(xlabel="ranks", ylabel="spikes that arrive at a rank in 1 ms")
    at = np.arange(PARTS)
    for k, label in enumerate(("neighbours together", "dealt in turn")):
        burst.bar(at + 0.4 * k - 0.2, found["events"][k, 0] / 1000.0, 0.4, label=label)
    burst.set(xlabel="rank", ylabel="events while group 0 bursts (thousands)", xticks=at)
    for axes in (sent, arrive, burst):
        axes.legend(frameon=False)
    for axes in (sent, arrive):
        axes.set_xticks(RANKS, [f"{ranks // 1024} K" for ranks in RANKS])
        axes.minorticks_off()
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("hines_2011.png", dpi=110)
