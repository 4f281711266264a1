# SPDX-License-Identifier: Apache-2.0
"""Litwin-Kumar & Doiron (2012): clusters of excitatory neurons make rates wander.

A. Litwin-Kumar & B. Doiron, Nat. Neurosci. 15:1498. 4000 excitatory neurons form 50 clusters; inside a cluster they are
connected 2.5 times as often, with weights 1.9 times as large. Clusters switch between high and low activity, so spike
counts of single neurons vary far more between windows than in a network without clusters. Synaptic currents decay
exponentially with 3 and 2 ms; the rise of 1 ms in the paper is left out. 2 s are simulated, one trial.
"""

from typing import Any

import numpy as np

import neuropil as npl

EXC, INH, CLUSTERS = 4000, 1000, 50
SIZE = EXC // CLUSTERS
WARM, END = 500.0, 2500.0
TAU_E, TAU_I = 15.0, 10.0  # ms
J = {"EE": 0.024, "IE": 0.014, "EI": -0.045, "II": -0.057}  # jump of the potential; threshold 1


def run(ratio: float, strength: float) -> npl.results.Spikes:
    """Spikes of the excitatory neurons of a network whose clusters have this ratio of probabilities and weights."""
    net = npl.Network(resolution=0.1, seed=6)
    common = {"V_th": 1.0, "V_reset": 0.0, "E_L": 0.0, "t_ref": 5.0, "C_m": 1.0, "tau_syn_ex": 3.0, "tau_syn_in": 2.0}
    exc = net.create("iaf_psc_exp", EXC, tau_m=TAU_E, V_m=npl.uniform(0.0, 1.0), **common)
    inh = net.create("iaf_psc_exp", INH, tau_m=TAU_I, V_m=npl.uniform(0.0, 1.0), **common)
    exc.I_e, inh.I_e = npl.uniform(1.1 / TAU_E, 1.2 / TAU_E), npl.uniform(1.0 / TAU_I, 1.05 / TAU_I)
    outside = 0.2 / (1.0 + (ratio - 1.0) / CLUSTERS)
    ex, inhibitory = 1.0 / common["tau_syn_ex"], 1.0 / common["tau_syn_in"]  # a current of this size moves the potential by 1
    parts = [exc[k * SIZE : (k + 1) * SIZE] for k in range(CLUSTERS)]
    for k, part in enumerate(parts):
        net.connect(part, part, npl.pairwise_bernoulli(ratio * outside), weight=strength * J["EE"] * ex, delay=0.1)
        for rest in (exc[: k * SIZE] if k else None, exc[(k + 1) * SIZE :] if k + 1 < CLUSTERS else None):
            if rest is not None:
                net.connect(part, rest, npl.pairwise_bernoulli(outside), weight=J["EE"] * ex, delay=0.1)
    net.connect(exc, inh, npl.pairwise_bernoulli(0.5), weight=J["IE"] * ex, delay=0.1)
    net.connect(inh, exc, npl.pairwise_bernoulli(0.5), weight=J["EI"] * inhibitory, delay=0.1)
    net.connect(inh, inh, npl.pairwise_bernoulli(0.5), weight=J["II"] * inhibitory, delay=0.1)
    spikes = net.record(exc, start=WARM)
    net.run(END)
    return spikes.data()


def numbers() -> dict[str, Any]:
    """Mean Fano factors of counts in windows of 100 ms."""
    networks = {"uniform": run(1.0, 1.0), "clustered": run(2.5, 1.9)}
    found: dict[str, Any] = {}
    for name, spikes in networks.items():
        found[f"Fano factor, {name}"] = float(np.nanmean(npl.analysis.fano_factor(spikes, 100.0)))
        found[f"rate (spikes/s), {name}"] = float(spikes.rates().mean())
    return found | {"spikes": networks}


def draw(found: dict[str, Any]) -> Any:
    """Rasters of 20 clusters, without and with clusters."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for axis, (name, spikes) in zip(axes, found["spikes"].items(), strict=True):
        some = spikes.select(spikes.watched[: 20 * SIZE], start=END - 1000.0)
        axis.plot(some.times, some.gids, ",k")
        axis.set(title=f"{name}: Fano factor {found[f'Fano factor, {name}']:.2f}", xlabel="time (ms)")
    axes[0].set_ylabel("neuron")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("litwin_kumar_doiron_2012.png", dpi=110)
