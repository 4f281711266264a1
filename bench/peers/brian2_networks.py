# SPDX-License-Identifier: Apache-2.0
"""CUBA and COBAHH (Brette et al. 2007), and STDP (Song, Miller & Abbott 2000) as scripts of Brian2, run by its cython code, its C++ standalone code or neuropil: JSON to stdout.

setup: making the objects and drawing the synapses; compile: all that comes before the first step; run: the run alone (s).
Brian2 keeps compiled cython code, and neuropil its models, for later runs.
"""

from __future__ import annotations

import argparse
import json
import time

import brian2 as b2
from brian2 import ms, msiemens, mV, nS, siemens, ufarad

IN_DEGREE = 80  # synapses of a neuron, as in the networks of 4000
CUBA = """
dv/dt  = (ge + gi - (v - El))/taum : volt (unless refractory)
dge/dt = -ge/taue : volt
dgi/dt = -gi/taui : volt
"""
COBAHH = """
dv/dt = (gl*(El - v) + ge*(Ee - v) + gi*(Ei - v) - g_na*m**3*h*(v - ENa) - g_kd*n**4*(v - EK))/Cm : volt
dm/dt = alpha_m*(1 - m) - beta_m*m : 1
dn/dt = alpha_n*(1 - n) - beta_n*n : 1
dh/dt = alpha_h*(1 - h) - beta_h*h : 1
dge/dt = -ge/taue : siemens
dgi/dt = -gi/taui : siemens
alpha_m = 0.32*4/exprel((13 - (v - VT)/mV)/4)/ms : Hz
beta_m = 0.28*5/exprel(((v - VT)/mV - 40)/5)/ms : Hz
alpha_h = 0.128*exp((17 - (v - VT)/mV)/18)/ms : Hz
beta_h = 4/(1 + exp((40 - (v - VT)/mV)/5))/ms : Hz
alpha_n = 0.032*5/exprel((15 - (v - VT)/mV)/5)/ms : Hz
beta_n = 0.5*exp((10 - (v - VT)/mV)/40)/ms : Hz
"""

SOURCES = 1000  # of STDP: Poisson trains, each to all neurons
STDP = """
dv/dt  = (ge*(Ee - v) + El - v)/taum : volt
dge/dt = -ge/taue : 1
"""


def cuba(n: int) -> tuple[b2.NeuronGroup, dict]:
    names = {
        "taum": 20 * ms,
        "taue": 5 * ms,
        "taui": 10 * ms,
        "Vt": -50 * mV,
        "Vr": -60 * mV,
        "El": -49 * mV,
        "we": 1.62 * mV,
        "wi": -9 * mV,
    }
    cells = b2.NeuronGroup(n, CUBA, threshold="v > Vt", reset="v = Vr", refractory=5 * ms, method="exact", namespace=names)
    cells.v = "Vr + rand()*(Vt - Vr)"
    return cells, names


def cobahh(n: int) -> tuple[b2.NeuronGroup, dict]:
    per_area = 20000e-8  # of 20000 um^2, for values per cm^2
    names = {
        "Cm": 1 * ufarad * per_area, "gl": 5e-5 * siemens * per_area, "El": -60 * mV, "EK": -90 * mV, "ENa": 50 * mV, "VT": -63 * mV,
        "g_na": 100 * msiemens * per_area, "g_kd": 30 * msiemens * per_area, "taue": 5 * ms, "taui": 10 * ms, "Ee": 0 * mV, "Ei": -80 * mV,
        "we": 6 * nS, "wi": 67 * nS,
    }  # fmt: skip
    cells = b2.NeuronGroup(n, COBAHH, threshold="v > -20*mV", refractory=3 * ms, method="exponential_euler", namespace=names)
    cells.v = "El + (randn()*5 - 5)*mV"
    cells.ge, cells.gi = "(randn()*1.5 + 4)*10*nS", "(randn()*12 + 20)*10*nS"
    return cells, names


