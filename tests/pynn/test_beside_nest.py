# SPDX-License-Identifier: Apache-2.0
"""The same script on pyNN.nest: with edges of PyNN's own connectors the trains of chaotic networks are the same."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("nest", reason="NEST is not here")

SCRIPT = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
import neuropil.pynn
from bench.peers.pynn_networks import vogels_abbott
name, kind, size, duration = sys.argv[1:]
sim = importlib.import_module(f"pyNN.{name}")
options = {"connectors": "pynn"} if name == "neuropil" else {}
sim.setup(timestep=0.1, min_delay=0.1, max_delay=2.0, threads=1, spike_precision="on_grid", **options)
cells = vogels_abbott(sim, kind, int(size))
cells.record("spikes")
sim.run(float(duration))
trains = [train.magnitude.round(6).tolist() for train in cells.get_data().segments[0].spiketrains]
print("\\n" + json.dumps(trains))
"""


def trains(*words):
    done = subprocess.run([sys.executable, "-c", SCRIPT, *map(str, words)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
def test_same_trains():
    ours, theirs = (trains(name, "cuba", 800, 300) for name in ("neuropil", "nest"))
    assert ours == theirs
    assert sum(map(len, ours)) > 1000
