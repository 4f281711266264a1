# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F841  (Brian2 finds constants among the local variables)
"""Scripts in Brian2 whose synapses change: STDP and short-term dynamics. Each gives spikes, weights, traces and potentials."""

import numpy as np

from brian2 import (
    Hz,
    Network,
    NeuronGroup,
    PoissonGroup,
    SpikeGeneratorGroup,
    SpikeMonitor,
    StateMonitor,
    Synapses,
    ms,
    mV,
    network_operation,
    nS,
    run,
)

__all__ = ["SCRIPTS", "pairs", "song_poisson"]

TRACES = "dApre/dt = -Apre/taupre : 1 (event-driven)\ndApost/dt = -Apost/taupost : 1 (event-driven)"
PAIRS = {
    "model": "w : 1\n" + TRACES,
    "on_pre": "v_post += w; Apre += dApre; w = clip(w + Apost, 0, wmax)",
    "on_post": "Apost += dApost; w = clip(w + Apre, 0, wmax)",
}
LEAKY = "dv/dt = (drive - v)/(10*ms) : 1 (unless refractory)\ndrive : 1\ngain : 1"


def trains(n, seed=1, rate=0.3, duration=100):
    """Given spikes of n sources; some in the same step as those of others."""
    rng = np.random.default_rng(seed)
    found = np.unique(
        np.stack([rng.integers(0, n, int(rate * n * duration)), rng.integers(0, duration * 10, int(rate * n * duration))]), axis=1
    )
    return SpikeGeneratorGroup(n, found[0], found[1] * 0.1 * ms)


def leaky(n=4, equations=LEAKY, **options):
    cells = NeuronGroup(n, equations, **{"threshold": "v > 1", "reset": "v = 0", "refractory": 1 * ms, "method": "exact"} | options)
    cells.drive, cells.gain = "0.9 + 0.1*i", "1 + 0.2*i"
    return cells


def found(net, synapses, cells, names, durations=(40, 30.3, 20), between=None):
    """What can be compared after several runs."""
    spikes, trace = SpikeMonitor(cells), StateMonitor(cells, "v", record=True)
    recorded = StateMonitor(synapses, names, record=np.arange(0, len(synapses), 3), dt=0.3 * ms)
    net.add(spikes, trace, recorded)
    result = {}
    for k, duration in enumerate(durations):
        net.run(duration * ms, namespace=between(k) if between else {})
        result |= {f"{name}_{k}": np.array(getattr(synapses, name)[:]) for name in names} | {f"v_{k}": np.array(cells.v[:])}
    result |= {"i": np.array(spikes.i[:]), "t": spikes.t / ms, "v": np.array(trace.v[:])} | {
        f"{name}_seen": np.array(getattr(recorded, name)[:]) for name in names
    }
    if "lastupdate" in synapses.variables:
        result["last"] = synapses.lastupdate / ms
    return result


CONSTANTS = {"taupre": 20 * ms, "taupost": 30 * ms, "wmax": 0.6, "dApre": 0.01, "dApost": -0.008, "ms": ms, "mV": mV}


def pairs(delay="0*ms", **options):
    """Pairs of spikes, with weights and traces that the script sets between runs, and a constant that changes."""
    source, cells = trains(5), leaky()
    synapses = Synapses(source, cells, **PAIRS | options)
    synapses.connect()
    synapses.w, synapses.delay = "0.1 + 0.05*i + 0.02*j", delay

    def between(k):
        if k == 1:
            synapses.w["i == 2"], synapses.Apost["j == 1"] = 0.3, -0.02
        return CONSTANTS | {"dApre": 0.01 + 0.01 * k}

    return found(Network(source, cells, synapses), synapses, cells, ["w", "Apre", "Apost"], between=between)


def recurrent():
    """A group onto itself: conductances in siemens, delays of each synapse, and a second, static group of synapses to the same variable."""
    equations = "dv/dt = (15*mV*(1 + 0.1*i/N) - v + ge*(50*mV - v)/(10*nS))/(10*ms) : volt\ndge/dt = -ge/(3*ms) : siemens"
    cells = NeuronGroup(12, equations, threshold="v > 10*mV", reset="v = 0*mV", refractory=2 * ms, method="euler")
    cells.v = "i*0.7*mV"
    synapses = Synapses(
        cells, cells, "w : siemens\ndx/dt = -x/(15*ms) : siemens (event-driven)\ndy/dt = -y/(25*ms) : siemens (event-driven)",
        on_pre="ge += w\nx += 0.02*nS\nw = clip(w - y, 0*nS, 2*nS)", on_post="w += x*int(w < 2*nS)\ny += 0.03*nS",
    )  # fmt: skip
    synapses.connect(condition="i != j")
    synapses.w, synapses.delay = "(0.1 + 0.03*abs(i - j))*nS", "(i % 4)*0.4*ms + 0.1*ms*j"
    static = Synapses(cells[:6], cells[3:], "g : siemens", on_pre="ge += g", delay=0.7 * ms)
    static.connect(j="i")
    static.g = 0.2 * nS
    return found(Network(cells, synapses, static), synapses, cells, ["w", "x", "y"])


