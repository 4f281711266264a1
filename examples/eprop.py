# SPDX-License-Identifier: Apache-2.0
"""A recurrent network learns to draw a curve with its readout, by eligibility propagation (Bellec et al. 2020, Nat Commun 11:3625).

Its inputs repeat the same random spikes in each second; after each second the weights change, so that the readout comes nearer to a sum of
four sines.

Run: .venv/bin/python examples/eprop.py [picture.png]
"""

import sys

import numpy as np

import neuropil as npl

SECOND = 1000  # steps of 1 ms: the time between updates of the weights
LATE = 4  # steps before the first one whose error counts
CELL = {
    "C_m": 1.0,
    "E_L": 0.0,
    "V_m": 0.0,
    "tau_m": 30.0,
    "regular_spike_arrival": 0.0,
    "update_interval": 1000.0,
    "learning_window": 1000.0,
}


def aim() -> np.ndarray:
    """What the readout should be in each step of a second."""
    rng, t = np.random.default_rng(3), np.arange(SECOND) / SECOND
    curve = sum(rng.uniform(0.5, 2.0) * np.sin(2 * np.pi * (f * t + rng.random())) for f in (1, 2, 3, 5))
    return curve / np.abs(curve).max()


def build(seconds: int, n: int = 100) -> tuple[npl.Network, npl.results.Trace]:
    """The network, and what its readout will have done."""
    net, rng = npl.Network(resolution=1.0, seed=1), np.random.default_rng(1)
    inputs = net.create("parrot_neuron", n)
    for k in range(n):
        once = 1.0 + np.flatnonzero(rng.random(SECOND) < 0.01)
        times = (once + SECOND * np.arange(seconds)[:, None]).ravel()
        net.connect(net.create("spike_generator", spike_times=times), inputs[k], delay=1.0)
    readout_cell = {name: value for name, value in CELL.items() if name not in ("V_m", "E_L")}
    cells = net.create("eprop_iaf_bsshslm_2020", n, V_th=0.03, t_ref=0.0, c_reg=300.0, f_target=10.0, **CELL)
    readout = net.create("eprop_readout_bsshslm_2020", **readout_cell)
    rule = npl.synapse("eprop_synapse_bsshslm_2020", tau_m_readout=30.0, adam=1.0, eta=5e-3)
    for pre, post in ((inputs, cells), (cells, cells), (cells, readout)):
        net.connect(pre, post, weight=npl.normal(0.0, 1.0 / np.sqrt(n)), delay=1.0, synapse=rule)
    net.connect(readout, cells, weight=npl.normal(0.0, 1.0), delay=1.0, synapse="eprop_learning_signal_connection_bsshslm_2020")
    times = 1.0 + np.arange(seconds * SECOND)
    target = net.create("step_rate_generator", amplitude_times=times, amplitude_values=np.tile(aim(), seconds))
    net.connect(target, readout, delay=1.0, synapse="rate_connection_delayed", receptor=1)
    return net, net.record(readout, ["readout_signal", "target_signal", "error_signal"])


def main(picture: str = "", seconds: int = 150) -> np.ndarray:
    """Returns the loss of each second: half of the sum of squared errors."""
    net, trace = build(seconds)
    net.run(float(seconds * SECOND + LATE))
    read, aimed, error = (
        np.asarray(trace[name]).ravel()[-seconds * SECOND :].reshape(seconds, SECOND)
        for name in ("readout_signal", "target_signal", "error_signal")
    )
    loss = 0.5 * (error**2).sum(axis=1)
    print(f"loss {loss[0]:.0f} in the first second, {loss[-1]:.1f} in the last")
    if picture:
        draw(picture, loss, read, aimed)
    return loss


def draw(picture: str, loss: np.ndarray, read: np.ndarray, aimed: np.ndarray) -> None:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(8.0, 3.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.0, 1.4])
    ax = left.subplots()
    ax.semilogy(np.arange(1, len(loss) + 1), loss, color="tab:blue")
    ax.set(xlabel="second (updates of the weights)", ylabel="loss")
    ax.set_yticks([10, 20, 50, 100, 200], labels=["10", "20", "50", "100", "200"])
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
    shown = (0, len(loss) // 6, len(loss) - 1)
    for axis, k in zip(right.subplots(len(shown), 1, sharex=True), shown, strict=True):
        axis.plot(aimed[k], color="0.6", label="target")
        axis.plot(read[k], color="tab:red", label="readout")
        axis.set(ylim=(-1.3, 1.3), ylabel=f"second {k + 1}")
        axis.spines[["top", "right"]].set_visible(False)
    right.axes[0].legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1.0, 0.95), fontsize=8)
    right.axes[-1].set_xlabel("time in the second (ms)")
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:2])
