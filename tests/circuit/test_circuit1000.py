# SPDX-License-Identifier: Apache-2.0
"""Real cells (../shared/circuit1000, skipped where it is absent): touch counts that another program found, and brute force over all segments."""

import csv

import numpy as np
import pytest

from circuit import brute
from neuropil.circuit import EdgeFile, NodeFile, Plan, Selection, TouchOptions, detect_touches, read_config
from neuropil.circuit.columns import SOURCE, TARGET
from neuropil.circuit.kernel import FOUND, Detector
from neuropil.circuit.morphologies import Shelf
from neuropil.circuit.notes import Notes
from neuropil.circuit.statistics import axon_lengths


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


@pytest.mark.slow
@pytest.mark.parametrize("spine", [0.0, 2.5])
def test_brute_force_over_all_segments_finds_the_same(real, spine):
    nodes = read_config(real).population()
    file, shelf = NodeFile(nodes), Shelf(nodes.morphologies, Notes())
    cells = file.read(range(file.n))
    shapes = shelf.get(cells.morphologies)
    few = np.sort(np.argsort(axon_lengths(file, shelf), kind="stable")[:20])  # the cells with the shortest axons, against all
    pre = brute.part_of(cells, few)
    expected = brute.overlaps(cells, shapes, few, spine)
    detector = Detector(TouchOptions(mode="capsule"))
    detector.index(cells, shapes, np.full(len(cells), spine))
    found = detector.overlaps(pre, shapes)
    rows = np.stack([found[name] for name in FOUND], axis=1)
    assert len(rows) == len(np.unique(rows, axis=0))
    assert np.array_equal(np.unique(rows, axis=0), expected)
    assert len(expected) > 10_000
    touches = detector.detect(pre, shapes)
    assert set(zip(touches[SOURCE].tolist(), touches[TARGET].tolist(), strict=True)) == set(map(tuple, expected[:, [0, 3]].tolist()))
