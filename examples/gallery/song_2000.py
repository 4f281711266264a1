# SPDX-License-Identifier: Apache-2.0
"""Song, Miller & Abbott (2000): synapses compete for the control of spikes.

S. Song, K. D. Miller & L. F. Abbott, Nat. Neurosci. 3:919, figure 2. One integrate-and-fire neuron gets 1000 excitatory
inputs with plastic conductances and 200 inhibitory ones. Additive STDP with slightly stronger depression drives most
weights to one of the bounds: the distribution has two peaks. The faster the inputs are,
the fewer weights stay strong. 100 s are simulated in steps of 0.5 ms, with changes eight times larger than those of the paper.
Larger changes are noisier, so the peaks are less sharp than in the paper; at 10 spikes/s weights still move at the end.
"""

from typing import Any

import numpy as np

import neuropil as npl

G_MAX = 15.0  # nS: 0.015 in units of the leak conductance, which is 1000 nS here
RATES = (10.0, 40.0)  # spikes/s of the inputs


def run(rate: float, seconds: float = 100.0) -> tuple[np.ndarray, float]:
    """Weights at the end, and the rate of the neuron in the last quarter."""
    net = npl.Network(resolution=0.5, seed=4)
    cell = net.create(
        "iaf_cond_exp", 1, C_m=20000.0, g_L=1000.0, E_L=-74.0, V_m=-74.0, V_th=-54.0, V_reset=-60.0, E_ex=0.0, E_in=-70.0,
        tau_syn_ex=5.0, tau_syn_in=5.0, t_ref=0.5,
    )  # fmt: skip
    excitation = net.create("poisson_generator", 1000, rate=rate)
    rule = npl.stdp(lambda_=0.04, alpha=1.05, mu_plus=0.0, mu_minus=0.0, tau_plus=20.0, tau_minus=20.0, Wmax=G_MAX)
    plastic = net.connect(excitation, cell, weight=npl.uniform(0.5 * G_MAX, G_MAX), delay=0.5, synapse=rule)
    net.stimulate(cell, npl.poisson(rate=200 * 10.0), weight=-50.0, delay=0.5)
    spikes = net.record(cell, start=750.0 * seconds)
    net.run(1000.0 * seconds)
    return np.asarray(plastic.weight) / G_MAX, float(spikes.rates()[0])


def numbers() -> dict[str, Any]:
    """Share of the weights near the bounds, and rates of the neuron."""
    found = {rate: run(rate) for rate in RATES}
    slow, fast = found[10.0][0], found[40.0][0]
    outer, inner = np.mean((slow < 0.2) | (slow > 0.8)) / 2.0, np.mean((slow > 0.4) & (slow < 0.6))
    return {
        "weights in the outer fifths over the middle fifth, inputs 10 spikes/s": float(outer / inner),
        "mean weight with inputs at 40 over 10 spikes/s": float(fast.mean() / slow.mean()),
        "rate of the neuron (spikes/s), inputs 10 spikes/s": found[10.0][1],
        "rate of the neuron (spikes/s), inputs 40 spikes/s": found[40.0][1],
        "weights": {rate: of for rate, (of, _) in found.items()},
    }


def draw(found: dict[str, Any]) -> Any:
    """Distributions of weights."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
    for axis, (rate, weights) in zip(axes, found["weights"].items(), strict=True):
        axis.hist(weights, np.linspace(0.0, 1.0, 21), weights=np.full(len(weights), 1.0 / len(weights)), color="0.4")
        axis.set(title=f"inputs {rate:g} spikes/s", xlabel="weight / largest weight")
    axes[0].set_ylabel("share of synapses")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("song_2000.png", dpi=110)
