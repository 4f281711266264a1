# SPDX-License-Identifier: Apache-2.0
"""Hostile arrays and numbers at the door of the extension: typed errors, never a crash, and the network goes on as if nothing had happened.

The calls run in subprocesses, so that a crash or a hang is a failed test and not the end of all tests. Each takes its calls from a seed;
`python -m fuzz.hostile SEED CALLS` repeats one by hand."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("seed", range(6))
def test_hostile_calls_end_in_typed_errors(seed):
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "fuzz.hostile", str(seed), "400"],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "calls" in done.stdout
