# SPDX-License-Identifier: Apache-2.0
"""Ippen et al. (2017): networks are built by all threads at once.

T. Ippen, J. M. Eppler, H. E. Plesser & M. Diesmann, Front. Neuroinform. 11:30. The paper builds a balanced network with STDP. Its small
network has 25 000 neurons with 2500 inputs each, the large one 7000 neurons with 11 250 inputs on each of 28 672 ranks of JUQUEEN. There
construction with 64 threads per rank took 247 s, and 16 s after the paper's changes to connecting, memory allocation and thread placement.

Measured when this page was made: the small network on 1 and 2 threads of this machine (points). By the memory and time model of
`neuropil plan`: more threads, and the large network on 28 672 ranks (lines). The model multiplies work by rates that were
measured on a server CPU and leaves out waiting for other ranks, so its seconds are not those of JUQUEEN.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import neuropil as npl
from neuropil.cli.jobs import hpc_benchmark

THREADS = np.array([1, 2, 4, 8, 16, 32, 64])
MEASURED = (1, 2)  # threads
NEURONS, INPUTS, RANKS = 25_000, 2_500, 28_672
PAPER = {"before": 247.0, "after": 16.0}  # s, 64 threads
MODEL = Path(__file__).resolve().parents[1] / "hpc_benchmark.py"


def planned(size: str, ranks: int, threads: int) -> dict[str, Any]:
    """What `neuropil plan` says of the network of this size."""
    options = ["--ranks", str(ranks), "--threads", str(threads), "--json", "--size", size]
    done = subprocess.run([sys.executable, "-m", "neuropil", "plan", str(MODEL), *options], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout)["plans"][0])


def built(threads: int) -> tuple[float, int, int]:
    """Seconds to build the small network, the shorter of two times; its bytes and its synapses."""
    seconds = []
    for _ in range(2):
        net = npl.Network(resolution=hpc_benchmark.RESOLUTION, seed=1, threads=threads)
        hpc_benchmark.build(net, hpc_benchmark.plan(NEURONS, INPUTS))
        net.build()
        seconds.append(sum(net.timers[name] for name in ("create", "connect", "build")))
    return min(seconds), net.memory["total"], net.n_connections


def numbers() -> dict[str, Any]:
    """Times and bytes, measured and planned."""
    seconds, sizes, synapses = np.array([built(threads) for threads in MEASURED]).T
    small = [planned("small", 1, int(threads)) for threads in THREADS]
    large = [planned("large", RANKS, int(threads)) for threads in THREADS]
    memory = [sum(size for name, size in plan["bytes_per_rank"].items() if name not in KINDS) for plan in small[:2]]
    times = {name: np.array([sum(plan["seconds"].values()) for plan in plans]) for name, plans in (("small", small), ("large", large))}
    return {
        "synapses of the small network (10^6)": float(synapses[0]) / 1e6,
        "time to build it, 1 thread (s)": float(seconds[0]),
        "time to build it, 2 threads (s)": float(seconds[1]),
        "bytes per synapse": float(sizes[0] / synapses[0]),
        "memory planned over counted, 1 thread": float(memory[0] / sizes[0]),
        "memory planned over counted, 2 threads": float(memory[1] / sizes[1]),
        "planned time for the large network, 64 threads (s)": float(times["large"][-1]),
        "planned memory of a rank of the large network, 64 threads (GB)": large[-1]["bytes_per_rank"]["total"] / 1e9,
        "seconds": seconds,
        "times": times,
        "memory": np.array([plan["bytes_per_rank"]["total"] for plan in large]),
    }


KINDS = ("base", "total", "peak", "built", "construction")  # of the plan: the process itself, and sums


def draw(found: dict[str, Any]) -> Any:
    """Times of both networks and the memory of a rank over the number of threads."""
    import matplotlib.pyplot as plt

    figure, (small, large, memory) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    small.loglog(THREADS, found["times"]["small"], color="0.6", label="plan")
    small.loglog(MEASURED, found["seconds"], "o", label="measured")
    small.set(title="small network, 1 rank", ylabel="time to build (s)")
    small.legend(frameon=False)
    large.loglog(THREADS, found["times"]["large"], color="0.6", label="plan")
    large.plot(64, PAPER["before"], "s", color="C3", label="paper, before")
    large.plot(64, PAPER["after"], "s", color="C2", label="paper, after")
    large.set(title=f"large network, {RANKS} ranks", ylabel="time to build (s)")
    large.legend(frameon=False)
    memory.semilogx(THREADS, found["memory"] / 1e9, color="0.6")
    memory.set(title="large network, plan", ylabel="memory of a rank (GB)", ylim=(0.0, 1.2 * found["memory"].max() / 1e9))
    for axes in (small, large, memory):
        axes.set_xticks(THREADS, [str(n) for n in THREADS])
        axes.minorticks_off()
        axes.set_xlabel("threads per rank")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("ippen_2017.png", dpi=110)
