# SPDX-License-Identifier: Apache-2.0
"""A wave on a sheet of neurons: connections, weights and delays that depend on distance; where spikes are first says how fast it travels.

Run: .venv/bin/python examples/sheet.py [picture.png]
"""

import sys

import numpy as np

import neuropil as npl

SPACE = npl.space


def main(picture: str = "", n: int = 50) -> float:
    net = npl.Network(seed=7)
    sheet = net.create("iaf_psc_alpha", positions=npl.grid((n, n), extent=(2.0, 2.0)), t_ref=30.0, name="sheet")  # 2 mm by 2 mm
    near = npl.pairwise_bernoulli(0.8 * SPACE.gaussian(npl.distance, std=0.1), mask=SPACE.circle(0.3), autapses=False)
    p = net.connect(sheet, sheet, near, weight=400.0 * SPACE.exponential_decay(npl.distance, 0.2), delay=0.2 + 5.0 * npl.distance)

    middle = np.hypot(*sheet.positions.T)
    net.stimulate(sheet[middle < 0.15], npl.spike_train([1.0]), weight=3000.0)
    spikes = net.record(sheet)
    net.run(40.0)

    first = np.full(len(sheet), np.inf)
    np.minimum.at(first, spikes.gids - sheet.gids[0], spikes.times)
    hit = np.isfinite(first) & (middle > 0.3) & (middle < 0.9)
    speed = 1.0 / np.polyfit(middle[hit], first[hit], 1)[0]
    print(f"{len(p)} connections of {p.distances().mean():.3f} mm on average; the wave travels at {speed:.3f} mm/ms")
    if picture:
        draw(picture, sheet.positions, first)
    return float(speed)


def draw(picture: str, positions: np.ndarray, first: np.ndarray) -> None:
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(5.0, 4.2), layout="constrained")
    dots = ax.scatter(*positions.T, c=np.where(np.isfinite(first), first, np.nan), s=14, marker="s", cmap="viridis")
    figure.colorbar(dots, label="first spike (ms)")
    ax.set(xlabel="x (mm)", ylabel="y (mm)", aspect="equal")
    figure.savefig(picture, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
