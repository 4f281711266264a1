# SPDX-License-Identifier: Apache-2.0
"""bmtk's PointNet on NEST and neuropil simulate the same files: the same spikes, potentials as far as bmtk writes them (three decimals)."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import neuropil as npl

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ("iclamp", "external", "recurrent", "plastic")


def bmtk(*words):
    """Runs bench.peers.bmtk_examples."""
    if importlib.util.find_spec("bmtk") is None:
        pytest.skip("bmtk is not here")
    env = os.environ | {"PYNEST_QUIET": "1"}
    subprocess.run(
        [sys.executable, "-m", "bench.peers.bmtk_examples", *map(str, words)], cwd=ROOT, env=env, check=True, capture_output=True
    )


def spikes(file):
    with h5py.File(file) as handle:
        group = handle.get("spikes/cortex", {})
        return sorted(zip(np.round(group["timestamps"][:], 4), group["node_ids"][:], strict=True)) if group else []


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", EXAMPLES)
def test_bmtk_on_nest_gives_the_same_spikes(tmp_path, name, seed):
    bmtk("build", name, tmp_path, seed)
    bmtk("run", tmp_path / "config.json")
    expected = spikes(tmp_path / "output/spikes.h5")
    with h5py.File(tmp_path / "output/potential.h5") as handle:
        potential = handle["report/cortex/data"][:]
    npl.sonata.run(tmp_path / "config.json", threads=1, progress=False)
    assert len(expected) > 100
    assert spikes(tmp_path / "output/spikes.h5") == expected
    with h5py.File(tmp_path / "output/potential.h5") as handle:
        np.testing.assert_allclose(handle["report/cortex/data"][: len(potential)], potential, atol=6e-4)
