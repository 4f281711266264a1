# SPDX-License-Identifier: Apache-2.0
"""A job that tells its status and writes a report on two ranks. Weekly."""

import json
import subprocess
import sys

import pytest

from mpi import jobs

JOB = ["job", "microcircuit", "--scale", "0.01", "--k-scale", "0.1", "--warmup", "20", "--duration", "300", "--threads", "1"]


def run(folder, *options):
    command = [sys.executable, "-m", "neuropil", *JOB, "--output", str(folder), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "result.json").read_text())


@pytest.mark.slow
def test_status_and_report_of_two_ranks(tmp_path):
    jobs.any_kind()
    alone, two = run(tmp_path / "alone"), run(tmp_path / "two", "--ranks", "2", "--status", "--report")
    assert two["spike_hash"] == alone["spike_hash"]
    status = json.loads((tmp_path / "two" / "status.json").read_text())
    assert (status["state"], status["ranks"], status["time_ms"]) == ("done", 2, 320.0)
    assert {len(values) for values in status["by_rank"].values()} == {2}
    assert (status["neurons"], status["synapses"]) == (two["neurons"], two["synapses"])
    assert {len(values) for values in (*two["loads"].values(), *two["timers_by_rank"].values())} == {2}
    assert sum(two["loads"]["synapses"]) == two["synapses"]
    text = (tmp_path / "two" / "report.html").read_text()
    for title in ("Imbalance: largest load over mean", "Load: synapses, over the mean", "V_m", "Weights to L4E"):
        assert f'"title": "{title}"' in text
