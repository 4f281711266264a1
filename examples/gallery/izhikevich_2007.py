# SPDX-License-Identifier: Apache-2.0
"""Izhikevich (2007): the regular spiking neuron with units of pF, mV and pA.

E. M. Izhikevich, Dynamical Systems in Neuroscience, MIT Press, section 8.2. The cortical pyramidal neuron
C v' = k (v - v_r) (v - v_t) - u + I, u' = a (b (v - v_r) - u), with v = c and u = u + d after a spike above v_peak, has
C = 100 pF, v_r = -60 mV, v_t = -40 mV, k = 0.7, a = 0.03, b = -2, c = -50 mV, d = 100 pA, v_peak = 35 mV. Rest vanishes
in a saddle-node bifurcation at I = (b + k (v_t - v_r))^2 / (4 k) = 51.43 pA: the least current that makes it spike.
The model is written as equations, not built in.
"""

from typing import Any

import numpy as np

import neuropil as npl

B, K, V_R, V_T = -2.0, 0.7, -60.0, -40.0
RHEOBASE = (B + K * (V_T - V_R)) ** 2 / (4.0 * K)  # pA
SHOWN = (60.0, 70.0, 85.0, 100.0)  # pA
FINE = np.arange(48.0, 56.0, 0.1)  # pA, around the rheobase


def neuron() -> Any:
    """The model."""
    return npl.neuron(
        "regular_spiking",
        """
        dV_m/dt = (k*(V_m - V_r)*(V_m - V_t) - u + I_e) / C_m : mV
        du/dt   = a*(b*(V_m - V_r) - u) : pA
        """,
        threshold="V_m > V_peak",
        reset="V_m = c; u += d",
        on_spike={"input": "V_m += weight"},
        parameters={
            "C_m": 100.0,
            "k": f"{K} nS/mV",
            "V_r": V_R,
            "V_t": V_T,
            "V_peak": 35.0,
            "a": "0.03 1/ms",
            "b": f"{B} nS",
            "c": "-50 mV",
            "d": "100 pA",
            "I_e": 0.0,
        },
        initial={"V_m": V_R},
    )


def numbers() -> dict[str, Any]:
    """The least current with spikes within 4 s, and rates."""
    net = npl.Network(resolution=0.05, seed=1, threads=1)
    model, currents = neuron(), np.concatenate([SHOWN, np.arange(55.0, 405.0, 10.0)])
    fine, cells = net.create(model, len(FINE), I_e=FINE), net.create(model, len(currents), I_e=currents)
    near, spikes = net.record(fine), net.record(cells)
    trace = net.record(cells[: len(SHOWN)], "V_m", interval=0.25)
    net.run(1000.0)
    first = spikes.data()
    net.run(3000.0)
    fires = near.counts() > 0
    return {
        "least current that fires (pA)": float(FINE[fires].min()),
        "formula (pA)": RHEOBASE,
        "rate at 395 pA (spikes/s)": float(first.rates()[-1]),
        "rates": first.rates()[len(SHOWN) :],
        "currents": currents[len(SHOWN) :],
        "times": np.asarray(trace.times),
        "V_m": np.asarray(trace["V_m"]),
    }


def draw(found: dict[str, Any]) -> Any:
    """Potentials at four currents, and rates."""
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(9, 4.5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1.5, 1.0])
    begin = found["times"] <= 600.0
    for k, axes in enumerate(left.subplots(len(SHOWN), 1, sharex=True, sharey=True)):
        axes.plot(found["times"][begin], found["V_m"][begin, k], lw=0.9)
        axes.set(ylabel=f"{SHOWN[k]:g} pA", ylim=(-70, 40))
    axes.set_xlabel("time (ms); V_m in mV")
    rates = right.subplots()
    rates.plot(found["currents"], found["rates"], ".-")
    rates.axvline(RHEOBASE, color="0.6", ls="--", label=f"formula, {RHEOBASE:.2f} pA")
    rates.legend(frameon=False)
    rates.set(xlabel="current (pA)", ylabel="spikes in the first second", ylim=(0, None))
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("izhikevich_2007.png", dpi=110)
