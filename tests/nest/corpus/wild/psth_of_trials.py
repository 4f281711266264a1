# SPDX-License-Identifier: Apache-2.0
"""Repeated trials without resetting: the generator's origin moves on, events are cut into trials with numpy, a histogram over trials."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
trials, T = 6, 120.0
cells = nest.Create("iaf_psc_exp", 5, params={"tau_m": [10.0, 12.0, 14.0, 16.0, 18.0]})
pulse = nest.Create("step_current_generator")
recorder = nest.Create("spike_recorder")
nest.Connect(pulse, cells)
nest.Connect(cells, recorder)
counts = []
for trial in range(trials):
    begin = trial * T
    pulse.set(amplitude_times=[begin + 20.0, begin + 60.0], amplitude_values=[500.0 + 60.0 * trial, 0.0])
    cells.V_m = -70.0
    nest.Simulate(T)
    times = recorder.events["times"]
    mine = times[(times > begin) & (times <= begin + T)] - begin
    counts.append(np.histogram(mine, bins=np.arange(0.0, T + 1.0, 20.0))[0])
for trial, row in enumerate(counts):
    print(trial, row.tolist())
print("all", np.sum(counts, axis=0).tolist(), nest.GetKernelStatus("biological_time"))
