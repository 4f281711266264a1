# SPDX-License-Identifier: Apache-2.0
"""The cortical microcircuit of Potjans & Diesmann (2014) as a script, e.g. for dry runs:

.venv/bin/neuropil dryrun examples/microcircuit.py --ranks 32 --rank 3 --threads 8
"""

import argparse

import neuropil as npl
from neuropil.cli.jobs import microcircuit


def main(scale: float = 1.0, duration: float = 100.0) -> npl.Network:
    net = npl.Network(resolution=microcircuit.RESOLUTION, seed=1)
    plan = microcircuit.plan(scale)
    microcircuit.connect(net, plan, microcircuit.create(net, plan))
    net.run(duration)
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="neurons relative to the full model; in-degrees are kept")
    parser.add_argument("--duration", type=float, default=100.0, help="ms")
    given = parser.parse_args()
    print(main(given.scale, given.duration))
