# SPDX-License-Identifier: Apache-2.0
"""Synapses that grow until neurons fire as often as they should: calcium and number of inputs of two populations over 80 s.

Run: .venv/bin/python examples/growth.py [picture.png]
"""

import sys

import numpy as np

import neuropil as npl

NEURON = {"t_ref": 2.0, "V_m": -65.0, "E_L": -65.0, "V_th": -50.0, "V_reset": -65.0, "tau_syn_ex": 0.5, "tau_syn_in": 0.5}
TARGETS = {"excitatory": 0.05, "inhibitory": 0.1}  # calcium at which nothing grows: 5 and 10 spikes/s


def main(picture: str = "", seconds: float = 80.0, n: int = 500) -> dict[str, float]:
    net = npl.Network(seed=1)
    exc, inh = (net.create("iaf_psc_exp", k, tau_Ca=1000.0, beta_Ca=0.01, **NEURON) for k in (n * 4 // 5, n // 5))
    net.stimulate(exc + inh, npl.poisson(rate=10_000.0), weight=63.0)
    net.connect(inh, exc + inh, npl.fixed_indegree(5), weight=-300.0, delay=1.0)
    exc.synaptic_elements = {
        "axon": npl.synaptic_elements("linear", growth_rate=0.002, eps=0.2),
        "spine": npl.synaptic_elements("linear", growth_rate=0.001, eps=TARGETS["excitatory"]),
    }
    inh.synaptic_elements = {"spine": npl.synaptic_elements("linear", growth_rate=0.002, eps=TARGETS["inhibitory"])}
    net.grow("axon", "spine", weight=585.0, delay=1.0)
    net.growth_interval = 100.0

    times, calcium, inputs = [], [], []
    for _ in range(round(seconds / 0.2)):
        net.run(200.0)
        times.append(net.time / 1000.0)
        calcium.append([p.Ca.mean() for p in (exc, inh)])
        inputs.append([p.synaptic_elements["spine"]["z_connected"].mean() for p in (exc, inh)])
    found = dict(zip(TARGETS, np.mean(calcium[-10:], axis=0), strict=True))
    print(", ".join(f"{name}: calcium {value:.3f}, aim {TARGETS[name]}" for name, value in found.items()))
    if picture:
        draw(picture, times, np.array(calcium), np.array(inputs))
    return found


def draw(picture: str, times: list[float], calcium: np.ndarray, inputs: np.ndarray) -> None:
    import matplotlib.pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(7.0, 4.6), layout="constrained")
    for k, (colour, (what, aim)) in enumerate(zip(("tab:red", "tab:blue"), TARGETS.items(), strict=True)):
        top.plot(times, calcium[:, k], color=colour, label=what)
        top.axhline(aim, color=colour, linestyle=":", linewidth=1.0)
        bottom.plot(times, inputs[:, k], color=colour)
    top.set_ylabel("mean calcium")
    top.annotate("dotted: eps, where nothing grows", (0.99, 0.06), xycoords="axes fraction", ha="right", fontsize=8)
    bottom.set(xlabel="biological time (s)", ylabel="synapses per neuron")
    top.legend(frameon=False, loc="upper right", ncols=2)
    for ax in (top, bottom):
        ax.set_ylim(bottom=0.0)
        ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:2])