def stdp(n: int) -> tuple[b2.Network, b2.SpikeMonitor]:
    names = {"taum": 10 * ms, "taue": 5 * ms, "Ee": 0 * mV, "El": -74 * mV, "tau": 20 * ms, "most": 0.01, "rise": 1e-4, "fall": -1.05e-4}
    sources = b2.PoissonGroup(SOURCES, 15 * b2.Hz)
    cells = b2.NeuronGroup(n, STDP, threshold="v > -54*mV", reset="v = -60*mV", method="euler", namespace=names)
    cells.v = -60 * mV
    synapses = b2.Synapses(
        sources,
        cells,
        """w : 1
        dbefore/dt = -before/tau : 1 (event-driven)
        dafter/dt = -after/tau : 1 (event-driven)""",
        on_pre="ge += w; before += rise; w = clip(w + after, 0, most)",
        on_post="after += fall; w = clip(w + before, 0, most)",
        namespace=names,
    )
    synapses.connect()
    synapses.w = "rand()*most"
    spikes = b2.SpikeMonitor(cells)
    return b2.Network(sources, cells, synapses, spikes), spikes


def network(kind: str, n: int) -> tuple[b2.Network, b2.SpikeMonitor]:
    if kind == "stdp":
        return stdp(n)
    cells, names = {"cuba": cuba, "cobahh": cobahh}[kind](n)
    k = n * 4 // 5
    excitatory = b2.Synapses(cells[:k], cells, on_pre="ge += we", namespace=names)
    inhibitory = b2.Synapses(cells[k:], cells, on_pre="gi += wi", namespace=names)
    for synapses in (excitatory, inhibitory):
        synapses.connect(p=IN_DEGREE / n)
    spikes = b2.SpikeMonitor(cells)
    return b2.Network(cells, excitatory, inhibitory, spikes), spikes


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--simulator", choices=("neuropil", "cython", "standalone"), required=True)
    p.add_argument("--network", choices=("cuba", "cobahh", "stdp"), required=True)
    p.add_argument("--size", type=int, required=True)
    p.add_argument("--duration", type=float, required=True, help="ms")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=1, help="of neuropil and of standalone code, by OpenMP; cython code has one")
    args = p.parse_args()
    if args.simulator == "neuropil":
        import neuropil.brian2  # noqa: F401

        b2.set_device("neuropil", threads=args.threads)
    elif args.simulator == "standalone":
        b2.set_device("cpp_standalone", build_on_run=False)
        b2.prefs.devices.cpp_standalone.openmp_threads = args.threads if args.threads > 1 else 0
    b2.prefs.codegen.target = "cython" if args.simulator == "cython" else "numpy"
    b2.seed(args.seed)
    clock = time.perf_counter
    start = clock()
    net, spikes = network(args.network, args.size)
    made = clock()
    found = standalone(net, args.duration) if args.simulator == "standalone" else two_runs(net, args.duration)
    rate = spikes.num_spikes / args.size / (args.duration * 1e-3)
    print(json.dumps({"setup": made - start, "rate": rate, **found}))


def two_runs(net: b2.Network, duration: float) -> dict[str, float]:
    """The first has one step."""
    clock = time.perf_counter
    start = clock()
    net.run(0.1 * ms)
    compiled = clock()
    net.run((duration - 0.1) * ms)
    return {"compile": compiled - start, "run": clock() - compiled}


def standalone(net: b2.Network, duration: float) -> dict[str, float]:
    """Synapses are drawn by its program: that is neither in `setup` nor in `run`."""
    net.run(duration * ms)
    start = time.perf_counter()
    b2.device.build(directory=None, run=False)  # a folder that is removed afterwards
    compiled = time.perf_counter()
    b2.device.run()
    return {"compile": compiled - start, "run": b2.device._last_run_time}


if __name__ == "__main__":
    main()
