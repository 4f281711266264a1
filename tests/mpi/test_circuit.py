# SPDX-License-Identifier: Apache-2.0
"""From morphologies to spikes over MPI: `neuropil circuit simulate` and the job circuit do on ranks what they do on one."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from mpi import jobs
from neuropil.circuit import detect_touches, grow_column

SCRIPT = str(Path(sys.executable).with_name("neuropil"))
STRONG = ("--survival", "1", "--weight-exc", "300", "--drive", "1.1", "--duration", "100", "--warmup", "20", "--threads", "1")


@pytest.fixture(scope="module")
def edges(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("circuit")
    return detect_touches(grow_column(folder / "column", 40, seed=3, shapes=2), folder / "edges.h5").path


def simulated(done, folder: Path) -> dict[str, np.ndarray]:
    """The arrays of the spike file."""
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(folder / "spikes.npz") as file:
        return {name: file[name] for name in file.files}


def alone(folder: Path, *words: str) -> dict[str, np.ndarray]:
    code = f"import sys; sys.argv = {[SCRIPT, *words, '--output', str(folder)]!r}; from neuropil.cli import main; main()"
    return simulated(jobs.alone(code), folder)


@pytest.fixture(scope="module")
def expected(edges, tmp_path_factory) -> dict[str, np.ndarray]:
    """Of one rank."""
    return alone(tmp_path_factory.mktemp("alone"), "circuit", "simulate", str(edges), *STRONG)


def assert_same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    assert a.keys() == b.keys()
    for name, values in a.items():
        assert values.dtype == b[name].dtype
        assert np.array_equal(values, b[name]), name


@pytest.mark.parametrize(
    ("ranks", "options"),
    [
        (2, ()),
        (3, ("--distribution", "shuffled", "--exchange", "nbx")),
        pytest.param(3, ("--distribution", "consecutive", "--exchange", "alltoallv"), marks=pytest.mark.slow),
    ],
)
def test_spikes_of_touches_are_the_same_on_ranks(kind, edges, expected, tmp_path, ranks, options):
    done = jobs.run(kind, ranks, [SCRIPT, "circuit", "simulate", str(edges), *STRONG, *options, "--output", str(tmp_path)])
    assert_same(simulated(done, tmp_path), expected)
    assert done.stdout.count("written:") == 1


def test_touches_matter(edges, expected, tmp_path):
    """Else the comparison above would compare the input alone."""
    without = alone(tmp_path, "circuit", "simulate", str(edges), *STRONG, "--survival", "*>*=0")
    assert not np.array_equal(without["stamps"], expected["stamps"])


def test_one_rank_writes_the_page(kind, edges, tmp_path):
    done = jobs.run(kind, 2, [SCRIPT, "circuit", "view", str(edges), "--output", str(tmp_path / "page.html")])
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("written:") == 1
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.slow
def test_the_job_on_ranks(tmp_path):
    jobs.own_kind()
    words = ("job", "circuit", "--cells", "30", "--survival", "1", "--duration", "50", "--warmup", "0", "--threads", "1")
    one, two = tmp_path / "1", tmp_path / "2"
    assert_same(alone(one, *words), alone(two, *words, "--ranks", "2"))
    assert (two / "edges.h5").read_bytes() == (one / "edges.h5").read_bytes()
    assert {path.name for path in two.iterdir()} == {path.name for path in one.iterdir()}
    assert json.loads((two / "result.json").read_text())["ranks"] == 2
