# SPDX-License-Identifier: Apache-2.0
"""Many small projections with models of their own from each neuron: python -m bench.peers.many_pathways --network pathways --threads 1

The same script for NEST and, by python -m neuropil.nest, for neuropil. Networks:
pathways: 3500 Izhikevich neurons fire at about 200 spikes/s. 3000 of them are the sources of 40 projections (ten synapse models or delays, four
    copies of each) and have one synapse in each: 120 000 synapses. Four copies are STDP with a weight recorder each. 100 parrots relay 500 neurons
    each to a spike recorder and to nothing else.
legs: 20 populations of 100 Izhikevich neurons; each projects to the next one by an STDP model of its own with a weight recorder. 1600 parrots fire
    at 587 spikes/s to a spike recorder; 200 of them drive the first population. Neurons and parrots are created in turn.
Both run in pieces of 10 ms and record all spikes. Prints one JSON object: seconds to build, of the first piece and of the pieces after it, synapses,
spikes of the neurons, spikes of the parrots, weights recorded and peak memory. Simulators draw different numbers: spikes agree on the mean only.
"""

from __future__ import annotations

import argparse
import time

from bench.peers import common

PIECE = 10.0  # biological time of a call of Simulate [ms]
CELLS, SOURCES, RELAYS, RELAYED = 3500, 3000, 100, 500
COPIES = 4
FAST = {"a": 0.1, "d": 2.0}  # fast-spiking neurons
SMALL = 0.05  # weight [mV]: 40 inputs at 200 spikes/s add less than a tenth to the current
CLASSES = {  # synapse model, its parameters, delay [ms] of the first copy
    "static": ("static_synapse", {}, 1.0),
    "inhibitory": ("static_synapse", {}, 2.0),
    "late": ("static_synapse", {}, 5.0),
    "recorded": ("stdp_synapse", {"Wmax": 2.0 * SMALL}, 1.0),
    "stdp": ("stdp_synapse", {"Wmax": 2.0 * SMALL, "tau_plus": 15.0}, 3.0),
    "additive": ("stdp_synapse_hom", {"Wmax": 2.0 * SMALL, "mu_plus": 0.0, "mu_minus": 0.0}, 1.5),
    "triplet": ("stdp_triplet_synapse", {"Wmax": 2.0 * SMALL}, 1.0),
    "power": ("stdp_pl_synapse_hom", {"lambda": 0.001}, 1.5),
    "depressing": ("tsodyks2_synapse", {"U": 0.2, "tau_rec": 100.0}, 1.0),
    "unreliable": ("bernoulli_synapse", {"p_transmit": 0.5}, 2.5),
}
LEGS, LEG, PARROTS, RATE = 20, 100, 80, 587.0


def recorder_of(nest, nodes):
    recorder = nest.Create("spike_recorder")
    nest.Connect(nodes, recorder)
    return recorder


def pathways(nest, share: float) -> dict:
    """Ten classes of synapses in four copies that differ in weight and delay."""
    cells = nest.Create("izhikevich", int(CELLS * share), FAST)
    cells.V_m = nest.random.uniform(-75.0, -55.0)
    cells.I_e = nest.random.uniform(12.0, 15.0)
    relays = nest.Create("parrot_neuron", int(RELAYS * share))
    weights = [project(nest, cells[: int(SOURCES * share)], cells, name, copy) for name in CLASSES for copy in range(COPIES)]
    nest.Connect(cells, relays, {"rule": "fixed_indegree", "indegree": int(RELAYED * share)}, {"weight": 1.0, "delay": 1.0})
    return {"spikes": [recorder_of(nest, cells)], "relayed": [recorder_of(nest, relays)], "weights": [w for w in weights if w is not None]}


def project(nest, sources, targets, name: str, copy: int):
    """One synapse from each source, by a model of its own; returns the recorder of its weights."""
    model, parameters, delay = CLASSES[name]
    recorder = nest.Create("weight_recorder") if name == "recorded" else None
    own = f"{name}_{copy}"
    nest.CopyModel(model, own, parameters | ({} if recorder is None else {"weight_recorder": recorder}))
    weight = (-1.0 if name == "inhibitory" else 1.0) * SMALL * (1.0 + 0.1 * copy)
    synapse = {"synapse_model": own, "weight": weight, "delay": delay + 0.3 * copy}
    nest.Connect(sources, targets, {"rule": "fixed_outdegree", "outdegree": 1}, synapse)
    return recorder


def legs(nest, share: float) -> dict:
    """A ring of populations among parrots to which mostly a recorder listens."""
    cells = parrots = None
    for k in range(LEGS):
        leg, more = nest.Create("izhikevich", LEG, {"I_e": 8.0 + k % 5}), nest.Create("parrot_neuron", int(PARROTS * share))
        cells, parrots = (leg, more) if cells is None else (cells + leg, parrots + more)
    populations = [cells[k::LEGS] for k in range(LEGS)]
    noise = nest.Create("poisson_generator", params={"rate": RATE})
    nest.Connect(noise, parrots)
    drive = parrots[: len(parrots) // 8]
    nest.Connect(drive, populations[0], {"rule": "fixed_indegree", "indegree": 2}, {"weight": 1.0, "delay": 1.0})
    weights = []
    for k in range(LEGS):
        weights.append(nest.Create("weight_recorder"))
        nest.CopyModel("stdp_synapse", f"stdp_{k}", {"weight_recorder": weights[-1], "Wmax": 20.0 + k})
        synapse = {"synapse_model": f"stdp_{k}", "weight": 1.0, "delay": 1.0 + 0.1 * k}
        nest.Connect(populations[k], populations[(k + 1) % LEGS], {"rule": "fixed_indegree", "indegree": 10}, synapse)
    return {"spikes": [recorder_of(nest, cells)], "relayed": [recorder_of(nest, parrots)], "weights": weights}


NETWORKS = {"pathways": pathways, "legs": legs}


def measured(nest, args) -> dict:
    start = time.perf_counter()
    recorders = NETWORKS[args.network](nest, args.share)
    built = time.perf_counter()
    nest.Simulate(PIECE)
    ready = time.perf_counter()
    for _ in range(round(args.duration / PIECE)):
        nest.Simulate(PIECE)
    done = time.perf_counter()
    counts = {name: sum(int(recorder.n_events) for recorder in each) for name, each in recorders.items()}
    return {
        "build_s": built - start, "first_piece_s": ready - built, "run_s": done - ready, **counts,
        "synapses": int(nest.num_connections), "peak_rss_bytes": common.peak_rss(),
    }  # fmt: skip


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--network", choices=NETWORKS, default="pathways")
    p.add_argument("--share", type=float, default=1.0, help="share of the neurons of `pathways`, of the parrots of `legs`")
    p.add_argument("--duration", type=float, default=500.0, help="biological time of the measured run, after one piece of 10 ms [ms]")
    p.add_argument("--threads", type=int, default=1)
    args = p.parse_args()
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 7, 0.1)
        common.write_json(out, measured(nest, args))


if __name__ == "__main__":
    main()
