# SPDX-License-Identifier: Apache-2.0
"""The program `neuropil` as a new user meets it: help, version, errors of scripts, scripts for NEST."""

import json
import os
import re
import subprocess
import sys

import pytest
import typer

import neuropil as npl
from mpi import jobs as mpi_jobs
from neuropil.base.checks import to_bytes
from neuropil.cli import ORDER, add_jobs, app
from neuropil.cli.jobs import discover


def run(*words, cwd, **environment):
    code = "import sys; from neuropil.cli import main; sys.argv[0] = 'neuropil'; main()"
    return subprocess.run([sys.executable, "-c", code, *words], cwd=cwd, capture_output=True, text=True, env=os.environ | environment)


def test_version_and_help(tmp_path):
    assert run("--version", cwd=tmp_path).stdout == f"neuropil {npl.__version__}\n"
    for words in (["-h"], ["plan", "-h"], ["run", "-h"], ["job", "-h"]):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.startswith("Usage: neuropil")


def test_help_of_every_command_has_a_whole_first_line(tmp_path):
    """click cuts long lines to "..."."""
    listed = run("--help", cwd=tmp_path).stdout.partition("Commands:")[2]
    assert re.findall(r"^  ([a-z-]+) {2,}[A-Z]", listed, re.MULTILINE) == list(ORDER)
    assert "..." not in listed
    assert "..." not in run("job", "--help", cwd=tmp_path).stdout.partition("Commands:")[2]


def test_every_option_has_help():
    add_jobs()
    group = typer.main.get_command(app)
    inner = [command for name in ("job", "circuit", "checkpoint") for command in group.commands[name].commands.values()]
    commands = [*group.commands.values(), *inner]
    bare = [f"{c.name} {o.name}" for c in commands for o in c.params if not getattr(o, "help", None)]
    assert bare == []


def test_the_list_of_jobs_is_whole(tmp_path):
    lines = run("job", cwd=tmp_path).stdout.splitlines()
    jobs = {line.split()[0]: line for line in lines[: lines.index("")]}
    assert set(jobs) == set(discover())
    assert all(line.endswith((".", "synapses")) and len(line) <= 120 for line in jobs.values())


@pytest.mark.parametrize(("shown_as", "environment"), [("neuropil job", {}), ("./run", {"NEUROPIL_RUN": "./run"})])
def test_help_names_the_command_that_was_typed(tmp_path, shown_as, environment):
    """In a clone `neuropil` is on no search path; ./run is what works there."""
    listed = run("job", cwd=tmp_path, **environment).stdout
    assert f"Run a job: {shown_as} microcircuit\n" in listed
    assert run("job", "microcircuit", "-h", cwd=tmp_path, **environment).stdout.startswith(f"Usage: {shown_as} microcircuit ")
    wrong = run("job", "microcircuit", "--sclae", "0.1", cwd=tmp_path, **environment)
    assert wrong.returncode == 2 and f"Try '{shown_as} microcircuit -h'" in wrong.stderr


