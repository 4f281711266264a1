# SPDX-License-Identifier: Apache-2.0
"""Wang (2002): slow reverberation makes a decision and remembers it.

X.-J. Wang, Neuron 36:955. Of 1600 pyramidal cells two groups of 240 prefer one direction of motion each. NMDA currents of
100 ms let the groups ramp up slowly; 400 interneurons let only one of them win. In the paper cells fire at a few
spikes/s before the stimulus. The group that wins fires at about 20 spikes/s in the delay after the stimulus, the
other one falls below its rate before. The stronger the motion, the sooner the decision. At 0 % coherence either group may win.

The network has the size and the parameters of the paper. Here NMDA gates open at once (`iaf_bw_2001`) instead of within 2 ms, the step is
0.1 ms instead of 0.02 ms, and the delay lasts 0.6 s. The paper's psychometric curve needs hundreds of trials; four are shown here.
"""

from typing import Any

import numpy as np

import neuropil as npl

CELL: dict[str, Any] = {"E_L": -70.0, "V_th": -50.0, "V_reset": -55.0}
KINDS: list[dict[str, Any]] = [{"C_m": 500.0, "g_L": 25.0, "t_ref": 2.0, **CELL}, {"C_m": 200.0, "g_L": 20.0, "t_ref": 1.0, **CELL}]
EXTERNAL, AMPA, NMDA, GABA = (2.1, 1.62), (0.05, 0.04), (0.165, 0.13), (1.3, 1.0)  # nS, onto pyramidal cells and onto interneurons
GROUP, STRONG = 240, 1.7  # cells; weight inside a group
WEAK = 1.0 - 0.15 * (STRONG - 1.0) / (1.0 - 0.15)  # weight onto a group from other pyramidal cells: the sum stays
BEFORE, STIMULUS, END = 500.0, 1000.0, 2100.0  # ms
MEAN, DEVIATION, EVERY = 40.0, 4.0, 50.0  # of the stimulus: spikes/s, spikes/s, ms
TRIALS = ((51.2, 1), (12.8, 3), (0.0, 2), (0.0, 6))  # coherence (%), seed
WIDTH = 50.0  # ms, bins of the rates


def circuit(net: npl.Network) -> list[npl.Nodes]:
    """The two groups, the other pyramidal cells and the interneurons, all with input from outside."""
    sizes = (GROUP, GROUP, 1600 - 2 * GROUP, 400)
    cells = [net.create("iaf_bw_2001", n, V_m=npl.uniform(-60.0, -51.0), **KINDS[k == 3]) for k, n in enumerate(sizes)]
    for k, targets in enumerate(cells):
        kind = int(k == 3)
        net.stimulate(targets, npl.poisson(rate=2400.0), weight=EXTERNAL[kind], delay=0.1, receptor=1)
        for j, sources in enumerate(cells[:3]):
            factor = 1.0 if k >= 2 else STRONG if j == k else WEAK
            net.connect(sources, targets, weight=factor * AMPA[kind], delay=0.5, receptor=1)
            net.connect(sources, targets, weight=factor * NMDA[kind], delay=0.5, receptor=3, synapse=npl.synapse("nmda_synapse"))
        net.connect(cells[3], targets, weight=GABA[kind], delay=0.5, receptor=2)
    return cells


def run(coherence: float, seed: int) -> list[npl.results.Spikes]:
    """Spikes of the four populations in one trial."""
    net = npl.Network(resolution=0.1, seed=seed)
    cells = circuit(net)
    rng = np.random.default_rng(seed)
    stimuli = [net.stimulate(group, npl.poisson(rate=0.0), weight=EXTERNAL[0], delay=0.1, receptor=1) for group in cells[:2]]
    records = [net.record(group) for group in cells]
    net.run(BEFORE)
    for _ in range(int(STIMULUS / EVERY)):
        for sign, stimulus in zip((1.0, -1.0), stimuli, strict=True):
            stimulus.pre.rate = max(0.0, MEAN * (1.0 + sign * coherence / 100.0) + DEVIATION * rng.standard_normal())
        net.run(EVERY, progress=False)
    for stimulus in stimuli:
        stimulus.pre.rate = 0.0
    net.run(END - net.time)
    return [record.data() for record in records]


def rates(trial: list[npl.results.Spikes]) -> np.ndarray:
    """Rates of the populations in bins of WIDTH [spikes/s], shape (4, bins)."""
    edges = np.arange(0.0, END + 1.0, WIDTH)
    return np.array([np.histogram(spikes.times, edges)[0] / len(spikes.watched) * 1000.0 / WIDTH for spikes in trial])


def decided(rate: np.ndarray) -> float:
    """When a group passes 15 spikes/s, after the begin of the stimulus [ms]."""
    late = rate[:2, int(BEFORE / WIDTH) :] > 15.0
    return float(late.any(axis=0).argmax() * WIDTH) if late.any() else np.inf


def numbers() -> dict[str, Any]:
    """Rates before the stimulus and in the delay, times of decisions, winners."""
    trials = [run(*trial) for trial in TRIALS]
    rate = np.array([rates(trial) for trial in trials])
    groups, delay = rate[:, :2], slice(int((BEFORE + STIMULUS + 100.0) / WIDTH), None)
    late = groups[:, :, delay].mean(axis=2)
    return {
        "rate of the groups before the stimulus (spikes/s)": float(groups[:, :, 4 : int(BEFORE / WIDTH)].mean()),
        "rate of the winner in the delay (spikes/s)": float(late.max(axis=1).mean()),
        "rate of the other group in the delay (spikes/s)": float(late.min(axis=1).mean()),
        "time of decision at 0 % over that at 51.2 %": float(np.mean([decided(r) for r in rate[2:]]) / decided(rate[0])),
        "trials at 0 % that the first group wins": int((late[2:, 0] > late[2:, 1]).sum()),
        "coherent trials that the right group wins": int((late[:2, 0] > late[:2, 1]).sum()),
        "trials": trials,
        "rates": rate,
    }


def draw(found: dict[str, Any]) -> Any:
    """Rasters and rates of both groups for each trial, as in figure 2 of the paper."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(TRIALS), figsize=(11, 4.5), sharex=True, sharey="row", layout="constrained")
    at = np.arange(found["rates"].shape[2]) * WIDTH + 0.5 * WIDTH - BEFORE
    for (coherence, _), trial, rate, (raster, lines) in zip(TRIALS, found["trials"], found["rates"], axes.T, strict=True):
        for k, (color, name) in enumerate((("C0", "group of the motion"), ("C3", "other group"))):
            some = trial[k].select(trial[k].watched[:60])
            raster.plot(some.times - BEFORE, some.gids - trial[k].watched[0] + 70 * k, "|", color=color, ms=2)
            lines.plot(at, rate[k], color=color, label=name)
        raster.set(title=f"{coherence:g} % coherence", yticks=[])
        lines.axvspan(0.0, STIMULUS, color="0.92", zorder=0)
        lines.set(xlabel="time (ms)", xlim=(-BEFORE, END - BEFORE))
    axes[0, 0].set(ylabel="cells of both groups")
    axes[1, 0].set(ylabel="rate (spikes/s)")
    axes[1, 1].legend(frameon=False, fontsize=8, loc="upper left")
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, int | float)})
    draw(result).savefig("wang_2002.png", dpi=110)
