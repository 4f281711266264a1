# SPDX-License-Identifier: Apache-2.0
"""Pictures of what a model does, drawn when the site is built: responses of neurons, trains of devices, windows of plasticity, matrices of rules.

A picture is drawn again when the entry of the model, this code or the version of neuropil has changed.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import neuropil as npl
from neuropil.classes import Entry
from neuropil.errors import NeuropilError

GREY, BLUE, RED = "#888888", "#3b8bc9", "#d9673f"  # read on a white and on a black ground
WITHOUT = {  # models that have no picture, and why
    "volume_transmitter": "passes spikes on to synapses only",
    "stdp_dopamine_synapse": "needs a volume transmitter: see the tutorial on plasticity",
    "stdp_facetshw_synapse": "changes weights at readouts only",
    "clopath_synapse": "needs the potential of its target",
    "urbanczik_synapse": "needs the dendrite of its target",
    "eprop_synapse": "needs readouts: see the page on e-prop",
    "eprop_synapse_bsshslm_2020": "needs readouts: see the page on e-prop",
    "eprop_learning_signal_connection": "needs readouts: see the page on e-prop",
    "eprop_learning_signal_connection_bsshslm_2020": "needs readouts: see the page on e-prop",
    "diffusion_connection": "continuous",
    "rate_connection_delayed": "continuous",
    "rate_connection_instantaneous": "continuous",
    "sic_connection": "continuous",
    "gap_junction": "continuous",
    "nmda_synapse": "gates a receptor of its target",
    "state_change_synapse": "connects neurons with two states",
    "cont_delay_synapse": "the weight does not change",
    "tripartite": "connects three populations",
}
ON, OFF, END = 20.0, 120.0, 150.0  # ms


def draw(entry: Entry, kind: str, path: Path) -> str:
    """Draws the picture of a model into an SVG file. Returns its caption, "" where the model has none."""
    if entry.name in WITHOUT:
        return ""
    code = Path(__file__).read_bytes()
    key = hashlib.sha256(code + f"{entry!r} {npl.__version__}".encode()).hexdigest()
    note = path.with_suffix(".key")
    if note.exists() and (kept := note.read_text().partition(" "))[0] == key:
        return kept[2]
    path.parent.mkdir(parents=True, exist_ok=True)
    caption = DRAWERS[kind](entry, path)
    note.write_text(f"{key} {caption}")
    return caption


def frame(height: float = 2.1) -> tuple[Any, Any]:
    """A figure with one plot on a transparent ground."""
    import matplotlib.pyplot as plt

    colours: Any = {f"{of}.color": GREY for of in ("xtick", "ytick")} | {
        "axes.labelcolor": GREY,
        "axes.edgecolor": GREY,
        "text.color": GREY,
    }
    with plt.rc_context(colours | {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axis = plt.subplots(figsize=(5.4, height), layout="constrained")
    axis.patch.set_alpha(0.0)
    return figure, axis


def save(figure: Any, path: Path) -> None:
    """Writes a figure with the same bytes each time."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with mpl.rc_context({"svg.hashsalt": path.stem, "svg.fonttype": "path"}):
        figure.savefig(path, transparent=True, metadata={"Date": None})
    plt.close(figure)


# --- neurons


ALONE = "The neuron with its defaults and without input."
RISING = "Rate; its input rises from 0 to 50 spikes/s with a time constant of 30 ms."
SETTINGS: dict[str, dict[str, Any]] = {  # where a neuron with its defaults does not spike
    "cm_default": {"C_m_0": 0.1, "g_L_0": 0.01, "gbar_Na_0": 4.6, "gbar_K_0": 0.96},
}


def watched(entry: Entry) -> str:
    """The quantity that a picture shows."""
    names = [name for name in entry.state if not name.startswith("_")]
    first = ("V_m", "V_m.s", "V_m_s", "v_comp0", "rate", "S", "IP3", "m", "h")
    return next((name for name in first if name in names), names[0] if names else "")


