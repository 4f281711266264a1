# SPDX-License-Identifier: Apache-2.0
"""What a step and a call of Simulate cost where there is little to do: python -m bench.peers.small_steps --task iaf_psc_alpha --threads 1

The same script for NEST and, by python -m neuropil.nest, for neuropil. Tasks: one neuron of a model, many small populations, or neurons and generators created one by one. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import statistics
import time

from bench.peers import common

CURRENT = {"iaf_psc_alpha": 400.0, "aeif_cond_alpha": 600.0}  # pA, at which they fire
POPULATIONS, EACH, INDEGREE = 60, 50, 10  # neurons in each; inputs of a neuron from each population that it hears
HEARD = 8
SINGLES = 500


def one_neuron(nest, model: str):
    cell, recorder = nest.Create(model, params={"I_e": CURRENT[model]}), nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    return recorder


def populations(nest):
    cells = [nest.Create("iaf_psc_exp", EACH, params={"I_e": 380.0 + k}) for k in range(POPULATIONS)]
    recorder = nest.Create("spike_recorder")
    for k, target in enumerate(cells):
        for d in range(1, HEARD + 1):
            synapse = {"weight": 20.0 if d % 4 else -80.0, "delay": 1.0 + 0.1 * d}
            nest.Connect(cells[(k + 7 * d) % POPULATIONS], target, {"rule": "fixed_indegree", "indegree": INDEGREE}, synapse)
        nest.Connect(target, recorder)
    return recorder


def singles(nest):
    """Every neuron and its generator by calls of their own, as scripts with loops do."""
    recorder = nest.Create("spike_recorder")
    for k in range(SINGLES):
        cell = nest.Create("iaf_psc_alpha", params={"I_e": 380.0 + k % 10})
        noise = nest.Create("poisson_generator", params={"rate": 1000.0 + k})
        nest.Connect(noise, cell, syn_spec={"weight": 10.0, "delay": 1.0})
        nest.Connect(cell, recorder)
    return recorder


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


NETWORKS = {"populations": populations, "singles": singles}


def measured(nest, args) -> dict:
    recorder = NETWORKS[args.task](nest) if args.task in NETWORKS else one_neuron(nest, args.task)
    nest.Simulate(10.0)

    def calls():
        for _ in range(args.calls):
            nest.Simulate(1.0)

    many = statistics.median(seconds(calls) for _ in range(args.rounds))
    once = statistics.median(seconds(lambda: nest.Simulate(float(args.calls))) for _ in range(args.rounds))
    return {"step_us": 1e5 * once / args.calls, "call_us": 1e6 * many / args.calls, "spikes": int(recorder.n_events)}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--task", choices=[*CURRENT, *NETWORKS], default="iaf_psc_alpha")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--calls", type=int, default=1000)
    p.add_argument("--rounds", type=int, default=3)
    args = p.parse_args()
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 1, 0.1)
        common.write_json(out, measured(nest, args))


if __name__ == "__main__":
    main()
