# SPDX-License-Identifier: Apache-2.0
"""Memory while the receiving side is indexed: at most three times what the indexed segments take, and buffers of messages of a fixed size."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Every rank brings as many cells of one morphology; the peak is that of the process, all ranks together.
PROGRAM = """
import json, sys, threading
import numpy as np
from neuropil import _core
ranks, cells, sections, points = int(sys.argv[1]), int(sys.argv[2]), 40, 101
dice = np.random.default_rng(1)
steps = dice.normal(size=(sections, points, 3))
shape = _core.circuit.Morphologies(
    np.cumsum(steps, axis=1).reshape(-1, 3), np.full(sections * points, 0.3), np.arange(0, sections * points + 1, points), np.array([0, sections]),
    np.full(sections, -1, np.int32), np.full(sections, 3, np.uint8), np.zeros((1, 3)), np.ones(1),
)
def status(key):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(key)) * 1024
found = [None] * ranks
def run(rank, comm):
    gid = np.arange(cells) * ranks + rank
    place = np.random.default_rng(rank).uniform(-500, 500, (cells, 3))
    detector = _core.circuit.TouchDetector(comm)
    detector.index(shape, gid, np.zeros(cells, np.int32), place, np.tile([1.0, 0, 0, 0], (cells, 1)), np.full(cells, 2.5))
    found[rank] = detector.counters()
threads = [threading.Thread(target=run, args=pair) for pair in enumerate(_core.thread_ranks(ranks))]
before = status("VmRSS")
for t in threads: t.start()
for t in threads: t.join()
print(json.dumps({"peak": status("VmHWM") - before, "counters": found}))
"""
MESSAGES = 2 * (1 << 24)  # bytes of a rank: what is sent and what is received in one round


@pytest.mark.parametrize("ranks", [1, 3])
def test_indexing_takes_at_most_three_times_the_segments(ranks):
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc to measure memory")
    cells = 360 // ranks
    run = subprocess.run([sys.executable, "-c", PROGRAM, str(ranks), str(cells)], capture_output=True, text=True, timeout=100, check=True)
    found = json.loads(run.stdout)
    segments = sum(counters["bytes_segments"] for counters in found["counters"])
    assert sum(counters["segments"] for counters in found["counters"]) == ranks * cells * (40 * 100 + 1)
    assert segments > 60e6  # large beside what else a process takes
    assert found["peak"] <= 3.0 * segments + (ranks > 1) * ranks * MESSAGES, found
    assert found["peak"] >= segments
