# SPDX-License-Identifier: Apache-2.0
"""What the kernel says it uses is what the process grew by."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import ctypes, json, sys
from lowlevel import connect, drawn, floats, kernel, rows

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def network(n, indegree, plastic, doubles):
    net = kernel(threads=2)
    net.create("iaf_psc_exp", n, floats(I_e=300.0))
    synapse = {"synapse": "stdp_pl_synapse_hom"} if plastic else {}
    connect(net, rows(1, n), rows(1, n), "fixed_indegree", indegree=indegree, weight=drawn("normal", 50.0, 5.0, "redraw", 1.0, 99.0, bits),
            delay=drawn("normal", 1.5, 0.7, "clip", 0.1, 5.0), doubles=doubles, **synapse)
    net.build(None)
    return net

plastic, doubles, bits = sys.argv[1] == "plastic", sys.argv[1] == "doubles", 12 * (sys.argv[1] == "coded")
network(500, 100, plastic, doubles)  # tables of distributions, threads' stacks, libraries
ctypes.CDLL(None).malloc_trim(0)
before = resident()
net = network(10_000, 2_000, plastic, doubles)
built = resident() - before
net.run(20, None)
print(json.dumps({"built": built, "ran": resident() - before, "said": net.memory(), "estimate": 0}))
"""


@pytest.mark.parametrize("kind", ["static", "coded", "plastic", "doubles"])
def test_memory_of_twenty_million_synapses(kind):
    import os
    from pathlib import Path

    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    out = subprocess.run([sys.executable, "-c", PROGRAM, kind], capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": path})
    found = json.loads(out.stdout)
    assert found["said"]["synapses"] >= 20_000_000 * {"coded": 4, "doubles": 10}.get(kind, 6)
    assert found["said"]["total"] == pytest.approx(found["ran"], rel=0.05), found
