# SPDX-License-Identifier: Apache-2.0
"""A tour: two kinds of neurons on a sheet, synapses that differ, devices, recordings that are kept, and a sweep over several processes.

Run: .venv/bin/python examples/tour.py [directory for files and the picture]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import neuropil as npl


def network(g: float = 10.0, seed: int = 42, n: int = 40) -> npl.Network:
    """Excitatory and inhibitory neurons on 1 mm by 1 mm with joined edges; g: strength of inhibition."""
    net = npl.Network(seed=seed)
    exc = net.create("aeif_cond_exp", positions=npl.grid((n, n), extent=(1.0, 1.0), periodic=True), V_m=npl.normal(-65.0, 3.0), name="exc")
    some = npl.free(npl.uniform(-0.5, 0.5), dims=2, extent=(1.0, 1.0), periodic=True)
    inh = net.create("iaf_cond_exp", n * n // 4, positions=some, t_ref=1.0, name="inh")

    near = npl.pairwise_bernoulli(0.6 * npl.space.gaussian(npl.distance, std=0.08), mask=npl.space.circle(0.25), autapses=False)
    wide = npl.pairwise_bernoulli(0.5 * npl.space.gaussian(npl.distance, std=0.12), mask=npl.space.circle(0.35), autapses=False)
    tired = npl.synapse("tsodyks2_synapse", U=npl.uniform(0.3, 0.7), tau_rec=npl.normal(200.0, 40.0).redraw(min=50.0))
    later = 0.5 + 5.0 * npl.distance  # ms: conduction at 0.2 mm/ms
    net.connect(exc, exc + inh, near, weight=60.0, delay=later, synapse=tired, name="excitation")
    net.connect(inh, exc + inh, wide, weight=-g, delay=later, name="inhibition")

    net.stimulate(exc, npl.poisson(rate=2500.0), weight=32.0)
    net.stimulate(inh, npl.poisson(rate=2000.0), weight=20.0)
    net.stimulate(exc, npl.device("noise_generator", mean=50.0, std=100.0))
    net.stimulate(exc[np.hypot(*exc.positions.T) < 0.1], npl.spike_train([300.0]), weight=60.0)
    return net


def rates(g: float, seed: int) -> dict[str, float]:
    """One run of the sweep."""
    net = network(g, seed, n=20)
    spikes = {name: net.record(net[name], start=100.0) for name in ("exc", "inh")}
    net.run(300.0)
    return {name: float(found.rates().mean()) for name, found in spikes.items()}


def draw(net: npl.Network, spikes: npl.results.Spikes, file: Path) -> None:
    """Raster, and the rates of the excitatory neurons on the sheet."""
    import matplotlib.pyplot as plt

    figure, (raster, sheet) = plt.subplots(1, 2, figsize=(9.0, 3.6), width_ratios=[1.6, 1.0], layout="constrained")
    spikes.plot(groups={name: net[name] for name in ("exc", "inh")}, ax=raster)
    exc = net["exc"]
    dots = sheet.scatter(*exc.positions.T, c=spikes.select(exc).rates(), s=14, marker="s", cmap="magma")
    sheet.set(xlabel="x (mm)", ylabel="y (mm)", aspect="equal")
    figure.colorbar(dots, label="rate (spikes/s)")
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main(to: str = "") -> npl.results.Spikes:
    folder = Path(to or tempfile.mkdtemp())
    net = network()
    print(net.summary())
    spikes, potential = net.record(net["exc"] + net["inh"]), net.record(net["exc"][:3], "V_m")
    release = net.record(net.projections["excitation"], "x", interval=100.0)
    net.run(600.0)
    for record, name in ((spikes, "spikes.npz"), (potential, "potential.npz"), (release, "release.npz")):
        record.save(folder / name)
    again = npl.open_results(folder / "spikes.npz")
    print(f"{len(again.times)} spikes; coefficient of variation {np.nanmean(npl.analysis.cv_isi(again)):.2f}")
    draw(net, again, folder / "tour.png")
    print(npl.sweep(rates, {"g": [2.0, 5.0, 20.0]}, seeds=2).to_pandas())
    return again


if __name__ == "__main__":
    main(*sys.argv[1:2])
