# SPDX-License-Identifier: Apache-2.0
"""Layers that are looked at: dumps of nodes and connections to files, plots on an Agg canvas, who is near whom, raster and voltage plots."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import nest.raster_plot
import nest.voltage_trace
import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(overwrite_files=True)
retina = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([4, 3], extent=[2.0, 1.5], center=[0.0, 0.0]))
cortex = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([4, 3], extent=[2.0, 1.5]))
mask = {"rectangular": {"lower_left": [-0.6, -0.6], "upper_right": [0.6, 0.6]}}
kernel = nest.spatial_distributions.gaussian(nest.spatial.distance, std=0.5)
nest.Connect(
    retina,
    cortex,
    {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask},
    {"weight": 30.0 * kernel, "delay": 1.0 + 0.2 * nest.spatial.distance},
)
print(nest.num_connections, cortex.spatial["shape"], cortex.spatial["extent"], [round(v, 3) for v in cortex.spatial["center"]])
print(nest.GetPosition(retina[:3]), nest.FindNearestElement(cortex, [[0.3, 0.2], [-0.9, 0.6]]), nest.FindCenterElement(retina))
print(np.round(nest.Distance(retina[0], cortex[:4]), 4), np.round(nest.Displacement(retina[1], cortex[5]), 4).tolist())
selected = nest.SelectNodesByMask(cortex, [0.25, 0.0], nest.CreateMask("circular", {"radius": 0.6}))
print(
    "selected",
    selected.tolist(),
    [t.tolist() for t in nest.GetTargetNodes(retina[:2], cortex)],
    nest.GetSourcePositions(retina, cortex[0])[0][:2],
)
nest.DumpLayerNodes(cortex, "drawn_nodes.txt")
nest.DumpLayerConnections(retina, cortex, "static_synapse", "drawn_connections.txt")
lines = Path("drawn_connections.txt").read_text().splitlines()
print(
    Path("drawn_nodes.txt").read_text().splitlines()[:2], len(lines), np.round(np.loadtxt("drawn_connections.txt"), 4)[:, 2:4].sum(axis=0)
)
figure = nest.PlotLayer(cortex, nodesize=20)
axes = figure.gca()
print("layer", type(figure).__name__, len(axes.collections), np.round(axes.get_xlim(), 2).tolist())
nest.PlotTargets(retina[5], cortex, fig=figure, mask=mask, tgt_size=40)
print("targets", np.round(figure.gca().get_xlim(), 2).tolist(), figure.gca().get_aspect())
nest.PlotProbabilityParameter(retina[5], kernel, mask=mask, ax=figure.gca())
print("kernel", len(figure.gca().images), np.round(figure.gca().images[0].get_array().max(), 3))

drive = nest.Create("spike_generator", params={"spike_times": np.arange(5.0, 95.0, 5.0), "spike_weights": np.linspace(100.0, 900.0, 18)})
nest.Connect(drive, retina[5:7], syn_spec={"weight": 1.5})
recorder, meter = nest.Create("spike_recorder"), nest.Create("voltmeter", params={"interval": 1.0})
nest.Connect(retina, recorder)
nest.Connect(cortex, recorder)
nest.Connect(meter, cortex[5])
nest.Simulate(100.0)
print(recorder.n_events, "spikes")
nest.raster_plot.from_device(recorder, hist=True, hist_binwidth=10.0, title="spikes")
print("raster", [len(a.lines) for a in plt.gcf().axes], plt.gcf().axes[0].get_title() or plt.gcf().axes[-1].get_title() or "untitled")
plt.figure()
nest.voltage_trace.from_device(meter)
print("trace", len(plt.gca().lines), len(plt.gca().lines[0].get_xdata()), plt.gca().get_xlabel())
figure, (left, right) = plt.subplots(1, 2)
plt.sca(right)
nest.voltage_trace.from_device(meter, title="centre", grayscale=True)
print(
    len(left.lines),
    len(right.lines),
    right.get_title(),
    [text.get_text() for text in right.get_legend().get_texts()],
    len(plt.get_fignums()),
)
plt.close("all")
for name in ("drawn_nodes.txt", "drawn_connections.txt"):
    Path(name).unlink()