def respond(entry: Entry, current: float = 0.0, weight: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, the watched quantity and spikes of one neuron that gets a current from ON to OFF, or a spike of this weight every 10 ms."""
    net = npl.Network(seed=3, threads=1)
    cell = net.create(entry.name, 1, **SETTINGS.get(entry.name, {}))
    if current:
        net.stimulate(cell, npl.dc(amplitude=current, start=ON - 1.0, stop=OFF - 1.0), delay=1.0)
    if weight:
        receptor: dict[str, Any] = {"receptor": 1} if entry.input == "ports" else {}
        net.stimulate(cell, npl.spike_train(np.arange(ON - 1.0, OFF - 1.0, 10.0)), weight=weight, delay=1.0, **receptor)
    name = watched(entry)
    trace = net.record(cell, name, interval=0.1) if name else None
    spikes = net.record(cell)
    net.run(END)
    values = trace.data()[name][:, 0] if trace is not None else np.zeros(0)
    return (trace.times if trace is not None else np.zeros(0)), values, spikes.data().times


def answer(entry: Entry) -> tuple[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The weakest current of 25, 50, 100, ... pA that makes at least three spikes, else spikes that arrive, else the model alone."""
    quiet = respond(entry)
    in_nA = entry.name == "cm_default"
    for current in ((0.25 if in_nA else 25.0) * 2.0**k for k in range(12)):
        try:
            found = respond(entry, current=current)
        except NeuropilError:
            break
        if len(found[2]) >= 3 and len(found[2]) > len(quiet[2]) + 1:
            return f"Response to {current:g} {'nA' if in_nA else 'pA'} for {OFF - ON:g} ms.", found
    for weight in (0.5 * 2.0**k for k in range(16)):
        try:
            found = respond(entry, weight=weight)
        except NeuropilError:
            break
        unit = f" {entry.weight_unit}" if entry.weight_unit else ""
        changed = len(quiet[1]) and np.ptp(found[1] - quiet[1]) > 0.2 * (np.ptp(quiet[1]) + 1.0)
        if len(found[2]) > len(quiet[2]) or (changed and weight > 2.0):
            return f"Response to a spike of weight {weight:g}{unit} every 10 ms, from {ON:g} to {OFF:g} ms.", found
    return ALONE, quiet


def rates(entry: Entry) -> tuple[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """A rate neuron without noise that gets a step of rates; a mean rate gets one that grows."""
    net = npl.Network(seed=3, threads=1)
    quiet: dict[str, Any] = {"sigma": 0.0} if "sigma" in entry.parameters else {}
    cell = net.create(entry.name, 1, **quiet)
    if entry.name == "siegert_neuron":
        source = net.create("siegert_neuron", 1, tau=30.0, mean=50.0)
        net.connect(source, cell, synapse=npl.synapse("diffusion_connection", drift_factor=0.4, diffusion_factor=1.0))
        text = RISING
    else:
        source = net.create("step_rate_generator", 1, amplitude_times=[ON, OFF], amplitude_values=[1.5, 0.0])
        net.connect(source, cell, weight=1.0, delay=1.0, synapse="rate_connection_delayed")
        text = f"Rate without noise; its input is 1.5 from {ON:g} to {OFF:g} ms."
    trace = net.record(cell, "rate", interval=0.1)
    net.run(END)
    return text, (trace.times, trace.data()["rate"][:, 0], np.zeros(0))


def two_states(entry: Entry) -> tuple[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """A neuron with two states whose input grows by a current."""
    net = npl.Network(seed=3, threads=1)
    threshold: dict[str, Any] = {"theta": 0.5} if "theta" in entry.parameters else {}
    cell = net.create(entry.name, 1, **threshold)
    net.stimulate(cell, npl.dc(amplitude=1.0, start=ON, stop=OFF), delay=1.0)
    trace = net.record(cell, "S", interval=0.1)
    net.run(END)
    return f"State; the input is 1 from {ON:g} to {OFF:g} ms, the threshold 0.5.", (trace.times, trace.data()["S"][:, 0], np.zeros(0))


def neuron(entry: Entry, path: Path) -> str:
    """Potential, rate or state over time, and spikes."""
    if "rate" in entry.state:
        caption, (times, values, spikes) = rates(entry)
    elif "S" in entry.state:
        caption, (times, values, spikes) = two_states(entry)
    else:
        caption, (times, values, spikes) = answer(entry)
    figure, axis = frame()
    if caption not in (ALONE, RISING):
        axis.axvspan(ON, OFF, color=GREY, alpha=0.12, lw=0)
    name = watched(entry)
    if name:
        axis.plot(times, values, color=BLUE, lw=1.1)
        unit = entry.state[name].unit
        axis.set_ylabel(f"{name} ({unit})" if unit else name)
    else:
        axis.set(yticks=[], ylabel="spikes")
    height, size = (1.03, 7) if name else (0.5, 14)  # above the curve, or in its place
    axis.plot(spikes, np.full(len(spikes), height), "|", color=RED, transform=axis.get_xaxis_transform(), clip_on=False, ms=size)
    axis.set(xlabel="time (ms)", xlim=(0.0, END))
    save(figure, path)
    given = ", ".join(f"{name}={value}" for name, value in SETTINGS.get(entry.name, {}).items())
    return " ".join([caption, *(["Red: spikes."] if len(spikes) else []), *([f"Parameters: `{given}`."] if given else [])])


# --- devices

EXAMPLES: dict[str, dict[str, Any]] = {
    "ac_generator": {"amplitude": 100.0, "frequency": 20.0, "offset": 50.0},
    "dc_generator": {"amplitude": 100.0, "start": 20.0, "stop": 120.0},
    "gamma_sup_generator": {"rate": 40.0, "gamma_shape": 4, "n_proc": 1},
    "inhomogeneous_poisson_generator": {"rate_times": [1.0, 50.0, 100.0], "rate_values": [10.0, 200.0, 30.0]},
    "mip_generator": {"rate": 80.0, "p_copy": 0.5},
    "noise_generator": {"mean": 100.0, "std": 50.0},
    "poisson_generator": {"rate": 60.0},
    "poisson_generator_ps": {"rate": 60.0},
    "ppd_sup_generator": {"rate": 40.0, "dead_time": 10.0, "n_proc": 1},
    "pulsepacket_generator": {"activity": 10, "sdev": 5.0, "pulse_times": [40.0, 110.0]},
    "sinusoidal_gamma_generator": {"rate": 60.0, "amplitude": 60.0, "frequency": 15.0, "order": 3.0},
    "sinusoidal_poisson_generator": {"rate": 60.0, "amplitude": 60.0, "frequency": 15.0},
    "spike_generator": {"spike_times": [20.0, 30.0, 60.0, 110.0]},
    "step_current_generator": {"amplitude_times": [20.0, 60.0, 100.0], "amplitude_values": [100.0, -50.0, 0.0]},
    "step_rate_generator": {"amplitude_times": [20.0, 60.0, 100.0], "amplitude_values": [10.0, 40.0, 5.0]},
    "weighted_spike_generator": {"spike_times": [20.0, 30.0, 60.0, 110.0], "spike_weights": [1.0, 2.0, 0.5, 1.0]},
}


def device(entry: Entry, path: Path) -> str:
    """Current or rate over time, or the trains of twelve devices."""
    given = EXAMPLES[entry.name]
    net = npl.Network(seed=3, threads=1)
    figure, axis = frame()
    shown = ", ".join(f"{name}={value}" for name, value in given.items())
    if entry.effect in ("current", "values"):
        made = net.create(entry.name, 1, **given)
        name = next(iter(entry.recorded))
        trace = net.record(made, name, interval=0.1)
        net.run(END)
        axis.plot(trace.times, trace.data()[name][:, 0], color=BLUE, lw=1.1)
        axis.set_ylabel(f"{name} ({entry.recorded[name].unit})")
        caption = f"`{name}` with `{shown}`."
    else:
        made = net.create(entry.name, 12, **given)
        spikes = net.record(made)
        net.run(END)
        axis.plot(spikes.times, spikes.gids - made.gids[0] + 1, "|", color=BLUE, ms=6)
        axis.set(ylabel="device", ylim=(0.0, 13.0))
        caption = f"Spikes of twelve devices with `{shown}`."
    axis.set(xlabel="time (ms)", xlim=(0.0, END))
    save(figure, path)
    return caption


# --- synapses

PLASTIC: dict[str, dict[str, Any]] = {  # parameters, w: weight at the beginning
    "stdp_synapse": {"w": 50.0},
    "stdp_pl_synapse_hom": {"w": 50.0},
    "stdp_triplet_synapse": {"w": 50.0},
    "stdp_nn_symm_synapse": {"w": 50.0},
    "stdp_nn_restr_synapse": {"w": 50.0},
    "stdp_nn_pre_centered_synapse": {"w": 50.0},
    "vogels_sprekeler_synapse": {"w": 0.5},
    "jonke_synapse": {"w": 50.0},
    "calcium_synapse": {"w": 50.0},
}
PAIRS, INTERVAL = 10, 200.0  # ms


def window(entry: Entry, path: Path) -> str:
    """Change of the weight by pairs of spikes, over their lag."""
    lags = np.arange(-60.0, 60.1, 4.0) + 0.5
    start = PLASTIC[entry.name]["w"]
    net = npl.Network(seed=3, threads=1)
    pre, post = net.create("parrot_neuron", 1), net.create("parrot_neuron", len(lags))
    at = 100.0 + INTERVAL * np.arange(PAIRS)
    net.connect(net.create("spike_generator", 1, spike_times=np.append(at, at[-1] + 600.0)), pre, delay=1.0)
    for k, lag in enumerate(lags):
        net.connect(net.create("spike_generator", 1, spike_times=at + lag - 1.0), post[k : k + 1], delay=1.0)
    projection = net.connect(pre, post, weight=start, delay=1.0, receptor=1, synapse=npl.synapse(entry.name))
    net.run(at[-1] + 700.0)
    figure, axis = frame()
    axis.axhline(0.0, color=GREY, lw=0.7)
    axis.axvline(0.0, color=GREY, lw=0.7)
    axis.plot(lags, 100.0 * (projection.weight / start - 1.0), ".-", color=BLUE, lw=1.0, ms=4)
    axis.set(xlabel="time of the target's spike less that of the source's (ms)", ylabel="change of weight (%)")
    save(figure, path)
    return f"Change of a weight of {start:g} by {PAIRS} pairs of spikes, {INTERVAL:g} ms apart, with the default parameters."


RANDOM: dict[str, dict[str, Any]] = {"bernoulli_synapse": {"p_transmit": 0.5}}  # by default it sends each spike


def sent(entry: Entry, path: Path) -> str:
    """Weights that arrive, of ten spikes at 20 Hz and one after a pause."""
    times = np.append(20.0 + 50.0 * np.arange(10), 900.0)
    net = npl.Network(seed=3, threads=1)
    integrates = entry.name == "tsodyks_synapse"  # between neurons that must be made to spike, here once for each input
    pre = net.create("iaf_tum_2000", 1, tau_syn_ex=0.2) if integrates else net.create("parrot_neuron", 1)
    post = net.create("iaf_psc_exp", 1, V_th=1e6)
    net.connect(net.create("spike_generator", 1, spike_times=times), pre, weight=3e4 if integrates else 1.0, delay=1.0)
    record = net.record_weights()
    given = RANDOM.get(entry.name, {})
    net.connect(pre, post, weight=100.0, delay=1.0, synapse=npl.synapse(entry.name, **given), weight_recorder=record)
    net.run(1000.0)
    figure, axis = frame()
    axis.vlines(record.times, 0.0, record.weight, color=BLUE, lw=2.0)
    axis.axhline(100.0, color=GREY, lw=0.7, ls=":")
    axis.set(xlabel="time (ms)", ylabel="weight that is sent", ylim=(0.0, 110.0), xlim=(0.0, 1000.0))
    save(figure, path)
    shown = ", ".join(f"{name}={value}" for name, value in given.items())
    parameters = f"`{shown}`" if shown else "the default parameters"
    return f"What a synapse of weight 100 sends for ten spikes at 20 spikes/s and one after a pause, with {parameters}."


def synapse(entry: Entry, path: Path) -> str:
    """The window of a plastic synapse, or the weights that a synapse sends."""
    return (window if entry.name in PLASTIC else sent)(entry, path)


# --- rules


def rule_examples() -> dict[str, tuple[Any, str]]:
    """A rule with parameters, and how it is written."""
    edges = [(k % 30, (7 * k) % 30) for k in range(40)]
    return {
        "all_to_all": (npl.all_to_all(), "npl.all_to_all()"),
        "explicit": (npl.explicit(*zip(*edges, strict=True)), "npl.explicit(sources, targets)"),
        "fixed_indegree": (npl.fixed_indegree(4), "npl.fixed_indegree(4)"),
        "fixed_outdegree": (npl.fixed_outdegree(4), "npl.fixed_outdegree(4)"),
        "fixed_total_number": (npl.fixed_total_number(120), "npl.fixed_total_number(120)"),
        "one_to_one": (npl.one_to_one(), "npl.one_to_one()"),
        "pairwise_bernoulli": (npl.pairwise_bernoulli(0.1), "npl.pairwise_bernoulli(0.1)"),
        "pairwise_poisson": (npl.pairwise_poisson(0.1), "npl.pairwise_poisson(0.1)"),
        "small_world": (npl.small_world(4, p=0.1), "npl.small_world(4, p=0.1)"),
        "symmetric_pairwise_bernoulli": (npl.symmetric_pairwise_bernoulli(0.05), "npl.symmetric_pairwise_bernoulli(0.05)"),
    }


def rule(entry: Entry, path: Path) -> str:
    """The pairs that a rule connects, among thirty nodes."""
    made, written = rule_examples()[entry.name]
    net = npl.Network(seed=3, threads=1)
    cells = net.create("iaf_psc_exp", 30)
    net.connect(cells, cells, made, weight=1.0, delay=1.0)
    found = net.connections(cells, cells)
    figure, axis = frame(2.8)
    axis.plot(found.source, found.target, "s", color=BLUE, ms=3.2)
    axis.set(xlabel="source", ylabel="target", xlim=(0, 31), ylim=(31, 0), aspect="equal")
    save(figure, path)
    return f"Connections among thirty nodes by `{written}`."


DRAWERS: dict[str, Callable[[Entry, Path], str]] = {"neurons": neuron, "devices": device, "synapses": synapse, "rules": rule}
