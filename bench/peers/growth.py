# SPDX-License-Identifier: Apache-2.0
"""One cell of `./run bench growth`: python -m bench.peers.growth --neurons 10240 --indegree 1024 --rate 10

Neurons that integrate a constant current almost without leak and fire at a given rate, with synapses so weak (1e-6 pA) that nobody hears them: the
number of events is the same in every simulator, and no dynamics differ. The network is first silent, then firing; windows of the same biological
time are clocked in both states. The same script for NEST and, by python -m neuropil.nest, for neuropil. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import math
import time
from pathlib import Path

from bench.peers import common

RESOLUTION = 0.1  # ms
C_M, TAU_M, T_REF, REST, THRESHOLD = 250.0, 1e5, 0.1, -70.0, -55.0  # pF, ms, ms, mV, mV
WEIGHT, TAU_SYN = 1e-6, 20.0  # pA, ms: so long that currents never decay to denormal numbers, which are slow
WINDOW_S, SHORTEST = 0.4, 10.0  # about what a window takes at 15 ns per neuron and step and 50 ns per event; ms
LEAST_WINDOWS, MOST_WINDOWS, LONG = 2, 100, 3.0  # s: where two windows take longer, no third


def current(rate: float) -> float:
    """Constant current [pA] at which a neuron fires at `rate` [Hz]."""
    rise = 1e3 / rate - T_REF
    return C_M * (THRESHOLD - REST) / (TAU_M * -math.expm1(-rise / TAU_M))


def window(args: argparse.Namespace) -> float:
    """Biological time of a window [ms]: whole periods where that is not too long, so that every window has the same spikes."""
    each = args.neurons * (15e-9 / RESOLUTION + 1e-3 * args.rate * args.indegree * 50e-9)  # s per ms
    wanted, period = max(args.scale * WINDOW_S / each, SHORTEST), 1e3 / args.rate
    return period * round(wanted / period) if wanted > 0.5 * period else float(math.ceil(wanted))


def sizes(total: int, parts: int) -> list[int]:
    """`total` in as equal parts as can be."""
    return [total // parts + (k < total % parts) for k in range(parts)]


def create(nest, args: argparse.Namespace) -> list:
    parameters = {"C_m": C_M, "tau_m": TAU_M, "t_ref": T_REF, "E_L": REST, "V_reset": REST, "V_m": REST, "V_th": THRESHOLD, "I_e": 0.0}
    parameters |= {"tau_syn_ex": TAU_SYN, "tau_syn_in": TAU_SYN}
    return [nest.Create("iaf_psc_exp", n, params=parameters) for n in sizes(args.neurons, args.populations)]


def delay(nest, args: argparse.Namespace):
    """Every one of `delays` steps equally likely: rounded to steps by the simulator, or a sum of a number and a distribution of whole numbers."""
    if args.delays == 1:
        return args.first_delay
    if args.expression:
        return args.first_delay + RESOLUTION * nest.random.uniform_int(args.delays)
    return nest.random.uniform(args.first_delay - 0.4999 * RESOLUTION, args.first_delay + (args.delays - 0.5001) * RESOLUTION)


def connect(nest, args: argparse.Namespace, cells: list) -> None:
    """Every population to every one; the in-degree is divided among the sources."""
    for post in cells:
        for pre, indegree in zip(cells, sizes(args.indegree, args.populations), strict=True):
            weight = WEIGHT if args.equal_weights else nest.random.normal(WEIGHT, 0.1 * WEIGHT)
            synapse = {"synapse_model": "static_synapse", "weight": weight, "delay": delay(nest, args)}
            nest.Connect(pre, post, {"rule": "fixed_indegree", "indegree": indegree}, synapse)


def fire(nest, args: argparse.Namespace, cells: list) -> None:
    """From now on, at phases that are drawn."""
    for population in cells:
        population.I_e = current(args.rate)
        population.V_m = nest.random.uniform(REST, THRESHOLD)


def wants_more(args: argparse.Namespace, seconds: list[float]) -> bool:
    """A third window unless they are long, more until they have taken about a second."""
    return sum(seconds) < (LONG if len(seconds) == LEAST_WINDOWS else 1.0) * args.scale


def clocked(nest, args: argparse.Namespace) -> dict:
    """Windows until there are enough, as many on every rank: seconds (mean of the ranks) and spikes of each."""
    seconds, spikes = [], []
    while len(seconds) < LEAST_WINDOWS or (wants_more(args, seconds) and len(seconds) < MOST_WINDOWS):
        start = time.perf_counter()
        nest.Run(window(args))
        seconds.append(over_ranks(nest, {"s": time.perf_counter() - start})["s"] / nest.NumProcesses())
        spikes.append(int(nest.local_spike_counter))
    return {"seconds": seconds, "spikes": spikes}


def kernel_of(nest):
    """neuropil's network; None in NEST."""
    if nest.build_info.get("simulator") != "neuropil":
        return None
    from neuropil.nest.kernel import session

    return session().network


