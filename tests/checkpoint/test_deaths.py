# SPDX-License-Identifier: Apache-2.0
"""kill -9 at random moments, most of them while a checkpoint is written; each time the program goes on, on other ranks, and ends with the same bits."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import neuropil as npl
from mpi import jobs

HERE = Path(__file__).parents[1]


def start(folder, ranks, slow):
    program = [sys.executable, "-m", "checkpoint.deaths", str(folder), str(slow)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    if ranks > 1:
        program, more = jobs.command(jobs.any_kind(), ranks, program)
        environment = more | {"PYTHONPATH": environment["PYTHONPATH"]}
    return subprocess.Popen(program, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def processes(job, ranks):
    """Pids of the ranks of a job."""
    if ranks == 1:
        return [job.pid]
    found, left = [], [job.pid]
    while left:
        pid = left.pop()
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if b"checkpoint.deaths" in Path(f"/proc/{pid}/cmdline").read_bytes() and pid != job.pid:
                found.append(pid)
        except OSError:
            continue
        left += map(int, children)
    return found


def killed(folder, ranks, rng):
    """Starts the program and kills one of its ranks some time after it has begun to run; whether it was still there to be killed."""
    if not (folder / "run.npc").exists():
        shutil.rmtree(folder / "spikes", ignore_errors=True)
    (folder / "begun").unlink(missing_ok=True)
    job = start(folder, ranks, 0.001)
    deadline = None
    while job.poll() is None and (deadline is None or time.monotonic() < deadline):
        if deadline is None and (folder / "begun").exists():
            deadline = time.monotonic() + rng.uniform(0.0, 1.2)
        time.sleep(0.01)
    pids = processes(job, ranks)
    if job.poll() is None and pids:
        os.kill(rng.choice(pids), signal.SIGKILL)
    _, text = job.communicate(timeout=60)  # all ranks end: no hang
    assert job.returncode in (0, -9, 137) or ranks > 1, text
    return job.returncode != 0


def finished(folder, ranks):
    if not (folder / "run.npc").exists():
        shutil.rmtree(folder / "spikes", ignore_errors=True)
    job = start(folder, ranks, 0.0)
    _, text = job.communicate(timeout=120)
    assert job.returncode == 0, text
    return json.loads((folder / "result.json").read_text())


def go_on_until_the_end(tmp_path, deaths, choices, seed):
    rng = random.Random(seed)
    (tmp_path / "whole").mkdir()
    whole = finished(tmp_path / "whole", 1)
    assert whole["spikes"] > 100
    died = 0
    while died < deaths:
        folder = tmp_path / f"after {died}"
        folder.mkdir()
        while died < deaths and killed(folder, rng.choice(choices), rng):
            died += 1
        assert finished(folder, rng.choice(choices)) == whole
        npl.load(folder / "run.npc").save(
            folder / "run.npc"
        )  # what a death has left goes with the next save: here it may have been the last
        left = {path.name for path in folder.iterdir()} - {"run.npc", "run.npc.1", "result.json", "spikes", "begun"}
        assert all(name.startswith("run.npc.") and name[-2] == "." for name in left), left  # shards alone


def test_kill_9_of_one_process(tmp_path):
    go_on_until_the_end(tmp_path, 4, [1], 1)


def test_kill_9_of_ranks(tmp_path):
    jobs.any_kind()
    go_on_until_the_end(tmp_path, 4, [1, 2, 3], 2)


@pytest.mark.slow
def test_many_deaths(tmp_path):
    jobs.any_kind()
    go_on_until_the_end(tmp_path, 60, [1, 2, 3], 3)
