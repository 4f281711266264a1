# SPDX-License-Identifier: Apache-2.0
"""Hahne et al. (2015): gap junctions synchronise a network of interneurons.

J. Hahne, M. Helias, S. Kunkel, J. Igarashi, M. Bolten, A. Frommer & M. Diesmann, Front. Neuroinform. 9:22.
Interneurons with Hodgkin-Huxley dynamics get noise and are coupled by gap junctions. With strong junctions they spike in step. Here 200 neurons
with 30 junctions each run for 0.4 s without inhibitory synapses; the paper has 500 neurons with 60 junctions and inhibition.
Synchrony is the variance over the mean of the number of spikes in 2 ms: 1 for independent Poisson trains.
"""

from typing import Any

import numpy as np

import neuropil as npl

N, JUNCTIONS, END = 200, 30, 400.0
CONDUCTANCES = (0.02, 1.0)  # nS


def run(conductance: float) -> npl.results.Spikes:
    """Spikes of the network."""
    net = npl.Network(resolution=0.05, seed=2)
    cells = net.create("hh_psc_alpha_gap", N, I_e=npl.normal(80.0, 3.0), V_m=npl.uniform(-80.0, -40.0))
    net.stimulate(cells, npl.poisson(rate=500.0), weight=50.0)
    random = np.random.default_rng(1)
    one, other = np.array([random.choice(N, 2, replace=False) for _ in range(N * JUNCTIONS // 2)]).T
    both = npl.explicit(np.r_[one, other], np.r_[other, one])
    net.connect(cells, cells, both, weight=conductance, synapse="gap_junction")
    spikes = net.record(cells)
    net.run(END)
    return spikes.data()


def synchrony(spikes: npl.results.Spikes) -> float:
    """Variance over mean of the number of spikes in 2 ms, after the first quarter."""
    counts = np.histogram(spikes.times, np.arange(END / 4, END, 2.0))[0]
    return float(counts.var() / counts.mean())


def numbers() -> dict[str, Any]:
    """Synchrony with weak and with strong junctions."""
    found = {conductance: run(conductance) for conductance in CONDUCTANCES}
    return {f"synchrony with {conductance:g} nS": synchrony(spikes) for conductance, spikes in found.items()} | {"spikes": found}


def draw(found: dict[str, Any]) -> Any:
    """Rasters and activity."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, sharex=True, sharey="row", figsize=(9, 4.2), height_ratios=(3, 1), layout="constrained")
    for (conductance, spikes), (raster, activity) in zip(found["spikes"].items(), axes.T, strict=True):
        raster.plot(spikes.times, spikes.gids, ".k", ms=1.2)
        raster.set_title(f"gap junctions of {conductance:g} nS", fontsize=10)
        activity.hist(spikes.times, np.arange(0.0, END, 1.0), color="0.4")
        activity.set_xlabel("time (ms)")
    axes[0, 0].set_ylabel("neuron")
    axes[1, 0].set_ylabel("spikes per ms")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("hahne_2015.png", dpi=110)