def over_ranks(nest, values: dict) -> dict:
    """Sum over ranks."""
    net = kernel_of(nest)
    if net is None or net.n_ranks == 1:
        return values
    import numpy as np

    every = net._kernel.gather(np.array(list(values.values()), float)).reshape(net.n_ranks, -1)
    return dict(zip(values, every.sum(0).tolist(), strict=True))


def told(nest) -> dict:
    """What neuropil knows of itself."""
    net = kernel_of(nest)
    return {} if net is None else {"timers": dict(net.timers), "counters": dict(net.counters)}


def warm_up(nest, args: argparse.Namespace) -> None:
    """Libraries, stacks of threads and tables of distributions are there before memory and time count."""
    small = argparse.Namespace(**{**vars(args), "neurons": 20, "indegree": 5, "populations": 1})
    cells = create(nest, small)
    connect(nest, small, cells)
    nest.Simulate(1.0)
    nest.ResetKernel()
    del cells
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts anew


def measured(nest, args: argparse.Namespace) -> dict:
    clock = time.perf_counter
    before, start = common.current_rss(), clock()
    cells = create(nest, args)
    created, created_rss = clock(), common.current_rss()
    connect(nest, args, cells)
    connected = clock()
    nest.Prepare()
    nest.Run(RESOLUTION)
    built = clock()
    memory = {"before": before, "created": created_rss, "built": common.current_rss(), "peak": common.peak_rss()}
    found = {"create_s": created - start, "connect_s": connected - created, "build_s": built - created, "window_ms": window(args)}
    found |= {"memory": over_ranks(nest, memory), "told": [told(nest)], "silent": clocked(nest, args)}
    fire(nest, args, cells)
    nest.Run(2.0 * (args.first_delay + RESOLUTION * args.delays) + 1.0)
    found["told"].append(told(nest))
    found["firing"] = clocked(nest, args)
    found["told"].append(told(nest))
    net = kernel_of(nest)
    found["kernel_memory"] = {} if net is None else over_ranks(nest, dict(net.memory))
    found["synapses"] = int(nest.num_connections)
    nest.Cleanup()
    return found


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--neurons", type=int, default=10_240)
    p.add_argument("--indegree", type=int, default=1024)
    p.add_argument("--populations", type=int, default=1)
    p.add_argument("--delays", type=int, default=15, help="how many steps wide")
    p.add_argument("--first-delay", type=float, default=RESOLUTION, help="the shortest [ms]")
    p.add_argument("--rate", type=float, default=10.0, help="of every neuron [Hz]")
    p.add_argument("--equal-weights", type=int, default=0, help="1: one weight for all synapses; 0: drawn")
    p.add_argument("--expression", type=int, default=0, help="1: delays are a sum with uniform_int, 0: a uniform distribution")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--scale", type=float, default=1.0, help="of the time that is measured")
    return p


def main() -> None:
    args = parser().parse_args()
    with common.stdout_for_json() as out:
        nest = common.load_nest(args.threads, 1, RESOLUTION)
        warm_up(nest, args)
        nest.set(resolution=RESOLUTION, local_num_threads=args.threads, rng_seed=1)
        found = measured(nest, args)
        if nest.Rank() == 0:
            common.write_json(out, found)


if __name__ == "__main__":
    main()
