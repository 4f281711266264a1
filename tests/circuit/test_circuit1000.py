# SPDX-License-Identifier: Apache-2.0
"""Real cells (../shared/circuit1000, skipped where it is absent): touch counts that another program found, and brute force over all segments."""

import csv

import numpy as np
import pytest

from neuropil.circuit import EdgeFile, NodeFile, Plan, Selection, TouchOptions, detect_touches, read_config
from neuropil.circuit.columns import SOURCE


@pytest.mark.parametrize("mode", ["tapered", "capsule"])
def test_touch_counts_are_those_of_touchdetector(real, tmp_path, mode):
    with (real / "touch-counts-sample.csv").open() as file:
        sample = {int(row["gid"]): int(row["touches"]) for row in csv.DictReader(file)}
    run = detect_touches(
        real, tmp_path / "edges.h5", TouchOptions(mode=mode), pre=Selection(ids=sorted(sample)), plan=Plan(batch_size=50), ranks=None
    )
    nodes = NodeFile(read_config(real).population())
    counts = np.bincount(EdgeFile(run.path).read([SOURCE])[SOURCE], minlength=nodes.n)
    mtype, names = nodes.labels("mtype")
    ids = np.array(sorted(sample))
    theirs = np.array([sample[int(k)] for k in ids])
    found = {}
    for k, name in enumerate(names):
        mine = mtype[ids] == k
        if mine.any():
            found[name] = counts[ids[mine]].sum() / theirs[mine].sum()
    print({name: round(float(ratio), 3) for name, ratio in found.items()}, counts[ids].sum() / theirs.sum())
    assert len(found) >= 5
    assert {name: ratio for name, ratio in found.items() if abs(ratio - 1.0) > 0.15} == {}
    assert np.corrcoef(counts[ids], theirs)[0, 1] > 0.98
