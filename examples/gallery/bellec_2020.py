# SPDX-License-Identifier: Apache-2.0
"""Bellec et al. (2020): a recurrent network of spiking neurons learns a curve by eligibility propagation.

G. Bellec et al., Nat. Commun. 11:3625, the task of pattern generation. 80 inputs repeat the same random spikes in each
second. 80 recurrent neurons and a readout learn to follow a sum of sines; errors go back through fixed random weights.
The weights change once in a second. The key number is the loss, half of the sum of squared errors of a second, at the
end over that at the beginning. Size of the network, learning rate, curve and number of seconds are ours. The paper's
network is larger and learns longer.
"""

from typing import Any

import numpy as np

import neuropil as npl

SECOND, SECONDS, N, LATE = 1000, 100, 80, 4  # steps of 1 ms, seconds, neurons, steps before the readout's first second
SHARED = {"C_m": 1.0, "tau_m": 30.0, "regular_spike_arrival": 0.0, "update_interval": 1000.0, "learning_window": 1000.0}


def curve() -> np.ndarray:
    """What the readout should be in each step of a second."""
    t = np.arange(SECOND) / SECOND
    found = np.sin(2 * np.pi * t + 1.0) + 0.7 * np.sin(4 * np.pi * t) + 0.5 * np.sin(6 * np.pi * t + 2.0)
    return found / np.abs(found).max()


def run() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Readout, target and error, each [second, step]."""
    net, rng = npl.Network(resolution=1.0, seed=1), np.random.default_rng(1)
    inputs = net.create("parrot_neuron", N)
    for k in range(N):
        once = 1.0 + np.flatnonzero(rng.random(SECOND) < 0.01)
        times = (once + SECOND * np.arange(SECONDS)[:, None]).ravel()
        net.stimulate(inputs[k : k + 1], npl.spike_train(times), delay=1.0)
    cells = net.create("eprop_iaf_bsshslm_2020", N, E_L=0.0, V_m=0.0, V_th=0.03, t_ref=0.0, c_reg=300.0, f_target=10.0, **SHARED)
    readout = net.create("eprop_readout_bsshslm_2020", **SHARED)
    learns = npl.synapse("eprop_synapse_bsshslm_2020", tau_m_readout=30.0, adam=1.0, eta=5e-3)
    for pre, post in ((inputs, cells), (cells, cells), (cells, readout)):
        net.connect(pre, post, weight=npl.normal(0.0, N**-0.5), delay=1.0, synapse=learns)
    net.connect(readout, cells, weight=npl.normal(0.0, 1.0), delay=1.0, synapse="eprop_learning_signal_connection_bsshslm_2020")
    steps = {"amplitude_times": 1.0 + np.arange(SECONDS * SECOND), "amplitude_values": np.tile(curve(), SECONDS)}
    net.connect(net.create("step_rate_generator", **steps), readout, delay=1.0, synapse="rate_connection_delayed", receptor=1)
    trace = net.record(readout, ["readout_signal", "target_signal", "error_signal"])
    net.run(float(SECONDS * SECOND + LATE))
    read, aimed, error = (np.asarray(trace[name]).ravel()[-SECONDS * SECOND :].reshape(SECONDS, SECOND) for name in trace.names)
    return read, aimed, error


def numbers() -> dict[str, Any]:
    """Loss in the first and in the last seconds."""
    read, aimed, error = run()
    loss = 0.5 * (error**2).sum(axis=1)
    return {
        "loss of the first second": float(loss[0]),
        "loss of the last ten seconds over that of the first": float(loss[-10:].mean() / loss[0]),
        "loss": loss,
        "read": read,
        "aimed": aimed,
    }


def draw(found: dict[str, Any]) -> Any:
    """Loss over time, and the readout in three seconds."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(8.5, 3.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.0, 1.4])
    axes = left.subplots()
    axes.semilogy(np.arange(1, SECONDS + 1), found["loss"])
    axes.set(xlabel="second", ylabel="loss", ylim=(20.0, 250.0))
    axes.set_yticks((25, 50, 100, 200), ("25", "50", "100", "200"))
    axes.minorticks_off()
    for axes, k in zip(right.subplots(3, 1, sharex=True), (0, SECONDS // 3, SECONDS - 1), strict=True):
        axes.plot(found["aimed"][k], color="0.6", label="target")
        axes.plot(found["read"][k], color="C3", label="readout")
        axes.set(ylim=(-1.5, 1.5), ylabel=f"second {k + 1}")
    axes.set_xlabel("time in the second (ms)")
    right.axes[0].legend(frameon=False, ncols=2, fontsize=8, loc="upper right")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("bellec_2020.png", dpi=110)
