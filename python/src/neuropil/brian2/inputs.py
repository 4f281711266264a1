# SPDX-License-Identifier: Apache-2.0
"""Groups that send spikes of their own: PoissonGroup and SpikeGeneratorGroup; and PoissonInput."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import Network, Nodes, neuron
from .errors import refuse
from .units import scaled

__all__ = ["Generators", "PoissonCells", "poisson_input"]


class PoissonCells:
    """A PoissonGroup with rates that do not change within a run: neurons that wait for a random number of steps between their spikes."""

    def __init__(self, group: Any, net: Network, namespace: dict[str, Any], dt: float) -> None:
        self.group, self.dt, self.namespace = group, dt, namespace
        rates = group.variables["rates"]
        if {"t", "t_in_timesteps"} & set(getattr(rates, "identifiers", ())):
            refuse(group.name, "rates that depend on the time are not supported", f"rates={rates.expr!r}")
        gap = "floor(log(random_uniform(0, 1)) / log1p(-probability)) + 1"
        model = neuron(
            "brian2_poisson_group", "dwait/dt = -1/dt : 1", threshold="wait < 0.5", reset=f"wait = {gap}",
            parameters={"probability": "0.5 1"}, initial={"wait": "1"},
        )  # fmt: skip
        self.nodes: Nodes = net.create(model, len(group))
        self.chance, self.seed = np.full(len(group), -1.0), net.seed

    def push(self, begin: int, end: int) -> None:
        """Rates of now."""
        rates = np.broadcast_to(
            np.asarray(self.group.state("rates", use_units=False, level=0).get_item(slice(None), level=0, namespace=self.namespace)),
            len(self.group),
        )
        chance = rates * self.dt * 1e-3
        if len(chance) and not (chance.min() >= 0.0 and chance.max() <= 1.0):
            refuse(self.group.name, f"rates from {rates.min():g} to {rates.max():g} Hz: at most one spike in each time step is supported")
        if not (changed := chance != self.chance).any():
            return
        p = np.clip(chance, 1e-300, 1.0 - 1e-16)  # so that the first gap is finite
        u = np.random.default_rng([self.seed, begin, *self.nodes.gids[:1]]).random(len(chance))
        self.nodes.wait = np.where(changed, np.floor(np.log1p(-u) / np.log1p(-p)) + 1.0, self.nodes.wait)
        self.nodes.probability = p
        self.chance = chance


class Generators:
    """A SpikeGeneratorGroup: a device for each of its neurons."""

    def __init__(self, group: Any, net: Network, dt: float) -> None:
        self.group, self.dt = group, dt
        self.nodes: Nodes = net.create("spike_generator", len(group))

    def push(self, begin: int, end: int) -> None:
        """Spikes of these steps."""
        cells, steps = self.spikes(begin, end)
        order = np.lexsort((steps, cells))
        cells, steps = cells[order], steps[order]
        bounds = np.searchsorted(cells, np.arange(len(self.group) + 1))
        for k in np.unique(cells):
            times = np.unique(steps[bounds[k] : bounds[k + 1]]) + 1.0  # at the end of the step
            self.nodes[int(k)].spike_times = times * self.dt

    def spikes(self, begin: int, end: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Positions and steps."""
        variables = self.group.variables
        cells = np.asarray(variables["neuron_index"].get_value(), np.int64)
        second = 1e-3 * self.dt
        steps = np.floor(np.asarray(variables["spike_time"].get_value()) / second + 1e-3).astype(np.int64)
        period = int(np.floor(float(variables["period"].get_value()[0]) / second + 1e-3))
        if period > 0:
            turns = np.arange(begin // period, -(-end // period) + 1)
            cells, steps = np.repeat(cells, len(turns)), (steps[:, None] + turns * period).ravel()
        inside = (steps >= begin) & (steps < end)
        return cells[inside], steps[inside]


def poisson_input(source: Any, namespace: dict[str, Any], dt: float) -> dict[str, float]:
    """weight, number and probability of a PoissonInput. dt : ms."""
    for name in ("rate", "weight"):
        if isinstance(getattr(source, name), str):
            refuse(source.name, f"a {name} given as a text is not supported", f"{name}={getattr(source, name)!r}")
    probability = float(source.rate) * dt * 1e-3
    if not 0.0 <= probability < 1.0 or source.N * probability > 500.0:
        given = f"N={source.N}, rate={float(source.rate):g} Hz"
        refuse(source.name, f"{given}: at most 500 spikes in a time step, and one of each source, are supported")
    weight = scaled(float(source.weight), source.group.variables[source.target_var].dim)
    return {"weight": float(weight), "number": float(source.N), "probability": probability}
