# SPDX-License-Identifier: Apache-2.0
"""A closed loop: the phase of the local field potential triggers current pulses, which weaken or strengthen the oscillation.

    python examples/lfp_stimulation.py [lfp_stimulation.png]

800 excitatory and 200 inhibitory neurons oscillate at about 60 Hz. Every millisecond of biological time a function that `net.every` calls predicts
the potential at an electrode from the new spikes (`neuropil.analysis.lfp.Online`). Each time the potential crosses its running mean upwards, all
excitatory neurons get a pulse of hyperpolarising current, some milliseconds later. Given at one phase such pulses work against the oscillation, at the opposite
phase they work for it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import neuropil as npl
from neuropil.analysis import lfp

STEP, WARM = 1.0, 300.0  # ms: interval of the loop; not counted
BAND = (40.0, 80.0)  # Hz
SIZES, DEGREES, WEIGHTS = {"E": 800, "I": 200}, {"E": 80, "I": 20}, {"E": 40.0, "I": -250.0}
DELAY, PULSE, AMPLITUDE = 5.0, 4.0, -150.0  # ms; ms; pA
WAITS = {"no pulses": None, "against it": 11.0, "for it": 3.0}  # ms from a crossing to the pulse
PLACES = {"E": [(-200.0, 0.0, 1.0)], "I": [(-650.0, -450.0, 1.0)]}  # of the synapses on excitatory cells


def kernels() -> dict[str, np.ndarray]:
    """Potentials of a spike of each population 300 µm below the surface, through the cells with long dendrites, the excitatory ones."""
    cell, somata = lfp.ball_and_stick(apical=500.0, basal=150.0, step=25.0), lfp.disc(200, 300.0, (-600.0, -500.0))
    synapses = {
        name: lfp.Synapses(DEGREES[name] * SIZES["E"] / SIZES[name], WEIGHTS[name], 2.0, DELAY, PLACES[name], soma=name == "I")
        for name in SIZES
    }
    return {name: lfp.kernel(cell, somata, each, [-300.0], dt=STEP) for name, each in synapses.items()}


class Loop:
    """What is called every millisecond: from spikes to the potential, from its phase to pulses.

    wait : ms from an upward crossing to the pulse; None: it only listens
    """

    def __init__(self, excitatory: npl.Nodes, spikes: dict[str, Any], wait: float | None) -> None:
        self.excitatory, self.spikes, self.wait = excitatory, spikes, wait
        self.online, self.potential, self.pulses = lfp.Online(kernels(), STEP), [], []
        self.mean = self.last = self.crossed = 0.0
        self.on = False

    def __call__(self, net: npl.Network) -> None:
        (value,) = self.online.update(self.spikes, net.time)[:, 0]
        self.potential.append(value)
        self.mean += 0.01 * (value - self.mean)
        if self.last < self.mean <= value and net.time - self.crossed > 8.0:  # a crossing of noise soon after is none
            self.crossed = net.time
            if self.wait is not None and net.time > WARM:
                self.pulses.append(net.time + self.wait)
        self.last = value
        due = bool(self.pulses) and any(begin <= net.time < begin + PULSE for begin in self.pulses[-2:])
        if due != self.on:
            self.excitatory.I_e, self.on = AMPLITUDE if due else 0.0, due


def run(wait: float | None, duration: float = 1300.0) -> tuple[np.ndarray, list[float]]:
    """Potential (µV) at each ms, and the beginnings of pulses (ms)."""
    net = npl.Network(resolution=0.1, seed=4, threads=1)
    nodes = {name: net.create("iaf_psc_exp", n, V_m=npl.normal(-65.0, 5.0).redraw(max=-55.5)) for name, n in SIZES.items()}
    both = nodes["E"] + nodes["I"]
    for name, group in nodes.items():
        net.connect(group, both, npl.fixed_indegree(DEGREES[name]), weight=WEIGHTS[name], delay=DELAY)
    net.stimulate(both, npl.poisson(rate=13000.0), weight=25.0)
    loop = Loop(nodes["E"], {name: net.record(group) for name, group in nodes.items()}, wait)
    net.every(STEP, loop)
    net.run(duration)
    return np.array(loop.potential), loop.pulses


def power(potential: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Frequencies (Hz), power (µV²/Hz) as the mean over windows of 200 ms, and the power in the band (µV²)."""
    size = round(200.0 / STEP)
    late = potential[round(WARM / STEP) :]
    parts = late[: len(late) // size * size].reshape(-1, size)
    window = np.hanning(size)
    density = (np.abs(np.fft.rfft((parts - late.mean()) * window, axis=1)) ** 2).mean(axis=0) * 2e-3 * STEP / (window**2).sum()
    frequencies = np.fft.rfftfreq(size, 1e-3 * STEP)
    inside = (frequencies >= BAND[0]) & (frequencies <= BAND[1])
    return frequencies, density, float(density[inside].sum() * frequencies[1])


def main(picture: str = "lfp_stimulation.png", duration: float = 1300.0) -> dict[str, float]:
    """Draws potentials and spectra; returns the power in the band (µV²) without the loop and with both phases of pulses."""
    runs = {name: run(wait, duration) for name, wait in WAITS.items()}
    found = {name: power(potential)[2] for name, (potential, _) in runs.items()}
    draw(runs, picture)
    for name, value in found.items():
        print(f"{name}: {value:.0f} µV² from {BAND[0]:g} to {BAND[1]:g} Hz, {value / found['no pulses']:.2f} of that without pulses")
    return found


def draw(runs: dict[str, tuple[np.ndarray, list[float]]], picture: str) -> None:
    """The potential of the last 300 ms with the pulses, and the spectra."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplot_mosaic([[name, "spectra"] for name in runs], figsize=(9, 5), width_ratios=[2, 1], layout="constrained")
    for k, (name, (potential, pulses)) in enumerate(runs.items()):
        times = STEP * np.arange(1, len(potential) + 1)
        axes[name].plot(times, potential - potential[round(WARM / STEP) :].mean(), color=f"C{k}")
        axes[name].set(ylabel="µV", title=name, xlim=(times[-1] - 300.0, times[-1]), ylim=(-150, 150))
        for begin in pulses:
            axes[name].axvspan(begin, begin + PULSE, color="0.85", lw=0)
        frequencies, density, _ = power(potential)
        axes["spectra"].semilogy(frequencies[1:41], density[1:41], color=f"C{k}", label=name)
    axes[name].set_xlabel("time (ms); grey: pulses")
    axes["spectra"].axvspan(*BAND, color="0.93", lw=0)
    axes["spectra"].set(xlabel="frequency (Hz)", ylabel="power (µV²/Hz)")
    axes["spectra"].legend(frameon=False, fontsize="small")
    figure.savefig(picture, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
