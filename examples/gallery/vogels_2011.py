# SPDX-License-Identifier: Apache-2.0
"""Vogels et al. (2011): inhibitory plasticity balances excitation.

T. P. Vogels, H. Sprekeler, F. Zenke, C. Clopath & W. Gerstner, Science 334:1569. Synapses from inhibitory to
excitatory neurons of a random network change by a symmetric rule with depression at each presynaptic spike. Whatever the
network does at first, excitatory neurons come to fire at the target rate, alpha / (2 tau), irregularly. Here 1600 excitatory and 400
inhibitory neurons with conductances and a constant current run for 20 s; the network of the paper is five times larger
and sparser. The target is 5 spikes/s: alpha = 0.2, tau = 20 ms.
"""

from typing import Any

import numpy as np

import neuropil as npl

TARGET, TAU = 5.0, 20.0  # spikes/s, ms
END = 20000.0


def numbers() -> dict[str, Any]:
    """Rates before and after, and the irregularity after."""
    net = npl.Network(resolution=0.1, seed=2)
    neuron = {
        "C_m": 200.0, "g_L": 10.0, "E_L": -60.0, "V_th": -50.0, "V_reset": -60.0, "t_ref": 5.0, "E_ex": 0.0, "E_in": -80.0,
        "tau_syn_ex": 5.0, "tau_syn_in": 10.0, "I_e": 200.0,
    }  # fmt: skip
    exc = net.create("iaf_cond_exp", 1600, V_m=npl.uniform(-60.0, -50.0), **neuron)
    inh = net.create("iaf_cond_exp", 400, V_m=npl.uniform(-60.0, -50.0), **neuron)
    net.connect(exc, exc + inh, npl.pairwise_bernoulli(0.2), weight=0.25, delay=0.5)
    net.connect(inh, inh, npl.pairwise_bernoulli(0.2), weight=-2.5, delay=0.5)
    rule = npl.synapse("vogels_sprekeler_synapse", tau=TAU, tau_minus=TAU, eta=0.2, alpha=2.0 * TARGET * 0.001 * TAU, Wmax=-300.0)
    plastic = net.connect(inh, exc, npl.pairwise_bernoulli(0.2), weight=-0.25, delay=0.5, synapse=rule)
    spikes = net.record(exc)
    net.run(END)
    late = spikes.select(start=END - 4000.0)
    return {
        "rate at first (spikes/s)": float(spikes.select(stop=200.0).rates().mean()),
        "rate in the last 4 s (spikes/s)": float(late.rates().mean()),
        "share of neurons within 2 spikes/s of the target": float(np.mean(np.abs(late.rates() - TARGET) < 2.0)),
        "CV in the last 4 s": float(np.nanmean(npl.analysis.cv_isi(late))),
        "spikes": spikes.data(),
        "weights": -np.asarray(plastic.weight),
    }


def draw(found: dict[str, Any]) -> Any:
    """Rasters before and after, the rate over time, and the weights at the end."""
    import matplotlib.pyplot as plt

    spikes = found["spikes"]
    figure, axes = plt.subplots(2, 2, figsize=(9, 5.2), layout="constrained")
    for axis, begin, title in ((axes[0, 0], 0.0, "first 0.5 s"), (axes[0, 1], END - 500.0, "last 0.5 s")):
        some = spikes.select(spikes.watched[:100], start=begin, stop=begin + 500.0)
        axis.plot(some.times, some.gids, ".k", ms=2)
        axis.set(title=title, xlabel="time (ms)", ylabel="neuron", xlim=(begin, begin + 500.0))
    counts, edges = np.histogram(spikes.times, np.arange(0.0, END + 1.0, 100.0))
    axes[1, 0].semilogy(edges[:-1] / 1000.0, counts / len(spikes.watched) / 0.1, color="k")
    axes[1, 0].axhline(TARGET, color="C3", ls=":")
    axes[1, 0].set(xlabel="time (s)", ylabel="rate (spikes/s)")
    axes[1, 0].set_yticks((2, 5, 10, 20, 50), ("2", "5", "10", "20", "50"))
    axes[1, 0].minorticks_off()
    axes[1, 1].hist(found["weights"], np.linspace(0.0, np.quantile(found["weights"], 0.999), 51), color="0.4")
    axes[1, 1].set(xlabel="inhibitory weight (nS)", ylabel="synapses")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("vogels_2011.png", dpi=110)
