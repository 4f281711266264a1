# SPDX-License-Identifier: Apache-2.0
"""Hagen et al. (2022): the local field potential as a convolution of population spikes.

E. Hagen, S. H. Magnusson, T. V. Ness, G. Halnes, P. N. Babu, C. Linssen, A. Morrison & G. T. Einevoll, PLoS Comput. Biol.
18:e1010353. Spikes of a network of 2000 excitatory and 500 inhibitory point neurons drive cells with dendrites, as in the hybrid scheme of Hagen et al.
(2016). Every cell gets the spikes of its own presynaptic neurons at synapses of its own, and membrane currents of all cells make the
potential along a laminar probe. A kernel per pair of populations and a convolution with the numbers of spikes predict the same potential. The paper compares
both along the depth and by power spectra, and finds them nearly equal. Cells here are a soma with straight passive dendrites.
"""

from typing import Any

import numpy as np

import neuropil as npl
from neuropil.analysis import lfp

WARM, END, DT = 200.0, 1000.0, 0.5  # ms
LENGTH = 150.0  # of kernels, ms
PROBE = np.arange(-1000.0, 1.0, 100.0)  # heights of the contacts, µm; 0: the surface
POINTS = np.column_stack([np.zeros((len(PROBE), 2)), PROBE])
CELLS = {
    "E": lfp.ball_and_stick(soma=20.0, apical=500.0, basal=150.0, step=25.0),
    "I": lfp.ball_and_stick(soma=15.0, apical=150.0, basal=150.0, step=25.0),
}
SIZES, INDEGREES, WEIGHTS, DELAYS = {"E": 2000, "I": 500}, {"E": 200, "I": 50}, {"E": 60.0, "I": -300.0}, {"E": 1.5, "I": 1.0}
PLACES = {  # of synapses: the upper third of apical dendrites and basal dendrites for excitation, near somata for inhibition
    ("E", "E"): [(-250.0, 0.0, 0.5), (-800.0, -650.0, 0.5)],
    ("E", "I"): [(-800.0, -400.0, 1.0)],
    ("I", "E"): [(-700.0, -450.0, 1.0)],
    ("I", "I"): [(-700.0, -450.0, 1.0)],
}


def network() -> tuple[dict[str, Any], dict[tuple[str, str], npl.Projection]]:
    """Spikes of both populations, and the projections between them by (presynaptic, postsynaptic)."""
    net = npl.Network(resolution=0.1, seed=3)
    nodes = {name: net.create("iaf_psc_exp", n, V_m=npl.normal(-65.0, 5.0).redraw(max=-55.5)) for name, n in SIZES.items()}
    made = {}
    for pre, post in PLACES:
        made[pre, post] = net.connect(nodes[pre], nodes[post], npl.fixed_indegree(INDEGREES[pre]), weight=WEIGHTS[pre], delay=DELAYS[pre])
    net.stimulate(nodes["E"] + nodes["I"], npl.poisson(rate=8000.0), weight=25.0)
    spikes = {name: net.record(group) for name, group in nodes.items()}
    net.run(END)
    return {name: record.data() for name, record in spikes.items()}, made


def synapses(pre: str, post: str) -> lfp.Synapses:
    """Those of a projection, as the kernels take them."""
    count = INDEGREES[pre] * SIZES[post] / SIZES[pre]
    return lfp.Synapses(count, WEIGHTS[pre], 2.0, DELAYS[pre], PLACES[pre, post], soma=pre == "I")


