# SPDX-License-Identifier: Apache-2.0
"""Own models beside the same models built in, in NEST and in Brian2: a step of neurons with input, an event of synapses, what the first use of
a model waits for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from examples.published_models import MODELS

import neuropil as npl
from bench import brian2, programs
from bench.peers.own_models import CASES, RATE, STEP, WARM_UP
from bench.programs import ROOT
from bench.report import LOWER, Row, Section
from bench.sides import Settings, Side, column, measure
from neuropil.own_models.loading import load_source

PAIRS = {
    "eq_psc_exp": "iaf_psc_exp",
    "eq_psc_alpha": "iaf_psc_alpha",
    "eq_izhikevich": "izhikevich",
    "eq_aeif": "aeif_cond_exp",
}  # equations, built in
PEERS = {"nest": "NEST, built in", "cython": "Brian2, cython", "standalone": "Brian2, C++ standalone"}
SYNAPSES = {  # built in, its parameters; the same as equations
    "stdp_synapse": (
        {"lambda": 0.01, "Wmax": 100.0},
        ("eq_stdp", "dx/dt = -x/tau_plus (pre); dy/dt = -y/tau_minus (post)"),
        {
            "on_pre": "w -= rate*w*y; x += 1",
            "on_post": "w += rate*(Wmax - w)*x; y += 1",
            "bounds": ("0", "Wmax"),
            "parameters": {"tau_plus": 20.0, "tau_minus": 20.0, "rate": 0.01, "Wmax": 100.0},
        },
    ),
    "tsodyks2_synapse": (
        {"U": 0.5, "u": 0.5, "tau_fac": 30.0, "tau_rec": 200.0},
        ("eq_short_term", "dx/dt = (1 - x)/tau_rec (pre); du/dt = (U - u)/tau_fac (pre)"),
        {
            "on_pre": "release = u*x; x -= release; u += U*(1 - u)",
            "transmit": "w*release",
            "initial": {"u": "U", "x": 1.0},
            "parameters": {"U": 0.5, "tau_fac": 30.0, "tau_rec": 200.0},
        },
    ),
}
NEURONS = 5000
SOURCES, SOURCE_RATE, IN_DEGREE = 2000, 20.0, 500  # of networks of synapses
GOAL = 0.97  # time of the built-in model over that of the own one
COMPILE_GOALS = {"eq_aeif": 8.0}  # s; others
COMPILE_GOAL = 4.0


def ns_per_step(model: object, weight: float, parameters: dict[str, float], duration: float) -> float:
    """Of one neuron, on one thread."""
    net = npl.Network(resolution=STEP, seed=1, threads=1)
    neurons = net.create(model, NEURONS, **parameters)
    net.stimulate(neurons, npl.poisson(rate=RATE), weight=weight, delay=1.0)
    net.run(WARM_UP, progress=False)
    start = time.perf_counter()
    net.run(duration, progress=False)
    return 1e9 * (time.perf_counter() - start) / (NEURONS * duration / STEP)


def ns_per_event(synapse: object, duration: float) -> float:
    """Of a synapse, with the step of its target, on one thread."""
    net = npl.Network(resolution=STEP, seed=1, threads=1)
    sources, targets = net.create("parrot_neuron", SOURCES), net.create("iaf_psc_exp", SOURCES, I_e=390.0)
    net.stimulate(sources, npl.poisson(rate=SOURCE_RATE), weight=1.0, delay=STEP)
    net.connect(sources, targets, npl.fixed_indegree(IN_DEGREE), weight=20.0, delay=1.5, synapse=synapse)
    net.run(WARM_UP, progress=False)
    start = time.perf_counter()
    net.run(duration, progress=False)
    return 1e9 * (time.perf_counter() - start) / (SOURCES * SOURCE_RATE * 1e-3 * duration * IN_DEGREE)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def file_of(model: str) -> str:
    """The file of a built-in model, with another name."""
    text = (ROOT / f"cpp/nodes/models/{model}.cpp").read_text()
    return re.sub(r"(const char\* name = )[^;]+;", rf'\1"file_{model}";', text, count=1)


def is_whole(text: str) -> bool:
    """Whether a file has the name of its model: the struct of some is in a header."""
    return "const char* name = " in text


def compiled(text: str, repeats: int) -> list[float]:
    """Seconds to compile and load a model, where the headers are compiled already."""
    load_source(text, "first.cpp")
    return [seconds(lambda k=k: load_source(f"{text}// {time.time()} {k}\n", "again.cpp")) for k in range(repeats)]


def forms_of(name: str, built_in: str) -> dict[str, object]:
    """The same model in each form."""
    forms: dict[str, object] = {"built in": built_in, "equations": npl.neuron(name, **MODELS[name])}
    text = file_of(built_in)
    return forms | ({"C++ file": load_source(text, f"{built_in}.cpp")} if is_whole(text) else {})


def run(settings: Settings) -> Section:
    title = f"Own models, {NEURONS} neurons with Poisson input, 1 thread: beside the same model built in"
    section = Section("own_models", title, peer="built in or peer")
    duration = 20.0 if settings.quick else 200.0
    for name, built_in in PAIRS.items():
        forms = forms_of(name, built_in)
        times: dict[str, list[float]] = {form: [] for form in forms}
        for _ in range(settings.repeats):  # in turn
            for form, model in forms.items():
                times[form].append(ns_per_step(model, *CASES[built_in], duration))
        section.runs[name] = [{form: values[k] for form, values in times.items()} for k in range(settings.repeats)]
        for form in [form for form in forms if form != "built in"]:
            what = f"{built_in} as {form}: a neuron and step"
            section.rows.append(Row(what, "ns", times[form], times["built in"], "slower", None if settings.quick else GOAL))
        waited = compiled(npl.neuron(name, **MODELS[name]).source, settings.repeats)
        section.rows.append(Row("  compiling its equations", "s", waited, goal=COMPILE_GOALS.get(name, COMPILE_GOAL), sense=LOWER))
        add_peers(section, settings, built_in, times["equations"], duration)
    for built_in, (given, equations, options) in SYNAPSES.items():
        add_synapse(section, settings, built_in, npl.synapse(built_in, **given), npl.synapse_model(*equations, **options))
    return section


def add_peers(section: Section, settings: Settings, model: str, ours: list[float], duration: float) -> None:
    """The rows of a model beside NEST and Brian2, where they are installed."""
    there = {"nest": settings.peers and programs.peer_available()}
    there |= dict.fromkeys(("cython", "standalone"), settings.other_peers and brian2.is_there())
    options = {"model": model, "neurons": NEURONS, "duration": duration}
    sides = {name: Side("own_models", {"simulator": name} | options, peer=True) for name in PEERS if there[name]}
    runs = measure(section, settings, {f"{model}_{name}": side for name, side in sides.items()})
    for name in sides:
        text = f"  its equations, beside {PEERS[name]}: a neuron and step"
        section.rows.append(Row(text, "ns", ours, column(runs[f"{model}_{name}"], "ns"), "slower"))


def add_synapse(section: Section, settings: Settings, name: str, built_in: object, made: object) -> None:
    """The row of a synapse model."""
    times: dict[str, list[float]] = {"built in": [], "equations": []}
    for _ in range(settings.repeats):  # in turn
        for form, synapse in zip(times, (built_in, made), strict=True):
            times[form].append(ns_per_event(synapse, 50.0 if settings.quick else 200.0))
    section.runs[name] = [{form: values[k] for form, values in times.items()} for k in range(settings.repeats)]
    goal = None if settings.quick else GOAL
    section.rows.append(Row(f"{name} as equations: an event", "ns", times["equations"], times["built in"], "slower", goal))
