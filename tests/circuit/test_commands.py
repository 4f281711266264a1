# SPDX-License-Identifier: Apache-2.0
"""The commands touch, simulate and view, and the job circuit, as a user calls them."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from circuit import small
from mpi import jobs
from neuropil import cli
from neuropil.circuit import EdgeFile, State
from neuropil.circuit.progress import Bar, amount
from neuropil.cli.commands.simulate import parse_survival
from neuropil.cli.jobs import result
from neuropil.errors import BadParameter


def call(*words) -> str:
    cli.add_jobs()
    done = CliRunner().invoke(cli.app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_from_a_circuit_to_a_page(column, column_edges, tmp_path):
    edges = tmp_path / "edges.h5"
    said = call("circuit", "touch", column, "--output", edges, "--threads", 1, "--batch-size", 30)
    assert edges.read_bytes() == column_edges.read_bytes()
    assert "touches of 60 presynaptic cells; seconds: reading" in said
    assert f"written: {edges}, {tmp_path / 'edges.circuit_config.json'}" in said
    call(
        "circuit",
        "simulate",
        edges,
        "--duration",
        100,
        "--warmup",
        0,
        "--threads",
        1,
        "--drive",
        1.2,
        "--survival",
        "0.5",
        "--survival",
        "EXC>L4_BC=1",
        "--output",
        tmp_path / "sim",
    )
    found = json.loads((tmp_path / "sim" / "result.json").read_text())
    result.check(found)
    assert found["neurons"] == 60
    assert found["parameters"]["survival"] == {"*>*": 0.5, "EXC>L4_BC": 1.0}
    assert 0 < found["synapses"] < EdgeFile(edges).n
    assert (tmp_path / "sim" / "simulate.png").read_bytes().startswith(b"\x89PNG")
    said = call("circuit", "view", edges)
    assert (tmp_path / "edges.html").stat().st_size > 1_000_000
    assert f"{tmp_path / 'edges_connection.png'}" in said


def test_touch_options_reach_the_detector(column, tmp_path):
    (tmp_path / "spines.json").write_text('{"L4_SS": 1.0}')
    edges = tmp_path / "edges.h5"
    call("circuit", "touch", column, "--output", edges, "--threads", 1, "--pre-mtype", "L23_PC", "--pre-mtype", "L4_SS", "--post-node-set", "Layer4", "--post", "dendrite",
         "--spines", tmp_path / "spines.json", "--mode", "capsule", "--min-distance", 4, "--quiet")  # fmt: skip
    with_h5 = EdgeFile(edges)
    assert with_h5.n > 0
    import h5py

    with h5py.File(edges) as file:
        parameters = json.loads(file["edges/All__All__chemical"].attrs["parameters"])
    assert parameters["spines"] == {"L4_SS": 1.0}
    assert (parameters["mode"], parameters["min_distance"], parameters["post"]) == ("capsule", 4.0, 0b11000)


def test_errors_are_told_in_one_line(tmp_path, monkeypatch, capfd):
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    for words, text in (
        (["circuit", "touch", str(tmp_path / "none"), "--output", str(tmp_path / "e.h5")], "cannot be read: No such file or directory"),
        (["circuit", "touch", str(tmp_path), "--mode", "cone"], "unknown mode 'cone'"),
        (["circuit", "simulate", str(tmp_path / "none.h5")], "there is no such file"),
        (["circuit", "view", str(tmp_path / "none.h5")], "there is no such file"),
        (["circuit", "simulate", "e.h5", "--output", "file/folder"], "file/folder: cannot be written"),
        (["job", "circuit", "--output", "file/folder"], "file/folder: cannot be written"),
    ):
        monkeypatch.setattr(sys, "argv", ["neuropil", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capfd.readouterr().err
        assert ended.value.code == 1
        assert said.startswith("neuropil: ")
        assert text in said
        assert len(said.strip().splitlines()) == 1


def test_the_job_grows_a_column(tmp_path):
    call("job", "circuit", "--cells", 40, "--duration", 50, "--warmup", 0, "--threads", 1, "--output", tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {
        "column",
        "edges.h5",
        "edges.circuit_config.json",
        "report.html",
        "result.json",
        "spikes.npz",
        "simulate.png",
        "report_touches.png",
        "report_connection.png",
    } <= names
    assert "edges.h5.spool" not in names
    page = (tmp_path / "report.html").read_text()
    assert "real-time factor" in page
    assert "Spikes" in page


def test_the_job_takes_a_circuit(column, column_edges, tmp_path):
    call("job", "circuit", "--circuit", column, "--duration", 50, "--warmup", 0, "--threads", 1, "--output", tmp_path)
    assert (tmp_path / "edges.h5").read_bytes() == column_edges.read_bytes()
    assert not (tmp_path / "column").exists()


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_over_mpi_write_the_same_file(column, column_edges, tmp_path, ranks):
    jobs.need("ompi")
    words = [
        "circuit",
        "touch",
        str(column),
        "--output",
        str(tmp_path / "edges.h5"),
        "--ranks",
        str(ranks),
        "--threads",
        "1",
        "--batch-size",
        "20",
    ]
    done = jobs.alone(f"import sys; sys.argv[1:] = {words!r}; sys.argv[0] = {str(script())!r}; from neuropil.cli import main; main()")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("touches of 60 presynaptic cells") == 1
    assert (tmp_path / "edges.h5").read_bytes() == column_edges.read_bytes()


def test_an_error_of_all_ranks_is_told_once(tmp_path):
    jobs.need("ompi")
    config = small.circuit(tmp_path, small.nodes(3, morphology=["ball", "none", "ball"]))
    done = jobs.run("ompi", 3, [sys.executable, str(script()), "circuit", "touch", str(config), "--output", str(tmp_path / "edges.h5")])
    assert done.returncode != 0
    assert (done.stdout + done.stderr).count("there is no such morphology") == 1


def script():
    from pathlib import Path

    return Path(sys.executable).with_name("neuropil")


def test_survival_words():
    assert parse_survival(None) == 0.4
    assert parse_survival(["0.3"]) == {"*>*": 0.3}
    assert parse_survival(["0.3", "A>B=0.1"]) == {"*>*": 0.3, "A>B": 0.1}
    with pytest.raises(BadParameter, match="A>B"):
        parse_survival(["A>B"])


def test_the_bar_says_what_is_done_and_left(monkeypatch, capsys):
    bar = Bar()
    assert bar.words(State("indexing", 100, 1000, 0)) == "100/1000 cells"
    bar._begin -= 10.0  # as if ten seconds had passed
    assert bar.words(State("detecting", 300, 1000, 1_234_567)) == "300/1000 cells, 1.23 M touches, 35 s left"
    assert bar.words(State("detecting", 1000, 1000, 2000)) == "1000/1000 cells, 2 k touches"
    with bar:
        bar(State("detecting", 300, 1000, 12))
    bar._told -= 20.0
    bar(State("detecting", 400, 1000, 12))
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith("detecting: 400/1000 cells, 12 touches")
    assert [amount(n) for n in (7, 1500, 2e6, 3.21e9)] == ["7", "1.5 k", "2 M", "3.21 G"]


def test_libraries_that_are_missing_are_named(monkeypatch, tmp_path):
    from neuropil.circuit import MissingLibrary, grow_column

    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingLibrary, match=r"circuits need h5py.*pip install .neuropil\[circuit\]"):
        grow_column(tmp_path, 4)


def test_importing_circuit_imports_no_library():
    code = "import sys, neuropil.circuit, neuropil.cli; print([m for m in ('h5py', 'morphio', 'libsonata', 'plotly', 'matplotlib') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_public_names_are_there_and_documented():
    from neuropil import circuit

    assert set(circuit.__all__) <= set(dir(circuit))
    for name in circuit.__all__:
        assert getattr(circuit, name).__doc__, name
    assert issubclass(circuit.BadFile, ValueError)
