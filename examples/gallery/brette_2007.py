# SPDX-License-Identifier: Apache-2.0
"""Brette et al. (2007): the benchmark with Hodgkin-Huxley neurons goes on by itself.

R. Brette et al., J. Comput. Neurosci. 23:349, benchmark 3. The network of Vogels & Abbott, 3200 excitatory and 800
inhibitory neurons connected with the probability 2 %, has neurons with the channels of Traub & Miles here. A spike adds
6 nS (decay 5 ms, 0 mV) or 67 nS (10 ms, -80 mV). 50 ms of input start the activity. The neurons have the parameters
of the paper, which are the defaults of the model. Rate and weight of the input are ours, and half a second is shown.
The key numbers are that the network is active to the end and that its spikes are irregular.
"""

from typing import Any

import numpy as np

import neuropil as npl

N, START, END = 4000, 50.0, 500.0  # neurons, ms, ms


def numbers() -> dict[str, Any]:
    """Rate and irregularity after the input, and the share of neurons that take part."""
    net = npl.Network(resolution=0.1, seed=2)
    cells = net.create("hh_cond_exp_traub", N, V_m=npl.uniform(-70.0, -55.0))
    exc, inh = cells[: N * 4 // 5], cells[N * 4 // 5 :]
    sparse = npl.pairwise_bernoulli(0.02, autapses=False)
    net.connect(exc, cells, sparse, weight=6.0, delay=0.1)
    net.connect(inh, cells, sparse, weight=-67.0, delay=0.1)
    net.stimulate(cells, npl.device("poisson_generator", rate=300.0, stop=START), weight=6.0, delay=0.1)
    spikes, trace = net.record(cells), net.record(cells[:3], "V_m", interval=0.1)
    net.run(END)
    late = spikes.data().select(start=200.0)
    return {
        "rate after 200 ms (spikes/s)": float(late.rates().mean()),
        "CV of intervals": float(np.nanmean(npl.analysis.cv_isi(late, 5))),
        "share of neurons with spikes": float((late.counts() > 0).mean()),
        "rate in the last 20 ms (spikes/s)": float(late.select(start=END - 20.0).rates().mean()),
        "spikes": spikes.data(),
        "times": np.asarray(trace.times),
        "V_m": np.asarray(trace["V_m"]),
    }


def draw(found: dict[str, Any]) -> Any:
    """Spikes of 200 neurons, and potentials of three."""
    import matplotlib.pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 4.6), sharex=True, height_ratios=[1.6, 1], layout="constrained")
    some = found["spikes"].select(found["spikes"].watched[::20])
    top.plot(some.times, some.positions(), ".", ms=2)
    top.axvspan(0.0, START, color="0.85", zorder=0)
    top.set(ylabel="every 20th neuron", xlim=(0, END))
    for k in range(3):
        bottom.plot(found["times"], found["V_m"][:, k] - 140.0 * k, lw=0.8)
    marks = np.array([0.0, -70.0])  # mV
    at = (marks - 140.0 * np.arange(3)[:, None]).ravel()
    bottom.set_yticks(at, [f"{mark:g}" for mark in np.tile(marks, 3)], fontsize=8)
    bottom.set(xlabel="time (ms); input in grey", ylabel="V_m (mV)")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("brette_2007.png", dpi=110)
