# SPDX-License-Identifier: Apache-2.0
"""Tsodyks & Markram (1997): depressing synapses send changes, not rates.

M. V. Tsodyks & H. Markram, PNAS 94:719. A synapse that uses the share U = 0.67 of its resources at each spike
and recovers them in 800 ms sends, in the steady state at the rate r,
A U (1 - q) / (1 - (1 - U) q) with q = exp(-1 / (r tau_rec)).
Above some 10 spikes/s this falls as 1/r, so the mean current does not depend on the rate any more. The largest difference
between the synapse and the formula is the key number.
"""

from typing import Any

import numpy as np

import neuropil as npl

U, TAU_REC, A = 0.67, 800.0, 250.0  # share, ms, pA
RATES = np.array([1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0])  # spikes/s
N = 40


def steady(rate: np.ndarray) -> np.ndarray:
    """What a spike sends in the steady state [pA]."""
    q = np.exp(-1000.0 / (rate * TAU_REC))
    return A * U * (1.0 - q) / (1.0 - (1.0 - U) * q)


def sent(rate: float) -> np.ndarray:
    """Weights that arrive, of N regular spikes from rest."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    pre, post = net.create("parrot_neuron", 1), net.create("iaf_psc_exp", 1, V_th=1e9)
    times = np.round(10.0 + 1000.0 / rate * np.arange(N), 1)
    net.connect(net.create("spike_generator", 1, spike_times=times), pre, delay=1.0)
    record = net.record_weights()
    synapse = npl.synapse("tsodyks2_synapse", U=U, u=U, tau_rec=TAU_REC, tau_fac=0.0)
    net.connect(pre, post, weight=A, delay=1.0, synapse=synapse, weight_recorder=record)
    net.run(float(times[-1]) + 10.0)
    return np.asarray(record.weight)


def numbers() -> dict[str, Any]:
    """The error against the formula, and how little the mean current changes from 20 to 80 spikes/s."""
    trains = {rate: sent(rate) for rate in RATES}
    last = np.array([train[-1] for train in trains.values()])
    current = RATES * last
    return {
        "largest difference from the formula (pA)": float(np.abs(last - steady(RATES)).max()),
        "rate x weight at 80 over that at 20 spikes/s": float(current[-1] / current[-3]),
        "trains": trains,
        "last": last,
    }


def draw(found: dict[str, Any]) -> Any:
    """Trains at three rates, and the steady state over the rate."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for rate in (5.0, 20.0, 80.0):
        left.plot(np.arange(1, N + 1), found["trains"][rate], ".-", label=f"{rate:g} spikes/s")
    left.set(xlabel="spike", ylabel="sent (pA)", xlim=(0, 15))
    left.legend(frameon=False)
    fine = np.geomspace(1.0, 80.0, 100)
    right.loglog(fine, steady(fine), color="0.6", label="formula")
    right.loglog(RATES, found["last"], "o", label="synapse")
    right.set(xlabel="rate (spikes/s)", ylabel="sent in the steady state (pA)")
    right.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("tsodyks_1997.png", dpi=110)
