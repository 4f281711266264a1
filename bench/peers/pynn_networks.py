# SPDX-License-Identifier: Apache-2.0
"""Networks as scripts of PyNN, run by NEST or by neuropil: JSON to stdout.

cuba, coba: the networks of Brette et al. (2007) after Vogels & Abbott (2005), 4000 cells of which 1000 are stimulated for 50 ms, with spikes recorded.
balanced: Brunel (2000), a random number of inputs for each cell, Poisson input, spikes recorded.

setup: all calls before `run`, run: that call, whole: from the start of the process to the end of the script (s).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

DELAY = 0.2  # ms


def vogels_abbott(sim: Any, kind: str, n: int) -> Any:
    """cuba and coba."""
    from pyNN.random import NumpyRNG, RandomDistribution

    cells = {"tau_m": 20.0, "tau_syn_E": 5.0, "tau_syn_I": 10.0, "v_reset": -60.0, "v_thresh": -50.0, "cm": 0.2, "tau_refrac": 5.0}
    if kind == "coba":
        type_, excitatory, inhibitory = sim.IF_cond_exp(v_rest=-60.0, e_rev_E=0.0, e_rev_I=-80.0, **cells), 4e-3, 51e-3
    else:
        type_, excitatory, inhibitory = sim.IF_curr_exp(v_rest=-49.0, **cells), 0.27e-3 * 60.0, -4.5e-3 * 20.0
    rng = NumpyRNG(seed=98765)
    everyone = sim.Population(n, type_)
    everyone.initialize(v=RandomDistribution("uniform", low=-60.0, high=-50.0, rng=rng))
    first = n * 4 // 5
    chance = sim.FixedProbabilityConnector(80 / n, rng=rng)
    for sources, weight, receptor in ((everyone[:first], excitatory, "excitatory"), (everyone[first:], inhibitory, "inhibitory")):
        sim.Projection(sources, everyone, chance, sim.StaticSynapse(weight=weight, delay=DELAY), receptor_type=receptor)
    if kind == "coba":
        stimulus = sim.Population(20, sim.SpikeSourcePoisson(rate=100.0, duration=50.0))
        weight = sim.StaticSynapse(weight=0.1, delay=DELAY)
        sim.Projection(stimulus, everyone[:first], sim.FixedNumberPostConnector(n=20), weight, receptor_type="excitatory")
    return everyone


def balanced(sim: Any, n: int, native: bool) -> Any:
    """10 % of all cells are inputs of each; weights of all are equal. native : connections are drawn by the simulator, as pyNN.nest does with NativeRNG."""
    type_ = sim.IF_curr_alpha(tau_m=20.0, v_rest=0.0, v_reset=10.0, v_thresh=20.0, cm=0.25, tau_refrac=2.0, tau_syn_E=0.5, tau_syn_I=0.5)
    rng = sim.NativeRNG(seed=1) if native else None
    first, weight, g = n * 4 // 5, 200.0 / n, 5.0  # nA: potentials of 0.1 mV where n is 10 000
    excitatory, inhibitory = sim.Population(first, type_), sim.Population(n - first, type_)
    for cells in (excitatory, inhibitory):
        cells.initialize(v=0.0)
        noise = sim.Population(cells.size, sim.SpikeSourcePoisson(rate=2.0 * n))
        sim.Projection(noise, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=weight, delay=0.1), receptor_type="excitatory")
        for sources, w, receptor in ((excitatory, weight, "excitatory"), (inhibitory, -g * weight, "inhibitory")):
            synapse = sim.StaticSynapse(weight=w, delay=1.5)
            sim.Projection(sources, cells, sim.FixedProbabilityConnector(0.1, rng=rng), synapse, receptor_type=receptor)
    return excitatory


def age() -> float:
    """Seconds since this process began."""
    began = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - began


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--simulator", choices=("neuropil", "nest"), required=True)
    p.add_argument("--network", choices=("cuba", "coba", "balanced"), required=True)
    p.add_argument("--size", type=int, default=4000)
    p.add_argument("--duration", type=float, default=1000.0, help="ms")
    p.add_argument("--native", type=int, default=0, help="1: connections of the balanced network are drawn by the simulator itself")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument(
        "--mpi4py", type=int, default=1, help="0: as where mpi4py is not installed, which PyNN does not need; where it is, PyNN starts MPI"
    )
    args = p.parse_args()
    if not args.mpi4py:  # an import of None is an ImportError
        sys.modules["mpi4py"] = None  # type: ignore[assignment]
    if args.simulator == "neuropil":
        import neuropil.pynn  # noqa: F401  (pyNN.neuropil where neuropil is not installed beside PyNN)
    clock = time.perf_counter
    sim = importlib.import_module(f"pyNN.{args.simulator}")
    begin = clock()
    sim.setup(timestep=0.1, min_delay=0.1, max_delay=2.0, threads=args.threads, rng_seed=1, spike_precision="on_grid")
    cells = balanced(sim, args.size, args.native) if args.network == "balanced" else vogels_abbott(sim, args.network, args.size)
    cells.record("spikes")
    made = clock()
    sim.run(args.duration)
    ran = clock()
    rate = cells.mean_spike_count() / (args.duration * 1e-3)
    trains = cells.get_data("spikes").segments[0].spiketrains
    sim.end()
    print("\n" + json.dumps({"setup": made - begin, "run": ran - made, "whole": age(), "rate": rate, "trains": len(trains)}))


if __name__ == "__main__":
    main()
