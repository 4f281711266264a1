# SPDX-License-Identifier: Apache-2.0
"""Tsodyks, Pawelzik & Markram (1998): facilitating synapses prefer a frequency.

M. Tsodyks, K. Pawelzik & H. Markram, Neural Comput. 10:821, figure 1. A spike opens a share u of the resources. Between
spikes u decays to 0 with tau_facil and resources recover with tau_rec. At low rates u grows with the rate; at
high rates resources are used up and less is sent. In the steady state the paper's equations give the share that a spike uses, u R. Its
largest value lies near the rate 1 / sqrt(U tau_facil tau_rec), for small U. The parameters are those of the
paper's facilitating synapse: U = 0.03, tau_rec = 130 ms, tau_facil = 530 ms. Only the synapse is simulated, without the networks.
"""

from typing import Any

import numpy as np

import neuropil as npl

U, TAU_REC, TAU_FACIL, A = 0.03, 130.0, 530.0, 1540.0  # share, ms, ms, pA
RATES = np.array([1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 22.0, 24.0, 28.0, 35.0, 50.0, 70.0, 100.0])  # spikes/s
N = 150  # spikes of a train


def steady(rate: np.ndarray) -> np.ndarray:
    """What a spike sends in the steady state [pA]: A u R."""
    interval = 1000.0 / rate
    q, p = np.exp(-interval / TAU_REC), np.exp(-interval / TAU_FACIL)
    u = U / (1.0 - (1.0 - U) * p)
    return A * u * (1.0 - q) / (1.0 - (1.0 - u) * q)


def sent() -> np.ndarray:
    """Weights that arrive from N regular spikes at each of the rates, shape (rates, N)."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    post = net.create("iaf_psc_exp", 1, V_th=1e9)
    synapse = npl.synapse("tsodyks2_synapse", U=U, u=U, tau_rec=TAU_REC, tau_fac=TAU_FACIL)
    pre = net.create("parrot_neuron", len(RATES))
    record = net.record_weights()
    for k, rate in enumerate(RATES):
        net.stimulate(pre[k : k + 1], npl.spike_train(np.round(10.0 + 1000.0 / rate * np.arange(N), 1)), delay=1.0)
    net.connect(pre, post, weight=A, delay=1.0, synapse=synapse, weight_recorder=record)
    net.run(1000.0 * N / float(RATES.min()) + 20.0)
    return np.array([np.asarray(record.weight)[np.asarray(record.source) == gid] for gid in pre.gids])


def numbers() -> dict[str, Any]:
    """The error against the equations, the best rate, and what is sent at 1 and at 100 spikes/s."""
    trains = sent()
    last = trains[:, -1]
    fine = np.linspace(5.0, 60.0, 2000)
    middle = np.argmax(last)
    curve = np.polyfit(np.log(RATES[middle - 2 : middle + 3]), last[middle - 2 : middle + 3], 2)
    return {
        "largest difference from the equations (pA)": float(np.abs(last - steady(RATES)).max()),
        "rate of the largest response (spikes/s)": float(np.exp(-0.5 * curve[1] / curve[0])),
        "rate of the largest response, equations (spikes/s)": float(fine[np.argmax(steady(fine))]),
        "1 / sqrt(U tau_facil tau_rec) (spikes/s)": float(1000.0 / np.sqrt(U * TAU_FACIL * TAU_REC)),
        "response at 1 spike/s over the largest": float(last[0] / last.max()),
        "trains": trains,
        "last": last,
    }


def draw(found: dict[str, Any]) -> Any:
    """Trains at three rates, and the steady state over the rate."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for rate in (5.0, 24.0, 70.0):
        left.plot(np.arange(1, N + 1), found["trains"][rate == RATES][0], ".-", label=f"{rate:g} spikes/s")
    left.set(xlabel="spike", ylabel="sent (pA)", xlim=(0, 25))
    left.legend(frameon=False)
    fine = np.geomspace(1.0, 100.0, 200)
    right.semilogx(fine, steady(fine), color="0.6", label="equations")
    right.semilogx(RATES, found["last"], "o", label="synapse")
    right.axvline(found["1 / sqrt(U tau_facil tau_rec) (spikes/s)"], color="0.6", ls=":", label=r"$1/\sqrt{U \tau_{facil} \tau_{rec}}$")
    right.set(xlabel="rate (spikes/s)", ylabel="sent in the steady state (pA)")
    right.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("tsodyks_1998.png", dpi=110)
