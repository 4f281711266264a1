# SPDX-License-Identifier: Apache-2.0
"""The multi-area model of macaque visual cortex (Schmidt et al. 2018) as a script, for plans and dry runs; with stand-in data, unless a file is given:

.venv/bin/neuropil plan examples/multi_area.py --ranks 64,256 --threads 32
"""

import argparse
from pathlib import Path

import neuropil as npl
from neuropil.cli.jobs import multi_area, multi_area_data


def main(scale: float = 1.0, k_scale: float = 1.0, duration: float = 100.0, data: Path | None = None, areas: bool = False) -> npl.Network:
    plan = multi_area.plan(scale, k_scale, None if data is None else multi_area_data.read(data))
    shares = {name: float(plan.neurons[plan.data.area == a].sum()) for a, name in enumerate(plan.data.areas)}
    distribution = npl.parallel.by_area(shares) if areas else "round_robin"
    net = npl.Network(resolution=multi_area.RESOLUTION, seed=1, keep_sources=False, distribution=distribution)
    multi_area.connect(net, plan, multi_area.create(net, plan, by_area=areas))
    net.run(duration)
    return net


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="neurons relative to the full model; in-degrees are kept")
    parser.add_argument("--k-scale", type=float, default=1.0, help="in-degrees relative to the full model")
    parser.add_argument("--duration", type=float, default=100.0, help="ms")
    parser.add_argument("--data", type=Path, help="JSON file of the published model")
    parser.add_argument("--areas", action="store_true", help="areas on ranks of their own")
    given = parser.parse_args()
    print(main(given.scale, given.k_scale, given.duration, given.data, given.areas))
