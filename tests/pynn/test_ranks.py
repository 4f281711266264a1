# SPDX-License-Identifier: Apache-2.0
"""A script of PyNN under mpiexec: results do not depend on the number of ranks, and own parts make the whole."""

import pickle
import subprocess
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from mpi import jobs

PROGRAM = Path(__file__).with_name("ranks_main.py")


def read(folder, connectors, ranks):
    """What each rank has read, and the folder with the files."""
    folder.mkdir()
    words = [sys.executable, str(PROGRAM), str(folder), connectors]
    line, environment = jobs.command(jobs.own_kind(), ranks, words) if ranks > 1 else (words, jobs.clean_environment())
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=jobs.LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    return [pickle.loads((folder / str(rank)).read_bytes()) for rank in range(ranks)]


def check_whole(one, many):
    """All ranks have the results of one rank, bit for bit."""
    for rank, found in enumerate(many):
        assert found["ranks"] == len(many) and found["rank"] == (rank, rank)
        np.testing.assert_equal(found["whole"], one["whole"])


def check_own_parts(one, many):
    """Each cell and each connection is on one rank."""
    assert sorted(chain(*(found["local"][0] for found in many))) == one["local"][0]
    for found in many:
        cells, size, _ = found["local"]
        own = found["own"]
        assert list(own["counts"]) == cells and len(own["tau_m"]) == size == len(cells)
        assert own["mean"][0] == pytest.approx(np.mean(list(own["counts"].values())))
        assert [int(id) - 1 for id in own["counts"]] == list(own["data"]["cells"][1][0])
    for key, expected in one["whole"]["weights"].items():
        assert sorted(chain(*(found["own"]["weights"][key] for found in many))) == sorted(expected)
    sizes = np.sum([found["own"]["size"] for found in many], axis=0)
    assert sizes.tolist() == one["whole"]["size"]
    for key, segments in one["whole"]["data"].items():
        for k, (trains, signals) in enumerate(segments):
            parts = [found["own"]["data"][key][k] for found in many]
            assert sum(len(part[0]) for part in parts) == len(trains) or key == "assembly"
            assert all(trains[cell] == times for part in parts for cell, times in part[0].items()) or key == "assembly"
            for name, (columns, values) in signals.items():
                found = {
                    c: row
                    for part in parts
                    if name in part[1]
                    for c, row in zip(part[1][name][0], np.transpose(part[1][name][1]), strict=True)
                }
                assert sorted(found) == sorted(columns)
                np.testing.assert_array_equal(np.transpose([found[c] for c in columns]), values)


def check_files(one, folder, ranks):
    """One file with all data; files of own data have the number of the rank."""
    gathered = pickle.loads((folder / "gathered.pkl").read_bytes())
    assert [len(segment.spiketrains) for segment in gathered.segments] == [21, 21]
    own = [pickle.loads((folder / f"own.pkl.{rank}").read_bytes()) for rank in range(ranks)]
    assert sum(len(block.segments[1].spiketrains) for block in own) == 21
    assert np.loadtxt(folder / "weights.txt").tolist() == [list(row) for row in one["whole"]["weights"]["recurrent"]]


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("connectors", ["kernel", pytest.param("pynn", marks=pytest.mark.slow)])
def test_ranks_do_not_change_results(connectors, ranks, tmp_path):
    jobs.own_kind()
    (one,) = read(tmp_path / "1", connectors, 1)
    many = read(tmp_path / "many", connectors, ranks)
    assert min(map(len, one["whole"]["data"]["cells"][1][0].values())) > 2  # spikes of each cell
    assert len({weight for _, _, weight in one["whole"]["weights"]["plastic"]}) > 10
    check_whole(one, many)
    check_own_parts(one, many)
    check_files(one, tmp_path / "many", ranks)
    assert all(found["refused"] == ["rng", "parallel_safe", "rng", "parallel_safe", "distributed", "gather"] for found in many)
