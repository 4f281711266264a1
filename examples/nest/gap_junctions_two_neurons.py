# SPDX-License-Identifier: Apache-2.0
"""Two fast-spiking interneurons that are joined by a gap junction (Hahne et al. 2015): from different potentials they come to fire together."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET


def spike_times(conductance):
    """Of both cells, which get the same current but begin 50 mV apart."""
    nest.ResetKernel()
    nest.set(resolution=0.05, wfr_tol=1e-6)
    cells = nest.Create("hh_psc_alpha_gap", 2, {"I_e": 100.0})
    cells[0].V_m = -10.0
    spikes = nest.Create("spike_recorder")
    nest.Connect(cells, spikes)
    if conductance:
        both_ways = {"rule": "one_to_one", "make_symmetric": True}
        nest.Connect(cells[0], cells[1], both_ways, {"synapse_model": "gap_junction", "weight": conductance})
    nest.Simulate(350.0)
    return [spikes.events["times"][spikes.events["senders"] == cell] for cell in cells.tolist()]


for conductance in (0.0, 0.5):
    one, other = spike_times(conductance)
    n = min(len(one), len(other))
    lags = np.abs(one[:n] - other[:n])
    print(f"junction of {conductance} nS: {n} spikes, lag {lags[0]:.0f} ms at first and {lags[-1]:.1f} ms at last")
