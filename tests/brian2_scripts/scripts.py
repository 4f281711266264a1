# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: F841  (Brian2 finds constants among the local variables)
"""Scripts in Brian2, written from the equations of the papers. Each gives what can be compared."""

import numpy as np

from brian2 import (
    Hz,
    Network,
    NeuronGroup,
    PoissonGroup,
    PoissonInput,
    PopulationRateMonitor,
    SpikeGeneratorGroup,
    SpikeMonitor,
    StateMonitor,
    Synapses,
    ms,
    msiemens,
    mV,
    network_operation,
    nS,
    run,
    second,
    siemens,
    ufarad,
    umetre,
    volt,
)
from brian2 import cm as centimetre

__all__ = [
    "brunel",
    "cobahh",
    "conditions",
    "cuba",
    "functions",
    "generators",
    "held",
    "interrupted",
    "izhikevich",
    "moments",
    "poisson_group",
    "poisson_rates",
    "restored",
    "unordered",
]


def spikes_of(monitor):
    """Neuron and time (ms) of each spike."""
    return {"i": np.array(monitor.i[:]), "t": np.array(monitor.t / ms)}


def drawn_pairs(n_source, n_target, p, seed):
    return np.nonzero(np.random.default_rng(seed).random((n_source, n_target)) < p)


