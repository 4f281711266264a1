# SPDX-License-Identifier: Apache-2.0
"""Vogels & Abbott (2005): a network that keeps itself active without any input.

T. P. Vogels & L. F. Abbott, J. Neurosci. 25:10786, in the form of the first benchmark of Brette et al. (2007). 3200
excitatory and 800 inhibitory neurons with conductances are connected with the probability 2 %. Membranes have 20 ms,
rest -60 mV, threshold -50 mV and 5 ms of refractoriness; a spike adds 6 nS (decay 5 ms, 0 mV) or 67 nS (10 ms, -80 mV).
Poisson input of 50 ms starts the activity, which then goes on by itself, asynchronous and irregular. With a quarter of
the excitatory conductance it dies at once. Rate and size of the input are ours. The paper's network has 10 000
neurons; how long activity lasts grows with size, and the one second here does not show where it ends.
"""

from typing import Any

import numpy as np

import neuropil as npl

N, START, END = 4000, 50.0, 1000.0  # neurons, ms, ms
CELL = {"C_m": 200.0, "g_L": 10.0, "E_L": -60.0, "V_th": -50.0, "V_reset": -60.0, "t_ref": 5.0}
SYNAPSES = {"E_ex": 0.0, "E_in": -80.0, "tau_syn_ex": 5.0, "tau_syn_in": 10.0}


def run(excitation: float, seed: int = 2) -> npl.results.Spikes:
    """Spikes of all neurons."""
    net = npl.Network(resolution=0.1, seed=seed)
    cells = net.create("iaf_cond_exp", N, V_m=npl.uniform(-60.0, -50.0), **CELL, **SYNAPSES)
    exc, inh = cells[: N * 4 // 5], cells[N * 4 // 5 :]
    sparse = npl.pairwise_bernoulli(0.02, autapses=False)
    net.connect(exc, cells, sparse, weight=excitation, delay=0.1)
    net.connect(inh, cells, sparse, weight=-67.0, delay=0.1)
    net.stimulate(cells, npl.device("poisson_generator", rate=300.0, stop=START), weight=6.0, delay=0.1)
    spikes = net.record(cells)
    net.run(END)
    return spikes.data()


def numbers() -> dict[str, Any]:
    """Rate and irregularity long after the input, and the rate with weak excitation."""
    spikes, weak = run(6.0), run(1.5)
    late = spikes.select(start=500.0)
    _, rate = npl.analysis.population_rate(late, 5.0)
    return {
        "rate after 500 ms (spikes/s)": float(late.rates().mean()),
        "CV of intervals": float(np.nanmean(npl.analysis.cv_isi(late, 5))),
        "deviation of the population rate over its mean": float(rate.std() / rate.mean()),
        "rate after 500 ms, a quarter of the excitation (spikes/s)": float(weak.select(start=500.0).rates().mean()),
        "spikes": spikes,
        "weak": weak,
    }


def draw(found: dict[str, Any]) -> Any:
    """Spikes of 200 neurons and the rate of all."""
    import matplotlib.pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 4.6), sharex=True, height_ratios=[2, 1], layout="constrained")
    some = found["spikes"].select(found["spikes"].watched[::20])
    top.plot(some.times, some.positions(), ".", ms=2)
    top.set(ylabel="every 20th neuron")
    for name, label in (("spikes", "6 nS"), ("weak", "1.5 nS")):
        times, rate = npl.analysis.population_rate(found[name], 5.0)
        bottom.plot(times, rate, label=label)
    for axes in (top, bottom):
        axes.axvspan(0.0, START, color="0.85", zorder=0)
    bottom.set(xlabel="time (ms); input in grey", ylabel="rate (spikes/s)", xlim=(0, END))
    bottom.legend(frameon=False, ncols=2)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("vogels_abbott_2005.png", dpi=110)
