# SPDX-License-Identifier: Apache-2.0
"""Wong & Wang (2006): a decision as the race of two variables.

K.-F. Wong & X.-J. Wang, J. Neurosci. 26:1314. Two populations of neurons with slow recurrent excitation, which inhibit
each other, are reduced to the shares S_1 and S_2 of open NMDA channels. The population whose rate passes 15 spikes/s first
has decided. The more coherent the stimulus, the more often and the sooner the right population wins. Monkeys and the network with
spikes reach 82 % right at coherences around 8 %. The model is written as equations; each of its
1000 neurons here is one trial.
"""

from typing import Any

import numpy as np

import neuropil as npl

EQUATIONS = """
    dS_1/dt = -S_1/tau_S + (1 - S_1)*gamma*H_1 : 1
    dS_2/dt = -S_2/tau_S + (1 - S_2)*gamma*H_2 : 1
    dn_1/dt = -n_1/tau_0 + sigma/sqrt(tau_0)*xi_a : 1 (receptor)
    dn_2/dt = -n_2/tau_0 + sigma/sqrt(tau_0)*xi_b : 1
    H_1 = 1/(d*exprel(-d*(a*x_1 - b)))
    H_2 = 1/(d*exprel(-d*(a*x_2 - b)))
    x_1 = J_same*S_1 - J_other*S_2 + I_0 + stimulus*(1 + c) + n_1
    x_2 = J_same*S_2 - J_other*S_1 + I_0 + stimulus*(1 - c) + n_2
"""
PARAMETERS: dict[str, Any] = {  # currents in nA, which have no unit here
    "tau_S": 100.0, "gamma": "0.641 1", "tau_0": 2.0, "sigma": "0.02 1", "a": "0.27 1/ms", "b": "0.108 1/ms", "d": "154 ms",
    "J_same": "0.2609 1", "J_other": "0.0497 1", "I_0": "0.3255 1", "stimulus": "0 1", "c": "0 1",
}  # fmt: skip
STIMULUS = 5.2e-4 * 30.0  # nA/Hz times the mean rate of the input
COHERENCES = np.array([0.0, 3.2, 6.4, 12.8, 25.6, 51.2])  # %
TRIALS, BEFORE, END = 1000, 500.0, 2500.0


def rate(own: np.ndarray, other: np.ndarray, input_current: float) -> np.ndarray:
    """Rate of a population without noise [spikes/s]."""
    x = 0.2609 * own - 0.0497 * other + 0.3255 + input_current
    y = 270.0 * x - 108.0
    return y / -np.expm1(-0.154 * y)


def run(coherence: float) -> tuple[float, float, np.ndarray]:
    """Share of right decisions, mean time of a decision [ms], and the rates of ten trials."""
    net = npl.Network(resolution=0.5, seed=5)
    model = npl.neuron("wong_wang", EQUATIONS, parameters=PARAMETERS, initial={"S_1": 0.1, "S_2": 0.1})
    trials = net.create(model, TRIALS, c=coherence / 100.0)
    trace = net.record(trials, ["S_1", "S_2"], interval=5.0)
    net.run(BEFORE)
    trials.stimulus = STIMULUS
    net.run(END - BEFORE)
    S_1, S_2 = (trace[name][trace.times > BEFORE] for name in ("S_1", "S_2"))
    first = rate(S_1, S_2, STIMULUS * (1.0 + coherence / 100.0))
    second = rate(S_2, S_1, STIMULUS * (1.0 - coherence / 100.0))
    when = [np.where((rates > 15.0).any(axis=0), (rates > 15.0).argmax(axis=0) * 5.0, np.inf) for rates in (first, second)]
    decided = np.isfinite(np.minimum(*when))
    right = (when[0] < when[1])[decided]
    return float(right.mean()), float(np.minimum(*when)[decided].mean()), np.stack([first[:, :10], second[:, :10]])


def numbers() -> dict[str, Any]:
    """Accuracy at the ends, and the coherence of 82 % right decisions."""
    runs = [run(coherence) for coherence in COHERENCES]
    accuracy = np.array([right for right, _, _ in runs])
    return {
        "right decisions at 0 % coherence": float(accuracy[0]),
        "right decisions at 51.2 % coherence": float(accuracy[-1]),
        "coherence of 82 % right decisions (%)": float(np.interp(0.82, accuracy, COHERENCES)),
        "time of decision at 3.2 % over that at 51.2 %": float(runs[1][1] / runs[-1][1]),
        "accuracy": accuracy,
        "times": np.array([time for _, time, _ in runs]),
        "rates": runs[3][2],
    }


def draw(found: dict[str, Any]) -> Any:
    """Rates of ten trials, accuracy and times over coherence."""
    import matplotlib.pyplot as plt

    figure, (race, accuracy, times) = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
    at = 5.0 * np.arange(found["rates"].shape[1])
    race.plot(at, found["rates"][0], color="C0", lw=0.8)
    race.plot(at, found["rates"][1], color="C3", lw=0.8)
    race.axhline(15.0, color="0.6", ls=":")
    race.set(xlabel="time (ms)", ylabel="rate (spikes/s)", title="12.8 % coherence", xlim=(0, 1500))
    accuracy.semilogx(np.maximum(COHERENCES, 1.0), found["accuracy"], "o-")
    accuracy.set(xlabel="coherence (%)", ylabel="right decisions")
    times.semilogx(np.maximum(COHERENCES, 1.0), found["times"], "o-")
    times.set(xlabel="coherence (%)", ylabel="time of decision (ms)")
    for axis in (accuracy, times):
        axis.set_xticks(np.maximum(COHERENCES, 1.0), [f"{coherence:g}" for coherence in COHERENCES], fontsize=8)
        axis.minorticks_off()
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("wong_wang_2006.png", dpi=110)
