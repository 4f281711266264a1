# SPDX-License-Identifier: Apache-2.0
"""Renart et al. (2010): neurons that share many inputs still fire almost independently.

A. Renart et al., Science 327:587. In dense networks two neurons share a fifth of their inputs, whatever the size. Yet
their spikes are hardly correlated: correlations of excitation and of inhibition cancel as inhibition follows excitation,
and the mean correlation falls like 1/N in large networks. Here networks of 500 to 4000 integrate-and-fire neurons (80 % of them
excitatory), connected with the probability 0.2 and with weights that fall like 1/sqrt(N), get input from as many Poisson
sources with the same probability. Beside them stand neurons of the same rate without recurrent connections, which the
shared input correlates. At these sizes the correlation falls more slowly than 1/N. The paper has binary neurons and
larger networks; neurons, weights and input are ours.
"""

from typing import Any

import numpy as np

import neuropil as npl

SIZES, P, END, WARM = (500, 1000, 2000, 4000), 0.2, 4000.0, 200.0
CELL = {"C_m": 250.0, "tau_m": 15.0, "E_L": 0.0, "V_th": 15.0, "V_reset": 0.0, "t_ref": 2.0, "tau_syn_ex": 2.0, "tau_syn_in": 2.0}
WIDTH, PAIRED = 50.0, 200  # ms; neurons among which correlations are taken


def run(n: int, recurrent: bool, rate: float) -> npl.results.Spikes:
    """Spikes of the excitatory neurons; rate : of each source (spikes/s)."""
    net = npl.Network(resolution=0.1, seed=3)
    sources = net.create("parrot_neuron", n)
    net.stimulate(sources, npl.poisson(rate=rate), delay=0.1)
    cells = net.create("iaf_psc_exp", n, V_m=npl.uniform(0.0, 15.0), **CELL)
    exc, inh = cells[: n * 4 // 5], cells[n * 4 // 5 :]
    dense, weight = npl.pairwise_bernoulli(P, autapses=False), 4000.0 / np.sqrt(n)
    net.connect(sources, cells, dense, weight=weight, delay=1.0)
    if recurrent:
        net.connect(exc, cells, dense, weight=weight, delay=1.0)
        net.connect(inh, cells, dense, weight=-8.0 * weight, delay=1.0)
    spikes = net.record(exc, start=WARM)
    net.run(END + WARM)
    return spikes.data()


def pairs(spikes: npl.results.Spikes) -> np.ndarray:
    """Correlations of spike counts."""
    active = spikes.watched[spikes.counts() > 5][:PAIRED]
    return npl.analysis.spike_count_correlation(spikes.select(active), WIDTH)


def numbers() -> dict[str, Any]:
    """Mean correlation by size, and of the largest size without recurrent connections."""
    trains = {n: run(n, True, 10.0) for n in SIZES}
    found = {n: pairs(each) for n, each in trains.items()}
    alone = run(SIZES[-1], False, 2.4)
    uncoupled = pairs(alone)
    return {
        "rate, N = 4000 (spikes/s)": float(trains[4000].rates().mean()),
        "rate without recurrent connections (spikes/s)": float(alone.rates().mean()),
        **{f"mean correlation, N = {n}": float(np.nanmean(each)) for n, each in found.items()},
        "mean correlation without recurrent connections": float(np.nanmean(uncoupled)),
        "found": found,
        "uncoupled": uncoupled,
    }


def draw(found: dict[str, Any]) -> Any:
    """Distributions of correlations."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", width_ratios=[1.6, 1.0])
    bins = np.linspace(-0.5, 0.9, 71)
    for n, values in found["found"].items():
        left.hist(values, bins, density=True, histtype="step", label=f"N = {n}")
    left.hist(found["uncoupled"], bins, density=True, histtype="step", color="0.5", label="no recurrent connections")
    left.set(xlabel="correlation of spike counts", ylabel="density")
    left.legend(frameon=False, fontsize=8)
    means = [found[f"mean correlation, N = {n}"] for n in SIZES]
    right.loglog(SIZES, np.abs(means), "o-")
    right.loglog(SIZES, means[0] * SIZES[0] / np.array(SIZES), color="0.6", ls="--", label="1/N")
    marks = (0.0025, 0.005, 0.01, 0.02)
    right.set(xlabel="number of neurons N", ylabel="mean correlation", xticks=SIZES, xticklabels=SIZES, yticks=marks, yticklabels=marks)
    right.minorticks_off()
    right.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("renart_2010.png", dpi=110)
