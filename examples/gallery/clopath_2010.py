# SPDX-License-Identifier: Apache-2.0
"""Clopath et al. (2010): plasticity by the voltage of the target depends on the rate of pairs.

C. Clopath, L. Buesing, E. Vasilaki & W. Gerstner, Nat. Neurosci. 13:344, figure 2. Bursts of five pairs of spikes, 10 ms
apart, are repeated 15 times. Depression needs a depolarised membrane when a presynaptic spike arrives, potentiation
a spike of the target while its membrane has been depolarised before. With pre before post the weight grows with the
rate of the pairs; with post before pre it falls at low rates and grows at high ones. Neuron and synapse have the paper's
parameters for visual cortex, which are the defaults of the models. Points are the data of Sjöström, Turrigiano & Nelson
(2001). One burst is simulated and its change, which does not depend on the weight, is taken 15 times. Spikes of the
target are made by a kick of 80 mV and leave the membrane 21 mV above rest. Between 10 and 40 Hz potentiation is weaker
than in the data.
"""

from typing import Any

import numpy as np

import neuropil as npl

RATES = np.array([0.1, 10.0, 20.0, 40.0, 50.0])  # Hz
DATA = {10.0: [0.96, 1.14, 1.29, 1.53, 1.56], -10.0: [0.71, 0.59, 0.66, 1.56, 1.75]}
BURSTS, PAIRS, WEIGHT = 15, 5, 0.5
V_RESET = -70.6 + 21.0  # mV
KICK = 80.0  # mV, of a delta synapse: makes the target spike at once


def weight_after(rate: float, lag: float) -> float:
    """The weight over the first one after all bursts: post follows pre after `lag` ms."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    at = np.round(200.0 + 1000.0 / rate * np.arange(PAIRS), 1)
    pre, post = net.create("parrot_neuron", 1), net.create("aeif_psc_delta_clopath", 1, V_reset=V_RESET)
    net.stimulate(pre, npl.spike_train(np.append(at, at[-1] + 2000.0)), delay=0.1)
    net.stimulate(post, npl.spike_train(at + lag), weight=KICK, delay=0.1)
    rule = npl.synapse("clopath_synapse", Wmax=10.0)
    projection = net.connect(pre, post, weight=WEIGHT, delay=0.1, synapse=rule)
    net.run(float(at[-1] + 2100.0))
    return 1.0 + BURSTS * (float(projection.weight[0]) / WEIGHT - 1.0)


def numbers() -> dict[str, Any]:
    """Weights after the protocol, over the first ones."""
    found = {lag: np.array([weight_after(rate, lag) for rate in RATES]) for lag in DATA}
    return {
        "pre before post, 0.1 Hz": float(found[10.0][0]),
        "pre before post, 50 Hz": float(found[10.0][-1]),
        "post before pre, 10 Hz": float(found[-10.0][1]),
        "post before pre, 50 Hz": float(found[-10.0][-1]),
        "found": found,
    }


def draw(found: dict[str, Any]) -> Any:
    """Weights over the rate of pairs, beside the data."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
    axes.axhline(1.0, color="0.8", lw=0.8)
    for lag, colour, name in ((10.0, "C0", "pre before post"), (-10.0, "C3", "post before pre")):
        axes.plot(RATES, found["found"][lag], "-", color=colour, label=f"model, {name}")
        axes.plot(RATES, DATA[lag], "o", color=colour, label=f"data, {name}")
    axes.set(xlabel="rate of pairs (Hz)", ylabel="weight over the first one")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("clopath_2010.png", dpi=110)
