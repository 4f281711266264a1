# SPDX-License-Identifier: Apache-2.0
"""Multi-area model of macaque visual cortex: Schmidt et al. (2018), Brain Struct. Funct. 223:1409 and PLoS Comput. Biol. 14:e1006359."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from neuropil.cli.jobs import microcircuit, multi_area_data, multi_area_stand_in
from neuropil.cli.jobs.parallel import job

if TYPE_CHECKING:
    import neuropil
    from neuropil.cli.jobs.session import Session

RESOLUTION = microcircuit.RESOLUTION  # ms
SPEED = 3.5  # mm/ms, between areas


@dataclass(frozen=True)
class Plan:
    """The numbers of one (scaled) model; arrays as in `multi_area_data.Data`. `current`: pA, keeps the mean input where in-degrees are scaled."""

    data: multi_area_data.Data
    scale: float
    k_scale: float
    neurons: np.ndarray
    synapses: np.ndarray
    weights: np.ndarray
    weight_sd: np.ndarray
    external_weight: float
    external_rate: np.ndarray
    current: np.ndarray

    def notes(self) -> list[str]:
        """Where the numbers come from and what differs from full scale, in words."""
        notes = [f"data: {self.data.source}"]
        if self.scale != 1.0:
            notes.append(f"neurons x {self.scale:g}, in-degrees as at full scale (correlations grow)")
        if self.k_scale != 1.0:
            notes.append(f"in-degrees x {self.k_scale:g}; weights and currents keep mean and variance, if rates are the microcircuit's")
        return notes


def weights_of(data: multi_area_data.Data) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard deviations (pA): those of the data, else those of the microcircuit."""
    neuron = microcircuit.NEURON
    psc = microcircuit.current_of_psp(microcircuit.PSP, neuron["C_m"], neuron["tau_m"], neuron["tau_syn_ex"])
    mean = data.weights
    if mean is None:
        mean = np.tile(np.where(data.excitatory, psc, microcircuit.INHIBITION * psc), (len(data.neurons), 1))
        layer = np.array(data.layer)
        mean[(layer[:, None] == "23E") & (layer[None] == "4E") & (data.area[:, None] == data.area[None])] *= 2.0
    return mean, microcircuit.WEIGHT_SPREAD * np.abs(mean) if data.weight_sd is None else data.weight_sd


def plan(scale: float = 1.0, k_scale: float = 1.0, data: multi_area_data.Data | None = None) -> Plan:
    """Numbers with `scale` of the neurons (in-degrees kept) and `k_scale` of the in-degrees. `data`: default, the stand-in."""
    data = data or multi_area_stand_in.data()
    neuron = microcircuit.NEURON
    psc = microcircuit.current_of_psp(microcircuit.PSP, neuron["C_m"], neuron["tau_m"], neuron["tau_syn_ex"])
    mean, deviation = weights_of(data)
    neurons = np.maximum(np.round(data.neurons * scale).astype(np.int64), 1)
    indegrees, external = data.synapses / data.neurons[:, None], data.external / data.neurons
    rates = microcircuit.PUBLISHED_RATES[[multi_area_data.LAYERS.index(layer) for layer in data.layer]]
    lost = (1.0 - np.sqrt(k_scale)) * 1e-3 * neuron["tau_syn_ex"]
    current = lost * ((mean * indegrees) @ rates + external * psc * microcircuit.BACKGROUND_RATE)
    wanted = indegrees * k_scale * neurons[:, None]
    return Plan(
        data=data,
        scale=scale,
        k_scale=k_scale,
        neurons=neurons,
        synapses=np.round(wanted).astype(np.int64),
        weights=mean / np.sqrt(k_scale),
        weight_sd=deviation / np.sqrt(k_scale),
        external_weight=psc / np.sqrt(k_scale),
        external_rate=external * k_scale * microcircuit.BACKGROUND_RATE,
        current=current,
    )


