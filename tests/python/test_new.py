# SPDX-License-Identifier: Apache-2.0
"""`neuropil new`: the project that it makes passes its own tests, runs, and can be analysed."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import neuropil as npl
from neuropil.cli.commands import new
from neuropil.errors import BadParameter

FILES = {"README.md", "parameters.py", "model.py", "test_model.py", "analysis.ipynb", "job.sh", ".gitignore"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("new") / "my-project"
    new.make(folder)
    return folder


def run(project, *words):
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})


def test_the_files(project):
    assert {path.name for path in project.iterdir() if path.is_file()} == FILES
    texts = {name: (project / name).read_text() for name in FILES}
    assert [name for name, text in texts.items() if "@NAME@" in text or "SPDX" in text] == []
    assert "my-project: builds" in texts["model.py"] and "--job-name=my-project\n" in texts["job.sh"]
    assert subprocess.run(["bash", "-n", project / "job.sh"]).returncode == 0


def test_its_own_tests_pass(project):
    done = run(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(project), str(project))
    assert done.returncode == 0 and "4 passed" in done.stdout, done.stdout


SMALL = ("--time", "200", "--neurons-exc", "160", "--neurons-inh", "40", "--weight", "0.5")


def test_the_model_runs_and_the_notebook_reads_its_results(project, monkeypatch):
    done = run(project, "model.py", *SMALL)
    assert done.returncode == 0 and "mean rate" in done.stdout, done.stderr
    notebook = json.loads((project / "analysis.ipynb").read_text())
    assert notebook["nbformat"] == 4 and [cell["cell_type"] for cell in notebook["cells"]] == ["markdown", *["code"] * 4]
    monkeypatch.chdir(project)
    names = {}
    for cell in notebook["cells"][1:]:
        exec("".join(cell["source"]), names)
    assert len(names["exc"]) == 160 and len(names["inh"]) == 40 and len(names["steady"]) > 0


def test_a_run_that_was_killed_goes_on(project, monkeypatch):
    """A checkpoint at 100 ms stands for it."""
    monkeypatch.syspath_prepend(project)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    model, parameters = importlib.import_module("model"), importlib.import_module("parameters")
    try:
        net = model.build(parameters.from_command_line(SMALL))
    finally:
        del sys.modules["model"], sys.modules["parameters"]
    net.run(100.0)
    (project / "out").mkdir(exist_ok=True)
    net.save(project / "out/run.npc")
    net.run(100.0)
    other = run(project, "model.py", *SMALL, "--g", "5")
    assert other.returncode == 1 and "other parameters" in other.stderr
    assert run(project, "model.py", *SMALL).returncode == 0
    assert [path.name for path in (project / "out").glob("run.npc*")] == []
    found = npl.open_results(project / "out/spikes.npz")
    assert found.stop == 200.0 and found.times.tolist() == net.extra["spikes"].times.tolist()


@pytest.mark.parametrize("name", ["my project", "-x", "a/..", "größe"])
def test_odd_names_are_refused(tmp_path, name):
    (tmp_path / "a").mkdir()
    target = tmp_path / name
    if target.exists():
        (target / "file").touch()
    with pytest.raises(BadParameter, match="folder = "):
        new.make(target)


def test_nothing_is_overwritten(project):
    before = (project / "model.py").read_text()
    (project / "model.py").write_text("mine")
    with pytest.raises(BadParameter, match="does not exist or is empty"):
        new.make(project)
    assert (project / "model.py").read_text() == "mine"
    (project / "model.py").write_text(before)


def test_the_printed_command_is_for_a_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1 bad").mkdir()
    new.main(Path("1 bad/name"))
    assert "cd '1 bad/name' && python -m pytest" in capsys.readouterr().out
