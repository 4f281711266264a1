# SPDX-License-Identifier: Apache-2.0
"""Brunel (2000): four kinds of activity of a sparse random network.

N. Brunel, J. Comput. Neurosci. 8:183, figure 8. 10 000 excitatory and 2500 inhibitory leaky integrate-and-fire neurons
have 1000 excitatory and 250 inhibitory inputs each. The strength of inhibition g and the external drive relative to the
threshold drive, eta, choose between synchronous regular (A), fast (B) and slow (D) synchronous irregular and
asynchronous irregular (C) activity. Table 1 of the paper gives rates of 60.7 (B), 37.7 (C) and 5.5 spikes/s (D), and
global oscillations of 180 Hz (B) and 22 Hz (D). The runs here are 0.6 s long; the size is that of the paper.
"""

from typing import Any

import numpy as np

import neuropil as npl

J, TAU, THETA = 0.1, 20.0, 20.0  # mV, ms, mV
REGIMES = {"A": (3.0, 2.0), "B": (6.0, 4.0), "C": (5.0, 2.0), "D": (4.5, 0.9)}  # g, eta
WARM, END = 200.0, 600.0  # ms


def run(g: float, eta: float, exc: int = 10000, seed: int = 1) -> npl.results.Spikes:
    """Spikes of all excitatory neurons after the warm-up."""
    net = npl.Network(resolution=0.1, seed=seed)
    neuron = {"C_m": 1.0, "tau_m": TAU, "E_L": 0.0, "V_reset": 10.0, "V_th": THETA, "t_ref": 2.0}
    cells = net.create("iaf_psc_delta", exc + exc // 4, V_m=npl.uniform(0.0, 10.0), **neuron)
    net.connect(cells[:exc], cells, npl.fixed_indegree(exc // 10), weight=J, delay=1.5)
    net.connect(cells[exc:], cells, npl.fixed_indegree(exc // 40), weight=-g * J, delay=1.5)
    net.stimulate(cells, npl.poisson(rate=eta * THETA / (J * TAU) * 1000.0), weight=J, delay=0.1)
    spikes = net.record(cells[:exc], start=WARM)
    net.run(END)
    return spikes.data()


def peak(spikes: npl.results.Spikes) -> float:
    """Frequency of the largest peak of the spectrum of the activity, above 10 Hz."""
    counts = np.histogram(spikes.times, np.arange(WARM, END + 0.1, 0.5))[0].astype(float)
    frequencies = np.fft.rfftfreq(len(counts), 0.0005)
    power = np.abs(np.fft.rfft(counts - counts.mean())) ** 2
    smooth = np.convolve(power, np.ones(3) / 3.0, mode="same")
    return float(frequencies[np.argmax(np.where(frequencies > 10.0, smooth, 0.0))])


def numbers() -> dict[str, Any]:
    """Rates, irregularity and global frequencies; the spikes for the figure."""
    found: dict[str, Any] = {}
    for name, (g, eta) in REGIMES.items():
        spikes = run(g, eta)
        found[f"rate {name} (spikes/s)"] = float(spikes.rates().mean())
        found[f"CV {name}"] = float(np.nanmean(npl.analysis.cv_isi(spikes.select(spikes.watched[:500]))))
        if name in "BD":
            found[f"global frequency {name} (Hz)"] = peak(spikes)
        found[name] = spikes
    return found


def draw(found: dict[str, Any]) -> Any:
    """Rasters of 50 neurons and the activity of all, as in the paper."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(4, 2, figsize=(9, 7), height_ratios=[2, 1, 2, 1], layout="constrained")
    for k, (name, (g, eta)) in enumerate(REGIMES.items()):
        raster, activity = axes[2 * (k // 2), k % 2], axes[2 * (k // 2) + 1, k % 2]
        spikes = found[name]
        some = spikes.select(spikes.watched[:50], start=END - 200.0)
        raster.plot(some.times, some.gids, "|", ms=3)
        raster.set(title=f"{name}: g = {g:g}, eta = {eta:g}", ylabel="neuron", xlim=(END - 200.0, END), xticklabels=[])
        activity.hist(spikes.times, np.arange(END - 200.0, END + 0.1, 0.5), color="0.4", histtype="stepfilled")
        activity.set(xlabel="time (ms)", ylabel="spikes in 0.5 ms", xlim=(END - 200.0, END))
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("brunel_2000.png", dpi=110)
