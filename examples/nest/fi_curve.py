# SPDX-License-Identifier: Apache-2.0
"""Rate against current: one population, one current each, one simulation."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
currents = np.arange(300.0, 1001.0, 50.0)
cells = nest.Create("iaf_psc_exp", len(currents), {"I_e": currents})
recorder = nest.Create("spike_recorder")
nest.Connect(cells, recorder)
nest.Simulate(1000.0)

rates = np.bincount(recorder.events["senders"] - cells[0].global_id, minlength=len(cells))
for current, rate in zip(currents, rates, strict=True):
    print(f"{current:6.0f} pA {rate:4d} spikes/s")
