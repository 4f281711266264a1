# SPDX-License-Identifier: Apache-2.0
"""Errors that scripts catch: they have names, and all have one base."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
cell, recorder = nest.Create("iaf_psc_exp"), nest.Create("spike_recorder")
attempts = {
    "unknown model": lambda: nest.Create("iaf_psc_expo"),
    "unknown parameter": lambda: cell.set({"tau_mm": 1.0}),
    "bad value": lambda: cell.set({"C_m": -1.0}),
    "recorder to neuron": lambda: nest.Connect(recorder, cell),
    "no such synapse": lambda: nest.Connect(cell, cell, syn_spec="no_such_synapse"),
    "delay": lambda: nest.Connect(cell, cell, syn_spec={"delay": 0.0}),
    "off the grid": lambda: nest.Create("spike_generator", params={"spike_times": [1.05]}),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except nest.NESTError as error:
        print(f"{name}: {type(error).__name__}")
