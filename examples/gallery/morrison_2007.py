# SPDX-License-Identifier: Apache-2.0
"""Morrison, Aertsen & Diesmann (2007): power-law STDP keeps weights of a balanced network in one peak.

A. Morrison, A. Aertsen & M. Diesmann, Neural Comput. 19:1437. A pair potentiates a weight w by lambda w0 (w / w0)^mu and depresses it by
lambda alpha w, with mu = 0.4, w0 = 1 pA and lambda = 0.1. For independent spike trains the drift vanishes at
w* = w0 alpha^(-1 / (1 - mu)). All weights go to one peak there, whatever they were before. The paper finds a mean of 45.65 pA and a standard
deviation of 3.99 pA. To first order in lambda the relative width is sqrt(lambda alpha / (2 (1 - mu))).

The paper has 100 000 neurons with 10 000 inputs each, at 8.8 spikes/s, for about 1000 s. Here are 625 neurons with 50 + 13 inputs, at
about 18 spikes/s; strong excitatory and inhibitory Poisson input replaces the other inputs. At this rate weights relax within some 25 s, so 100 s
are enough. With alpha = 0.1, w* is 46.4 pA. The paper's study of stimulated groups is not redone.
"""

from typing import Any

import numpy as np

import neuropil as npl

CELL: dict[str, Any] = {
    "C_m": 250.0, "tau_m": 10.0, "E_L": 0.0, "V_th": 20.0, "V_reset": 10.0, "t_ref": 0.5, "tau_syn_ex": 0.33, "tau_syn_in": 0.33,
}  # fmt: skip
LAMBDA, ALPHA, MU, TAU = 0.1, 0.1, 0.4, 20.0  # w0 = 1 pA; ms
FIXED_POINT = ALPHA ** (-1.0 / (1.0 - MU))  # pA
WIDTH = float(np.sqrt(LAMBDA * ALPHA / (2.0 * (1.0 - MU))))  # relative
DELAY, END, PIECES = 1.5, 100_000.0, 20  # ms, ms
STARTS = {"uniform, 20 to 80 pA": (20.0, 80.0), "all near 30 pA": (29.0, 31.0)}


def run(low: float, high: float) -> tuple[np.ndarray, float, float]:
    """Weights at the begin and after each piece, the rate, and the mean CV of intervals."""
    net = npl.Network(resolution=0.5, seed=1)
    exc, inh = (net.create("iaf_psc_alpha", n, V_m=npl.normal(5.7, 7.2), **CELL) for n in (500, 125))
    net.stimulate(exc + inh, npl.poisson(rate=4800.0), weight=8.0 * FIXED_POINT, delay=DELAY)
    net.stimulate(exc + inh, npl.poisson(rate=4000.0), weight=-8.0 * FIXED_POINT, delay=DELAY)
    rule = npl.stdp_pl_hom(lambda_=LAMBDA, alpha=ALPHA, mu=MU, tau_plus=TAU, tau_minus=TAU)
    plastic = net.connect(exc, exc, npl.fixed_indegree(50, autapses=False), weight=npl.uniform(low, high), delay=DELAY, synapse=rule)
    net.connect(exc, inh, npl.fixed_indegree(50), weight=FIXED_POINT, delay=DELAY)
    net.connect(inh, exc + inh, npl.fixed_indegree(13), weight=-10.0 * FIXED_POINT, delay=DELAY)
    spikes, weights = net.record(exc, start=END - 5000.0), [plastic.weight]
    for _ in range(PIECES):
        net.run(END / PIECES, progress=False)
        weights.append(plastic.weight)
    data = spikes.data()
    return np.array(weights), float(data.rates().mean()), float(np.nanmean(npl.analysis.cv_isi(data)))


def numbers() -> dict[str, Any]:
    """Mean and width of the weights at the end, from two distributions at the begin."""
    runs = {name: run(*start) for name, start in STARTS.items()}
    last = [weights[-1] for weights, _, _ in runs.values()]
    means, widths = np.array([w.mean() for w in last]), np.array([w.std() / w.mean() for w in last])
    return {
        "mean weight over w*, from uniform weights": float(means[0] / FIXED_POINT),
        "mean weight over w*, from 30 pA": float(means[1] / FIXED_POINT),
        "mean weight (pA)": float(means.mean()),
        "relative width, from uniform weights": float(widths[0]),
        "relative width, from 30 pA": float(widths[1]),
        "relative width, theory": WIDTH,
        "share of weights within 4 widths of w*": float(min((np.abs(w / FIXED_POINT - 1.0) < 4.0 * WIDTH).mean() for w in last)),
        "rate (spikes/s)": next(iter(runs.values()))[1],
        "CV of intervals": next(iter(runs.values()))[2],
        "weights": {name: weights for name, (weights, _, _) in runs.items()},
    }


def draw(found: dict[str, Any]) -> Any:
    """Mean and width over time; distributions at the begin, on the way and at the end."""
    import matplotlib.pyplot as plt

    figure, (course, shape) = plt.subplots(1, 2, figsize=(9.5, 3.6), layout="constrained")
    at = np.linspace(0.0, END / 1000.0, PIECES + 1)
    for k, (name, weights) in enumerate(found["weights"].items()):
        mean, width = weights.mean(axis=1), weights.std(axis=1)
        course.plot(at, mean, color=f"C{k}", label=name)
        course.fill_between(at, mean - width, mean + width, color=f"C{k}", alpha=0.2, lw=0)
        shape.hist(weights[-1], np.arange(20.0, 80.1, 1.0), density=True, histtype="step", color=f"C{k}", label=f"from: {name}")
    course.axhline(FIXED_POINT, color="0.6", ls=":", label="w*")
    course.set(xlabel="time (s)", ylabel="weight (pA), mean and width", ylim=(15.0, 85.0))
    course.legend(frameon=False)
    x = np.linspace(20.0, 80.0, 300)
    deviation = WIDTH * FIXED_POINT
    theory = np.exp(-0.5 * ((x - FIXED_POINT) / deviation) ** 2) / (deviation * np.sqrt(2.0 * np.pi))
    shape.plot(x, theory, color="0.6", label="theory, first order")
    shape.set(xlabel="weight after 100 s (pA)", ylabel="density", ylim=(0.0, 0.17))
    shape.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("morrison_2007.png", dpi=110)
