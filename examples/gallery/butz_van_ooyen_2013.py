# SPDX-License-Identifier: Apache-2.0
"""Butz & van Ooyen (2013): a network rewires after it has lost input, if spines grow at low activity.

M. Butz & A. van Ooyen, PLoS Comput. Biol. 9:e1003259. Neurons grow and lose parts of synapses so that their activity, as
calcium, comes to a target. Half of the excitatory neurons then lose a part of their input. The paper's finding: they
recover only where spines already grow at low calcium, with a smaller eta than boutons. Here 400 excitatory and 100
inhibitory neurons grow to 5 and 10 spikes/s, and then half of the excitatory ones lose 5 % of the weight of their input.
With eta of spines at 14 % of the target they come back; at 57 % they stay silent. All numbers but these two shares are
ours: the paper has neurons in space and days of time. There is no space here, boutons grow by a linear curve, and
growth is fast.
"""

from typing import Any

import numpy as np

import neuropil as npl

CELL = {"t_ref": 2.0, "V_m": -65.0, "E_L": -65.0, "V_th": -50.0, "V_reset": -65.0, "tau_syn_ex": 0.5, "tau_syn_in": 0.5}
CALCIUM = {"tau_Ca": 1000.0, "beta_Ca": 0.01}  # a rate of r spikes/s has the calcium r / 100
LESION, END, LEFT = 30_000.0, 70_000.0, 0.95  # ms, ms, part of the weight of the input


def run(eta: float) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) and rates, from calcium, of the halves with less and with full input; eta : of spines, relative to the target."""
    net = npl.Network(resolution=0.1, seed=1)
    exc, inh = net.create("iaf_psc_exp", 400, **CELL, **CALCIUM), net.create("iaf_psc_exp", 100, **CELL, **CALCIUM)
    drive = net.stimulate(exc[:200], npl.poisson(rate=10000.0), weight=63.0)
    net.stimulate(exc[200:] + inh, npl.poisson(rate=10000.0), weight=63.0)
    net.connect(inh, exc + inh, npl.fixed_indegree(5), weight=-300.0, delay=1.0)
    exc.synaptic_elements = {
        "axon": npl.synaptic_elements("linear", growth_rate=0.002, eps=0.2),
        "spine": npl.synaptic_elements("linear", growth_rate=0.001, eps=0.05),
    }
    inh.synaptic_elements = {"spine": npl.synaptic_elements("linear", growth_rate=0.002, eps=0.1)}
    net.grow("axon", "spine", weight=585.0, delay=1.0)
    net.growth_interval = 100.0
    history: list[tuple[float, float, float]] = []
    net.every(500.0, lambda net: history.append((net.time / 1e3, 100.0 * exc[:200].Ca.mean(), 100.0 * exc[200:].Ca.mean())))
    net.run(until=LESION)
    drive.weight = LEFT * 63.0
    now = {name: each["z"] for name, each in exc.synaptic_elements.items()}
    exc.synaptic_elements = {
        "axon": npl.synaptic_elements("linear", growth_rate=0.002, eps=0.2, z=now["axon"]),
        "spine": npl.synaptic_elements("gaussian", growth_rate=0.001, eta=0.05 * eta, eps=0.05, z=now["spine"]),
    }
    net.run(until=END)
    found = np.array(history)
    return found[:, 0], found[:, 1:]


def numbers() -> dict[str, Any]:
    """Rates of the neurons that lost input: before, just after, and at the end."""
    times, low = run(0.14)
    _, high = run(0.57)
    at = {"before": times.searchsorted(LESION / 1e3 - 1.0), "after": times.searchsorted(LESION / 1e3 + 4.0)}
    return {
        "rate before (spikes/s)": float(low[at["before"], 0]),
        "rate 4 s after the loss (spikes/s)": float(low[at["after"], 0]),
        "rate at the end, spines grow at low calcium (spikes/s)": float(low[-20:, 0].mean()),
        "rate at the end, spines need calcium (spikes/s)": float(high[-20:, 0].mean()),
        "times": times,
        "low": low,
        "high": high,
    }


def draw(found: dict[str, Any]) -> Any:
    """Rates from calcium over time."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
    for ax, name, title in zip(axes, ("low", "high"), ("spines grow at low calcium", "spines need calcium"), strict=True):
        ax.axhline(5.0, color="0.8", lw=0.8)
        ax.axvline(LESION / 1e3, color="0.6", ls=":")
        ax.text(LESION / 1e3 + 0.8, 7.2, "loss of input", rotation=90, va="top", color="0.4", fontsize=8)
        for k, label in enumerate(("less input", "full input")):
            ax.plot(found["times"], found[name][:, k], label=label)
        ax.set(title=title, xlabel="time (s)")
    axes[0].set_ylabel("rate, from calcium (spikes/s)")
    axes[0].legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("butz_van_ooyen_2013.png", dpi=110)
