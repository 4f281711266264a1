# SPDX-License-Identifier: Apache-2.0
"""Tasks of a NEST user, timed: python -m bench.peers.nest_tasks --task create (NEST), python -m neuropil.nest bench/peers/nest_tasks.py --task create (neuropil).

Prints one JSON object. Tasks: create, connections, spatial.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from bench.peers import common


def create(nest, size: int) -> dict:
    """Neurons with parameters drawn for each."""
    begin = time.perf_counter()
    random = nest.random
    neurons = nest.Create(
        "iaf_psc_alpha",
        size,
        params={
            "V_m": random.uniform(-70.0, -60.0),
            "C_m": random.normal(250.0, 10.0),
            "tau_m": nest.math.redraw(random.normal(10.0, 1.0), 8.0, 12.0),
        },
    )
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "n": len(neurons), "check": float(np.mean(neurons[:1000].get("C_m")))}


def connections(nest, size: int) -> dict:
    """GetConnections of all synapses, then their weights."""
    neurons = nest.Create("iaf_psc_alpha", max(size // 1000, 1))
    nest.Connect(neurons, neurons, {"rule": "fixed_indegree", "indegree": 1000}, {"weight": nest.random.normal(10.0, 1.0)})
    nest.Simulate(1.0)
    begin = time.perf_counter()
    found = nest.GetConnections(neurons, neurons)
    listed = time.perf_counter()
    weights = np.asarray(found.get("weight"))
    done = time.perf_counter()
    return {
        "seconds": done - begin,
        "list_s": listed - begin,
        "weights_s": done - listed,
        "n": len(weights),
        "check": float(weights.mean()),
    }


def spatial(nest, size: int) -> dict:
    """A gaussian kernel within a circular mask, with wrapped edges; about 100 sources for each target."""
    radius = float(np.sqrt(200.0 / size / np.pi))
    positions = nest.spatial.free(nest.random.uniform(-0.5, 0.5), extent=[1.0, 1.0], edge_wrap=True)
    layer = nest.Create("iaf_psc_alpha", size, positions=positions)
    begin = time.perf_counter()
    nest.Connect(
        layer,
        layer,
        {
            "rule": "pairwise_bernoulli",
            "p": nest.spatial_distributions.gaussian(nest.spatial.distance, std=0.6 * radius),
            "mask": {"circular": {"radius": radius}},
        },
        {"weight": 1.0, "delay": 1.0},
    )
    nest.Simulate(nest.resolution)  # neuropil makes its tables, NEST its routes
    seconds = time.perf_counter() - begin
    return {"seconds": seconds, "n": int(nest.num_connections), "check": nest.num_connections / size}


TASKS = {"create": (create, 1_000_000), "connections": (connections, 10_000_000), "spatial": (spatial, 100_000)}


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--task", choices=sorted(TASKS), required=True)
    p.add_argument("--size", type=int, help="neurons or synapses; default: as in the issue")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    return p


def main(argv=None) -> None:
    args = parser().parse_args(argv)
    task, size = TASKS[args.task]
    with common.stdout_for_json() as out:
        begin = time.perf_counter()
        nest = common.load_nest(args.threads, args.seed, 0.1)
        loaded = time.perf_counter() - begin
        common.write_json(out, {"command": args.task, "import_s": loaded, "version": nest.__version__} | task(nest, args.size or size))


if __name__ == "__main__":
    main()
