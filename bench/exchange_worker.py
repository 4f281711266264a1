# SPDX-License-Identifier: Apache-2.0
"""One start of all ranks: runs the cases of a file, one after another; rank 0 writes what all ranks measured as JSON.

mpiexec -n RANKS python -m bench.exchange_worker CASES.json RESULTS.json
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

import neuropil
from neuropil.cli.jobs import hpc_benchmark
from neuropil.cli.jobs.result import spike_hash

# Phases of figure 12 of Jordan et al. 2018, from the timers of the kernel; `wait` is apart: a barrier in front of every exchange.
PHASES = {
    "update": ("run_update", "run_devices", "run_record"),
    "collocate": ("run_collocate",),
    "exchange": ("run_exchange",),
    "deliver": ("run_deliver", "run_schedule"),
    "wait": ("run_wait",),
}


def over_ranks(net: neuropil.Network, value: float) -> list[float]:
    """Minimum, mean and maximum over ranks. Collective."""
    values = net._kernel.gather(np.array([float(value)]))
    return [float(f(values)) for f in (np.min, np.mean, np.max)]


def measure(case: dict) -> dict:
    """Builds and runs one network. Collective; all ranks return the same."""
    exchange = neuropil.exchange(case["strategy"], regime=case["regime"], phases=case.get("phases", 1))
    net = neuropil.Network(hpc_benchmark.RESOLUTION, threads=case["threads"], exchange=exchange, count_intervals=True)
    populations = hpc_benchmark.build(net, hpc_benchmark.plan(case["n"], case["k"]))
    net.build(progress=False)
    net.run(case["warmup"], progress=False)
    recorder = net.record(populations["E"] + populations["I"])
    timers, counters, intervals = net.timers, net.counters, len(net.intervals["spikes"])
    begin = time.perf_counter()
    net.run(case["duration"], progress=False)
    seconds = time.perf_counter() - begin
    after, counted = net.timers, net.counters
    return case | {
        "ranks": net.n_ranks,
        "seconds": over_ranks(net, seconds),
        "phases": {name: over_ranks(net, sum(after[t] - timers[t] for t in parts)) for name, parts in PHASES.items()},
        "build_s": over_ranks(net, after["build"]),
        "build_route_s": over_ranks(net, after["build_route"]),
        "routing_bytes": over_ranks(net, net.memory["routing"]),
        "intervals": len(net.intervals["spikes"]) - intervals,
        "counts": {name: counted[name] - counters[name] for name in ("spikes", "events", "messages", "bytes_sent", "words_sent")},
        "routes": counted["routes"],
        "synapses": counted["synapses"],
        "dense": bool(net._kernel.dense),
        "spike_hash": spike_hash(recorder.steps, recorder.gids),
    }


def main(cases: Path, results: Path) -> None:
    found = [measure(case) for case in json.loads(cases.read_text())]
    if neuropil.rank() == 0:
        results.write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
