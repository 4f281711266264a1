# SPDX-License-Identifier: Apache-2.0
"""Schwalger, Deger & Gerstner (2017): a population of 500 neurons as one.

T. Schwalger, M. Deger & W. Gerstner, PLoS Comput. Biol. 13:e1005507. The mesoscopic equations give the activity of a finite
population of spiking neurons with refractoriness and adaptation, fluctuations included, without its neurons. A current that is
switched on makes a transient and then adaptation. Here 500 neurons and the equations for 500 neurons get the same current; their mean
rates and the size of the fluctuations are compared. Recurrent connections, which the paper has, are left out.
"""

from typing import Any

import numpy as np

import neuropil as npl

N, TRIALS = 500, 20
ON, END = 500.0, 1500.0
Q, TAU = 1.0, 100.0  # mV, ms: adaptation
COMMON = {"E_L": 0.0, "C_m": 250.0, "V_reset": 0.0, "t_ref": 4.0, "V_T_star": 15.0, "Delta_V": 2.0, "lambda_0": 10.0, "I_e": 180.0}
STEP = 75.0  # pA
BIN = 2.0  # ms


def neurons() -> np.ndarray:
    """Rates of the populations of neurons, (bins, trials)."""
    net = npl.Network(resolution=0.5, seed=1)
    cells = net.create("gif_psc_exp", N * TRIALS, g_L=12.5, n_sfa=1.0, q_sfa_1=Q, tau_sfa_1=TAU, **COMMON)
    net.stimulate(cells, npl.dc(amplitude=STEP, start=ON))
    spikes = net.record(cells)
    net.run(END)
    trial = (spikes.gids - cells.gids[0]) // N
    edges = np.arange(0.0, END + 0.1, BIN) + 0.25  # a spike at the end of a bin is in it
    counts = np.histogram2d(spikes.times, trial, [edges, np.arange(TRIALS + 1) - 0.5])[0]
    return counts / N / BIN * 1000.0


def equations() -> np.ndarray:
    """Rates of the mesoscopic populations, (bins, trials)."""
    net = npl.Network(resolution=0.5, seed=2)
    populations = net.create(npl.gif_population(N, q_sfa=[Q], tau_sfa=[TAU], tau_m=20.0, **COMMON), TRIALS)
    net.stimulate(populations, npl.dc(amplitude=STEP, start=ON))
    trace = net.record(populations, "n_events", interval=0.5)
    net.run(END)
    counts = np.asarray(trace["n_events"])
    per_bin = int(BIN / 0.5)
    return counts.reshape(-1, per_bin, TRIALS).sum(axis=1) / N / BIN * 1000.0


def numbers() -> dict[str, Any]:
    """Rates in the transient and at the end, and standard deviations, each of the equations over the neurons."""
    rates = {"neurons": neurons(), "equations": equations()}
    at = np.arange(0.0, END, BIN)
    parts = {"before": (at >= 300.0) & (at < ON), "transient": (at >= ON + 6.0) & (at < ON + 40.0), "end": at >= END - 300.0}
    found: dict[str, Any] = {}
    for part, bins in parts.items():
        one, other = (rates[name][bins].mean() for name in rates)
        found[f"rate of neurons (spikes/s), {part}"] = float(one)
        found[f"equations over neurons, {part}"] = float(other / one)
    spread = [rates[name][parts["end"]].std() for name in rates]
    return found | {"standard deviation, equations over neurons, end": float(spread[1] / spread[0]), "at": at, "rates": rates}


def draw(found: dict[str, Any]) -> Any:
    """One trial and the mean of all, of neurons and equations."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(8, 4.6), sharex=True, sharey=True, layout="constrained")
    for axis, (name, rates) in zip(axes, found["rates"].items(), strict=True):
        axis.plot(found["at"], rates[:, 0], color="0.7", lw=0.8, label="one trial")
        axis.plot(found["at"], rates.mean(axis=1), color="C0", lw=1.2, label=f"mean of {TRIALS} trials")
        axis.set(title=f"{N} neurons" if name == "neurons" else "equations", ylabel="rate (spikes/s)", xlim=(200.0, END))
    axes[0].legend(frameon=False)
    axes[1].set_xlabel("time (ms)")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("schwalger_2017.png", dpi=110)
