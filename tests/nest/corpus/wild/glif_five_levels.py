# SPDX-License-Identifier: Apache-2.0
"""The five generalized integrate-and-fire models (Teeter et al. 2018) under the same currents: spikes, thresholds, after-spike currents."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 0.05
LEVELS = {
    "lif": (False, False, False),
    "lif_r": (True, False, False),
    "lif_asc": (False, True, False),
    "lif_r_asc": (True, True, False),
    "lif_r_asc_a": (True, True, True),
}
FLAGS = ("spike_dependent_threshold", "after_spike_currents", "adapting_threshold")
cells = nest.Create("glif_psc", len(LEVELS), params=[dict(zip(FLAGS, flags, strict=True)) for flags in LEVELS.values()])
print({name: [int(cell.get(flag)) for flag in FLAGS] for name, cell in zip(LEVELS, cells, strict=True)})
steps = nest.Create("step_current_generator", params={"amplitude_times": [50.0, 250.0, 350.0], "amplitude_values": [180.0, 260.0, 0.0]})
noise = nest.Create(
    "spike_generator", params={"spike_times": np.arange(20.0, 400.0, 7.0).round(1), "spike_weights": np.tile([40.0, -30.0], 28)[:55]}
)
nest.Connect(steps, cells)
nest.Connect(noise, cells, syn_spec={"weight": 1.0, "delay": 1.0, "receptor_type": 1})
recorder = nest.Create("spike_recorder")
nest.Connect(cells, recorder)
keys = ["V_m", "threshold", "threshold_spike", "threshold_voltage", "ASCurrents_sum"]
meter = nest.Create("multimeter", params={"record_from": keys, "interval": 1.0})
nest.Connect(meter, cells)
nest.Simulate(400.0)
events, spikes = meter.get("events"), recorder.get("events")
for cell, name in zip(cells, LEVELS, strict=True):
    mine = events["senders"] == cell.global_id
    times = spikes["times"][spikes["senders"] == cell.global_id]
    rows = {key: events[key][mine] for key in keys}
    print(f"{name}: {len(times)} spikes, first {times[0]:.2f} ms, last {times[-1]:.2f} ms")
    print(
        f"  threshold {rows['threshold'].min():.3f} to {rows['threshold'].max():.3f} mV, of spikes up to {rows['threshold_spike'].max():.3f} mV,"
    )
    print(
        f"  of voltage up to {rows['threshold_voltage'].max():.3f} mV, after-spike currents down to {rows['ASCurrents_sum'].min():.2f} pA"
    )

nest.ResetKernel()
nest.resolution = 0.05
conductances = {"tau_syn": [0.2, 2.0], "E_rev": [0.0, -85.0]}
cells = nest.Create("glif_cond", 2, conductances)
cells[1].set(dict.fromkeys(FLAGS[:2], True))
for port, times in ((1, np.arange(5.0, 200.0, 4.0)), (2, np.arange(3.0, 200.0, 11.0))):
    source = nest.Create("spike_generator", params={"spike_times": times})
    nest.Connect(source, cells, syn_spec={"weight": 30.0 if port == 1 else 8.0, "receptor_type": port})
meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.5})
recorder = nest.Create("spike_recorder")
nest.Connect(meter, cells)
nest.Connect(cells, recorder)
nest.Simulate(200.0)
for cell in cells:
    V = meter.events["V_m"][meter.events["senders"] == cell.global_id]
    print(
        f"conductances: V from {V.min():.2f} to {V.max():.2f} mV, {sum(recorder.events['senders'] == cell.global_id)} spikes, tau_syn {cell.tau_syn}"
    )
