# SPDX-License-Identifier: Apache-2.0
"""Hansel & Sompolinsky (1998): a ring of rate neurons holds a bump, whose width connections alone decide.

D. Hansel & H. Sompolinsky, in: Methods in Neuronal Modeling, MIT Press, chapter 13. 200 threshold-linear neurons lie on
a ring and are coupled by (-J0 + J1 cos x) / N. With uniform input and J1 > 2 activity gathers in a bump at an
arbitrary place: the ring is an attractor. Its half-width c solves J1 (c - sin(2 c) / 2) = 2 pi, and does not depend on
the strength of the input. A short input at another angle moves the bump, which then stays. J0, J1 and the input are
ours; noise, which lets the bump drift, is left out.
"""

from typing import Any

import numpy as np

import neuropil as npl

N, J0, J1 = 200, 6.0, 5.0
ANGLES = 2.0 * np.pi * np.arange(N) / N
CUE = np.pi / 2.0  # where the input comes that moves the bump


def half_width(j1: float) -> float:
    """Solution of j1 (c - sin(2 c) / 2) = 2 pi, by bisection."""
    low, high = 0.0, np.pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if j1 * (middle - 0.5 * np.sin(2.0 * middle)) > 2.0 * np.pi else (middle, high)
    return 0.5 * (low + high)


def run(strength: float, cue: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Times (ms) and rates [time, neuron]; the bump begins at angle pi. The input is minus theta, as theta is subtracted from what neurons get."""
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    start = np.where(np.abs(ANGLES - np.pi) < 0.5, 1.0, 0.0)
    cells = net.create("threshold_lin_rate_ipn", N, tau=10.0, sigma=0.0, theta=-strength, rate=start)
    weights = (-J0 + J1 * np.cos(ANGLES[:, None] - ANGLES)) / N
    pre, post = np.divmod(np.arange(N * N), N)
    net.connect(cells, cells, npl.explicit(pre, post), weight=weights.ravel(), delay=0.1, synapse="rate_connection_delayed")
    trace = net.record(cells, "rate", interval=1.0)
    net.run(400.0)
    if cue:
        cells.theta = -strength - 2.0 * strength * np.maximum(np.cos(ANGLES - CUE), 0.0)
        net.run(100.0)
        cells.theta = -strength
        net.run(400.0)
    return np.asarray(trace.times), np.asarray(trace["rate"])


def width(rates: np.ndarray) -> float:
    """Half of the width of a bump A (cos x - cos c), from the mean of its rates over the mean of rate and cosine."""
    share = float(rates.mean() / np.abs(np.exp(1j * ANGLES) @ rates / N))
    c = np.linspace(0.01, np.pi, 4000)
    return float(c[np.argmin(np.abs((np.sin(c) - c * np.cos(c)) / (0.5 * (c - 0.5 * np.sin(2.0 * c))) - share))])


def centre(rates: np.ndarray) -> float:
    """Angle of the bump."""
    return float(np.angle(np.exp(1j * ANGLES) @ rates) % (2.0 * np.pi))


def numbers() -> dict[str, Any]:
    """Width of the bump for two inputs, where it is before and after the cue."""
    times, rates = run(10.0)
    weak = run(5.0, cue=False)[1]
    return {
        "half-width, formula (rad)": half_width(J1),
        "half-width, input 10 (rad)": width(rates[398]),
        "half-width, input 5 (rad)": width(weak[-1]),
        "place before the cue (rad)": centre(rates[398]),
        "place 400 ms after the cue at pi/2 (rad)": centre(rates[-1]),
        "times": times,
        "rates": rates,
    }


def draw(found: dict[str, Any]) -> Any:
    """Rates over time and angle, and the bump."""
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", width_ratios=[1.6, 1.0])
    image = left.pcolormesh(found["times"], ANGLES, found["rates"].T, cmap="magma", rasterized=True)
    left.axvspan(400.0, 500.0, ymin=0.97, color="tab:cyan")
    left.set(xlabel="time (ms), cue in cyan", ylabel="angle (rad)")
    figure.colorbar(image, ax=left, label="rate")
    c = found["half-width, formula (rad)"]
    right.plot(ANGLES, found["rates"][398], ".", ms=3, label="neurons")
    shape = np.maximum(np.cos(ANGLES - np.pi) - np.cos(c), 0.0)
    right.plot(ANGLES, shape * found["rates"][398].max() / shape.max(), color="0.6", zorder=0, label="A (cos x - cos c)")
    right.set(title="before the cue", xlabel="angle (rad)", ylabel="rate", ylim=(None, 9.0))
    right.legend(frameon=False, loc="upper right")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("hansel_sompolinsky_1998.png", dpi=110)