def cuba(n=400, duration=150 * ms, p=0.05):
    """Vogels & Abbott 2005, current-based; weights are scaled to the size."""
    taum, taue, taui = 20 * ms, 5 * ms, 10 * ms
    Vt, Vr, El = -50 * mV, -60 * mV, -49 * mV
    equations = """
    dv/dt  = (ge + gi - (v - El))/taum : volt (unless refractory)
    dge/dt = -ge/taue : volt
    dgi/dt = -gi/taui : volt
    """
    cells = NeuronGroup(n, equations, threshold="v > Vt", reset="v = Vr", refractory=5 * ms, method="exact")
    cells.v = "Vr + rand()*(Vt - Vr)"
    we, wi = 1.62 * mV * 80 / (n * p), -9 * mV * 80 / (n * p)
    excitatory, inhibitory = (
        Synapses(cells[: n * 4 // 5], cells, on_pre="ge += we"),
        Synapses(cells[n * 4 // 5 :], cells, on_pre="gi += wi"),
    )
    for k, synapses in enumerate((excitatory, inhibitory)):
        i, j = drawn_pairs(len(synapses.source), n, p, k)
        synapses.connect(i=i, j=j)
    spikes, trace, rate = SpikeMonitor(cells), StateMonitor(cells, ["v", "ge"], record=[0, 7, 3]), PopulationRateMonitor(cells[:100])
    run(duration / 2)
    run(duration / 2)
    found = {
        "v": trace.v / mV,
        "ge": trace.ge / mV,
        "at": trace.t / ms,
        "rate": rate.rate / Hz,
        "end": cells.v / mV,
        "ge_end": cells.ge / mV,
    }
    return found | spikes_of(spikes) | {"count": spikes.count[:], "last": cells.lastspike / ms, "free": cells.not_refractory[:]}


def izhikevich():
    """Izhikevich 2003: regular spiking, bursting and fast spiking cells with delayed jumps of v; parameters per neuron."""
    equations = """
    dv/dt = (0.04/ms/mV)*v**2 + (5/ms)*v + 140*mV/ms - u + I : volt
    du/dt = a*(b*v - u) : volt/second
    I : volt/second
    a : Hz
    b : Hz
    c : volt
    d : volt/second
    """
    n = 60
    cells = NeuronGroup(n, equations, threshold="v >= 30*mV", reset="v = c; u += d", method="euler")
    cells.a, cells.b = "0.02/ms", "0.2/ms"
    cells.a["i >= 40"] = 0.1 / ms
    cells.c, cells.d = -65 * mV, 8 * volt / second
    cells.c["i >= 20 and i < 40"], cells.d["i >= 20"] = -50 * mV, 2 * volt / second
    cells.v, cells.u = "-65*mV + rand()*5*mV", "b*v"
    cells.I = "(4 + 6*i/N)*mV/ms"
    synapses = Synapses(cells, cells, "w : volt", on_pre="v_post += w")
    synapses.connect(condition="i != j and abs(i - j) < 6")
    synapses.w, synapses.delay = "(-1)**int(i >= 40)*rand()*mV", "rand()*3*ms"
    spikes, trace = SpikeMonitor(cells), StateMonitor(cells, True, record=[5, 30])
    run(120 * ms)
    return {"v": trace.v / mV, "u": trace.u / (volt / second), "I": trace.I / (volt / second), "end": cells.v / mV} | spikes_of(spikes)


def generators():
    """Trains that are given, with delays from 0 on, onto neurons that integrate jumps."""
    tau = 10 * ms
    source = SpikeGeneratorGroup(3, [0, 1, 0, 2, 1, 0], [0.0, 1.0, 1.1, 1.16, 4.0, 4.04] * ms, period=5 * ms)
    cells = NeuronGroup(
        4, "dv/dt = (0.4 - v)/tau : 1 (unless refractory)", threshold="v > 1", reset="v -= 1", refractory="(1 + i/2)*ms", method="exact"
    )
    synapses = Synapses(source, cells, "w : 1", on_pre="v += w")
    synapses.connect()
    synapses.w, synapses.delay = "0.3 + 0.1*j", "i*0.7*ms + 0.1*ms*j"
    back = Synapses(cells, cells, on_pre="v_post -= 0.05")
    back.connect(condition="i == j")
    spikes, trace, given = SpikeMonitor(cells), StateMonitor(cells, "v", record=True), SpikeMonitor(source)
    run(23 * ms)
    source.set_spikes([0, 2], [25, 26] * ms, period=0 * ms)
    run(7 * ms)
    order = np.lexsort((given.i[:], given.t[:]))  # Brian2 sends spikes of one step in the order of their times
    return {"v": trace.v[:], "given": given.t[order] / ms, "given_i": given.i[order], "end": cells.v[:]} | spikes_of(spikes)


def conditions():
    """Refractory until a condition is false; parts; two variables that are held; an adapting threshold."""
    equations = """
    dv/dt = (drive - w - v)/(8*ms) : 1 (unless refractory)
    dw/dt = -w/(30*ms) : 1 (unless refractory)
    dtheta/dt = (1 - theta)/(20*ms) : 1
    drive = base*(1 + 0.1*theta) : 1
    base : 1
    """
    cells = NeuronGroup(
        5,
        equations,
        threshold="v > theta and v < 10",
        reset="v = 1.4 + 0.1*base; w += 0.2; theta += drive/10",
        refractory="v > 1.5*theta",
        method="euler",
    )
    cells.base, cells.theta, cells.v = "1.2 + 0.3*i", 1, "0.3*i"
    spikes, trace = SpikeMonitor(cells), StateMonitor(cells, ["v", "drive", "theta", "base"], record=True)
    run(60 * ms)
    return (
        {name: getattr(trace, name)[:] for name in ("v", "drive", "theta", "base")} | spikes_of(spikes) | {"free": cells.not_refractory[:]}
    )


def interrupted():
    """Operations that change the state within a run, and values that are set between runs."""
    tau, gain = 10 * ms, 1.0
    cells = NeuronGroup(
        6, "dv/dt = (gain*drive - v)/tau : 1\ndrive : 1", threshold="v > 1", reset="v = 0", refractory=2 * ms, method="exact"
    )
    cells.drive = "1.1 + 0.05*i"
    synapses = Synapses(cells, cells, "w : 1", on_pre="v_post += w", delay=0.3 * ms)
    synapses.connect(condition="i != j")
    synapses.w = 0.02
    cells.run_regularly("drive += 0.01", dt=5 * ms)
    seen = []

    @network_operation(dt=3 * ms)
    def kick(t):
        seen.append((t / ms, float(cells.v[1])))
        cells.v[2] = 0.5

    @network_operation(dt=4 * ms, when="end")
    def look(t):
        seen.append((t / ms, float(cells.v[3])))

    spikes, trace = SpikeMonitor(cells), StateMonitor(cells, "v", record=True, dt=0.2 * ms)
    net = Network(cells, synapses, kick, look, spikes, trace)
    net.run(20 * ms)
    cells.v[4], synapses.w["i == 0"], gain = 0.9, 0.1, 1.2
    net.run(20.05 * ms)
    net.run(10 * ms)
    return {"v": trace.v[:], "at": trace.t / ms, "seen": np.array(seen), "drive": cells.drive[:], "end": net.t_} | spikes_of(spikes)


def restored():
    """Trials that begin with store() before the first run."""
    cells = NeuronGroup(3, "dv/dt = (1.5 - v)/(10*ms) : 1", threshold="v > 1", reset="v = 0", method="exact")
    spikes = SpikeMonitor(cells)
    net = Network(cells, spikes)
    net.store()
    found = {}
    for k in range(3):
        net.restore()
        cells.v = "0.1*i + 0.2" if k == 1 else 0
        net.run(125 * ms)
        found |= {f"{name}{k}": value for name, value in spikes_of(spikes).items()}
    return found


def held():
    """Two held variables with exact integration; synapses with several statements and pathways, between parts of two groups."""
    equations = """
    dv/dt = (a + x - v)/tau : 1 (unless refractory)
    da/dt = (b - a)/(3*tau) : 1 (unless refractory)
    dx/dt = -x/(5*ms) : 1
    b : 1 (constant)
    tau : second
    """
    first = NeuronGroup(8, equations, threshold="v > 1", reset="v = -0.2; a -= 0.3", refractory=1.7 * ms, method="exact")
    first.b, first.tau, first.v, first.a = "1.1 + 0.1*i", "(8 + i)*ms", "0.1*i", 1
    gain, n = 0.7, 3
    second_equations = "dy/dt = (drive - y + z)/(6*ms) : 1\ndrive : 1\nz : 1\nkind : integer\nfast : boolean"
    other = NeuronGroup(
        9, second_equations, threshold="y > 1 + 0.1*int(fast)", reset="y = 0\nz *= 0.5", refractory="(1 + kind)*ms", method="rk4"
    )
    other.drive, other.kind, other.fast = 1.2, "i % 3", "i > 4"
    forward = Synapses(
        first[2:], other[3:], "w : 1", on_pre={"early": "y_post += gain*w\nz_post += 0.05*kind_post", "late": "z += w*b_pre/n"},
        delay={"early": 0.4 * ms, "late": 2 * ms},
    )  # fmt: skip
    forward.connect(j="k for k in range(i, N_post, 2)")
    forward.w = "0.1 + 0.02*i - 0.01*j"
    back = Synapses(other[:6], first, on_pre="x += 0.2 - 0.05*int(i == 2); v -= 0.02")
    back.connect(condition="(i + j) % 3 == 0")
    spikes, others = SpikeMonitor(first), SpikeMonitor(other[2:8])
    trace, seen = StateMonitor(first, ["v", "a", "x"], record=True), StateMonitor(other[4:], ["y", "z"], record=[0, 3])
    Network(first, other, forward, back, spikes, others, trace, seen).run(80 * ms)
    found = {name: getattr(trace, name)[:] for name in ("v", "a", "x")} | {"y": seen.y[:], "z": seen.z[:]}
    found |= {f"other_{name}": value for name, value in spikes_of(others).items()}
    return found | spikes_of(spikes) | {"train": spikes.spike_trains()[7] / ms, "last": first.lastspike / ms}


def functions():
    """Functions and operators, solved by exponential Euler and Runge-Kutta."""
    found = {}
    shapes = {
        "smooth": "tanh(x) + clip(x, -0.5, 0.5) + abs(sin(x)) - sign(x - 0.2)*0.1",
        "steep": "log10(x**2 + 1) + sqrt(abs(x))*cos(x) - exprel(x/3) + tan(x/9)",
        "cut": "int(x > 0.3 and not x >= 2)*0.5 + int((x > 0 and x < 1) or x == 5) + 2**-x + sinh(x/9) - cosh(x/9) + exp(-x) - log(2.5)",
    }
    nets = []
    for name, shape in shapes.items():
        for method in ("rk4", "euler"):
            cells = NeuronGroup(4, f"dx/dt = ({shape} - x + 0.3*dt/ms*N*pi)/(7*ms) : 1", method=method)
            cells.x = "0.4*i"
            nets.append((f"{name}_{method}", cells))
    cells = NeuronGroup(4, "dx/dt = -x*(1 + y**2)/(5*ms) + y/(2*ms) : 1\ndy/dt = (1 - y)*(x + 1)/(9*ms) : 1", method="exponential_euler")
    cells.x = "i"
    nets.append(("exponential", cells))
    for name, cells in nets:
        trace = StateMonitor(cells, "x", record=True, dt=0.5 * ms)
        Network(cells, trace).run(20 * ms)
        found[name] = trace.x[:]
    return found


def cobahh(seed, n=400, duration=300 * ms):
    """Brette et al. 2007, conductance-based with Hodgkin-Huxley neurons (Traub & Miles 1991); weights are scaled to the size."""
    area = 20000 * umetre**2
    Cm, gl = (1 * ufarad / centimetre**2) * area, (5e-5 * siemens / centimetre**2) * area
    El, EK, ENa, VT = -60 * mV, -90 * mV, 50 * mV, -63 * mV
    g_na, g_kd = (100 * msiemens / centimetre**2) * area, (30 * msiemens / centimetre**2) * area
    taue, taui, Ee, Ei = 5 * ms, 10 * ms, 0 * mV, -80 * mV
    we, wi = 6 * nS * 4000 / n / 4, 67 * nS * 4000 / n / 4
    equations = """
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
    cells = NeuronGroup(n, equations, threshold="v > -20*mV", refractory=3 * ms, method="exponential_euler")
    rng = np.random.default_rng(seed)
    cells.v = El + (rng.standard_normal(n) * 5 - 5) * mV
    cells.ge, cells.gi = (rng.standard_normal(n) * 1.5 + 4) * 10 * nS, (rng.standard_normal(n) * 12 + 20) * 10 * nS
    k = n * 4 // 5
    excitatory, inhibitory = Synapses(cells[:k], cells, on_pre="ge += we"), Synapses(cells[k:], cells, on_pre="gi += wi")
    excitatory.connect(p=0.08)
    inhibitory.connect(p=0.08)
    spikes = SpikeMonitor(cells)
    run(duration)
    return spikes_of(spikes) | {"n": n, "duration": float(duration)}


def brunel(seed=1, n=500, duration=200 * ms):
    """Brunel 2000: sparse random network with Poisson input, delayed jumps of v."""
    tau, theta, rest = 20 * ms, 20 * mV, 10 * mV
    J, g, D = 0.2 * mV, 5.0, 1.5 * ms
    c = n // 10
    cells = NeuronGroup(
        n, "dv/dt = -v/tau : volt (unless refractory)", threshold="v > theta", reset="v = rest", refractory=2 * ms, method="exact"
    )
    k = n * 4 // 5
    excitatory, inhibitory = Synapses(cells[:k], cells, on_pre="v += J", delay=D), Synapses(cells[k:], cells, on_pre="v += -g*J", delay=D)
    excitatory.connect(p=0.1)
    inhibitory.connect(p=0.1)
    outside = PoissonInput(cells, "v", N=c * 10, rate=2 * theta / (J * c * 10 * tau), weight=J)
    spikes = SpikeMonitor(cells)
    Network(cells, excitatory, inhibitory, outside, spikes).run(duration)
    return spikes_of(spikes) | {"n": n, "duration": float(duration)}


def moments():
    """Monitors at moments of a step when the state has moved; a part of a group in the network; potentials that an exponential throws far."""
    tau, steep = 10 * ms, 2 * mV
    cells = NeuronGroup(3, "dx/dt = (2 - x)/tau : 1\ny = 2*x : 1", threshold="x > 1", reset="x = 0", method="euler")
    cells.x = [0, 0.3, 0.6]
    part = cells[:2]
    synapses = Synapses(cells, part, on_pre="x += 0.1  # hard, not soft")
    synapses.connect(i=[0, 1, 2], j=[1, 0, 1])
    sharp = NeuronGroup(2, "dv/dt = (steep*exp(v/steep) + 20*mV)/tau : volt", threshold="v > 10*mV", reset="v = -30*mV", method="euler")
    sharp.v = [-30, 20] * mV
    sent = SpikeMonitor(sharp)
    whens = ("start", "after_groups", "before_thresholds", "thresholds", "after_thresholds", "before_synapses")
    traces = {when: StateMonitor(cells, ["x", "y"], record=True, when=when, dt=0.3 * ms) for when in whens}
    net = Network(cells, part, synapses, sharp, sent, *traces.values())
    net.run(5 * ms)
    cells.x[0] = 0.9
    net.run(24.3 * ms)
    found = {f"{name}_{when}": getattr(trace, name)[:] for when, trace in traces.items() for name in ("x", "y")}
    return spikes_of(sent) | found | {"last": traces["thresholds"].t / ms}


def poisson_group(duration=2 * second):
    """Random sources: each sends the same spikes to all its targets."""
    source = PoissonGroup(50, rates="(1 + i)*4*Hz")
    cells = NeuronGroup(100, "dx/dt = 0/second : 1", threshold="x > 0.5", reset="x -= 1", method="euler")
    synapses = Synapses(source, cells, on_pre="x += 1")
    synapses.connect(condition="i == j % 50")
    sent, copied = SpikeMonitor(source), SpikeMonitor(cells)
    run(duration)
    return {"sent": spikes_of(sent), "copied": spikes_of(copied)}


def poisson_rates():
    """Random sources whose rates change from run to run: none, some, some again, one in each step."""
    source = PoissonGroup(200, rates="rate")
    sent = SpikeMonitor(source)
    net = Network(source, sent)
    counts = []
    for rate, duration in ((0 * Hz, 1 * second), (20 * Hz, 1 * second), (20 * Hz, 1 * second), (10000 * Hz, 10 * ms), (0 * Hz, 10 * ms)):
        net.run(duration, namespace={"rate": rate})
        counts.append(sent.num_spikes)
    return spikes_of(sent) | {"counts": counts}


def unordered():
    """Synapses in no order; their weights, and values of the target, change between runs while spikes arrive."""
    tau = 10 * ms
    source = SpikeGeneratorGroup(2, [0, 1, 0, 1, 0, 0], [1, 2, 3, 4, 4.7, 6] * ms)
    cells = NeuronGroup(2, "ds/dt = -s/tau : 1\ndx/dt = -x/tau : 1", method="exact")
    synapses, other = Synapses(source, cells, "w : 1", on_pre="s += w"), Synapses(source, cells, on_pre="x += 1")
    synapses.connect(i=[1, 0, 0], j=[0, 1, 0])
    other.connect(i=[0, 1], j=[0, 1])
    synapses.w, synapses.delay, other.delay = [1, 2, 3], [0.2, 0.2, 0.3] * ms, 0.2 * ms
    trace = StateMonitor(cells, ["s", "x"], record=True)
    run(5 * ms)
    synapses.w = [4, 5, 6]
    run(5 * ms)
    cells.x[0] = 0.5
    run(2 * ms)
    return {"s": trace.s[:], "x": trace.x[:], "end": cells.s[:], "end_x": cells.x[:]}
