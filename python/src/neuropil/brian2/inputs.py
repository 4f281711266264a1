# SPDX-License-Identifier: Apache-2.0
"""Groups that send spikes of their own: PoissonGroup and SpikeGeneratorGroup; and PoissonInput."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import Network, Nodes
from ..engine import load_model_text
from .errors import refuse
from .units import scaled

__all__ = ["Generators", "PoissonCells", "poisson_input"]

POISSON_GROUP = """// SPDX-License-Identifier: Apache-2.0
/// A neuron of Brian2's PoissonGroup: a spike in each step with a probability, the same to all its targets.
#include <array>
#include <cstdint>

#include "model/random_step.hpp"
#include "model/step.hpp"

namespace npl::model {

struct Brian2PoissonGroup {
  static constexpr const char* name = "brian2_poisson_group";
  static constexpr const char* doc = "A neuron of Brian2's PoissonGroup.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;
  static constexpr int current_ports = 0;

  struct Params {
    double probability;
  };
  static constexpr std::array parameters{Field{"probability", "", 0.0, "Of a spike in a step"}};

  struct State {
    double fired;
  };
  static constexpr std::array state{Field{"fired", "", 0.0, "There was a spike in the last step"}};

  struct Derived {
    double probability;
  };
  static Derived derive(const Params& p, double) { return {p.probability}; }

  NPL_STEP static double step(State& s, const Derived& d, const Input<receptors>& in) {
    s.fired = uniform_of_step(in.seed, 0x70670000u, in.gid, in.step) < d.probability ? 1.0 : 0.0;
    return s.fired;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(brian2_poisson_group, Brian2PoissonGroup)
"""


class PoissonCells:
    """A PoissonGroup with rates that do not change within a run."""

    def __init__(self, group: Any, net: Network, namespace: dict[str, Any], dt: float) -> None:
        self.group, self.dt = group, dt
        expression = getattr(group.variables["rates"], "expr", "")
        if "t" in getattr(group.variables["rates"], "identifiers", ()) or "t_in_timesteps" in getattr(
            group.variables["rates"], "identifiers", ()
        ):
            refuse(group.name, "rates that depend on the time are not supported", f"rates={expression!r}")
        self.namespace = namespace
        load_model_text(POISSON_GROUP, "brian2_poisson_group.cpp")
        self.nodes: Nodes = net.create("brian2_poisson_group", len(group))

    def push(self, begin: int, end: int) -> None:
        """Rates of now."""
        rates = np.broadcast_to(
            np.asarray(self.group.state("rates", use_units=False, level=0).get_item(slice(None), level=0, namespace=self.namespace)),
            len(self.group),
        )
        chance = rates * self.dt * 1e-3
        if len(chance) and not (chance.min() >= 0.0 and chance.max() <= 1.0):
            refuse(self.group.name, f"rates from {rates.min():g} to {rates.max():g} Hz: at most one spike in each time step is supported")
        self.nodes.probability = chance


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
        refuse(
            source.name,
            f"N={source.N}, rate={float(source.rate):g} Hz: at most 500 spikes in a time step, and one of each source, are supported",
        )
    weight = scaled(float(source.weight), source.group.variables[source.target_var].dim)
    return {"weight": float(weight), "number": float(source.N), "probability": probability}
