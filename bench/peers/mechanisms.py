# SPDX-License-Identifier: Apache-2.0
"""Networks of many mechanisms, the same script for NEST and for neuropil.nest; prints one JSON object.

python -m bench.peers.mechanisms --case triplet --threads 2                          on NEST
python -m neuropil.nest bench/peers/mechanisms.py --case triplet --threads 2         on neuropil
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from bench.peers import (
    common,
    mechanisms_channel,
    mechanisms_compartments,
    mechanisms_eprop,
    mechanisms_learning,
    mechanisms_structural,
)
from bench.peers.case import Case

MODULES = (mechanisms_learning, mechanisms_structural, mechanisms_channel, mechanisms_eprop, mechanisms_compartments)
CASES: dict[str, Case] = {name: case for module in MODULES for name, case in module.CASES.items()}


def measured(nest: Any, case: Case, n: int, ms: float) -> dict[str, float]:
    """Seconds to build (with the first steps) and to run, and what the case asks at the end."""
    start = time.perf_counter()
    probe = case.build(nest, n)
    nest.Simulate(case.warm)
    ready, found = time.perf_counter(), {}
    for _ in range(case.pieces):
        nest.Simulate(ms / case.pieces)
        found = probe()
    done = time.perf_counter()
    return {"build_s": ready - start, "run_s": done - ready, "ms": ms, "neurons": n, "peak_rss_bytes": common.peak_rss(), **found}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--case", choices=CASES, required=True)
    p.add_argument("--neurons", type=int)
    p.add_argument("--duration", type=float, help="biological time of the measured run [ms]")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    case = CASES[args.case]
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 1, case.resolution)
        common.write_json(out, measured(nest, case, args.neurons or case.n, args.duration or case.ms))


if __name__ == "__main__":
    main()
