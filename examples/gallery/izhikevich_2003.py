# SPDX-License-Identifier: Apache-2.0
"""Izhikevich (2003): rhythms of a thousand two-variable neurons.

E. M. Izhikevich, IEEE Trans. Neural Netw. 14:1569, figure 3. 800 excitatory neurons lie between regular spiking and
chattering, 200 inhibitory ones between fast spiking and low-threshold spiking; all are connected with all. A noisy
thalamic current drives them. The paper reports mean rates of about 8 spikes/s, and rhythms of about 10 Hz and 40 Hz.
Steps of 1 ms, two half steps of the potential and synapses that act for one step are those of the program in the paper.
"""

from typing import Any

import numpy as np

import neuropil as npl


def numbers() -> dict[str, Any]:
    """Mean rate, and the power of the activity around 10 Hz relative to that above 60 Hz."""
    random = np.random.default_rng(1)
    re, ri = random.random(800), random.random(200)
    net = npl.Network(resolution=1.0, seed=1)
    exc = net.create("izhikevich", 800, a=0.02, b=0.2, c=-65.0 + 15.0 * re**2, d=8.0 - 6.0 * re**2, consistent_integration=0.0)
    inh = net.create("izhikevich", 200, a=0.02 + 0.08 * ri, b=0.25 - 0.05 * ri, c=-65.0, d=2.0, consistent_integration=0.0)
    exc.U_m, inh.U_m = -65.0 * exc.b, -65.0 * inh.b
    net.connect(exc, exc + inh, weight=npl.uniform(0.0, 0.5), delay=1.0)
    net.connect(inh, exc + inh, weight=npl.uniform(-1.0, 0.0), delay=1.0)
    net.stimulate(exc, npl.device("noise_generator", std=5.0, dt=1.0), delay=1.0)
    net.stimulate(inh, npl.device("noise_generator", std=2.0, dt=1.0), delay=1.0)
    spikes = net.record(exc + inh)
    net.run(5000.0)
    data = spikes.data()
    counts = np.histogram(data.times, np.arange(0.0, 5001.0))[0].astype(float)
    frequencies = np.fft.rfftfreq(1000, 0.001)
    power = np.mean([np.abs(np.fft.rfft(part - part.mean())) ** 2 for part in counts.reshape(5, 1000)], axis=0)
    rhythm = power[(frequencies >= 4.0) & (frequencies <= 16.0)].mean() / power[frequencies > 100.0].mean()
    return {"mean rate (spikes/s)": float(data.rates().mean()), "power at 4 to 16 Hz over that above 100 Hz": float(rhythm), "spikes": data}


def draw(found: dict[str, Any]) -> Any:
    """The raster of figure 3 of the paper, and the activity."""
    import matplotlib.pyplot as plt

    spikes = found["spikes"].select(start=0.0, stop=1000.0)
    figure, (raster, activity) = plt.subplots(2, 1, figsize=(8, 5), height_ratios=[3, 1], sharex=True, layout="constrained")
    raster.plot(spikes.times, spikes.gids, ".k", ms=1.5)
    raster.axhline(800.5, color="C3", lw=0.8)
    raster.set(ylabel="neuron", ylim=(0, 1000))
    activity.hist(spikes.times, np.arange(0.0, 1001.0, 5.0), color="0.4", histtype="stepfilled")
    activity.set(xlabel="time (ms)", ylabel="spikes in 5 ms", xlim=(0, 1000))
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("izhikevich_2003.png", dpi=110)
