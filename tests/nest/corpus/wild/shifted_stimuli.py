# SPDX-License-Identifier: Apache-2.0
"""The same stimulus again and again by moving its origin; windows of generators and recorders by start and stop; devices of every kind in one trial."""

import numpy as np

import nest

TRIAL, TRIALS = 200.0, 4
nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(resolution=0.1, rng_seed=2)
cells = nest.Create("iaf_psc_exp", 4, {"tau_m": [8.0, 12.0, 16.0, 20.0]})
stimuli = {
    "dc_generator": {"amplitude": 420.0, "start": 20.0, "stop": 90.0},
    "spike_generator": {"spike_times": [30.0, 60.0, 100.0, 100.1], "start": 25.0, "stop": 100.0},
    "step_current_generator": {"amplitude_times": [120.0, 140.0, 160.0], "amplitude_values": [300.0, 500.0, 0.0], "start": 125.0},
    "ac_generator": {"amplitude": 50.0, "frequency": 40.0, "start": 0.0, "stop": 150.0},
}
devices = {name: nest.Create(name, params=parameters) for name, parameters in stimuli.items()}
for name, device in devices.items():
    nest.Connect(device, cells, syn_spec={"weight": 150.0 if name == "spike_generator" else 1.0, "delay": 1.0})
windows = nest.Create(
    "spike_recorder", 3, [{"label": "all"}, {"start": 50.0, "stop": 100.0, "label": "middle"}, {"start": 100.0, "label": "late"}]
)
for recorder in windows:
    nest.Connect(cells, recorder)
meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 1.0, "start": 10.0, "stop": 30.0, "offset": 0.5})
nest.Connect(meter, cells[::3])
rows = []
for trial in range(TRIALS):
    begin = nest.biological_time
    for name, device in devices.items():
        device.origin = begin
        if name == "spike_generator":
            device.set({"spike_times": (begin + np.array(stimuli[name]["spike_times"])).tolist()})
        elif name == "step_current_generator":
            device.set(
                amplitude_times=begin + np.array(stimuli[name]["amplitude_times"]), amplitude_values=stimuli[name]["amplitude_values"]
            )
    for recorder in windows:
        recorder.set(origin=begin, n_events=0)
    meter.set({"origin": begin, "n_events": 0})
    cells.V_m = -70.0
    cells.I_e = 10.0 * trial
    nest.Simulate(TRIAL)
    rows.append([int(r.n_events) for r in windows])
    times = np.sort(windows[0].events["times"]) - begin
    print(
        trial,
        rows[-1],
        times[:4].round(1).tolist(),
        meter.n_events,
        round(float(meter.events["V_m"].mean()), 4),
        float(meter.events["times"][0] - begin),
    )
print(next(d.get(["origin", "start", "stop"]) for d in devices.values()), windows.label)
print(nest.GetStatus(windows, ["origin", "start", "stop"])[1])
