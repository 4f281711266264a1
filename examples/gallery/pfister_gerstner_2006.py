# SPDX-License-Identifier: Apache-2.0
"""Pfister & Gerstner (2006): triplets of spikes explain how plasticity depends on the rate of pairs.

J.-P. Pfister & W. Gerstner, J. Neurosci. 26:9673. 60 pairs of spikes, 10 ms apart, are repeated at rates from
0.1 to 50 Hz. The triplet rule with all pairs and the parameters of the paper for visual cortex reproduces the data of
Sjöström, Turrigiano & Nelson (2001): with pre before post the weight grows with the rate; with post before pre it falls
at low rates and grows at high ones. Data points and standard errors are those
that the paper fits.
As in the paper, a change is that of a weight of 1 by the sum of all updates; bounds play no role.
"""

from typing import Any

import numpy as np

import neuropil as npl

RATES = np.array([0.1, 10.0, 20.0, 40.0, 50.0])  # Hz
DATA = {10.0: [-0.04, 0.14, 0.29, 0.53, 0.56], -10.0: [-0.29, -0.41, -0.34, 0.56, 0.75]}
ERROR = {10.0: [0.05, 0.10, 0.14, 0.11, 0.26], -10.0: [0.08, 0.11, 0.10, 0.32, 0.19]}
RULE = {
    "tau_plus": 16.8, "tau_minus": 33.7, "tau_plus_triplet": 101.0, "tau_minus_triplet": 125.0,
    "Aplus": 5e-10, "Aplus_triplet": 6.2e-3, "Aminus": 7e-3, "Aminus_triplet": 2.3e-4, "Wmax": 100.0,
}  # fmt: skip
PAIRS, START = 60, 50.0


def change(rate: float, lag: float) -> float:
    """Sum of the changes of a weight by 60 pairs: post follows pre after `lag` ms."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    at = np.round(200.0 + 1000.0 / rate * np.arange(PAIRS), 1)
    pre, post = net.create("parrot_neuron", 1), net.create("parrot_neuron", 1)
    far = at[-1] + 5000.0  # a last spike of the source brings the weight up to date
    net.connect(net.create("spike_generator", 1, spike_times=np.append(at, far)), pre, delay=1.0)
    net.connect(net.create("spike_generator", 1, spike_times=at + lag - 0.1), post, delay=1.0)
    rule = npl.synapse("stdp_triplet_synapse", **RULE)
    projection = net.connect(pre, post, weight=START, delay=0.1, receptor=1, synapse=rule, double_weights=True)
    net.run(float(far) + 10.0)
    return float(projection.weight[0] - START)


def numbers() -> dict[str, Any]:
    """The normalised mean-square error of the paper (its best value is 0.33), and the changes."""
    found = {lag: np.array([change(rate, lag) for rate in RATES]) for lag in DATA}
    errors = [((np.array(DATA[lag]) - found[lag]) / np.array(ERROR[lag])) ** 2 for lag in DATA]
    return {
        "mean squared error in units of the standard error": float(np.mean(errors)),
        "change at 0.1 Hz, post before pre": float(found[-10.0][0]),
        "change at 50 Hz, pre before post": float(found[10.0][-1]),
        "changes": found,
    }


def draw(found: dict[str, Any]) -> Any:
    """Data and rule over the rate of pairs."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 3.8), layout="constrained")
    axis.axhline(0.0, color="0.7", lw=0.8)
    for lag, colour in ((10.0, "C0"), (-10.0, "C3")):
        name = "pre before post" if lag > 0 else "post before pre"
        axis.errorbar(RATES, DATA[lag], ERROR[lag], fmt="o", color=colour, label=f"data, {name}")
        axis.plot(RATES, found["changes"][lag], color=colour, label=f"rule, {name}")
    axis.set(xlabel="rate of pairs (Hz)", ylabel="change of weight")
    axis.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("pfister_gerstner_2006.png", dpi=110)
