# SPDX-License-Identifier: Apache-2.0
"""Networks of bench.paired that are no jobs. Only names that older versions have, too. Prints one JSON object."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import neuropil as npl


def resident() -> int:
    """Bytes of this process in memory."""
    line = next(text for text in Path("/proc/self/status").read_text().splitlines() if text.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def sparse() -> dict[str, float]:
    """10^6 neurons with 30 inputs each: rows of few synapses, looked up spike by spike."""
    net = npl.Network(resolution=0.1, seed=1, threads=2)
    cells = net.create("iaf_psc_exp", 1_000_000, V_m=npl.normal(-65.0, 5.0))
    delay = npl.normal(1.5, 0.75).redraw(min=0.1)
    net.connect(cells, cells, npl.fixed_indegree(30), weight=npl.normal(20.0, 2.0).redraw(min=0.0), delay=delay)
    net.stimulate(cells, npl.poisson(rate=8000.0), weight=30.0)
    start = time.perf_counter()
    net.build()
    built = time.perf_counter()
    held = resident()
    net.run(100.0)
    return {"build_s": built - start, "run_s": time.perf_counter() - built, "bytes": held, "spikes": net.counters["spikes"]}


def small() -> dict[str, float]:
    """One neuron, 1000 calls; 3600 projections of 40 synapses."""
    found, clock = {}, time.perf_counter
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    net.create("iaf_psc_exp", 1, I_e=400.0)
    net.run(1.0)
    start = clock()
    for _ in range(1000):
        net.run(0.1)
    found["run_1000_s"], start = clock() - start, clock()
    for _ in range(1000):
        net.create("iaf_psc_exp", 1)
    found["create_1000_s"] = clock() - start
    net = npl.Network(resolution=0.1, seed=1, threads=2)
    populations = [net.create("iaf_psc_exp", 20, I_e=380.0) for _ in range(60)]
    start = clock()
    for pre in populations:
        for post in populations:
            net.connect(pre, post, npl.fixed_indegree(2), weight=1.0, delay=1.5)
    found["connect_3600_s"], start = clock() - start, clock()
    net.build()
    found["build_3600_s"], start = clock() - start, clock()
    net.run(200.0)
    return found | {"run_3600_s": clock() - start}


if __name__ == "__main__":
    print(json.dumps({"sparse": sparse, "small": small}[sys.argv[1]]()))
