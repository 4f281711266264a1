# SPDX-License-Identifier: Apache-2.0
"""Many small populations with many small projections: python -m bench.peers.many_populations --populations 64 --each 160 --threads 1

What most published models look like: short rows, drawn weights and delays, a Poisson generator per population. The same script for NEST and, by
python -m neuropil.nest, for neuropil. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import time

from bench.peers import common


def described(nest, args):
    """Every population projects to every one; on average two synapses per neuron and projection."""
    cells = [nest.Create("iaf_psc_exp", args.each, params={"I_e": 300.0 + k % 7}) for k in range(args.populations)]
    recorder = nest.Create("spike_recorder")
    for population in cells:
        noise = nest.Create("poisson_generator", params={"rate": 8000.0})
        nest.Connect(noise, population, syn_spec={"weight": 20.0, "delay": 0.1})
        nest.Connect(population, recorder)
    rule = {"rule": "fixed_total_number", "N": 2 * args.each}
    for pre in cells:
        for post in cells:
            weight = nest.math.redraw(nest.random.normal(mean=10.0, std=1.0), min=0.0, max=1e9)
            delay = nest.math.redraw(nest.random.normal(mean=3.0, std=1.5), min=0.1, max=1e4)
            nest.Connect(pre, post, rule, {"synapse_model": "static_synapse", "weight": weight, "delay": delay})
    return recorder


def measured(nest, args) -> dict:
    start = time.perf_counter()
    recorder = described(nest, args)
    described_at = time.perf_counter()
    nest.Prepare()
    nest.Run(10.0)
    ready = time.perf_counter()
    nest.Run(args.duration)
    done = time.perf_counter()
    nest.Cleanup()
    return {
        "build_s": described_at - start, "first_step_s": ready - described_at, "run_s": done - ready, "spikes": int(recorder.n_events),
        "synapses": int(nest.num_connections), "peak_rss_bytes": common.peak_rss(),
    }  # fmt: skip


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--populations", type=int, default=64)
    p.add_argument("--each", type=int, default=160, help="neurons in each")
    p.add_argument("--duration", type=float, default=500.0, help="biological time of the measured run, after 10 ms [ms]")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 7, 0.1)
        common.write_json(out, measured(nest, args))


if __name__ == "__main__":
    main()
