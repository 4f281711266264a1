# SPDX-License-Identifier: Apache-2.0
"""van Albada, Helias & Diesmann (2015): what a smaller network keeps.

S. J. van Albada, M. Helias & M. Diesmann, PLoS Comput. Biol. 11:e1004490. A network with fewer inputs per neuron keeps its rates if
weights grow with 1 / sqrt(k) and a constant current replaces the mean input that is lost; correlations grow. Here the
microcircuit of Potjans & Diesmann (2014) has a tenth of its neurons and runs for 2 s, with a tenth and with half of the
inputs. Its rates are compared with those of the full model. Without the corrections the network with a tenth of the
inputs is silent. Correlations are not measured here.
"""

from dataclasses import replace
from typing import Any

import numpy as np

import neuropil as npl
from neuropil.cli.jobs import microcircuit

SCALE, WARM, END = 0.1, 500.0, 2500.0  # of neurons and of inputs; ms, ms


def run(plan: Any) -> np.ndarray:
    """Rates of the eight populations."""
    net = npl.Network(resolution=microcircuit.RESOLUTION, seed=3)
    populations = microcircuit.create(net, plan)
    microcircuit.connect(net, plan, populations)
    spikes = [net.record(nodes, start=WARM) for nodes in populations]
    net.run(END)
    return np.array([record.rates().mean() for record in spikes])


def numbers() -> dict[str, Any]:
    """Distances of the rates from those of the full model, with and without the corrections."""
    corrected = microcircuit.plan(SCALE, SCALE)
    full = microcircuit.plan(1.0)
    naive = replace(corrected, weights=full.weights, external_weight=full.external_weight, current=np.zeros(8))
    more_inputs = microcircuit.plan(SCALE, 0.5)
    plans = {"corrected": corrected, "not corrected": naive, "half of the inputs": more_inputs}
    found = {name: run(plan) for name, plan in plans.items()}
    distance = {name: np.abs(rates - microcircuit.PUBLISHED_RATES).max() for name, rates in found.items()}
    return {
        "largest difference of rates, corrected (spikes/s)": float(distance["corrected"]),
        "largest difference of rates, not corrected (spikes/s)": float(distance["not corrected"]),
        "largest difference of rates, half of the inputs (spikes/s)": float(distance["half of the inputs"]),
        "runs": found,
    }


def draw(found: dict[str, Any]) -> Any:
    """Rates of the populations."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 3.6), layout="constrained")
    names = ("a tenth of the inputs, corrected", "a tenth of the inputs, not corrected", "half of the inputs, corrected")
    shown = {"full model": microcircuit.PUBLISHED_RATES, **dict(zip(names, found["runs"].values(), strict=True))}
    for k, (name, rates) in enumerate(shown.items()):
        axis.bar(np.arange(8) + 0.2 * k - 0.3, rates, 0.2, label=name if rates.max() > 0.05 else f"{name}: silent")
    axis.set(xticks=np.arange(8), xticklabels=microcircuit.POPULATIONS, ylabel="rate (spikes/s)")
    axis.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("van_albada_2015.png", dpi=110)
