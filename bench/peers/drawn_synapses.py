# SPDX-License-Identifier: Apache-2.0
"""Synapses with four drawn parameters: python -m bench.peers.drawn_synapses --model tsodyks2_synapse --drawn 1 --threads 1

--drawn 0: the same with the means for all. The same script for NEST and, by python -m neuropil.nest, for neuropil. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import time

from bench.peers import common

MEANS = {
    "tsodyks2_synapse": {"U": 0.5, "u": 0.5, "tau_rec": 300.0, "tau_fac": 50.0},
    "tsodyks_synapse": {"U": 0.5, "tau_psc": 3.0, "tau_rec": 300.0, "tau_fac": 50.0},
    "stdp_synapse": {"lambda": 0.01, "alpha": 1.0, "Wmax": 6.0, "tau_plus": 20.0},
    "quantal_stp_synapse": {"U": 0.5, "u": 0.5, "tau_rec": 300.0, "tau_fac": 50.0, "n": 5, "a": 5},
}


def parameters(nest, args):
    """Uniform between half and one and a half of the means, in which nothing is drawn that a model refuses."""
    means = MEANS[args.model]
    if not args.drawn:
        return means
    return {k: v if k in ("n", "a") else nest.random.uniform(0.5 * v, 1.5 * v) for k, v in means.items()}


def measured(nest, args) -> dict:
    cells = nest.Create("iaf_psc_exp", args.neurons)
    noise = nest.Create("poisson_generator", params={"rate": 7600.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(noise, cells, syn_spec={"weight": 40.0, "delay": 1.0})
    nest.Connect(cells, recorder)
    synapse = {"synapse_model": args.model, "weight": nest.random.uniform(1.0, 3.0), "delay": 1.5, **parameters(nest, args)}
    start = time.perf_counter()
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": args.indegree}, synapse)
    nest.Prepare()
    nest.Run(1.5)
    ready = time.perf_counter()
    nest.Run(args.duration)
    done = time.perf_counter()
    nest.Cleanup()
    return {
        "connect_s": ready - start, "run_s": done - ready, "spikes": int(recorder.n_events),
        "synapses": int(nest.num_connections), "peak_rss_bytes": common.peak_rss(),
    }  # fmt: skip


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", choices=MEANS, default="tsodyks2_synapse")
    p.add_argument("--drawn", type=int, default=1)
    p.add_argument("--neurons", type=int, default=1000)
    p.add_argument("--indegree", type=int, default=1000)
    p.add_argument("--duration", type=float, default=150.0, help="biological time of the measured run [ms]")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 7, 0.1)
        common.write_json(out, measured(nest, args))


if __name__ == "__main__":
    main()
