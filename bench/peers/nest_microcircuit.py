# SPDX-License-Identifier: Apache-2.0
"""The cortical microcircuit on NEST, as a program: python -m bench.peers.nest_microcircuit --scale 0.1 --threads 2

Prints one JSON object. Full scale needs about 15 GB and 4 threads (NEST refuses 2^27 synapses of one type per thread).
Phases: build = nodes and connections, init = Prepare and the first step (routing tables), warm_up, sim.
"""

from __future__ import annotations

import argparse

import numpy as np

from bench.peers import common, potjans


def create_nodes(nest, c: potjans.Circuit):
    populations = []
    for k, size in enumerate(c.sizes):
        nodes = nest.Create("iaf_psc_exp", int(size), params=potjans.NEURON | {"I_e": float(c.dc[k])})
        nodes.V_m = nest.random.normal(mean=float(potjans.V0_MEAN[k]), std=float(potjans.V0_STD[k]))
        populations.append(nodes)
    return populations


def connect_recurrent(nest, populations, c: potjans.Circuit):
    for i, target in enumerate(populations):
        for j, source in enumerate(populations):
            n = int(c.synapses[i, j])
            if n == 0:
                continue
            w, d = float(c.weights[i, j]), float(c.delays[i, j])
            bound = {"min": 0.0, "max": np.inf} if w > 0 else {"min": -np.inf, "max": 0.0}
            weight = nest.math.redraw(nest.random.normal(mean=w, std=abs(w) * potjans.WEIGHT_REL_STD), **bound)
            delay = nest.math.redraw(nest.random.normal(mean=d, std=d * potjans.DELAY_REL_STD), min=potjans.RESOLUTION, max=np.inf)
            nest.Connect(source, target, {"rule": "fixed_total_number", "N": n}, {"weight": weight, "delay": delay})


def connect_devices(nest, populations, c: potjans.Circuit, drive: str, warm_up: float):
    recorder = nest.Create("spike_recorder", params={"start": warm_up})
    for k, nodes in enumerate(populations):
        if drive == "poisson":
            generator = nest.Create("poisson_generator", params={"rate": float(potjans.EXTERNAL_RATE * c.external_indegree[k])})
            nest.Connect(generator, nodes, syn_spec={"weight": c.external_weight, "delay": potjans.DELAY_EX})
        nest.Connect(nodes, recorder)
    return recorder


def run(args) -> tuple[dict, np.ndarray, np.ndarray]:
    c = potjans.circuit(args.scale, args.k_scale, args.input)
    phases = common.Phases()
    nest = common.load_nest(args.threads, args.seed, potjans.RESOLUTION)
    before = common.current_rss()
    with phases("build_s"):
        populations = create_nodes(nest, c)
        connect_recurrent(nest, populations, c)
        recorder = connect_devices(nest, populations, c, args.input, args.warmup)
    with phases("init_s"):
        nest.Prepare()
        nest.Run(potjans.RESOLUTION)
    with phases("warmup_s"):
        if args.warmup > potjans.RESOLUTION:
            nest.Run(args.warmup - potjans.RESOLUTION)
    with phases("sim_s"):
        nest.Run(args.duration)
    nest.Cleanup()

    events = recorder.get("events")
    times, senders = events["times"], events["senders"].astype(np.int64)
    synapses = int(c.synapses.sum())
    first = [nodes[0].global_id for nodes in populations]
    result = {
        "command": "microcircuit",
        "simulator": "nest",
        "version": nest.__version__,
        "scale": args.scale,
        "k_scale": args.k_scale,
        "input": args.input,
        "threads": args.threads,
        "seed": args.seed,
        "neurons": int(c.sizes.sum()),
        "synapses": synapses,
        "duration_ms": args.duration,
        "warmup_ms": args.warmup,
        **phases.seconds,
        **common.population_statistics(times, senders, first, c.sizes, potjans.NAMES, args.duration),
    }
    outdegree = c.synapses.sum(axis=0) / c.sizes
    result["events"] = float(np.dot(outdegree, [result["spikes"][name] for name in potjans.NAMES]))
    result["real_time_factor"] = result["sim_s"] / (args.duration * 1e-3)
    result["peak_rss_bytes"] = common.peak_rss()
    result["bytes_per_synapse"] = result["peak_rss_bytes"] / synapses
    result["bytes_per_synapse_growth"] = (result["peak_rss_bytes"] - before) / synapses
    result["connections_counted"] = int(nest.num_connections)
    return result, times, senders


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--scale", type=float, default=0.1, help="number of neurons relative to full scale; in-degrees are kept")
    p.add_argument("--k-scale", type=float, default=1.0, help="in-degrees relative to full scale")
    p.add_argument("--duration", type=float, default=1000.0, help="[ms] after the warm-up")
    p.add_argument("--warmup", type=float, default=100.0, help="[ms]")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--input", choices=("poisson", "dc"), default="poisson")
    p.add_argument("--spikes", help="write times and senders (ids from 1, in order of populations) to this .npz")
    return p


def main(argv=None) -> None:
    args = parser().parse_args(argv)
    with common.stdout_for_json() as out:
        result, times, senders = run(args)
        if args.spikes:
            np.savez_compressed(args.spikes, times=times, senders=senders)
        common.write_json(out, result)


if __name__ == "__main__":
    main()
