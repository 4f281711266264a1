# SPDX-License-Identifier: Apache-2.0
"""Tsodyks, Uziel & Markram (2000): depressing synapses make a network fire in short bursts.

M. Tsodyks, A. Uziel & H. Markram, J. Neurosci. 20:RC50. 400 excitatory and 100 inhibitory integrate-and-fire neurons
are connected with the probability 0.1. Synapses onto excitatory neurons depress (U = 0.5, recovery in 800 ms), those
onto inhibitory neurons facilitate (U = 0.04, recovery in 100 ms, facilitation over 1 s). Neurons are driven by constant
currents around their threshold, so they fire irregularly at low rates. Now and then almost all fire within some 20 ms,
after which their synapses are empty: a population burst. The key numbers are how often bursts come and how many
neurons take part. With static synapses of about the same mean effect the network has weak waves instead. Amplitudes (drawn, mean 1.8 and 5.4 mV
of excitation, -7.2 mV of inhibition) and the currents are ours as far as they differ from the paper.
"""

from typing import Any

import numpy as np

import neuropil as npl

N, WARM, END, WIDTH = 500, 1000.0, 11_000.0, 10.0  # neurons, ms, ms, ms
CELL = {"C_m": 30.0, "tau_m": 30.0, "E_L": 0.0, "V_th": 15.0, "V_reset": 13.5, "tau_syn_ex": 3.0, "tau_syn_in": 3.0}
TO_EXC = {"U": 0.5, "tau_rec": 800.0, "tau_fac": 0.0, "tau_psc": 3.0}
TO_INH = {"U": 0.04, "tau_rec": 100.0, "tau_fac": 1000.0, "tau_psc": 3.0}
AMPLITUDE = {("E", "E"): 1.8, ("E", "I"): 5.4, ("I", "E"): -7.2, ("I", "I"): -7.2}
RESTING_USE = {"E": 0.19, "I": 0.05}  # mean share of a dynamic synapse that is sent at about 6 spikes/s


def run(dynamic: bool) -> npl.results.Spikes:
    """Spikes of all neurons after the warm-up."""
    net = npl.Network(resolution=0.1, seed=5)
    drive = npl.uniform(12.5, 15.3)  # pA, or mV as the membrane has 1 GOhm
    groups = {
        "E": net.create("iaf_psc_exp", N * 4 // 5, t_ref=3.0, I_e=drive, V_m=npl.uniform(0.0, 15.0), **CELL),
        "I": net.create("iaf_psc_exp", N // 5, t_ref=2.0, I_e=drive, V_m=npl.uniform(0.0, 15.0), **CELL),
    }
    for (pre, post), mean in AMPLITUDE.items():
        rule = npl.synapse("tsodyks_synapse", **(TO_EXC if post == "E" else TO_INH)) if dynamic else "static_synapse"
        peak = mean * 10.0 * (1.0 if dynamic else RESTING_USE[post])  # pA: 3 ms of current give a tenth of it in mV
        amplitude = npl.normal(peak, 0.5 * abs(peak))
        amplitude = amplitude.redraw(min=0.0) if mean > 0 else amplitude.redraw(max=0.0)
        net.connect(groups[pre], groups[post], npl.pairwise_bernoulli(0.1, autapses=False), weight=amplitude, delay=0.5, synapse=rule)
    spikes = net.record(groups["E"] + groups["I"], start=WARM)
    net.run(END)
    return spikes.data()


def bursts(spikes: npl.results.Spikes) -> tuple[np.ndarray, np.ndarray]:
    """Times (ms) of bursts, in which the spikes of WIDTH ms are more than 0.4 of the number of neurons, and the share of neurons in each 3 WIDTH around."""
    times, rate = npl.analysis.population_rate(spikes, WIDTH)
    share = rate * 1e-3 * WIDTH
    peaks = np.flatnonzero(share > 0.4)
    starts = peaks[np.diff(peaks, prepend=-100) > 5]
    counts = [len(np.unique(spikes.gids[np.abs(spikes.times - times[k]) < 3 * WIDTH])) / N for k in starts]
    return times[starts], np.array(counts)


def numbers() -> dict[str, Any]:
    """Bursts and rates, with dynamic and with static synapses."""
    dynamic, static = run(True), run(False)
    at, share = bursts(dynamic)
    return {
        "bursts in a second": 1e3 * len(at) / (END - WARM),
        "share of neurons in a burst": float(share.mean()) if len(at) else 0.0,
        "mean rate (spikes/s)": float(dynamic.rates().mean()),
        "bursts in a second, static synapses": 1e3 * len(bursts(static)[0]) / (END - WARM),
        "mean rate, static synapses (spikes/s)": float(static.rates().mean()),
        "dynamic": dynamic,
        "static": static,
    }


def draw(found: dict[str, Any]) -> Any:
    """Spikes and rate of the population over 3 s."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 4.4), sharex=True, sharey="row", height_ratios=[2, 1], layout="constrained")
    for column, (name, title) in zip(axes.T, (("dynamic", "dynamic synapses"), ("static", "static synapses")), strict=True):
        some = found[name].select(start=WARM, stop=WARM + 3000.0)
        column[0].plot(some.times, some.positions(), ".", ms=1)
        column[0].set(title=title)
        column[1].plot(*npl.analysis.population_rate(some, WIDTH), lw=0.9)
        column[1].set(xlabel="time (ms)", xlim=(WARM, WARM + 3000.0))
    axes[0, 0].set_ylabel("neuron")
    axes[1, 0].set_ylabel("rate (spikes/s)")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("tsodyks_2000.png", dpi=110)
