# SPDX-License-Identifier: Apache-2.0
"""Structural plasticity on NEST and on neuropil.nest: a network of 800 excitatory and 200 inhibitory neurons that grows all its connections.

The network is after NEST's example structural_plasticity (Diaz-Pier et al. 2016): background noise, no connections at first; every neuron has
axonal elements of its kind and dendritic ones of both, which grow by Gaussian curves until calcium is at its target, 0.05 (5 spikes/s) for
excitatory and 0.2 (20 spikes/s) for inhibitory neurons. With `faster` f all that is slow, growth, calcium and updates, is f times as fast, and the
example is over after 1/f of its 200 s.

    python -m bench.mechanisms_structural --with nest --faster 10       # one line of JSON: seconds, calcium, connections
    python -m bench.mechanisms_structural --with neuropil.nest --faster 10
    python -m bench.mechanisms_structural --figure docs/figures/structural_plasticity.png
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from typing import Any

import numpy as np

EXCITATORY, INHIBITORY = 800, 200
TIME, INTERVAL, RECORD_EVERY = 200_000.0, 10_000.0, 1_000.0  # ms
NEURON = {"tau_m": 10.0, "tau_syn_ex": 0.5, "tau_syn_in": 0.5, "t_ref": 2.0, "E_L": -65.0, "V_th": -50.0, "C_m": 250.0, "V_reset": -65.0}
WEIGHT, NOISE_WEIGHT, NOISE_RATE = 585.0, 63.0, 10_000.0  # pA, pA, spikes/s; without connections neurons fire at about 1 spike/s


def curve(rate: float, eps: float, faster: float) -> dict[str, Any]:
    """An element that grows while calcium is below eps."""
    return {"growth_curve": "gaussian", "growth_rate": rate * faster, "continuous": False, "eta": 0.0, "eps": eps}


def network(nest: Any, faster: float = 1.0, scale: float = 1.0, seed: int = 1) -> tuple[Any, Any]:
    """Excitatory and inhibitory neurons without connections, which will grow."""
    nest.ResetKernel()
    nest.rng_seed = seed
    nest.structural_plasticity_update_interval = INTERVAL / faster
    nest.CopyModel("static_synapse", "synapse_ex", {"weight": WEIGHT, "delay": 1.0})
    nest.CopyModel("static_synapse", "synapse_in", {"weight": -WEIGHT, "delay": 1.0})
    nest.structural_plasticity_synapses = {
        "synapse_ex": {"synapse_model": "synapse_ex", "post_synaptic_element": "Den_ex", "pre_synaptic_element": "Axon_ex"},
        "synapse_in": {"synapse_model": "synapse_in", "post_synaptic_element": "Den_in", "pre_synaptic_element": "Axon_in"},
    }
    common = NEURON | {"tau_Ca": 10_000.0 / faster, "beta_Ca": 0.001 * faster}
    e, i = curve(0.0001, 0.05, faster), curve(0.0001, 0.2, faster)
    excitatory = nest.Create("iaf_psc_exp", round(EXCITATORY * scale), common)
    excitatory.synaptic_elements = {"Den_ex": e, "Den_in": e, "Axon_ex": e}
    inhibitory = nest.Create("iaf_psc_exp", round(INHIBITORY * scale), common)
    inhibitory.synaptic_elements = {"Den_ex": curve(0.0004, 0.2, faster), "Den_in": i, "Axon_in": i}
    noise = nest.Create("poisson_generator", params={"rate": NOISE_RATE})
    nest.Connect(noise, excitatory + inhibitory, "all_to_all", {"weight": NOISE_WEIGHT, "delay": 1.0})
    nest.EnableStructuralPlasticity()
    return excitatory, inhibitory


def grow(nest: Any, excitatory: Any, inhibitory: Any, faster: float = 1.0, ms: float = TIME) -> dict[str, list[float]]:
    """Runs; mean calcium and excitatory inputs of both populations once per record interval."""
    found: dict[str, list[float]] = {"time": [], "Ca_e": [], "Ca_i": [], "in_e": [], "in_i": []}
    for _ in range(round(ms / RECORD_EVERY)):
        nest.Simulate(RECORD_EVERY / faster)
        found["time"].append(nest.biological_time)
        for name, nodes in (("e", excitatory), ("i", inhibitory)):
            found["Ca_" + name].append(float(np.mean(nodes.Ca)))
            elements = nodes.synaptic_elements
            found["in_" + name].append(float(np.mean([one["Den_ex"]["z_connected"] for one in elements])))
    return found


def statistics(nest: Any, excitatory: Any, inhibitory: Any) -> dict[str, Any]:
    """Final connectivity: connections of both kinds, in-degrees and out-degrees of both populations (mean, standard deviation)."""
    found: dict[str, Any] = {}
    first_inhibitory = len(excitatory) + 1
    for model in ("synapse_ex", "synapse_in"):
        c = nest.GetConnections(synapse_model=model)
        source, target = (np.array(c.get(key)) if len(c) else np.empty(0, int) for key in ("source", "target"))
        found[model] = len(source)
        for name, nodes in (("e", excitatory), ("i", inhibitory)):
            low = 1 if name == "e" else first_inhibitory
            for what, ends in (("in", target), ("out", source)):
                degree = np.bincount(ends, minlength=low + len(nodes))[low : low + len(nodes)]
                found[f"{model} {what} {name}"] = [round(float(degree.mean()), 2), round(float(degree.std()), 2)]
    return found


def measured(name: str, faster: float, scale: float, seed: int, threads: int = 1) -> dict[str, Any]:
    """Seconds, final calcium and connectivity on one simulator."""
    nest = importlib.import_module(name)
    nest.verbosity = nest.VerbosityLevel.ERROR
    begin = time.perf_counter()
    excitatory, inhibitory = network(nest, faster, scale, seed)
    built = time.perf_counter()
    traces = grow(nest, excitatory, inhibitory, faster)
    ran = time.perf_counter()
    last = {key: round(float(np.mean(traces[key][-10:])), 4) for key in ("Ca_e", "Ca_i")}
    seconds = {"create_s": round(built - begin, 3), "run_s": round(ran - built, 3)}
    return {"simulator": name, "faster": faster, **seconds, **last, **statistics(nest, excitatory, inhibitory)}


def figure(path: str) -> None:
    """Calcium and inputs of the network of docs/howto/growth.md over 80 s, a few seconds of work."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    import neuropil as npl

    net = npl.Network(seed=1)
    exc, inh = (net.create("iaf_psc_exp", n, **NEURON, V_m=-65.0, tau_Ca=1000.0, beta_Ca=0.01) for n in (400, 100))
    net.stimulate(exc + inh, npl.poisson(rate=NOISE_RATE), weight=NOISE_WEIGHT)
    net.connect(inh, exc + inh, npl.fixed_indegree(5), weight=-300.0, delay=1.0)
    exc.synaptic_elements = {
        "axon": npl.synaptic_elements("linear", growth_rate=0.002, eps=0.2),
        "spine": npl.synaptic_elements("linear", growth_rate=0.001, eps=0.05),
    }
    inh.synaptic_elements = {"spine": npl.synaptic_elements("linear", growth_rate=0.002, eps=0.1)}
    net.grow("axon", "spine", weight=WEIGHT, delay=1.0)
    net.growth_interval = 100.0
    times, calcium, inputs = [], [], []
    for _ in range(400):
        net.run(200.0)
        times.append(net.time / 1000.0)
        calcium.append([p.Ca.mean() for p in (exc, inh)])
        inputs.append([p.synaptic_elements["spine"]["z_connected"].mean() for p in (exc, inh)])
    fig, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7.0, 4.6), layout="constrained")
    for k, (colour, what, target) in enumerate((("tab:red", "excitatory", 0.05), ("tab:blue", "inhibitory", 0.1))):
        top.plot(times, np.array(calcium)[:, k], color=colour, label=what)
        top.axhline(target, color=colour, linestyle=":", linewidth=1.0)
        bottom.plot(times, np.array(inputs)[:, k], color=colour)
    top.set_ylabel("mean calcium")
    top.annotate("dotted: eps, where nothing grows", (0.99, 0.06), xycoords="axes fraction", ha="right", fontsize=8)
    bottom.set(xlabel="biological time (s)", ylabel="synapses per neuron")
    top.legend(frameon=False, loc="upper left", bbox_to_anchor=(0.0, 0.92))
    for ax in (top, bottom):
        ax.set_ylim(bottom=0.0)
        ax.spines[["top", "right"]].set_visible(False)
    fig.savefig(path, dpi=120)


def main() -> None:
    """See the top."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="simulator", choices=("nest", "neuropil.nest"), default="neuropil.nest")
    parser.add_argument("--faster", type=float, default=10.0)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figure")
    given = parser.parse_args()
    if given.figure:
        figure(given.figure)
    else:
        print(json.dumps(measured(given.simulator, given.faster, given.scale, given.seed)))


if __name__ == "__main__":
    main()
