# SPDX-License-Identifier: Apache-2.0
"""Balanced random network with plastic synapses: the benchmark of Ippen et al. (2017) and Jordan et al. (2018), Front. Neuroinform."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from neuropil.cli.jobs.parallel import job

if TYPE_CHECKING:
    import neuropil
    from neuropil.cli.jobs.session import Session

RESOLUTION = 0.1  # ms
DELAY = 1.5  # ms
TAU_SYN = 0.32582722403722841  # ms
NEURON: dict[str, Any] = {
    "C_m": 250.0,
    "tau_m": 10.0,
    "E_L": 0.0,
    "V_th": 20.0,
    "V_reset": 0.0,
    "t_ref": 0.5,
    "tau_syn_ex": TAU_SYN,
    "tau_syn_in": TAU_SYN,
}
INITIAL_MEAN, INITIAL_STD = 5.7, 7.2  # mV
PSP = 0.14  # mV, peak of the excitatory postsynaptic potential at the in-degree 11 250
INHIBITION = -5.0  # inhibitory weight relative to the excitatory one
DRIVE = 1.685  # external rate relative to the one that reaches the threshold on average
STDP = {"lambda_": 0.1, "alpha": 0.0513, "mu": 0.4, "tau_plus": 15.0, "tau_minus": 30.0}
EXCITATORY = 0.8  # share of neurons and of inputs


def alpha_psp_peak(C_m: float, tau_m: float, tau_syn: float) -> float:
    """Peak [mV] of the potential that follows an alpha-shaped current of amplitude 1 pA (maximum e / e at tau_syn)."""
    b = 1.0 / tau_syn - 1.0 / tau_m

    def potential(t: float) -> float:
        return float(np.e / (tau_syn * C_m) * ((np.exp(-t / tau_m) - np.exp(-t / tau_syn)) / b**2 - t * np.exp(-t / tau_syn) / b))

    def current(t: float) -> float:
        return float(np.e / tau_syn * t * np.exp(-t / tau_syn))

    # At the peak the current that flows in equals the leak; before it is larger. Bisection after the maximum of the current.
    low, high = tau_syn, tau_m
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if current(middle) > C_m / tau_m * potential(middle) else (low, middle)
    return potential(0.5 * (low + high))


@dataclass(frozen=True)
class Plan:
    """The numbers of one network."""

    neurons_exc: int
    neurons_inh: int
    indegree_exc: int
    indegree_inh: int
    weight: float  # pA, excitatory
    rate: float  # spikes/s, Poisson input of one neuron
    plastic: bool


def plan(n: int, k: int, plastic: bool = True) -> Plan:
    """Network of n neurons with k inputs each; the weights scale with 11 250 / k."""
    neurons_exc, indegree_exc = round(EXCITATORY * n), round(EXCITATORY * k)
    peak = alpha_psp_peak(NEURON["C_m"], NEURON["tau_m"], TAU_SYN)
    weight = PSP / peak * (9000.0 / indegree_exc)
    threshold_rate = NEURON["V_th"] / (indegree_exc * (NEURON["tau_m"] / NEURON["C_m"]) * weight * np.e * TAU_SYN)  # spikes/ms per input
    rate = DRIVE * threshold_rate * indegree_exc * 1000.0
    return Plan(neurons_exc, n - neurons_exc, indegree_exc, k - indegree_exc, float(weight), float(rate), plastic)


def build(net: "neuropil.Network", plan: Plan) -> dict[str, "neuropil.Nodes"]:
    """Both populations, their input and their connections."""
    import neuropil

    start = neuropil.normal(INITIAL_MEAN, INITIAL_STD)
    exc = net.create("iaf_psc_alpha", plan.neurons_exc, V_m=start, **NEURON)
    inh = net.create("iaf_psc_alpha", plan.neurons_inh, V_m=start, **NEURON)
    net.stimulate(exc + inh, neuropil.poisson(rate=plan.rate), weight=plan.weight, delay=DELAY)

    from_exc = neuropil.fixed_indegree(plan.indegree_exc, autapses=False)
    from_inh = neuropil.fixed_indegree(plan.indegree_inh, autapses=False)
    synapse = neuropil.stdp_pl_hom(**STDP) if plan.plastic else neuropil.static()
    net.connect(exc, exc, from_exc, weight=plan.weight, delay=DELAY, synapse=synapse)
    net.connect(exc, inh, from_exc, weight=plan.weight, delay=DELAY)
    net.connect(inh, exc + inh, from_inh, weight=INHIBITION * plan.weight, delay=DELAY)
    return {"E": exc, "I": inh}


@job(resolution=RESOLUTION, duration=1000.0, warmup=10.0)
def main(
    session: "Session",
    n: Annotated[int, typer.Option(min=10, help="Number of neurons.")] = 11255,
    k: Annotated[int, typer.Option(min=5, help="In-degree of a neuron; weights scale with 11250 / k.")] = 3750,
    plastic: Annotated[
        bool, typer.Option("--plastic/--static", help="Power-law STDP between excitatory neurons, or static synapses only.")
    ] = True,
) -> None:
    """Balanced random network with STDP (Jordan et al. 2018): 11 255 neurons, 42 million synapses."""
    simulate(session, n, k, plan(n, k, plastic))


def simulate(session: "Session", n: int, k: int, plan: Plan) -> dict[str, Any]:
    """Build, run and report the network; returns the result as written."""
    session.say(f"E to E: {'power-law STDP' if plan.plastic else 'static'}; excitatory weight {plan.weight:.2f} pA")
    parameters = {"n": n, "k": k, "plastic": plan.plastic}
    session.run(session.build(parameters, lambda net: build(net, plan)))
    return session.finish(parameters)
