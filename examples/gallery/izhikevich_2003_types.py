# SPDX-License-Identifier: Apache-2.0
"""Izhikevich (2003): known types of neurons from one pair of equations.

E. M. Izhikevich, IEEE Trans. Neural Netw. 14:1569, figure 2. Four parameters a, b, c and d make regular spiking,
intrinsically bursting, chattering, fast spiking and low-threshold spiking neurons; each gets a current of 10. The thalamo-cortical neuron and
the resonator of the figure are left out. Key numbers: spikes of the first burst, and how much regular spiking slows down.
"""

from typing import Any

import numpy as np

import neuropil as npl

TYPES = {  # a, b, c, d
    "regular spiking": (0.02, 0.2, -65.0, 8.0),
    "intrinsically bursting": (0.02, 0.2, -55.0, 4.0),
    "chattering": (0.02, 0.2, -50.0, 2.0),
    "fast spiking": (0.1, 0.2, -65.0, 2.0),
    "low-threshold spiking": (0.02, 0.25, -65.0, 2.0),
}
ON, END = 20.0, 300.0


def numbers() -> dict[str, Any]:
    """Intervals and bursts; traces for the figure."""
    a, b, c, d = np.array(list(TYPES.values())).T
    net = npl.Network(resolution=0.1, seed=1, threads=1)
    cells = net.create("izhikevich", len(TYPES), a=a, b=b, c=c, d=d, V_m=-65.0, U_m=-65.0 * b)
    net.stimulate(cells, npl.dc(amplitude=10.0, start=ON))
    trace, spikes = net.record(cells, "V_m", interval=0.1), net.record(cells)
    net.run(END)
    trains = {name: spikes.times[spikes.gids == cells.gids[k]] for k, name in enumerate(TYPES)}
    intervals = {name: np.diff(train) for name, train in trains.items()}
    regular, fast, burst = intervals["regular spiking"], intervals["fast spiking"], intervals["chattering"]
    return {
        "last over first interval, regular spiking": float(regular[-1] / regular[0]),
        "last over first interval, fast spiking": float(fast[-1] / fast[0]),
        "spikes of the first burst, chattering": int(np.argmax(burst > 15.0)) + 1,
        "rate of fast over regular spiking": float(len(trains["fast spiking"]) / len(trains["regular spiking"])),
        "times": np.asarray(trace.times),
        "V_m": np.asarray(trace["V_m"]),
    }


def draw(found: dict[str, Any]) -> Any:
    """The potentials of all types."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(10, 4.4), sharex=True, sharey=True, layout="constrained")
    for k, (axis, name) in enumerate(zip(axes.flat, TYPES, strict=False)):
        axis.plot(found["times"], found["V_m"][:, k], "k", lw=0.7)
        axis.set_title(name, fontsize=10)
    axes[1, 2].set_visible(False)
    axes[0, 2].tick_params(labelbottom=True)
    for axis in (*axes[1], axes[0, 2]):
        axis.set_xlabel("time (ms)")
    for axis in axes[:, 0]:
        axis.set_ylabel("V_m (mV)")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, int | float)})
    draw(result).savefig("izhikevich_2003_types.png", dpi=110)
