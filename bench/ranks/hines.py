# SPDX-License-Identifier: Apache-2.0
"""Networks of artificial spiking cells (Hines et al. 2011), one after the other: mpiexec -n RANKS python -m bench.ranks.hines CASES.json RESULTS.jsonl

Times are of `Network.run`, with a barrier before every exchange (count_intervals), which tells waiting from exchanging as in the paper.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import neuropil
from neuropil.cli.jobs import artificial_cells
from neuropil.cli.jobs.result import peak_rss, spike_hash

TIMES = ("compute", "wait", "collocate", "exchange", "deliver")
COUNTS = ("words_sent", "words_received", "rounds", "spikes")


@dataclass
class Case:
    """One run. `exchange`: arguments of neuropil.exchange; `burst_ms`: time of each of 8 groups, 0 without; `curves`: keep every interval."""

    cells: int = 4096
    connections: int = 1000
    topology: str = "random"
    distribution: str = "round_robin"
    exchange: dict = field(default_factory=dict)
    duration: float = 200.0
    burst_ms: float = 0.0
    resolution: float = 0.1
    seed: int = 1
    curves: bool = False


GROUPS = 8


def run_case(case: Case) -> dict:
    """Collective; all ranks return the same."""
    begin = time.perf_counter()
    net = neuropil.Network(
        case.resolution,
        case.seed,
        threads=1,
        distribution=case.distribution,
        exchange=neuropil.exchange(**case.exchange),
        count_intervals=True,
    )
    nodes = artificial_cells.build(net, case.cells, case.connections, case.topology)
    record = net.record(nodes)
    net.build(progress=False)
    built = time.perf_counter()
    if case.burst_ms:
        artificial_cells.run_bursts(net, nodes, GROUPS, case.burst_ms)
    else:
        net.run(case.duration, progress=False)
    done = time.perf_counter()
    found = {
        "ranks": net.n_ranks,
        **dataclasses.asdict(case),
        "synapses": net.n_connections,
        "choice": net._kernel.exchange_choice,
        "dense": net._kernel.dense,
    }
    found |= {"build_s": widest(net, built - begin), "run_s": widest(net, done - built)}
    found |= {name: net.counters[name] for name in ("events", "spikes", "messages", "bytes_sent", "words_sent")}
    found |= measures(every_rank(net), case.curves)
    found |= {"hash": spike_hash(record.steps, record.gids), "peak_rss_bytes": int(net._kernel.gather(np.array([float(peak_rss())])).sum())}
    return found


def widest(net: neuropil.Network, seconds: float) -> float:
    return float(net._kernel.gather(np.array([seconds])).max())


def every_rank(net: neuropil.Network) -> dict[str, np.ndarray]:
    """What the intervals took and moved, arrays of shape (ranks, intervals)."""
    mine = net.intervals
    return {name: net._kernel.gather(np.asarray(mine[name], float)).reshape(net.n_ranks, -1) for name in (*TIMES, *COUNTS)}


def measures(by: dict[str, np.ndarray], curves: bool) -> dict:
    """Seconds of rank 0 and of the mean rank, rounds, imbalance of input and of computation."""
    arrived = by["words_received"] + by["spikes"]
    found: dict = {f"{name}_s": float(by[name][0].sum()) for name in TIMES}
    found |= {f"mean_{name}_s": float(by[name].mean(0).sum()) for name in TIMES}
    found |= {
        "intervals": int(by["rounds"].shape[1]),
        "rounds": int(by["rounds"].max(0).sum()),
        "most_rounds": int(by["rounds"].max(initial=0)),
        "input_imbalance": imbalance(arrived),
        "compute_imbalance": imbalance(by["compute"]),
        "most_input": int(arrived.max(initial=0)),
        "most_sent": int(by["words_sent"].max(initial=0)),
        "most_received": int(by["words_received"].max(initial=0)),
    }
    if curves:
        total = sum(by[name][0] for name in TIMES)
        found["curves"] = {
            "rank0": by["compute"][0],
            "mean": by["compute"].mean(0),
            "most": by["compute"].max(0),
            "total": total,
            "rounds": by["rounds"].max(0),
            "input_mean": arrived.mean(0),
            "input_most": arrived.max(0),
        }
        found["curves"] = {name: np.round(values, 9).tolist() for name, values in found["curves"].items()}
    return found


def imbalance(by_rank: np.ndarray) -> float:
    """Sum over intervals of the most of any rank, relative to that of the mean: the time that balance would save."""
    mean = by_rank.mean(0).sum()
    return float(by_rank.max(0).sum() / mean) if mean > 0.0 else 1.0


def main(cases: Path, results: Path) -> None:
    for values in json.loads(cases.read_text()):
        found = run_case(Case(**values))
        if neuropil.rank() == 0:
            with results.open("a") as file:
                file.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
