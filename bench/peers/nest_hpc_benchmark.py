# SPDX-License-Identifier: Apache-2.0
"""The balanced random network with power-law STDP of Ippen 2017 and Jordan 2018 on NEST, as a program:
python -m bench.peers.nest_hpc_benchmark --neurons 11255 --indegree 3750 --threads 2

Prints one JSON object. Phases: build = nodes and connections, init = first 10 ms (routing tables, buffers), sim.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from bench.peers import common

NEURON = {
    "C_m": 250.0,
    "tau_m": 10.0,
    "E_L": 0.0,
    "V_th": 20.0,
    "V_reset": 0.0,
    "t_ref": 0.5,
    "tau_minus": 30.0,
    "tau_syn_ex": 0.32582722403722841,
    "tau_syn_in": 0.32582722403722841,
}
STDP = {"lambda": 0.1, "alpha": 0.0513, "mu": 0.4, "tau_plus": 15.0}
V0_MEAN, V0_STD = 5.7, 7.2
RESOLUTION, DELAY, INIT = 0.1, 1.5, 10.0
PSP, INHIBITION, ETA = 0.14, -5.0, 1.685


def alpha_psp_peak() -> float:
    """Largest potential [mV] after an alpha current of 1 pA peak amplitude."""
    tm, ts, c = NEURON["tau_m"], NEURON["tau_syn_ex"], NEURON["C_m"]
    rate = 1.0 / ts - 1.0 / tm

    def potential(t: float) -> float:
        return math.e / (ts * c) * ((math.exp(-t / tm) - math.exp(-t / ts)) / rate**2 - t * math.exp(-t / ts) / rate)

    low, high, golden = 0.0, tm, (math.sqrt(5.0) - 1.0) / 2.0
    for _ in range(200):
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, b) if potential(a) > potential(b) else (a, high)
    return potential(0.5 * (low + high))


def network_numbers(neurons: int, indegree: int) -> dict:
    ke = round(0.8 * indegree)
    je = PSP / alpha_psp_peak() * 9000.0 / ke
    nu = ETA * NEURON["V_th"] / (ke * NEURON["tau_m"] / NEURON["C_m"] * je * math.e * NEURON["tau_syn_ex"])
    ne = round(0.8 * neurons)
    return {"ne": ne, "ni": neurons - ne, "ke": ke, "ki": indegree - ke, "je": je, "rate": nu * ke * 1000.0}


def build(nest, n: dict, synapse: str):
    nodes = [nest.Create("iaf_psc_alpha", n[k], params=NEURON) for k in ("ne", "ni")]
    for population in nodes:
        population.V_m = nest.random.normal(mean=V0_MEAN, std=V0_STD)
    exc, inh = nodes
    generator = nest.Create("poisson_generator", params={"rate": n["rate"]})
    recorder = nest.Create("spike_recorder", params={"start": INIT})
    nest.CopyModel(synapse, "plastic", STDP)
    static = {"synapse_model": "static_synapse_hpc" if synapse.endswith("_hpc") else "static_synapse", "delay": DELAY}
    je, ji = n["je"], INHIBITION * n["je"]

    def fixed(k: int) -> dict:
        return {"rule": "fixed_indegree", "indegree": k, "allow_autapses": False, "allow_multapses": True}

    for population in nodes:
        nest.Connect(generator, population, syn_spec={"weight": je, "delay": DELAY})
    nest.Connect(exc, exc, fixed(n["ke"]), {"synapse_model": "plastic", "weight": je, "delay": DELAY})
    nest.Connect(inh, exc, fixed(n["ki"]), static | {"weight": ji})
    nest.Connect(exc, inh, fixed(n["ke"]), static | {"weight": je})
    nest.Connect(inh, inh, fixed(n["ki"]), static | {"weight": ji})
    for population in nodes:
        nest.Connect(population, recorder)
    return nodes, recorder


def run(args) -> tuple[dict, np.ndarray, np.ndarray]:
    n = network_numbers(args.neurons, args.indegree)
    phases = common.Phases()
    nest = common.load_nest(args.threads, args.seed, RESOLUTION)
    before = common.current_rss()
    with phases("build_s"):
        nodes, recorder = build(nest, n, args.synapse)
    with phases("init_s"):
        nest.Prepare()
        nest.Run(INIT)
    with phases("sim_s"):
        nest.Run(args.duration)
    nest.Cleanup()

    events = recorder.get("events")
    times, senders = events["times"], events["senders"].astype(np.int64)
    sizes = [n["ne"], n["ni"]]
    synapses = args.neurons * args.indegree
    result = {
        "command": "hpc_benchmark",
        "simulator": "nest",
        "version": nest.__version__,
        "synapse": args.synapse,
        "threads": args.threads,
        "seed": args.seed,
        "neurons": args.neurons,
        "indegree": args.indegree,
        "synapses": synapses,
        "duration_ms": args.duration,
        "warmup_ms": INIT,
        "je_pA": n["je"],
        "poisson_rate": n["rate"],
        **phases.seconds,
        **common.population_statistics(times, senders, [p[0].global_id for p in nodes], sizes, ("E", "I"), args.duration),
    }
    outdegree = np.array([n["ke"], n["ki"]]) * args.neurons / sizes
    result["events"] = float(np.dot(outdegree, list(result["spikes"].values())))
    result["plastic_events"] = result["spikes"]["E"] * float(n["ke"])
    result["rate"] = sum(result["spikes"].values()) / (args.neurons * args.duration * 1e-3)
    result["real_time_factor"] = result["sim_s"] / (args.duration * 1e-3)
    result["peak_rss_bytes"] = common.peak_rss()
    result["bytes_per_synapse"] = result["peak_rss_bytes"] / synapses
    result["bytes_per_synapse_growth"] = (result["peak_rss_bytes"] - before) / synapses
    return result, times, senders


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description="hpc_benchmark on NEST")
    p.add_argument("--neurons", type=int, default=11255)
    p.add_argument("--indegree", type=int, default=3750)
    p.add_argument("--duration", type=float, default=1000.0, help="[ms] after the first 10 ms")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--synapse", choices=("stdp_pl_synapse_hom", "stdp_pl_synapse_hom_hpc"), default="stdp_pl_synapse_hom_hpc")
    p.add_argument("--spikes", help="write times and senders (ids from 1) to this .npz")
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
