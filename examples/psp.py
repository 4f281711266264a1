# SPDX-License-Identifier: Apache-2.0
"""One spike, one neuron: the postsynaptic potential, beside its closed form.

Run: .venv/bin/python examples/psp.py
"""

import numpy as np

import neuropil as npl


def main() -> float:
    net = npl.Network(resolution=0.1)
    neuron = net.create("iaf_psc_exp", E_L=-65.0, V_m=-65.0, tau_m=10.0, C_m=250.0, tau_syn_ex=0.5)
    net.stimulate(neuron, npl.spike_train([1.0]), weight=87.8, delay=1.0)
    trace = net.record(neuron, "V_m", interval=0.1)
    net.run(30.0)

    t = np.maximum(trace.times - 2.0, 0.0)  # the spike of 1 ms arrives at 2 ms
    closed = -65.0 + 87.8 / 250.0 / (1 / 0.5 - 1 / 10.0) * (np.exp(-t / 10.0) - np.exp(-t / 0.5))
    error = float(np.abs(trace["V_m"][:, 0] - closed).max())
    print(f"peak {closed.max() + 65.0:.4f} mV, largest difference from the closed form {error:.1e} mV")
    return error


if __name__ == "__main__":
    main()