def triplets():
    """Pfister & Gerstner 2006."""
    source, cells = trains(6, 3), leaky()
    traces = "\n".join(
        f"d{name}/dt = -{name}/({tau}*ms) : 1 (event-driven)" for name, tau in {"r1": 17, "r2": 101, "o1": 34, "o2": 125}.items()
    )
    synapses = Synapses(
        source, cells, "w : 1\n" + traces, delay=1.3 * ms,
        on_pre="v_post += w; w = clip(w - o1*(0.002 + 0.001*r2), 0, 1); r1 += 1; r2 += 1",
        on_post="w = clip(w + r1*(0.003 + 0.002*o2), 0, 1); o1 += 1; o2 += 1",
    )  # fmt: skip
    synapses.connect()
    synapses.w = 0.2
    return found(Network(source, cells, synapses), synapses, cells, ["w", "r1", "o2"])


def short_term():
    """Tsodyks & Markram 1998: parameters of each synapse, a subgroup, several synapses of a pair, no on_post."""
    source, cells = trains(6, 4), leaky(8)
    synapses = Synapses(
        source, cells[2:], "w : 1\nU : 1 (constant)\nstrong : boolean\ndu/dt = (U - u)/(80*ms) : 1 (event-driven)\ndx/dt = (1 - x)/(120*ms) : 1 (event-driven)",
        on_pre="u += U*(1 - u)\nv_post += w*u*x*(1 + int(strong))*gain\nx -= u*x",
    )  # fmt: skip
    synapses.connect(n=2, condition="(i + j) % 2 == 0")
    synapses.w, synapses.U, synapses.strong, synapses.x = "0.2 + 0.01*j", "0.2 + 0.05*i", "i > 2", 1
    synapses.u, synapses.delay = "U", "rand()*2*ms"
    return found(Network(source, cells, synapses), synapses, cells, ["u", "x"])


def inhibitory(first=0.0):
    """Vogels et al. 2011: weights that begin with 0 or small and lower the potential; an operation that changes weights within runs."""
    source, cells = trains(6, 5), leaky(5)
    cells.drive = 4
    synapses = Synapses(
        source, cells, "w : 1\n" + TRACES, on_pre="v_post -= w; Apre += 1; w = clip(w + (Apost - 0.3)*0.02, 0, 1)",
        on_post="Apost += 1; w = clip(w + Apre*0.02, 0, 1)", delay=0.5 * ms,
    )  # fmt: skip
    synapses.connect()
    synapses.w = first
    others = Synapses(source, cells, on_pre="v_post += 0.2")
    others.connect(condition="i == j")

    @network_operation(dt=7 * ms)
    def push():
        synapses.w[3] = 0.1

    return found(Network(source, cells, synapses, others, push), synapses, cells, ["w", "Apre", "Apost"], between=lambda k: CONSTANTS)


def undriven():
    """Weights that nothing but on_pre changes; two groups of synapses with the same code."""
    source, cells = trains(3, 6), leaky(3)
    synapses, other = (Synapses(source, cells, "w : 1\nn : 1", on_pre="v_post += w; w *= 0.9; n += 1", delay=k * ms) for k in (0, 1))
    for each in (synapses, other):
        each.connect()
        each.w = "0.3 + 0.1*i"
    synapses.run_regularly("w += 0.001", dt=3 * ms, name="before_monitors")
    return found(Network(source, cells, synapses, other), synapses, cells, ["w", "n"]) | {"other": other.w[:]}


def song(source=None, n=200, duration=1500 * ms, rate=60 * Hz):
    """Song, Miller & Abbott 2000: many inputs of one neuron, whose weights follow STDP. source : None: given spikes, else Poisson."""
    taum, taupre, taupost, taue = 10 * ms, 20 * ms, 20 * ms, 5 * ms
    Ee, vt, vr, El = 0 * mV, -54 * mV, -60 * mV, -74 * mV
    gmax, dApre = 0.012, 0.01
    dApost = -dApre * taupre / taupost * 1.05 * gmax
    dApre *= gmax
    if source is None:
        source = trains(n, 7, float(rate) * 1e-3, round(duration / ms))
    neuron = NeuronGroup(
        1, "dv/dt = (ge*(Ee - v) + El - v)/taum : volt\ndge/dt = -ge/taue : 1", threshold="v > vt", reset="v = vr", method="euler"
    )
    neuron.v = vr
    synapses = Synapses(
        source,
        neuron,
        "w : 1\n" + TRACES,
        on_pre="ge += w\nApre += dApre\nw = clip(w + Apost, 0, gmax)",
        on_post="Apost += dApost\nw = clip(w + Apre, 0, gmax)",
    )
    synapses.connect()
    synapses.w = "rand()*gmax"
    weights, spikes = StateMonitor(synapses, "w", record=[0, 1]), SpikeMonitor(neuron)
    run(duration)
    return {"t": spikes.t / ms, "w": synapses.w / gmax, "seen": weights.w[:] / gmax, "Apre": synapses.Apre / gmax, "v": neuron.v / mV}


def song_poisson(duration):
    """The same as in Brian2's documentation: its inputs are a PoissonGroup."""
    return song(PoissonGroup(1000, rates=15 * Hz), duration=duration)


SCRIPTS = {
    **{
        f"pairs, {delay}": lambda delay=delay: pairs(delay)
        for delay in ("0*ms", "0.1*ms", "1*ms", "(0.3 + i*0.4 + j*0.1)*ms", "4*ms*rand()")
    },
    "recurrent": recurrent,
    "triplets": triplets,
    "short-term": short_term,
    "inhibitory": inhibitory,
    "inhibitory, from 1e-11": lambda: inhibitory(1e-11),
    "undriven": undriven,
    "song": song,
}