def create(net: "neuropil.Network", plan: Plan, by_area: bool = False) -> list["neuropil.Nodes"]:
    """The populations with their input from outside. `by_area`: the network deals areas to ranks, see `npl.parallel.by_area`."""
    import neuropil

    found = []
    for i, layer in enumerate(plan.data.layer):
        k = multi_area_data.LAYERS.index(layer)
        start = neuropil.normal(microcircuit.INITIAL_MEAN[k], microcircuit.INITIAL_STD[k])
        place = {"area": plan.data.areas[plan.data.area[i]]} if by_area else {}
        nodes = net.create("iaf_psc_exp", int(plan.neurons[i]), V_m=start, I_e=float(plan.current[i]), **microcircuit.NEURON, **place)
        found.append(nodes)
    for nodes, rate in zip(found, plan.external_rate.tolist(), strict=True):  # last: neurons of an area have consecutive gids
        if rate > 0.0:
            net.stimulate(nodes, neuropil.poisson(rate=rate), weight=plan.external_weight, delay=microcircuit.DELAY_EXTERNAL)
    return found


def connect(net: "neuropil.Network", plan: Plan, populations: list["neuropil.Nodes"]) -> None:
    """All projections with at least one synapse."""
    import neuropil

    area, mm = plan.data.area, plan.data.distances
    for target, source in np.argwhere(plan.synapses > 0):
        mean, deviation = float(plan.weights[target, source]), float(plan.weight_sd[target, source])
        weight = neuropil.normal(mean, deviation)
        inside = microcircuit.DELAY_EXC if mean > 0 else microcircuit.DELAY_INH
        delay = inside if area[target] == area[source] else max(mm[area[target], area[source]] / SPEED, RESOLUTION)
        net.connect(
            populations[source],
            populations[target],
            neuropil.fixed_total_number(int(plan.synapses[target, source])),
            weight=weight.redraw(min=0.0) if mean > 0 else weight.redraw(max=0.0),
            delay=neuropil.normal(delay, microcircuit.DELAY_SPREAD * delay).redraw(min=RESOLUTION),
        )


def by_areas(plan: Plan, populations: list["neuropil.Nodes"]) -> dict[str, "neuropil.Nodes"]:
    """The neurons of each area."""
    found: dict[str, Any] = {}
    for a, nodes in zip(plan.data.area, populations, strict=True):
        name = plan.data.areas[a]
        found[name] = found[name] + nodes if name in found else nodes
    return found


@job(resolution=RESOLUTION, duration=1000.0, warmup=500.0)
def main(
    session: "Session",
    scale: Annotated[
        float, typer.Option(min=1e-4, help="Part of the full model's neurons to create; in-degrees stay as they are.")
    ] = 0.001,
    k_scale: Annotated[
        float, typer.Option(min=1e-4, help="Part of the full model's in-degrees; weights and constant currents keep the mean input.")
    ] = 0.1,
    data: Annotated[
        Path | None, typer.Option(help="File of the published model (JSON); default: a stand-in made from formulas and guesses.")
    ] = None,
) -> None:
    """Multi-area model of macaque visual cortex (Schmidt et al. 2018), on stand-in or published data."""
    numbers = plan(scale, k_scale, None if data is None else multi_area_data.read(data))
    simulate(session, numbers)


def simulate(session: "Session", plan: Plan) -> dict[str, Any]:
    """Build, run and report the model by areas; returns the result as written."""
    for note in plan.notes():
        session.say(note)
    parameters = {"scale": plan.scale, "k_scale": plan.k_scale, "data": plan.data.source, "scaling": plan.notes()}

    def make(net: "neuropil.Network") -> dict[str, "neuropil.Nodes"]:
        populations = create(net, plan)
        connect(net, plan, populations)
        return by_areas(plan, populations)

    session.run(session.build(parameters, make))
    return session.finish(parameters)
