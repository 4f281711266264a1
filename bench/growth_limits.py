# SPDX-License-Identifier: Apache-2.0
"""What the machine allows in `./run bench growth`: bytes per second of plain loops over arrays, and what follows of them for a cell.

python -m bench.growth_limits prints the bandwidths of one process as JSON: GB/s by loop (read: dot product, update: multiply in place, write: fill) and
size of the array (in the cache of level 2 or 3, in memory).
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import time

import numpy as np

from bench import programs

LEVELS = ("L2", "L3", "memory")
REPEATS, LOOP_S = 5, 0.03
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
WEIGHT_BYTES = 4.0  # of a drawn weight
Bandwidths = dict[str, dict[str, dict[str, float]]]
"""[processes at once][loop][level], bytes per second of each process."""


def cache_bytes(level: int) -> int:
    """Of the cache of this level; a usual size where the system does not tell."""
    text = programs.machine()["caches"].get(f"L{level} {'Data' if level == 1 else 'Unified'}", "")
    units = {"K": 2**10, "M": 2**20}
    return int(text[:-1]) * units[text[-1]] if text[-1:] in units else {1: 2**15, 2: 2**20, 3: 2**25}[level]


def array_bytes() -> dict[str, int]:
    """Half of the cache of level 2, a quarter of level 3, 8 times level 3."""
    return {"L2": cache_bytes(2) // 2, "L3": cache_bytes(3) // 4, "memory": 8 * cache_bytes(3)}


def bandwidth(loop, moved: int) -> float:
    """Bytes per second of a loop that moves so many: the median of REPEATS."""
    loop()
    found = []
    for _ in range(REPEATS):
        start, rounds = time.perf_counter(), 0
        while (taken := time.perf_counter() - start) < LOOP_S:
            loop()
            rounds += 1
        found.append(rounds * moved / taken)
    return statistics.median(found)


def loops() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {"read": {}, "update": {}, "write": {}}
    for level, size in array_bytes().items():
        array = np.ones(size // 8)
        found["read"][level] = bandwidth(lambda a=array: a.dot(a), size)
        found["update"][level] = bandwidth(lambda a=array: np.multiply(a, 1.0, out=a), 2 * size)
        found["write"][level] = bandwidth(lambda a=array: a.fill(1.0), size)
    return found


def measured(processes: tuple[int, ...]) -> Bandwidths:
    """One process alone, and several at once."""
    found = {}
    for n in processes:
        command, env = [sys.executable, "-m", "bench.growth_limits"], os.environ | ONE_THREAD | {"PYTHONPATH": str(programs.ROOT)}
        jobs = [subprocess.Popen(command, cwd=programs.ROOT, env=env, stdout=subprocess.PIPE, text=True) for _ in range(n)]
        results = [json.loads(job.communicate()[0]) for job in jobs]
        found[str(n)] = {loop: {level: statistics.mean(r[loop][level] for r in results) for level in LEVELS} for loop in results[0]}
    return found


def level_of(size: float) -> str:
    """Where an array of so many bytes stays while it is walked again and again, beside others."""
    return next((f"L{level}" for level in (2, 3) if size <= cache_bytes(level) / 2), "memory")


def limits(cell, kernel_memory: dict[str, float], synapses: int, bandwidths: Bandwidths) -> dict[str, float]:
    """Least of each number. Per event the synapse is read once, per neuron and step its state is read and written, per synapse built its bytes are
    written to memory; a synapse takes a float32 weight and what it takes to tell which row of K out of N x delays this is (Stirling)."""
    processes = max((int(n) for n in bandwidths if int(n) <= cell.threads * cell.ranks), default=1)
    at_once = bandwidths[str(processes)]
    synapse, state = kernel_memory["synapses"] / synapses, kernel_memory["neurons"] / cell.neurons
    read = at_once["read"][level_of(kernel_memory["synapses"] / processes)] * processes
    update = at_once["update"][level_of((kernel_memory["neurons"] + kernel_memory["input"]) / processes)] * processes
    weight = 0.0 if cell.equal_weights else WEIGHT_BYTES
    found = {
        "event": 1e9 * synapse / read,
        "neuron": 1e9 * 2 * state / update,
        "build": 1e9 * synapse / (at_once["write"]["memory"] * processes),
    }
    found["run"] = (found["event"] * cell.neurons * cell.indegree * cell.rate + found["neuron"] * cell.neurons * 1e4) * 1e-9
    return found | {"bytes": weight + max(math.log2(math.e * cell.neurons * cell.delays / cell.indegree), 1.0) / 8}


if __name__ == "__main__":
    print(json.dumps(loops()))
