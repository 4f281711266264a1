# SPDX-License-Identifier: Apache-2.0
"""A recurrent network learns to draw a curve with its readout, by eligibility propagation (Bellec et al. 2020, figure 2).

Inputs repeat the same random spikes in each second; after each second the weights change so that the readout comes nearer to a sum of four
sines.

Run: .venv/bin/python examples/eprop.py [picture.png]
"""

import sys

import numpy as np

import neuropil as npl

SECOND = 1000.0  # ms; a step is 1 ms
INTERVALS = {"update_interval": SECOND, "learning_window": SECOND}
OFFSET = 2.0  # ms from the beginning until spikes of the inputs reach the recurrent neurons


def aim() -> np.ndarray:
    """What the readout should be in each ms of a second."""
    rng = np.random.default_rng(3)
    t = np.arange(SECOND) / SECOND
    curve = sum(rng.uniform(0.5, 2.0) * np.sin(2 * np.pi * (f * t + rng.random())) for f in (1, 2, 3, 5))
    return curve / np.abs(curve).max()


def main(picture: str = "", seconds: int = 150, n: int = 100) -> np.ndarray:
    """Returns the loss of each second: half of the sum of squared errors."""
    net = npl.Network(resolution=1.0, seed=1)
    rng = np.random.default_rng(1)
    inputs = net.create("parrot_neuron", n)
    for k in range(n):
        once = np.flatnonzero(rng.random(int(SECOND)) < 0.01) + 1.0
        times = (once + SECOND * np.arange(seconds)[:, None]).ravel()
        net.connect(net.create("spike_generator", spike_times=times), inputs[k], delay=1.0)
    cells = net.create(
        "eprop_iaf_bsshslm_2020",
        n,
        C_m=1.0,
        E_L=0.0,
        V_m=0.0,
        V_th=0.03,
        tau_m=30.0,
        t_ref=0.0,
        c_reg=300.0,
        f_target=10.0,
        regular_spike_arrival=0.0,
        **INTERVALS,
    )
    readout = net.create("eprop_readout_bsshslm_2020", C_m=1.0, tau_m=30.0, regular_spike_arrival=0.0, **INTERVALS)
    rule = npl.synapse("eprop_synapse_bsshslm_2020", tau_m_readout=30.0, adam=1.0, eta=5e-3)
    for pre, post in ((inputs, cells), (cells, cells), (cells, readout)):
        net.connect(pre, post, weight=npl.normal(0.0, 1.0 / np.sqrt(n)), delay=1.0, synapse=rule)
    net.connect(readout, cells, weight=npl.normal(0.0, 1.0), delay=1.0, synapse="eprop_learning_signal_connection_bsshslm_2020")
    target = net.create("step_rate_generator", amplitude_times=1.0 + np.arange(seconds * SECOND), amplitude_values=np.tile(aim(), seconds))
    net.connect(target, readout, delay=1.0, synapse="rate_connection_delayed", receptor=1)
    record = net.record(readout, ["readout_signal", "target_signal", "error_signal"])
    spikes = net.record(cells)
    net.run(seconds * SECOND + 5.0)
    return record, spikes


if __name__ == "__main__":
    main(*sys.argv[1:2])
