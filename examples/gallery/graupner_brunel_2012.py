# SPDX-License-Identifier: Apache-2.0
"""Graupner & Brunel (2012): spikes raise calcium, and calcium above two thresholds changes the synapse.

M. Graupner & N. Brunel, PNAS 109:3991, figure 2 (the case DP). A presynaptic spike raises calcium by 1 after D = 13.7 ms,
a postsynaptic spike by 2; it decays in 20 ms. The efficacy falls at the rate 200 while calcium is above 1 and rises at
the rate 321.808 while it is above 1.3, both over tau = 150 s. 60 pairs at 1 Hz then depress the synapse for negative
lags and potentiate it for positive ones. The points are the synapse model; the line is the paper's theory, which
needs only the times above both thresholds. The noise of the paper is left out, so the line is its mean. The theory
takes both rates as acting at once and leaves out the drift of the efficacy between the spikes. The synapse has both,
so points differ from the line by up to 0.005.
"""

from typing import Any

import numpy as np

import neuropil as npl

TAU_CA, D, TAU = 20.0, 13.7, 150_000.0  # ms
C_PRE, C_POST, THETA_D, THETA_P, GAMMA_D, GAMMA_P = 1.0, 2.0, 1.0, 1.3, 200.0, 321.808
PAIRS, PERIOD = 60, 1000.0  # ms
LAGS = np.arange(-100.0, 101.0, 5.0)  # ms, postsynaptic less presynaptic spike


def theory(lag: float) -> float:
    """Efficacy after the pairs, from 0.5: relaxation to the balance of both rates, by the times above the thresholds in a period."""
    t = np.arange(0.0, PERIOD, 0.01)
    calcium = np.zeros_like(t)
    for at, jump in ((300.0 + D, C_PRE), (300.0 + lag, C_POST)):
        calcium += jump * np.exp(-((t - at) % PERIOD) / TAU_CA)  # periodic: calcium of earlier pairs has decayed
    down, up = GAMMA_D * (calcium > THETA_D).mean(), GAMMA_P * (calcium > THETA_P).mean()
    balance = up / (up + down)
    return float(balance + (0.5 - balance) * np.exp(-PAIRS * PERIOD * (up + down) / TAU))


def changed() -> np.ndarray:
    """Efficacy of a synapse for each lag after the pairs."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    pre, post = net.create("parrot_neuron", 1), net.create("parrot_neuron", len(LAGS))
    at = 300.0 + PERIOD * np.arange(PAIRS)
    net.stimulate(pre, npl.spike_train(np.append(at, at[-1] + PERIOD)), delay=1.0)
    for k, lag in enumerate(LAGS):
        # The delay of the synapse is dendritic: the spike of the target comes to it 1 ms late, so the target spikes 1 ms early.
        net.stimulate(post[k : k + 1], npl.spike_train(at + lag - 1.0), delay=1.0)
    rule = npl.synapse("calcium_synapse", w0=0.0, w1=100.0)
    projection = net.connect(pre, post, weight=50.0, delay=1.0, receptor=1, synapse=rule)
    net.run(float(at[-1] + PERIOD + 200.0))
    return np.asarray(projection.weight) / 100.0


def numbers() -> dict[str, Any]:
    """Efficacies for two lags and the largest difference from the theory."""
    found, expected = changed(), np.array([theory(lag) for lag in LAGS])
    return {
        "efficacy at -20 ms, from 0.5": float(found[LAGS == -20.0][0]),
        "efficacy at 20 ms, from 0.5": float(found[LAGS == 20.0][0]),
        "largest difference from the theory": float(np.abs(found - expected).max()),
        "found": found,
    }


def draw(found: dict[str, Any]) -> Any:
    """The window of the pairs."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
    fine = np.arange(-100.0, 100.5, 1.0)
    axes.axhline(0.5, color="0.8", lw=0.8)
    axes.plot(fine, [theory(lag) for lag in fine], color="0.6", label="theory")
    axes.plot(LAGS, found["found"], "o", ms=4, label="synapse")
    axes.set(xlabel="postsynaptic less presynaptic spike (ms)", ylabel="efficacy after 60 pairs")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("graupner_brunel_2012.png", dpi=110)
