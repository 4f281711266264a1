# SPDX-License-Identifier: Apache-2.0
"""The balanced network with STDP of Ippen et al. (2017) and Jordan et al. (2018) at their sizes, which grow with the number of ranks.

One rank of the run on the K computer:
.venv/bin/neuropil dryrun examples/hpc_benchmark.py --ranks 82944 --rank 17 --threads 8 --rate 8 -- --size k_computer
"""

import argparse

import neuropil as npl
from neuropil.cli.jobs import hpc_benchmark

SIZES = {  # neurons per rank or in all, inputs per neuron
    "laptop": (0, 11255, 3750),  # Jordan 2018
    "small": (0, 25000, 2500),  # Ippen 2017
    "large": (7000, 0, 11250),  # Ippen 2017: 28 672 ranks
    "juqueen": (18000, 0, 11250),  # Jordan 2018: up to 28 672 ranks
    "k_computer": (18205, 0, 11250),  # Jordan 2018: 82 944 ranks
}


def main(size: str = "laptop", duration: float = 100.0, factor: float = 1.0, plastic: bool = True) -> npl.Network:
    per_rank, neurons, indegree = SIZES[size]
    n = round(factor * per_rank) * npl.n_ranks() + round(factor * neurons)
    k = max(5, round(factor * indegree))
    net = npl.Network(resolution=hpc_benchmark.RESOLUTION, seed=1, keep_sources=False, exchange="nbx")
    hpc_benchmark.build(net, hpc_benchmark.plan(n, k, plastic))
    net.run(duration)
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="laptop", choices=SIZES)
    parser.add_argument("--duration", type=float, default=100.0, help="ms")
    parser.add_argument("--factor", type=float, default=1.0, help="neurons and inputs relative to the size")
    parser.add_argument("--static", action="store_true", help="no plasticity")
    given = parser.parse_args()
    print(main(given.size, given.duration, given.factor, not given.static))
