# SPDX-License-Identifier: Apache-2.0
"""Bi & Poo (1998): the window of spike-timing dependent plasticity.

G.-Q. Bi & M.-M. Poo, J. Neurosci. 18:10464. 60 pairs of spikes at 1 Hz change a synapse by an amount that depends on their lag. Fits of
the data (Bi & Poo 2001, Annu. Rev. Neurosci. 24:139) are exponentials: 0.777 exp(-lag / 16.8 ms) for pre before post and
-0.273 exp(lag / 33.7 ms) for post before pre. Additive STDP with these time constants is simulated; time constants are then fitted
to the changes of the weights. The data themselves are not shown.
"""

from typing import Any

import numpy as np

import neuropil as npl

A_PLUS, A_MINUS, TAU_PLUS, TAU_MINUS = 0.777, 0.273, 16.8, 33.7  # change by 60 pairs, ms
PAIRS, START, LARGEST = 60, 50.0, 200.0
LAGS = np.concatenate([np.arange(-80.0, 0.0, 5.0), np.arange(5.0, 81.0, 5.0)])


def numbers() -> dict[str, Any]:
    """Fitted time constants and amplitudes."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    pre, post = net.create("parrot_neuron", 1), net.create("parrot_neuron", len(LAGS))
    at = 200.0 + 1000.0 * np.arange(PAIRS)
    net.stimulate(pre, npl.spike_train(np.append(at, at[-1] + 900.0)), delay=1.0)
    for k, lag in enumerate(LAGS):
        net.stimulate(post[k : k + 1], npl.spike_train(at + lag - 0.1), delay=1.0)
    step = A_PLUS * START / PAIRS / LARGEST  # lambda, the change by one pair in units of the largest weight
    rule = npl.stdp(lambda_=step, alpha=A_MINUS / A_PLUS, tau_plus=TAU_PLUS, tau_minus=TAU_MINUS, mu_plus=0.0, mu_minus=0.0, Wmax=LARGEST)
    projection = net.connect(pre, post, weight=START, delay=0.1, receptor=1, synapse=rule, double_weights=True)
    net.run(float(at[-1]) + 1000.0)
    change = projection.weight / START - 1.0
    after, before = LAGS > 0, LAGS < 0
    rise, fall = np.polyfit(LAGS[after], np.log(change[after]), 1), np.polyfit(LAGS[before], np.log(-change[before]), 1)
    return {
        "time constant of potentiation (ms)": float(-1.0 / rise[0]),
        "time constant of depression (ms)": float(1.0 / fall[0]),
        "potentiation at lag 0": float(np.exp(rise[1])),
        "depression at lag 0": float(np.exp(fall[1])),
        "change": change,
    }


def draw(found: dict[str, Any]) -> Any:
    """Changes and fits."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
    axis.axhline(0.0, color="0.7", lw=0.8)
    axis.axvline(0.0, color="0.7", lw=0.8)
    right, left = np.linspace(0.0, 80.0, 100), np.linspace(-80.0, 0.0, 100)
    axis.plot(right, A_PLUS * np.exp(-right / TAU_PLUS), color="0.6", label="fits of the data")
    axis.plot(left, -A_MINUS * np.exp(left / TAU_MINUS), color="0.6")
    axis.plot(LAGS, found["change"], "o", ms=4, label="simulation")
    axis.set(xlabel="spike of the target less that of the source (ms)", ylabel="change of weight")
    axis.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("bi_poo_1998.png", dpi=110)
