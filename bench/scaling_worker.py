# SPDX-License-Identifier: Apache-2.0
"""One network in a process of its own: what the model says, what the kernel says, what the process grew by. Prints JSON.

python -m bench.scaling_worker '{"neurons": 1000, "indegree": 100, "ranks": 8, "threads": 2, "dry": true}'
`neurons`: per rank. On more than one rank: a dry run of one of them.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from typing import Any

import neuropil
from neuropil.base.paging import resident
from neuropil.cli.jobs import hpc_benchmark

UNTOUCHED = 12  # bytes of a plastic row that become resident with the first spikes of its sources


def network(given: dict[str, Any]) -> neuropil.Network:
    settings: dict[str, Any] = {"resolution": hpc_benchmark.RESOLUTION, "exchange": given.get("exchange", "neighbor")}
    if given["ranks"] > 1:
        return neuropil.Network(dry_run=neuropil.dry_run(given["ranks"], given.get("rank", 0), given["threads"]), **settings)
    return neuropil.Network(threads=given["threads"], **settings)


def describe(net: neuropil.Network, given: dict[str, Any]) -> None:
    hpc_benchmark.build(net, hpc_benchmark.plan(given["neurons"] * given["ranks"], given["indegree"], given.get("plastic", True)))


def measure(given: dict[str, Any]) -> dict[str, Any]:
    small = network({"neurons": 20, "indegree": 5, "ranks": given["ranks"], "threads": given["threads"]})
    describe(small, {"neurons": 20, "indegree": 5, "ranks": given["ranks"]})
    small.build(progress=False)  # stacks of threads, libraries, tables of distributions
    del small
    ctypes.CDLL(None).malloc_trim(0)
    base = resident()
    begin = time.perf_counter()
    net = network(given)
    describe(net, given)
    described = time.perf_counter()
    plan = net.plan()
    planned = time.perf_counter()
    net.build(progress=False)
    built = time.perf_counter()
    after, peak = resident(), resident("VmHWM")
    return given | {
        "synapses": plan.synapses,
        "untouched": UNTOUCHED * plan.counts.get("plastic_rows", 0.0),
        "base": base,
        "model": {
            "total": plan.total,
            "peak": plan.peak,
            "terms": plan.terms,
            "seconds": plan.seconds,
            "work": dict(plan.work),
            "counts": dict(plan.counts),
        },
        "resident": after,
        "peak_resident": peak,
        "memory": dict(net.memory),
        "seconds": {"describe": described - begin, "plan": planned - described, "build": built - planned},
        "timers": dict(net.timers),
        "counters": {key: int(value) for key, value in net.counters.items()},
    }


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(sys.argv[1]))))
