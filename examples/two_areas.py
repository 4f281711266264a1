# SPDX-License-Identifier: Apache-2.0
"""Two areas with short delays inside and long ones between, on ranks of their own: spikes inside an area are exchanged often, between areas
seldom (local and global exchange). Prints how often all ranks exchanged, beside neurons dealt to ranks in turn; the spikes are the same.

Run: mpiexec -n 4 .venv/bin/python examples/two_areas.py
"""

import argparse
import hashlib
from typing import Any

import neuropil as npl

NEURONS = {"V1": 600, "V2": 400}
INSIDE, BETWEEN = 0.5, 5.0  # ms, shortest delays


def simulate(distribution: Any, duration: float, ranks: Any = None) -> tuple[npl.Network, str]:
    net = npl.Network(seed=7, threads=1, distribution=distribution, exchange="alltoallv", ranks=ranks)
    areas = {name: net.create("iaf_psc_exp", n, V_m=npl.uniform(-65.0, -55.0), area=name) for name, n in NEURONS.items()}
    for pre, sources in areas.items():
        for post, targets in areas.items():
            shortest = INSIDE if pre == post else BETWEEN
            delay = npl.normal(shortest + 0.5, 0.5).clip(shortest, shortest + 3.0)
            net.connect(sources, targets, npl.fixed_indegree(40 if pre == post else 10), weight=40.0, delay=delay)
            net.connect(sources[: len(sources) // 5], targets, npl.fixed_indegree(20), weight=-160.0, delay=shortest)
    everyone = areas["V1"] + areas["V2"]
    net.stimulate(everyone, npl.poisson(rate=8000.0), weight=40.0)
    spikes = net.record(everyone)
    net.run(duration)
    return net, hashlib.sha256(spikes.steps.tobytes() + spikes.gids.tobytes()).hexdigest()[:16]


def main(duration: float = 100.0, ranks: Any = None) -> list[tuple[int, int, str]]:
    found = []
    for name, distribution in (("areas on ranks of their own", npl.parallel.by_area(NEURONS)), ("all dealt in turn", "round_robin")):
        net, spikes = simulate(distribution, duration, ranks)
        counters, imbalance = net.counters, net.imbalance()
        found.append((counters["exchanges"], counters["local_exchanges"], spikes))
        if net.rank == 0:
            print(
                f"{name}: {counters['exchanges']} exchanges of all {net.n_ranks} ranks, {counters['local_exchanges']} inside areas; spikes {spikes}"
            )
            print(f"  {imbalance.line()}")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duration", type=float, default=100.0, help="ms")
    main(parser.parse_args().duration)
