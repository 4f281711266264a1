# SPDX-License-Identifier: Apache-2.0
"""Interneurons with noise and gap junctions, weak or strong: rasters, and the number of spikes per ms (Hahne et al. 2015).

Run: .venv/bin/python examples/gap_junctions.py [picture.png]
"""

import sys

import numpy as np

import neuropil as npl

JUNCTIONS = 30  # per neuron
CONDUCTANCES = {"weak": 0.02, "strong": 1.0}  # nS


def spikes_of(conductance: float, n: int, ms: float) -> tuple[np.ndarray, np.ndarray]:
    """Times (ms) and senders, from 0."""
    net = npl.Network(resolution=0.05, seed=2)
    cells = net.create("hh_psc_alpha_gap", n, I_e=npl.normal(80.0, 3.0), V_m=npl.uniform(-80.0, -40.0))
    net.stimulate(cells, npl.poisson(rate=500.0), weight=50.0)
    rng = np.random.default_rng(1)
    pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(n * JUNCTIONS // 2)])
    one, other = cells.gids[pairs.T]
    net.connect_gids(np.r_[one, other], np.r_[other, one], weight=conductance, synapse="gap_junction")
    record = net.record(cells)
    net.run(ms)
    return np.asarray(record.times), np.asarray(record.gids) - int(cells.gids[0])


def synchrony(times: np.ndarray, ms: float) -> float:
    """Variance over mean of the number of spikes in 2 ms, after the first quarter."""
    counts = np.histogram(times, np.arange(ms / 4, ms, 2.0))[0]
    return float(counts.var() / counts.mean())


def main(picture: str = "", n: int = 200, ms: float = 400.0) -> dict[str, float]:
    spikes = {name: spikes_of(conductance, n, ms) for name, conductance in CONDUCTANCES.items()}
    found = {name: synchrony(times, ms) for name, (times, _) in spikes.items()}
    for name, (times, _) in spikes.items():
        print(f"{name} junctions ({CONDUCTANCES[name]} nS): {1e3 * len(times) / n / ms:.0f} spikes/s, synchrony {found[name]:.1f}")
    if picture:
        draw(picture, spikes, n, ms)
    return found


def draw(picture: str, spikes: dict[str, tuple[np.ndarray, np.ndarray]], n: int, ms: float) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, sharex=True, sharey="row", figsize=(8.0, 4.2), height_ratios=(3, 1), layout="constrained")
    for (name, (times, senders)), (raster, rate), colour in zip(spikes.items(), axes.T, ("tab:gray", "tab:blue"), strict=True):
        raster.plot(times, senders, ".", markersize=1.2, color=colour)
        raster.set_title(f"{name} gap junctions, {CONDUCTANCES[name]:g} nS", fontsize=10)
        rate.hist(times, np.arange(0.0, ms, 1.0), color=colour)
        rate.set_xlabel("time (ms)")
    axes[0, 0].set_ylabel("neuron")
    axes[1, 0].set_ylabel("spikes per ms")
    axes[0, 0].set(xlim=(0.0, ms), ylim=(0, n))
    for ax in axes.flat:
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:2])
