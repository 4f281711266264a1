# SPDX-License-Identifier: Apache-2.0
"""Connections with values or partners by expressions: python -m bench.peers.expressions --case square --neurons 5000 --indegree 500

The same script for NEST and, by python -m neuropil.nest, for neuropil. Prints one JSON object with the seconds of Connect and of the first
step, in which tables are made.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

from bench.peers import common

TOP = 0.5  # largest probability of a kernel


def values(nest) -> dict[str, dict]:
    """Weight and delay by case; sources are drawn, on a grid where distances are needed."""
    uniform, normal, distance = nest.random.uniform(), nest.random.normal(), nest.spatial.distance
    falling = nest.spatial_distributions.exponential(distance, beta=0.5)
    return {
        "product": {"weight": uniform * uniform},
        "square": {"weight": normal**2},
        "condition": {"weight": nest.logic.conditional(uniform < 0.5, uniform, 2.0)},
        "exponential": {"weight": nest.math.exp(normal)},
        "delay": {"weight": 1.0, "delay": 1.0 + uniform**2},
        "distance": {"weight": falling, "delay": 1.0 + distance},
        "distance_drawn": {"weight": falling * uniform},
    }


def partners(nest, args) -> dict[str, dict]:
    """Rules among nodes at random places, without a mask."""
    width = math.sqrt(args.indegree / (2 * math.pi * TOP * args.neurons))
    kernel = TOP * nest.spatial_distributions.gaussian(nest.spatial.distance, std=width)
    choice = {"rule": "fixed_indegree", "indegree": args.indegree}
    return {
        "equal": choice | {"allow_multapses": False},
        "kernel": {"rule": "pairwise_bernoulli", "p": kernel},
        "choice": choice | {"p": kernel},
    }


def cells_of(nest, args):
    """Neurons in a periodic square where the case looks at places."""
    if args.case in partners(nest, args):
        places = np.random.default_rng(1).uniform(-0.5, 0.5, (args.neurons, 2)).tolist()
        return nest.Create("iaf_psc_alpha", positions=nest.spatial.free(places, extent=[1.0, 1.0], edge_wrap=True))
    if not args.case.startswith("distance"):
        return nest.Create("iaf_psc_alpha", args.neurons)
    side = math.isqrt(args.neurons)
    return nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([side, side], extent=[1.0, 1.0], edge_wrap=True))


def measured(nest, args) -> dict:
    cells = cells_of(nest, args)
    rule = partners(nest, args).get(args.case, {"rule": "fixed_indegree", "indegree": args.indegree})
    given = values(nest).get(args.case)
    if given is None:  # something that is worth a layer
        given = {"weight": nest.spatial_distributions.exponential(nest.spatial.distance, beta=0.5)} if args.case == "equal" else {}
    start = time.perf_counter()
    nest.Connect(cells, cells, rule, given)
    nest.Simulate(0.1)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "synapses": int(nest.num_connections), "ns": 1e9 * seconds / nest.num_connections}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--case", default="square")
    p.add_argument("--neurons", type=int, default=5000)
    p.add_argument("--indegree", type=int, default=500)
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 7, 0.1)
        common.write_json(out, measured(nest, args))


if __name__ == "__main__":
    main()
