# SPDX-License-Identifier: Apache-2.0
"""Ostojic (2014): two types of asynchronous activity.

S. Ostojic, Nat. Neurosci. 17:594. A sparse random network of leaky integrate-and-fire neurons (8000 excitatory,
2000 inhibitory, 1000 inputs each, g = 5, constant external drive) has rates that mean-field theory predicts while synapses are weak
(J = 0.2 mV). With strong synapses (J = 0.8 mV) rates are far above the prediction, and differ between neurons and in time.
The prediction is the self-consistent rate of Siegert's formula, here of `siegert_neuron`.
"""

from typing import Any

import numpy as np

import neuropil as npl

TAU, THETA, RESET, T_REF = 20.0, 20.0, 10.0, 0.5  # ms, mV, mV, ms
MU, G, K = 24.0, 5.0, 1000  # mV, relative inhibition, inputs
STRENGTHS = (0.2, 0.8)  # mV
END = 1000.0


def network(J: float) -> npl.results.Spikes:
    """Spikes of the excitatory neurons, after 200 ms."""
    net = npl.Network(resolution=0.1, seed=3)
    neuron = {"C_m": 1.0, "tau_m": TAU, "E_L": MU, "V_reset": RESET, "V_th": THETA, "t_ref": T_REF}
    cells = net.create("iaf_psc_delta", 10000, V_m=npl.uniform(0.0, THETA), **neuron)
    net.connect(cells[:8000], cells, npl.fixed_indegree(4 * K // 5), weight=J, delay=0.5)
    net.connect(cells[8000:], cells, npl.fixed_indegree(K // 5), weight=-G * J, delay=0.5)
    spikes = net.record(cells[:8000], start=200.0)
    net.run(END)
    return spikes.data()


def prediction(J: float) -> float:
    """The rate at which Siegert's formula gives itself back, by relaxation of a rate neuron."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    cell = net.create("siegert_neuron", 1, tau=5.0, tau_m=TAU, theta=THETA, V_reset=RESET, t_ref=T_REF, rate=20.0)
    own = npl.synapse(
        "diffusion_connection",
        drift_factor=TAU * 0.001 * J * (0.8 * K - G * 0.2 * K),
        diffusion_factor=TAU * 0.001 * J**2 * (0.8 * K + G**2 * 0.2 * K),
    )
    net.connect(cell, cell, synapse=own)
    one = net.create("siegert_neuron", 1, mean=1.0)  # a rate of 1, which stands for the constant drive
    net.connect(one, cell, synapse=npl.synapse("diffusion_connection", drift_factor=MU, diffusion_factor=0.0))
    trace = net.record(cell, "rate", interval=1.0)
    net.run(200.0)
    return float(trace.data()["rate"][-1, 0])


def numbers() -> dict[str, Any]:
    """Rates of the networks over those of the theory, and how much rates differ between neurons."""
    found: dict[str, Any] = {}
    for J in STRENGTHS:
        spikes = network(J)
        rates = spikes.rates()
        found[f"rate (spikes/s), J = {J:g} mV"] = float(rates.mean())
        found[f"rate over theory, J = {J:g} mV"] = float(rates.mean() / prediction(J))
        found[f"CV, J = {J:g} mV"] = float(np.nanmean(npl.analysis.cv_isi(spikes.select(spikes.watched[:1000]))))
        found[str(J)] = spikes
    return found


def draw(found: dict[str, Any]) -> Any:
    """Rasters and population rates for both strengths."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 5), sharex=True, height_ratios=[2, 1], layout="constrained")
    for (raster, rate), J in zip(axes.T, STRENGTHS, strict=True):
        spikes = found[str(J)]
        some = spikes.select(spikes.watched[:60], start=END - 300.0)
        raster.plot(some.times, some.gids, "|k", ms=3)
        raster.set(title=f"J = {J:g} mV", ylabel="neuron")
        counts, edges = np.histogram(spikes.times, np.arange(END - 300.0, END + 0.1, 1.0))
        rate.plot(edges[:-1], counts / 8.0, color="0.3")
        rate.set(xlabel="time (ms)", ylabel="rate (spikes/s)", ylim=(0, None))
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("ostojic_2014.png", dpi=110)
