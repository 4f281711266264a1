# SPDX-License-Identifier: Apache-2.0
"""The benchmark of touch detection: tiles, the segments that the peer gets, tables and plots."""

import numpy as np
import pytest
from bench import programs, touch, touch_plots, touch_raw, tree_or_grid
from bench.report import Section
from bench.sides import Settings

from circuit import small
from neuropil.circuit import EdgeFile, NodeFile, detect_touches, read_config
from neuropil.circuit.morphologies import AXON, BASAL
from neuropil.circuit.placing import placed


def test_tiles_are_copies_side_by_side(column, tmp_path):
    one = NodeFile(read_config(column).population())
    four = NodeFile(read_config(touch.tile(column, tmp_path / "four", 4)).population())
    assert four.n == 4 * one.n
    width = np.ptp(one.positions(), axis=0)
    shifts = (four.positions().reshape(4, one.n, 3) - one.positions())[:, 0]
    assert np.allclose(shifts, [[0, 0, 0], [width[0], 0, 0], [0, 0, width[2]], [width[0], 0, width[2]]])
    assert four.mtypes == one.mtypes
    assert (four.labels("morphology")[0].reshape(4, -1) == one.labels("morphology")[0]).all()
    detect_touches(read_config(tmp_path / "four").config, tmp_path / "edges.h5", ranks=None)
    assert EdgeFile(tmp_path / "edges.h5").n > 0


def test_the_peer_gets_the_same_segments(column, tmp_path):
    cells, shapes = touch_raw.load(column, 10)
    touch_raw.write_segments(tmp_path / "segments.npz", cells, shapes)
    with np.load(tmp_path / "segments.npz") as data:
        n = len(shapes)
        assert len(data["offsets"]) == 2 * n + 1
        for k, shape in enumerate(shapes):
            for first, kinds in ((k, (AXON,)), (n + k, (3, 4))):
                rows = slice(data["offsets"][first], data["offsets"][first + 1])
                section, segment = data["section"][rows] - 1, data["segment"][rows]
                assert len(section) == (np.diff(shape.begin) - 1)[np.isin(shape.kind, kinds)].sum()
                point = shape.begin[section] + segment
                assert (data["begin"][rows] == shape.points[point]).all()
                assert (data["end"][rows] == shape.points[point + 1]).all()
                assert np.isin(shape.kind[section], kinds).all()
        k = 7
        shape = shapes[cells.morphology[k]]
        turned = shape.points @ data["rotation"][k].T + data["position"][k]
        assert np.allclose(turned, placed(shape, cells.rotation[k], cells.position[k]))


def test_our_side_counts_crossing_sticks(tmp_path):
    config = small.sticks(tmp_path, 4)
    cells, shapes = touch_raw.load(config, 100)
    assert set(np.concatenate([shape.kind for shape in shapes])) == {AXON, BASAL}
    seconds, overlaps = touch_raw.search(cells, shapes, 0.0, 1)
    assert seconds > 0.0
    assert sorted((a, b) for a, _, _, b, _, _ in overlaps.tolist()) == [(a, b) for a in range(4) for b in range(4, 8)]
    assert touch_raw.part_of(overlaps[3:5], overlaps) == 1.0
    assert touch_raw.part_of(overlaps, overlaps[:4]) == 0.25


def entry(ranks, **changes):
    counters = {
        "segments": 100.0,
        "partners": ranks - 1.0,
        "bytes_sent": 1e6,
        "messages": 5.0,
        "bytes_index": 2e6,
        "tested": 1e6,
        "overlaps": 1e5,
        "s_search": 0.5,
    }
    base = {
        "cells": 10 * ranks,
        "ranks": ranks,
        "threads": 1,
        "exchange": "nbx",
        "touches": 5000,
        "seconds": 2.0,
        "tiles": ranks,
        "sha256": f"{ranks}",
    }
    phases = [{"reading": 0.5, "detecting": 1.0 + r} for r in range(ranks)]
    return base | {"counters": [counters] * ranks, "phases": phases, "peak_rss": [3e8] * ranks, "rss_before": [1e8] * ranks} | changes


def test_tables_and_plots(tmp_path):
    found = [entry(1), entry(2), entry(4), entry(16, tiles=4)]
    table = touch.phase_table("t", found)
    assert table.rows[2][:5] == ["40", "4 x 1", "nbx", "5000", 2.0]
    assert table.rows[2][5 + touch.PHASES.index("detecting")] == 4.0  # the slowest rank
    assert touch.traffic_table(found).rows[2][2:6] == [4.0, 20.0, 1.0, 1.0]
    assert touch.search_table(found).rows[1][2:6] == pytest.approx([2.0, 2.0, 0.1, 5000 / 2e5])
    assert touch.imbalance(entry(2, counters=[{"segments": 150.0}, {"segments": 50.0}])) == 1.5
    touch_plots.phases(found, tmp_path / "a.png")
    touch_plots.traffic(found, tmp_path / "b.png")
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") for name in ("a.png", "b.png"))


def test_different_files_are_an_error():
    section = Section("touch", "")
    section.runs = {"whole": [entry(2), entry(2)], "tiled": [entry(4)]}
    touch.check_files(section)
    assert section.errors == []
    section.runs["tiled"] = [entry(4, cells=20)]
    touch.check_files(section)
    assert section.errors == ["different edge files of 20 cells (law 1)"]


def test_a_grown_column_stands_in(tmp_path):
    circuit, name = touch.the_circuit(Settings(tmp_path, quick=True), tmp_path)
    assert name == "a grown column of 60 cells"
    assert NodeFile(read_config(circuit).population()).n == 60


def test_the_circuit_for_the_indices_is_all_of_it(column, tmp_path):
    path = tmp_path / "circuit.bin"
    tree_or_grid.write_circuit(column, path)
    data, arrays = path.read_bytes(), []
    while data:
        n = int(np.frombuffer(data[:8], np.uint64)[0])
        arrays.append(data[8 : 8 + n])
        data = data[8 + n :]
    assert len(arrays) == 13
    cells, shapes = touch_raw.load(column, 60)
    assert np.array_equal(np.frombuffer(arrays[0]).reshape(-1, 3), np.concatenate([shape.points for shape in shapes]))
    assert np.array_equal(np.frombuffer(arrays[8], np.int64), cells.gid)
    assert np.array_equal(np.frombuffer(arrays[10]).reshape(-1, 3), cells.position)


def test_indices_that_find_other_overlaps_are_no_result():
    names = (
        "segments",
        "pre_segments",
        "build",
        "pairs_alone",
        "search",
        "index_bytes",
        "segment_bytes",
        "peak_bytes",
        "boxes",
        "tested",
        "overlaps",
        "parts",
    )
    run = {name: 10.0 + k for k, name in enumerate(names)}
    found = {name: [run, run | {"build": 30.0}, run | {"build": 12.5}] for name in tree_or_grid.METHODS}
    lines = tree_or_grid.report(found, 5)
    assert len(lines) == 4 + len(found)
    assert lines[4].split(" | ")[1:3] == ["12.50", "13.00"]
    for wrong in ({"overlaps": 19.0}, {"parts": 21.5}):
        with pytest.raises(programs.RunError, match="tree per morphology finds other overlaps"):
            tree_or_grid.report(found | {"tree per morphology": [run | wrong]}, 5)
