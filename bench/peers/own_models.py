# SPDX-License-Identifier: Apache-2.0
"""The neurons of `bench own_models` in NEST, as built-in models, and in Brian2, as equations, on one thread: time of a neuron and step as JSON.

Brian2 adds its Poisson input to the variable itself; a generator of NEST sends spikes. compile: what Brian2 waits for before the first step (s).
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from typing import Any

from bench.peers import common

CASES: dict[str, tuple[float, dict[str, float]]] = {  # weight of the Poisson input, parameters
    "iaf_psc_exp": (60.0, {"I_e": 300.0}),
    "iaf_psc_alpha": (60.0, {"I_e": 200.0}),
    "izhikevich": (1.0, {"I_e": 4.0}),
    "aeif_cond_exp": (2.0, {"I_e": 600.0}),
}
RATE, STEP, WARM_UP = 1000.0, 0.1, 20.0  # spikes/s, ms, ms
LEAKY = {"threshold": "v >= -55*mV", "reset": "v = -70*mV", "refractory": "2*ms", "method": "exact"}


@dataclass
class Equations:
    """A model in Brian2. adds : variable and value of a Poisson spike; start : values at the beginning; options : of NeuronGroup."""

    lines: str
    adds: tuple[str, str]
    start: dict[str, str]
    options: dict[str, str]


EQUATIONS = {
    "iaf_psc_exp": Equations(
        """
        dv/dt = (-70*mV - v)/(10*ms) + (ex + inh + I_e*pA)/(250*pF) : volt (unless refractory)
        dex/dt = -ex/(2*ms) : amp
        dinh/dt = -inh/(2*ms) : amp
        """,
        ("ex", "weight*pA"),
        {"v": "-70*mV"},
        LEAKY,
    ),
    "iaf_psc_alpha": Equations(
        """
        dv/dt = (-70*mV - v)/(10*ms) + (ex + inh + I_e*pA)/(250*pF) : volt (unless refractory)
        dex/dt = rise - ex/(2*ms) : amp
        drise/dt = -rise/(2*ms) : amp/second
        dinh/dt = fall - inh/(2*ms) : amp
        dfall/dt = -fall/(2*ms) : amp/second
        """,
        ("rise", "weight*pA*exp(1)/(2*ms)"),
        {"v": "-70*mV"},
        LEAKY,
    ),
    "izhikevich": Equations(
        """
        dv/dt = (0.04*v*v/mV + 5*v + 140*mV - u + I_e*mV)/ms : volt
        du/dt = 0.02*(0.2*v - u)/ms : volt
        """,
        ("v", "weight*mV"),
        {"v": "-65*mV", "u": "-13*mV"},
        {"threshold": "v >= 30*mV", "reset": "v = -65*mV; u += 8*mV", "method": "euler"},
    ),
    "aeif_cond_exp": Equations(
        """
        dv/dt = (30*nS*(-70.6*mV - v) + 60*pA*exp((v + 50.4*mV)/(2*mV)) - w + incoming)/(281*pF) : volt (unless refractory)
        incoming = I_e*pA - ex*v - inh*(v + 85*mV) : amp
        dw/dt = (4*nS*(v + 70.6*mV) - w)/(144*ms) : amp
        dex/dt = -ex/(0.2*ms) : siemens
        dinh/dt = -inh/(2*ms) : siemens
        """,
        ("ex", "weight*nS"),
        {"v": "-70.6*mV"},
        {"threshold": "v >= 0*mV", "reset": "v = -60*mV; w += 80.5*pA", "refractory": "2*ms", "method": "rk4"},
    ),
}


def nest_run(model: str, neurons: int, duration: float) -> dict[str, float]:
    """Seconds of the run, and the rate of the neurons (spikes/s)."""
    weight, parameters = CASES[model]
    nest = common.load_nest(1, 1, STEP)
    cells = nest.Create(model, neurons, params=parameters)
    recorder = nest.Create("spike_recorder")
    nest.Connect(nest.Create("poisson_generator", params={"rate": RATE}), cells, syn_spec={"weight": weight, "delay": 1.0})
    nest.Connect(cells, recorder)
    nest.Simulate(WARM_UP)
    before, start = recorder.n_events, time.perf_counter()
    nest.Simulate(duration)
    seconds = time.perf_counter() - start
    return {"run": seconds, "rate": (recorder.n_events - before) / neurons / (duration * 1e-3)}


def brian2_run(model: str, neurons: int, duration: float, target: str) -> dict[str, float]:
    """The same by Brian2's cython code or its C++ standalone code."""
    import brian2 as b2

    if target == "standalone":
        b2.set_device("cpp_standalone", build_on_run=False)
    b2.prefs.codegen.target = "cython" if target == "cython" else "numpy"
    b2.defaultclock.dt = STEP * b2.ms
    weight, names = CASES[model]
    form = EQUATIONS[model]
    cells = b2.NeuronGroup(neurons, form.lines, namespace=names, **form.options)
    for name, value in form.start.items():
        setattr(cells, name, value)
    incoming = b2.PoissonInput(cells, form.adds[0], 1, RATE * b2.Hz, form.adds[1].replace("weight", str(weight)))
    spikes = b2.SpikeMonitor(cells, record=False)
    net = b2.Network(cells, incoming, spikes)
    return (standalone if target == "standalone" else cython)(net, spikes, neurons, duration)


def cython(net: Any, spikes: Any, neurons: int, duration: float) -> dict[str, float]:
    from brian2 import ms

    start = time.perf_counter()
    net.run(WARM_UP * ms)
    compiled, before = time.perf_counter(), int(spikes.num_spikes)
    net.run(duration * ms)
    seconds = time.perf_counter() - compiled
    return {"run": seconds, "compile": compiled - start, "rate": (spikes.num_spikes - before) / neurons / (duration * 1e-3)}


def standalone(net: Any, spikes: Any, neurons: int, duration: float) -> dict[str, float]:
    """Its program runs without warm-up."""
    from brian2 import device, ms

    net.run(duration * ms)
    start = time.perf_counter()
    device.build(directory=None, run=False)  # a folder that is removed afterwards
    compiled = time.perf_counter() - start
    device.run()
    return {"run": device._last_run_time, "compile": compiled, "rate": spikes.num_spikes / neurons / (duration * 1e-3)}


def main() -> None:
    p = argparse.ArgumentParser(prog="python -m bench.peers.own_models", description=__doc__)
    p.add_argument("--simulator", choices=("nest", "cython", "standalone"), required=True)
    p.add_argument("--model", choices=tuple(CASES), required=True)
    p.add_argument("--neurons", type=int, required=True)
    p.add_argument("--duration", type=float, required=True, help="ms")
    args = p.parse_args()
    with common.stdout_for_json() as out:
        if args.simulator == "nest":
            found = nest_run(args.model, args.neurons, args.duration)
        else:
            found = brian2_run(args.model, args.neurons, args.duration, args.simulator)
        print(json.dumps(found | {"ns": 1e9 * found["run"] / (args.neurons * args.duration / STEP)}), file=out)


if __name__ == "__main__":
    main()
