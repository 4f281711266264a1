# SPDX-License-Identifier: Apache-2.0
"""`neuropil info`, `resume`, and jobs that go on from checkpoints, alone and on ranks, after SIGTERM and after the death of a rank."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import neuropil as npl
from mpi import jobs
from neuropil.cli import add_jobs, app
from neuropil.parallel import launch

JOB = ["job", "microcircuit", "--scale", "0.01", "--k-scale", "0.05", "--warmup", "20", "--duration", "60", "--threads", "1"]


def run(*words):
    add_jobs()
    return CliRunner().invoke(app, [str(word) for word in words])


def result(folder):
    return json.loads((folder / "result.json").read_text())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    assert run(*JOB, "--output", folder).exit_code == 0
    return result(folder)["spike_hash"]


def small(path, until=50.0):
    net = npl.Network(seed=3, threads=1)
    e = net.create("iaf_psc_exp", 10, I_e=400.0, name="E")
    net.connect(e, e, weight=5.0, delay=1.0)
    net.extra = {"spikes": net.record(e)}
    net.every(10.0, print)
    net.run(until, checkpoint=path, checkpoint_every=20.0)
    return net


def test_info(tmp_path):
    small(tmp_path / "run.npc")
    text = run("checkpoint", "info", tmp_path / "run.npc", "--check").output
    for part in (
        "40 ms, steps of 0.1 ms, seed 3",
        "10 nodes, 100",
        "E: 10 iaf_psc_exp",
        "10 ms: print (not saved)",
        "until 50 ms: neuropil checkpoint resume",
        "all bytes of 1 files",
    ):
        assert part in text
    (tmp_path / "run.npc").write_bytes(b"x")
    assert "no checkpoint of neuropil" in str(run("checkpoint", "info", tmp_path / "run.npc").exception)
    assert "SIMD" in run("info").output


@pytest.mark.filterwarnings("ignore:.*every")
def test_resume(tmp_path):
    path = tmp_path / "run.npc"
    net = small(path)
    done = run("checkpoint", "resume", path, "--threads", 1)
    assert done.exit_code == 0, done.output
    assert "from 40 to 50 ms, saved" in done.output
    again = npl.load(path)
    assert again.time == 50.0
    assert np.array_equal(again.extra["spikes"].times, net.extra["spikes"].times)
    assert run("checkpoint", "resume", path, "--until", 70, "--every", 15).exit_code == 0
    assert npl.load(path).time == 70.0
    assert npl.load(tmp_path / "run.npc.1").time == 60.0
    net.save(tmp_path / "plain.npc")
    assert "until" in str(run("checkpoint", "resume", tmp_path / "plain.npc").exception)


@pytest.mark.parametrize("at", [20, 15, 45])
def test_a_job_goes_on(tmp_path, whole, at):
    """Stopped after its first checkpoint: in the warm-up, at its end, and while it records."""
    words = [*JOB, "--output", tmp_path, "--checkpoint", tmp_path / "ck", "--every", at]
    assert run(*words).exit_code == 0
    older = tmp_path / "ck" / "run.npc.1"
    if older.exists():
        older.replace(tmp_path / "ck" / "run.npc")
    (tmp_path / "result.json").unlink()
    done = run(*words, "--resume")
    assert done.exit_code == 0, done.output
    found = result(tmp_path)
    assert found["spike_hash"] == whole
    assert 0.0 < found["resumed_at_ms"] < 80.0
    simulated = min(60.0, 80.0 - found["resumed_at_ms"])  # of what is recorded
    assert found["real_time_factor"] == pytest.approx(1e3 * found["sim_s"] / simulated)
    assert f"{simulated:g} ms, 1 threads" in done.output


def test_resume_without_a_checkpoint_begins(tmp_path, whole):
    assert run(*JOB, "--output", tmp_path, "--checkpoint", tmp_path / "ck", "--every", 50, "--resume").exit_code == 0
    assert result(tmp_path)["spike_hash"] == whole
    assert "resumed_at_ms" not in result(tmp_path)


def test_a_checkpoint_of_another_job(tmp_path):
    words = ["--output", tmp_path, "--checkpoint", tmp_path / "ck", "--every", 30]
    assert run(*JOB, *words).exit_code == 0
    other = [word if word != "0.05" else "0.06" for word in JOB]
    assert "one of this job with these options" in str(run(*other, *words, "--resume").exception)
    assert "given with --checkpoint" in str(run(*JOB, "--resume").exception)


def started(tmp_path, *words):
    """A job as a process of its own, after its first checkpoint."""
    command = Path(sys.executable).with_name("neuropil")
    job = subprocess.Popen([sys.executable, command, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    file = tmp_path / "ck" / "run.npc"
    while not file.exists() and job.poll() is None:
        time.sleep(0.01)
    return job


LONG = [word if word != "60" else "300" for word in JOB]


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    assert run(*LONG, "--output", folder).exit_code == 0
    return result(folder)["spike_hash"]


def test_sigterm(tmp_path, long):
    words = [*LONG, "--output", tmp_path, "--checkpoint", tmp_path / "ck", "--every", 25]
    job = started(tmp_path, *words)
    job.send_signal(signal.SIGTERM)
    _, text = job.communicate(timeout=60)
    assert job.returncode == 75, text
    assert "told to end (SIGTERM): saved" in text
    file = tmp_path / "ck" / "run.npc"
    assert f"until 320 ms: neuropil {' '.join(map(str, words))} --resume" in run("checkpoint", "info", file).output
    command = Path(sys.executable).with_name("neuropil")
    subprocess.run([sys.executable, command, "checkpoint", "resume", file, "--threads", "2"], check=True, capture_output=True)
    assert result(tmp_path)["spike_hash"] == long
    assert result(tmp_path)["threads"] == 2
    assert "left out" in str(run("checkpoint", "resume", file, "--until", 900).exception)


def test_sigterm_of_the_launcher(tmp_path, long):
    jobs.any_kind()
    words = [*LONG, "--output", tmp_path, "--checkpoint", tmp_path / "ck", "--every", 25, "--ranks", 2]
    job = started(tmp_path, *words)
    job.send_signal(signal.SIGTERM)
    _, text = job.communicate(timeout=60)
    assert job.returncode == 75, text
    assert run(*words[:-2], "--resume").exit_code == 0
    assert result(tmp_path)["spike_hash"] == long


def test_a_rank_dies_and_the_job_goes_on(tmp_path, long):
    jobs.any_kind()
    words = [*LONG, "--output", tmp_path, "--checkpoint", tmp_path / "ck", "--every", 25, "--ranks", 3, "--restart"]
    job = started(tmp_path, *words)
    os.kill(launch.ranks_below(job.pid)[-1], signal.SIGKILL)
    _, text = job.communicate(timeout=120)
    assert job.returncode == 0, text
    assert "on 2 ranks" in text
    assert result(tmp_path)["ranks"] == 2
    assert result(tmp_path)["spike_hash"] == long


def test_what_fails_always_is_not_started_for_ever(tmp_path, capfd):
    code = launch.run_again(1, [sys.executable, "-c", "raise SystemExit(3)", "--ranks", "1"], tmp_path / "run.npc")
    assert code == 3
    assert "not started again" in capfd.readouterr().err


def test_command_lines_with_other_ranks():
    assert launch._with_ranks(["a", "--ranks", "4", "b"], 3) == ["a", "--ranks", "3", "b"]
    assert launch._with_ranks(["a", "--ranks=4"], 3) == ["a", "--ranks=3"]
    assert launch._with_ranks(["a"], 3) == ["a"]