def every_cell(post: str, somata: np.ndarray, spikes: dict[str, Any], made: dict[tuple[str, str], npl.Projection]) -> np.ndarray:
    """Potentials of all cells of a population, each with its own synapses, float64 of shape (bins, contacts)."""
    cell, rng, bins, lags = CELLS[post], np.random.default_rng(8), round(END / DT), DT * np.arange(round(LENGTH / DT))
    modes, long = cell.modes(), bins + len(lags)
    total, inputs = np.zeros((long // 2 + 1, len(PROBE)), complex), []
    for pre in SIZES:
        kind, source = synapses(pre, post), made[pre, post].source[np.argsort(made[pre, post].target, kind="stable")]
        filters = np.fft.rfft(WEIGHTS[pre] * kind.waveforms(modes.rates, lags), long, axis=0).T.astype(np.complex64)
        inputs.append((kind, filters, binned(spikes[pre], bins), (source - source.min()).reshape(-1, INDEGREES[pre])))
    for k, soma in enumerate(somata):
        per_current = lfp.line_source(cell.start + soma, cell.end + soma, POINTS, cell.diameter / 2.0)
        response: Any = 0.0
        for kind, filters, counts, sources in inputs:
            where = rng.choice(len(cell.diameter), sources.shape[1], p=kind.shares(cell, soma[2]))
            driven = modes.into.astype(np.float32)[:, where] @ counts[sources[k]]
            response = response + filters * np.fft.rfft(driven, long, axis=1)
        total += ((per_current @ modes.out) @ response).T
    return np.asarray(np.fft.irfft(total, long, axis=0)[:bins])


def binned(spikes: Any, bins: int) -> np.ndarray:
    """Numbers of spikes, float32 of shape (neurons, bins)."""
    counts = np.zeros((len(spikes.watched), bins), np.float32)
    np.add.at(counts, (spikes.positions(), np.ceil(spikes.times / DT - 1e-6).astype(int) - 1), 1.0)
    return counts


def numbers() -> dict[str, Any]:
    """How much of the variance of the potentials the prediction explains, and its share of their power."""
    spikes, made = network()
    somata = {name: lfp.disc(n, 500.0, (-650.0, -550.0), seed=k) for k, (name, n) in enumerate(SIZES.items())}
    kernels = {
        pre: sum(lfp.kernel(CELLS[post], somata[post], synapses(pre, post), PROBE, dt=DT, length=LENGTH) for post in SIZES) for pre in SIZES
    }
    times, predicted = lfp.predict(kernels, spikes, DT)
    simulated = sum(every_cell(post, somata[post], spikes, made) for post in SIZES)
    late = times > WARM
    predicted, simulated = (each[late] - each[late].mean(axis=0) for each in (predicted, simulated))
    explained = 1.0 - ((predicted - simulated) ** 2).sum(axis=0) / (simulated**2).sum(axis=0)
    deepest = int(np.argmax(simulated.std(axis=0)))
    return {
        "explained variance, least of the contacts": float(explained.min()),
        "explained variance, mean": float(explained.mean()),
        "standard deviation, largest of the contacts (µV)": float(simulated.std(axis=0).max()),
        "power below 100 Hz, predicted over simulated": float(
            np.divide(*(power(each[:, deepest])[1][1:12].sum() for each in (predicted, simulated)))
        ),
        "times": times[late],
        "predicted": predicted,
        "simulated": simulated,
        "explained": explained,
        "kernels": kernels,
    }


def power(signal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies (Hz) and power (µV²/Hz), the mean over windows of 125 ms."""
    size = round(125.0 / DT)
    parts = signal[: len(signal) // size * size].reshape(-1, size)
    window = np.hanning(size)
    density = (np.abs(np.fft.rfft(parts * window, axis=1)) ** 2).mean(axis=0) * 2e-3 * DT / (window**2).sum()
    return np.fft.rfftfreq(size, 1e-3 * DT), density


def draw(found: dict[str, Any]) -> Any:
    """Potentials along the probe, standard deviation and explained variance over depth, power spectra, kernels."""
    import matplotlib.pyplot as plt

    figure, (laminar, depth, spectrum, shapes) = plt.subplots(1, 4, figsize=(13, 4.2), width_ratios=[2, 1, 1.2, 1.2], layout="constrained")
    shown = found["times"] <= WARM + 200.0
    scale = 80.0 / np.abs(found["simulated"][shown]).max()
    for k, z in enumerate(PROBE):
        for name, colour, width in (("simulated", "k", 1.8), ("predicted", "C3", 0.8)):
            laminar.plot(found["times"][shown], z + scale * found[name][shown, k], color=colour, lw=width, label=name if not k else None)
    laminar.set(xlabel="time (ms)", ylabel="height (µm)", ylim=(-1220, 100), title=f"potential, 100 µm on the axis: {100.0 / scale:.3g} µV")
    laminar.legend(loc="lower right", ncols=2, frameon=False)
    depth.plot(found["simulated"].std(axis=0), PROBE, "k", label="simulated")
    depth.plot(found["predicted"].std(axis=0), PROBE, "C3", lw=1.0, label="predicted")
    depth.set(xlabel="standard deviation (µV)", xlim=(0, None))
    share = depth.twiny()
    share.plot(found["explained"], PROBE, "C0:")
    share.set_xlabel("explained variance (dotted)", color="C0")
    share.set_xlim(0, 1.02)
    best = int(np.argmax(found["simulated"].std(axis=0)))
    for name, colour in (("simulated", "k"), ("predicted", "C3")):
        frequencies, density = power(found[name][:, best])
        spectrum.loglog(frequencies[1:], density[1:], colour)
    spectrum.set(xlabel="frequency (Hz)", ylabel="power (µV²/Hz)", title=f"spectrum at {PROBE[best]:g} µm", xlim=(8, 500))
    for name, colour in (("E", "C0"), ("I", "C1")):
        shapes.plot(DT * np.arange(60), 1e3 * found["kernels"][name][:60, best], colour, label=f"a spike of {name}")
    shapes.set(xlabel="time after the spike (ms)", ylabel="potential (nV)", title=f"kernels at {PROBE[best]:g} µm")
    shapes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    result = numbers()
    print({name: value for name, value in result.items() if isinstance(value, float)})
    draw(result).savefig("hagen_2022.png", dpi=110)
