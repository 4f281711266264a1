# SPDX-License-Identifier: Apache-2.0
"""Cortical microcircuit of Potjans & Diesmann (2014), Cereb. Cortex 24:785; scaling after van Albada, Helias & Diesmann (2015), PLoS Comput. Biol."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from neuropil.cli.jobs.parallel import job
from neuropil.errors import bad_parameter

if TYPE_CHECKING:
    import neuropil
    from neuropil.cli.jobs.session import Session

POPULATIONS = ("L23E", "L23I", "L4E", "L4I", "L5E", "L5I", "L6E", "L6I")
NEURONS = np.array([20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948])
# Probability that a pair is connected; rows: target, columns: source.
PROBABILITY = np.array(
    [
        [0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0000, 0.0076, 0.0000],
        [0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0000, 0.0042, 0.0000],
        [0.0077, 0.0059, 0.0497, 0.1350, 0.0067, 0.0003, 0.0453, 0.0000],
        [0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0000, 0.1057, 0.0000],
        [0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0000],
        [0.0548, 0.0269, 0.0257, 0.0022, 0.0600, 0.3158, 0.0086, 0.0000],
        [0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252],
        [0.0364, 0.0010, 0.0034, 0.0005, 0.0277, 0.0080, 0.0658, 0.1443],
    ]
)
EXTERNAL_INDEGREE = np.array([1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100])
BACKGROUND_RATE = 8.0  # spikes/s per external synapse
PUBLISHED_RATES = np.array([0.903, 2.965, 4.414, 5.876, 7.569, 8.633, 1.105, 7.829])  # spikes/s, full scale
INITIAL_MEAN = np.array([-68.28, -63.16, -63.33, -63.45, -63.11, -61.66, -66.72, -61.43])  # mV
INITIAL_STD = np.array([5.36, 4.57, 4.74, 4.94, 4.94, 4.55, 5.46, 4.48])  # mV
NEURON: dict[str, Any] = {
    "C_m": 250.0,
    "tau_m": 10.0,
    "E_L": -65.0,
    "V_reset": -65.0,
    "V_th": -50.0,
    "t_ref": 2.0,
    "tau_syn_ex": 0.5,
    "tau_syn_in": 0.5,
}

PSP = 0.15  # mV, peak of the excitatory postsynaptic potential
INHIBITION = -4.0  # inhibitory weight relative to the excitatory one
WEIGHT_SPREAD = 0.1  # standard deviation of weights relative to their mean
DELAY_EXC, DELAY_INH, DELAY_SPREAD = 1.5, 0.75, 0.5  # ms, ms, standard deviation relative to the mean
DELAY_EXTERNAL = 1.5  # ms
RESOLUTION = 0.1  # ms


class Input(StrEnum):
    """Where the background input comes from: a Poisson process for each neuron, or a constant current of the same mean."""

    poisson = "poisson"
    dc = "dc"


def current_of_psp(psp: float, C_m: float, tau_m: float, tau_syn: float) -> float:
    """Amplitude [pA] of an exponential current whose potential peaks at psp [mV]."""
    ratio = tau_m / tau_syn
    peak = ratio ** (-tau_m / (tau_m - tau_syn)) - ratio ** (-tau_syn / (tau_m - tau_syn))
    return float(psp * C_m * (tau_syn - tau_m) / (tau_syn * tau_m * peak))


@dataclass(frozen=True)
class Plan:
    """The numbers of one (scaled) microcircuit; arrays of shape (8,) per population or (8, 8) per (target, source)."""

    scale: float
    k_scale: float
    input: Input
    neurons: np.ndarray
    synapses: np.ndarray
    weights: np.ndarray  # pA, mean
    external_weight: float  # pA
    external_rate: np.ndarray  # spikes/s per neuron, all external synapses together
    current: np.ndarray  # pA, constant: DC input and what keeps the mean input when in-degrees are scaled
    coded_weights: bool = False  # weights are stored as codes

    def scaling(self) -> list[str]:
        """What differs from the full-scale model, in words."""
        notes = []
        if self.scale != 1.0:
            notes.append(f"neurons x {self.scale:g}; in-degrees, weights and input as at full scale (correlations grow)")
        if self.k_scale != 1.0:
            compensation = ", ".join(f"{value:.1f}" for value in self.current)
            notes.append(
                f"in-degrees x {self.k_scale:g}; weights x {self.k_scale**-0.5:.3g} and constant currents [{compensation}] pA keep mean and variance"
            )
        return notes


def full_synapses() -> np.ndarray:
    """Synapses per projection at full scale, (target, source): multapses allowed, so the probability of a pair counts at least one."""
    pairs = np.outer(NEURONS, NEURONS).astype(float)
    # log, not log1p: the published sum of 298 880 968 has the rounding of 1 - 1 / pairs in it.
    return np.round(np.log(1.0 - PROBABILITY) / np.log(1.0 - 1.0 / pairs)).astype(np.int64)


def plan(scale: float = 1.0, k_scale: float = 1.0, input: Input = Input.poisson, coded_weights: bool = False) -> Plan:
    """Numbers of the model with `scale` of the neurons (in-degrees kept) and `k_scale` of the in-degrees (mean and variance of the input kept)."""
    psc = current_of_psp(PSP, NEURON["C_m"], NEURON["tau_m"], NEURON["tau_syn_ex"])
    neurons = np.maximum(np.round(NEURONS * scale).astype(np.int64), 1)
    indegrees = full_synapses() / NEURONS[:, None]
    excitatory = np.arange(8) % 2 == 0
    weights = np.tile(np.where(excitatory, psc, INHIBITION * psc), (8, 1))
    weights[POPULATIONS.index("L23E"), POPULATIONS.index("L4E")] *= 2.0

    to_current = 1e-3 * NEURON["tau_syn_ex"]  # pA of weight x spikes/s -> pA of mean current
    external = EXTERNAL_INDEGREE * psc * BACKGROUND_RATE * to_current
    recurrent = (weights * indegrees) @ PUBLISHED_RATES * to_current
    lost = 1.0 - np.sqrt(k_scale)  # K k inputs of weight w / sqrt(k) give sqrt(k) of the mean
    if input == Input.dc:
        current, rate = external + lost * recurrent, np.zeros(8)
    else:
        current, rate = lost * (recurrent + external), EXTERNAL_INDEGREE * k_scale * BACKGROUND_RATE
    return Plan(
        scale=scale,
        k_scale=k_scale,
        input=input,
        neurons=neurons,
        synapses=np.round(indegrees * k_scale * neurons[:, None]).astype(np.int64),
        weights=weights / np.sqrt(k_scale),
        external_weight=psc / np.sqrt(k_scale),
        external_rate=rate,
        current=current,
        coded_weights=coded_weights,
    )


def create(net: "neuropil.Network", plan: Plan) -> list["neuropil.Nodes"]:
    """The eight populations with their background input."""
    import neuropil

    populations = []
    for i in range(8):
        start = neuropil.normal(INITIAL_MEAN[i], INITIAL_STD[i])
        nodes = net.create("iaf_psc_exp", int(plan.neurons[i]), V_m=start, I_e=float(plan.current[i]), **NEURON)
        populations.append(nodes)
        if plan.external_rate[i] > 0:
            background = neuropil.poisson(rate=float(plan.external_rate[i]))
            net.stimulate(nodes, background, weight=plan.external_weight, delay=DELAY_EXTERNAL)
    return populations


def connect(net: "neuropil.Network", plan: Plan, populations: list["neuropil.Nodes"]) -> None:
    """All projections with at least one synapse."""
    import neuropil

    for target, source in np.argwhere(plan.synapses > 0):
        mean = float(plan.weights[target, source])
        weight = neuropil.normal(mean, WEIGHT_SPREAD * abs(mean))
        weight = weight.redraw(min=0.0) if mean > 0 else weight.redraw(max=0.0)
        delay = DELAY_EXC if mean > 0 else DELAY_INH
        net.connect(
            populations[source],
            populations[target],
            neuropil.fixed_total_number(int(plan.synapses[target, source])),
            weight=weight.coded() if plan.coded_weights else weight,
            delay=neuropil.normal(delay, DELAY_SPREAD * delay).redraw(min=RESOLUTION),
        )


@job(resolution=RESOLUTION, duration=1000.0, warmup=100.0)
def main(
    session: "Session",
    scale: Annotated[float, typer.Option(min=1e-4, help="Part of the full model's neurons to create; in-degrees stay as they are.")] = 1.0,
    k_scale: Annotated[
        float, typer.Option(min=1e-4, help="Part of the full model's in-degrees; weights and constant currents keep the mean input.")
    ] = 1.0,
    input: Annotated[
        Input, typer.Option(help="Background input: Poisson spikes, or a constant current (dc) with the same mean.")
    ] = Input.poisson,
    coded_weights: Annotated[
        bool, typer.Option("--coded-weights", help="Store each weight as a code of 2 bytes: 4096 values per distribution.")
    ] = False,
    validate: Annotated[bool, typer.Option("--validate", help="Instead compare distributions with NEST's, over several seeds.")] = False,
    seeds: Annotated[int | None, typer.Option(min=2, help="With --validate: seeds of each simulator, from --seed on; default 5.")] = None,
) -> None:
    """Full-scale cortical microcircuit (Potjans & Diesmann 2014): 77 169 neurons, 299 million synapses."""
    numbers = plan(scale, k_scale, input, coded_weights)
    if validate:
        compare(session, numbers, seeds or 5)
        return
    if seeds is not None:
        raise bad_parameter("seeds", seeds, "given with --validate; one run has one seed, --seed")
    simulate(session, numbers)


def compare(session: "Session", plan: Plan, seeds: int) -> dict[str, Any]:
    """Distributions beside NEST's over several seeds."""
    from neuropil.cli.jobs import nest_microcircuit, validating

    for note in plan.scaling():
        session.say(f"scaled: {note}")

    def describe(net: "neuropil.Network") -> dict[str, "neuropil.Nodes"]:
        populations = create(net, plan)
        connect(net, plan, populations)
        return dict(zip(POPULATIONS, populations, strict=True))

    delays = DELAY_EXC, DELAY_INH, DELAY_EXTERNAL
    model = nest_microcircuit.Model(NEURON, (INITIAL_MEAN, INITIAL_STD), delays, DELAY_SPREAD, WEIGHT_SPREAD, RESOLUTION)
    sizes = dict(zip(POPULATIONS, plan.neurons.tolist(), strict=True))
    sides = {
        "NEST": lambda seed: validating.on_nest(session, nest_microcircuit.simulate, (plan, model), sizes, seed),
        "neuropil": lambda seed: validating.on_neuropil(session, describe, seed),
    }
    parameters = {"scale": plan.scale, "k_scale": plan.k_scale, "input": str(plan.input)}
    return validating.validate(session, seeds, sides, parameters)


def simulate(session: "Session", plan: Plan) -> dict[str, Any]:
    """Build, run and report the circuit; returns the result as written."""
    for note in plan.scaling():
        session.say(f"scaled: {note}")
    if plan.coded_weights:
        session.say("weights: coded, 4096 values per distribution")
    session.say(f"background input: {plan.input}")
    parameters = {
        "scale": plan.scale,
        "k_scale": plan.k_scale,
        "input": str(plan.input),
        "scaling": plan.scaling(),
        "coded_weights": plan.coded_weights,
    }

    def make(net: "neuropil.Network") -> dict[str, "neuropil.Nodes"]:
        populations = create(net, plan)
        connect(net, plan, populations)
        return dict(zip(POPULATIONS, populations, strict=True))

    session.run(session.build(parameters, make))
    reference = {"rate": dict(zip(POPULATIONS, PUBLISHED_RATES.tolist(), strict=True))}
    return session.finish(parameters, reference)