def test_an_unknown_job_is_named_with_those_there_are(tmp_path):
    done = run("job", "nonsense", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith(f"there is no job 'nonsense'; jobs: {', '.join(discover())}\n")


@pytest.mark.parametrize("words", [["--scale", "0,1"], ["--scale=0,1"], ["--seed", "1.5"], ["--input", "ac"]])
def test_a_wrong_value_is_in_the_error(tmp_path, words):
    done = run("job", "microcircuit", *words, cwd=tmp_path)
    value = words[-1].rpartition("=")[2]
    assert done.returncode == 2
    assert done.stderr.count(f"'{value}'") == 1, done.stderr


def test_the_package_is_the_command(tmp_path):
    done = subprocess.run([sys.executable, "-m", "neuropil", "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == f"neuropil {npl.__version__}\n"


@pytest.mark.parametrize("line", ["nothing()", "import neuropil; neuropil.Network(resolution=-1.0)"])
def test_the_traceback_of_a_script_begins_in_the_script(tmp_path, line):
    (tmp_path / "wrong.py").write_text(f"x = 1\n{line}\n")
    done = run("plan", "wrong.py", cwd=tmp_path)
    assert done.returncode == 1
    trace = done.stderr.splitlines()
    assert trace[0] == "Traceback (most recent call last):" and trace[1] == '  File "wrong.py", line 2, in <module>'
    assert "runpy" not in done.stderr and "typer" not in done.stderr


@pytest.mark.parametrize("line", ["import nest", "import neuropil.nest as nest", "from nest import *; import nest"])
def test_plan_of_a_nest_script_for_several_ranks(tmp_path, line):
    (tmp_path / "script.py").write_text(
        f"{line}\ncells = nest.Create('iaf_psc_alpha', 100)\nnest.Connect(cells, cells, {{'rule': 'fixed_indegree', 'indegree': 10}})\nnest.Simulate(10.0)\n"
    )
    done = run("plan", "script.py", "--ranks", "1:5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = {row[:36].strip(): row[36:].split() for row in done.stdout.splitlines()}
    assert lines["nodes, all ranks"] == ["100"] * 3 and lines["synapses, all ranks"] == ["1000"] * 3


def test_many_numbers_of_ranks_are_several_tables(tmp_path):
    (tmp_path / "script.py").write_text("import neuropil as npl\nnet = npl.Network()\nnet.create('iaf_psc_exp', 1000)\nnet.run(1.0)\n")
    done = run("plan", "script.py", "--ranks", "1:100000", cwd=tmp_path)
    assert done.returncode == 0 and max(map(len, done.stdout.splitlines())) <= 160
    numbers = [n for row in done.stdout.splitlines() if row.startswith("ranks") for n in row.split()[1:]]
    assert numbers[0] == "1" and numbers[-1] == "100000" and len(numbers) == 16


def test_a_size_without_unit_is_bytes_only_where_that_makes_sense(tmp_path):
    with pytest.raises(npl.errors.BadParameter, match="16GB"):
        to_bytes("memory", "16")
    assert to_bytes("memory", "16GB") == 16e9 and to_bytes("memory", "16000000") == 16e6
    done = run("plan", "microcircuit", "--memory", "16", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == "neuropil: memory = '16': must be a size such as 16GB or 128GiB\n"


def test_attributes_that_do_not_exist_name_the_nearest(net):
    with pytest.raises(npl.errors.UnknownAttribute, match="connections"):
        net.conections()
    with pytest.raises(npl.errors.UnknownAttribute, match="weight"):
        net.connections().weigt  # noqa: B018
    assert not hasattr(net, "no_such_thing") and not hasattr(net, "__array__")


# --- scripts, and spellings of version 0.2

SCRIPT = """
import sys
import neuropil as npl
net = npl.Network(seed=1)
cells = net.create("iaf_psc_exp", 10, I_e=500.0, name="cells")
spikes = net.record(cells)
net.run(50.0)
print(net.rank, net.n_ranks, net.threads, len(spikes), sys.argv[1:])
"""


def test_a_script_runs_with_its_own_words(tmp_path):
    (tmp_path / "model.py").write_text(SCRIPT)
    done = run("run", "--threads", "1", "model.py", "--scale", "0.1", "name", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"0 1 1 [1-9]\d* \['--scale', '0.1', 'name'\]\n", done.stdout)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "own", "told"),
    [
        (["model.py", "--", "--scale", "0.1"], ["--scale", "0.1"], ""),
        (["model.py", "--", "--threads", "1"], ["--threads", "1"], ""),
        (["model.py", "a", "--", "--threads", "1"], ["a", "--", "--threads", "1"], ""),
        (["model.py", "--threads", "1"], ["--threads", "1"], "--threads after model.py is"),
        (["model.py", "--ranks=2", "--status", "x", "--ranks", "3"], ["--ranks=2", "--status", "x", "--ranks", "3"], "--ranks, --status after model.py are"),
        (["--threads", "1", "model.py", "--help"], ["--help"], ""),
    ],
)  # fmt: skip
def test_words_after_a_script_are_its_own(tmp_path, words, own, told):
    (tmp_path / "model.py").write_text("import sys\nprint(sys.argv[1:])")
    for command in ("run", "nest"):
        if command == "nest" and "--status" in words:
            continue
        done = run(command, *words, cwd=tmp_path)
        assert done.stdout == f"{own}\n"
        assert done.stderr == (f"neuropil: {told} given to the script; neuropil's options stand before it\n" if told else "")


def test_help_tells_whose_words_are_after_a_script(tmp_path):
    for command in ("run", "nest"):
        shown = " ".join(run(command, "--help", cwd=tmp_path).stdout.split())
        assert "Options of neuropil stand before it; all words after it, options too, are its own." in shown
    for command in ("plan", "dryrun"):
        assert "Unlike `run`: options of neuropil may stand after it, too" in " ".join(run(command, "--help", cwd=tmp_path).stdout.split())


def test_an_interval_of_checkpoints_needs_a_file(tmp_path):
    (tmp_path / "model.py").write_text("print('ran')")
    done = run("run", "--every", "5", "model.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == "neuropil: --every = 5.0: must be left out without --checkpoint, the file to save to\n"


def test_a_script_saves_while_it_runs_and_goes_on_from_there(tmp_path):
    (tmp_path / "model.py").write_text(SCRIPT)
    assert run("run", "--checkpoint", "run.npc", "--every", "20", "model.py", cwd=tmp_path).returncode == 0
    about = run("checkpoint", "info", "run.npc", cwd=tmp_path).stdout
    assert "40 ms" in about and "until 50 ms: neuropil checkpoint resume run.npc" in about
    assert "from 40 to 50 ms" in run("checkpoint", "resume", "run.npc", cwd=tmp_path).stdout


def test_a_script_on_ranks(tmp_path):
    mpi_jobs.own_kind()
    (tmp_path / "model.py").write_text(SCRIPT)
    words = [sys.executable, "-m", "neuropil", "run", "--ranks", "2", "--threads", "1", "model.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert sorted(line[:4] for line in done.stdout.splitlines()) == ["0 2 ", "1 2 "], done.stderr


def test_a_script_for_nest(tmp_path):
    (tmp_path / "old.py").write_text("import nest, sys\nn = nest.Create('iaf_psc_alpha', 3)\nprint(nest.__name__, len(n), sys.argv[1:])")
    assert run("nest", "old.py", "x", cwd=tmp_path).stdout == "neuropil.nest 3 ['x']\n"


def test_a_script_that_does_not_exist(tmp_path):
    done = run("run", "none.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == "neuropil: script = 'none.py': must be the path of a Python script\n"


def test_the_exit_code_of_a_script_is_that_of_the_command(tmp_path):
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    assert [run(command, "ends.py", cwd=tmp_path).returncode for command in ("run", "nest")] == [3, 3]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run microcircuit -h", "job"),
        ("run", "job"),
        ("touch -h", "circuit touch"),
        ("simulate -h", "circuit simulate"),
        ("view -h", "circuit view"),
        ("resume -h", "checkpoint resume"),
        ("info none.npc", "checkpoint info"),
    ],
)
def test_former_spellings_work_with_a_hint(tmp_path, old, new):
    done = run(*old.split(), cwd=tmp_path)
    assert done.stderr.startswith(f"neuropil: `neuropil {old.split()[0]}` is now `neuropil {new}` here\n"), done.stderr
    assert f"neuropil {new}" in done.stdout or "none.npc" in done.stderr


def test_the_doctor_looks_at_all(tmp_path):
    done = run("doctor", cwd=tmp_path)
    found = dict(re.findall(r"^(?:ok |-- ) (\S+(?: \S+)?) {2,}(.*)$", done.stdout, re.MULTILINE))
    assert done.returncode == 0 and found["kernel"] == "a neuron spikes as it must"
    assert {"instruction set", "MPI", "memory", "huge pages", "compiler", "[circuit]", "[results]", "[sweep]"} <= found.keys()


def test_shells_complete_the_commands(tmp_path):
    words = {"COMP_WORDS": "neuropil che", "COMP_CWORD": "1", "_NEUROPIL_COMPLETE": "complete_bash"}
    assert run(cwd=tmp_path, **words).stdout.split() == ["checkpoint"]


# --- --json: JSON on stdout, and nothing else there


@pytest.mark.parametrize(
    ("words", "entry"),
    [
        ("info --json", "SIMD target"),
        ("doctor --json", "kernel"),
        ("plan --json model.py", "plans"),
        ("dryrun --json --ranks 4 model.py", "memory"),
        ("checkpoint info --json run.npc", "time_ms"),
        ("job microcircuit --json --scale 0.01 --k-scale 0.01 --duration 10 --warmup 0", "spike_hash"),
    ],
)
def test_json_to_stdout(tmp_path, words, entry):
    (tmp_path / "model.py").write_text(SCRIPT + "print('done')\nnet.save('run.npc')\n")
    if words.startswith("checkpoint"):
        assert run("run", "model.py", cwd=tmp_path).returncode == 0
    done = run(*words.split(), cwd=tmp_path)
    assert done.returncode == 0 and entry in json.loads(done.stdout), done.stderr


def test_json_of_a_nest_script(tmp_path):
    (tmp_path / "old.py").write_text("import nest\nnest.Create('iaf_psc_exp')\nnest.no_such_function()\n")
    done = run("nest-compat", "--json", "old.py", cwd=tmp_path)
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 1 and found["no_such_function"]["why"] and found["iaf_psc_exp"]["lines"] == [2] and not found["Create"]["why"]


@pytest.mark.parametrize("words", ["--json plan.json", "--json=plan.json"])
def test_json_to_a_file_is_a_former_spelling(tmp_path, words):
    (tmp_path / "model.py").write_text(SCRIPT)
    done = run("plan", "model.py", *words.split(), cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "neuropil: `--json FILE` is now `--json >FILE`\n"
    assert "nodes, all ranks" in done.stdout and json.loads((tmp_path / "plan.json").read_text())["plans"]
