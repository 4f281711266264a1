# SPDX-License-Identifier: Apache-2.0
"""Diesmann, Gewaltig & Aertsen (1999): packets of spikes become synchronous on their way, or die.

M. Diesmann, M.-O. Gewaltig & A. Aertsen, Nature 402:529. Ten groups of 100 neurons are connected all
to all, each to the next. The first one gets a packet of `a` spikes with the standard deviation `sigma`. Strong or precise packets come
close to a fixed point of nearly one spike per neuron with a deviation of about 0.5 ms; weak or dispersed packets die.
Background input of 20 000 synapses is replaced by two Poisson processes with the same rates. Packets here start at four points;
the paper has a grid of them, and the exact place of the separatrix depends on the background.
"""

import itertools
from typing import Any

import numpy as np

import neuropil as npl

GROUPS, SIZE = 10, 100
PACKETS = [(100, 0.0), (100, 2.0), (60, 0.5), (40, 4.0)]  # spikes, standard deviation (ms)
AT, DELAY = 50.0, 5.0  # ms


def run(a: int, sigma: float, seed: int = 1) -> tuple[np.ndarray, npl.results.Spikes]:
    """(spikes, deviation) of the packet in each group, and the spikes."""
    net = npl.Network(resolution=0.1, seed=seed)
    cells = net.create("iaf_psc_alpha", GROUPS * SIZE, C_m=250.0, tau_m=10.0, E_L=-70.0, V_th=-55.0, V_reset=-70.0, t_ref=1.0,
                       tau_syn_ex=0.33, tau_syn_in=0.33, V_m=npl.uniform(-66.0, -57.0))  # fmt: skip
    groups = [cells[k * SIZE : (k + 1) * SIZE] for k in range(GROUPS)]
    weight = 0.14 / 0.0033  # pA: a potential of 0.14 mV
    net.stimulate(cells, npl.poisson(rate=17600 * 2.0), weight=weight, delay=0.1)
    net.stimulate(cells, npl.poisson(rate=2400 * 12.6), weight=-weight, delay=0.1)
    packet = net.create("pulsepacket_generator", 1, activity=a, sdev=sigma, pulse_times=[AT])
    net.connect(packet, groups[0], weight=weight, delay=0.1)
    for before, after in itertools.pairwise(groups):
        net.connect(before, after, weight=weight, delay=DELAY)
    spikes = net.record(cells)
    net.run(AT + GROUPS * (DELAY + 2.0) + 10.0)
    data = spikes.data()
    return np.array(follow(data)), data


def follow(spikes: npl.results.Spikes) -> list[tuple[float, float]]:
    """Size and deviation of the packet in each group: spikes within 4 ms of the densest place, less the background there."""
    found, expected = [], AT + 1.5
    for k in range(GROUPS):
        times = spikes.select(spikes.watched[k * SIZE : (k + 1) * SIZE], start=expected - 5.0, stop=expected + 9.0).times
        centre = max((np.sum(np.abs(times - t) < 1.5), t) for t in [*times, expected])[1]
        near = times[np.abs(times - centre) < 4.0]
        found.append((float(len(near)), float(near.std()) if len(near) > 1 else 0.0))
        expected = float(centre if len(near) > 20 else expected) + DELAY
    return found


def numbers() -> dict[str, Any]:
    """The last group of each packet."""
    runs = {packet: run(*packet) for packet in PACKETS}
    last = {packet: path[-3:].mean(axis=0) for packet, (path, _) in runs.items()}
    return {
        "spikes in groups 8 to 10, of 100 with 2 ms": float(last[PACKETS[1]][0]),
        "their deviation (ms)": float(last[PACKETS[1]][1]),
        "spikes in groups 8 to 10, of 60 with 0.5 ms": float(last[PACKETS[2]][0]),
        "spikes in groups 8 to 10, of 40 with 4 ms": float(last[PACKETS[3]][0]),
        "runs": runs,
    }


def draw(found: dict[str, Any]) -> Any:
    """Rasters of a packet that survives and of one that dies, and the paths of all."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
    for axis, packet in zip(axes, (PACKETS[1], PACKETS[2]), strict=False):
        spikes = found["runs"][packet][1]
        axis.plot(spikes.times, (spikes.gids - 1) / SIZE, ".k", ms=0.8)
        axis.set(title=f"{packet[0]} spikes, {packet[1]:g} ms", xlabel="time (ms)", ylabel="group", xlim=(AT - 10.0, None))
    for packet, (path, _) in found["runs"].items():
        axes[2].plot([packet[1], *path[:, 1]], [packet[0], *path[:, 0]], ".-", label=f"{packet[0]}, {packet[1]:g} ms")
    axes[2].set(title="all groups", xlabel="standard deviation of the packet (ms)", ylabel="spikes of the packet")
    axes[2].legend(frameon=False, fontsize=8, title="first packet", title_fontsize=8)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("diesmann_1999.png", dpi=110)
