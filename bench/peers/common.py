# SPDX-License-Identifier: Apache-2.0
"""What the peer programs share: a quiet NEST, memory, one JSON object on stdout, statistics of spike trains."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np


def peak_rss() -> int:
    """Largest resident size of this process so far [bytes]. Not ru_maxrss, which keeps the peak of the process that forked us."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def current_rss() -> int:
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def stdout_for_json():
    """Everything that libraries print goes to stderr; yields the file for the JSON object."""
    sys.stdout.flush()
    keep = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(keep, "w") as out:
        yield out


def load_nest(threads: int, seed: int, resolution: float):
    os.environ.setdefault("PYNEST_QUIET", "1")
    import nest

    nest.verbosity = nest.VerbosityLevel.ERROR
    nest.ResetKernel()
    nest.set(resolution=resolution, local_num_threads=threads, rng_seed=seed)
    return nest


class Phases:
    """Wall time by phase, in seconds."""

    def __init__(self):
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, name: str):
        begin = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin


def interval_cv(times: np.ndarray, senders: np.ndarray, min_intervals: int = 3) -> np.ndarray:
    """CV of the inter-spike intervals of every neuron that has at least min_intervals of them."""
    order = np.lexsort((times, senders))
    t, s = np.asarray(times, float)[order], np.asarray(senders)[order]
    same = s[1:] == s[:-1]
    isi, owner = np.diff(t)[same], s[1:][same]
    _, index, count = np.unique(owner, return_inverse=True, return_counts=True)
    n = np.maximum(count, 1)
    mean = np.bincount(index, isi) / n
    variance = np.bincount(index, isi**2) / n - mean**2
    use = count >= min_intervals
    return np.sqrt(np.maximum(variance[use], 0.0)) / mean[use]


def population_statistics(times, senders, first, sizes, names, duration_ms: float) -> dict:
    """Mean rate [spikes/s] and mean CV of ISI (None: too few intervals) per population of consecutive ids."""
    rates, cvs, counts = {}, {}, {}
    for name, begin, size in zip(names, first, sizes, strict=True):
        mine = (senders >= begin) & (senders < begin + size)
        counts[name] = int(mine.sum())
        rates[name] = counts[name] / (size * duration_ms * 1e-3) if duration_ms else 0.0
        cv = interval_cv(times[mine], senders[mine])
        cvs[name] = float(cv.mean()) if len(cv) else None
    return {"rates": rates, "cv": cvs, "spikes": counts}


def write_json(out, result: dict) -> None:
    json.dump(result, out, indent=1)
    out.write("\n")
