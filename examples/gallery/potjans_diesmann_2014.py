# SPDX-License-Identifier: Apache-2.0
"""Potjans & Diesmann (2014): rates of the layers of a cortical microcircuit.

T. C. Potjans & M. Diesmann, Cereb. Cortex 24:785, figure 6. The circuit of 77 169 neurons and 299 million synapses is
simulated at full scale, with its random weights and delays and Poisson input. Rates of its eight populations are those
of a reference run of the full model (`PUBLISHED_RATES` of the job), within a share that follows from the shortness of the run: 0.5 s
after 0.2 s. It takes 2 GB of memory.
"""

from typing import Any

import numpy as np

import neuropil as npl
from neuropil.cli.jobs import microcircuit

WARM, END = 200.0, 700.0  # ms


def numbers() -> dict[str, Any]:
    """Rates of the populations; the spikes of a tenth of the neurons."""
    net = npl.Network(resolution=microcircuit.RESOLUTION, seed=1)
    plan = microcircuit.plan(1.0)
    populations = microcircuit.create(net, plan)
    microcircuit.connect(net, plan, populations)
    spikes = [net.record(nodes, start=WARM) for nodes in populations]
    net.run(END)
    rates = np.array([record.rates().mean() for record in spikes])
    found: dict[str, Any] = {f"rate {name} (spikes/s)": float(rate) for name, rate in zip(microcircuit.POPULATIONS, rates, strict=True)}
    found["largest difference from the reference (spikes/s)"] = float(np.abs(rates - microcircuit.PUBLISHED_RATES).max())
    return found | {"spikes": [record.data() for record in spikes], "rates": rates}


def draw(found: dict[str, Any]) -> Any:
    """The raster of figure 6 of the paper, and the rates beside those of the reference."""
    import matplotlib.pyplot as plt

    figure, (raster, bars) = plt.subplots(1, 2, figsize=(9, 4.5), width_ratios=[2, 1], layout="constrained")
    row, ticks = 0, []
    for k, spikes in enumerate(found["spikes"]):
        share = len(spikes.watched) // 40
        some = spikes.select(spikes.watched[:share], start=END - 300.0)
        raster.plot(some.times, row + some.gids - spikes.watched[0], ".", ms=1, color="k" if k % 2 == 0 else "C3")
        ticks.append(row + share / 2)
        row += share
    raster.set_yticks(ticks, microcircuit.POPULATIONS, fontsize=8)
    raster.set(xlabel="time (ms)", ylim=(row, 0), xlim=(END - 300.0, END))
    at = np.arange(8)
    bars.barh(at - 0.2, found["rates"], 0.4, label="here", color="0.3")
    bars.barh(at + 0.2, microcircuit.PUBLISHED_RATES, 0.4, label="reference", color="C0")
    bars.set(xlabel="rate (spikes/s)", yticks=at, yticklabels=microcircuit.POPULATIONS)
    bars.invert_yaxis()
    bars.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("potjans_diesmann_2014.png", dpi=110)
