# SPDX-License-Identifier: Apache-2.0
"""Recorded generators, sampled synapses, resets and copies under mpiexec: one result; sweeps are refused there."""

import json

import pytest

from invariance.runs_network import hash_of
from mpi import jobs

HASH = f"""
import json, pathlib, sys
sys.path.insert(0, {str(jobs.ROOT / "tests")!r})
import neuropil
from invariance.runs_network import hash_of
line = json.dumps([hash_of(threads=1)])
"""

SWEEP = """
import json, neuropil
try:
    line = json.dumps(list(neuropil.sweep(abs, [{"x": 1}])))
except neuropil.errors.SweepError as error:
    line = json.dumps(str(error))
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_one_result(kind, ranks, tmp_path):
    assert [json.loads(line) for line in jobs.lines(kind, ranks, HASH, tmp_path)] == [[hash_of(threads=1)]] * ranks


def test_sweeps_are_refused(kind, tmp_path):
    assert all("without mpiexec" in json.loads(line) for line in jobs.lines(kind, 2, SWEEP, tmp_path))
