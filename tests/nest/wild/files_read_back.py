# SPDX-License-Identifier: Apache-2.0
"""Spikes and potentials written to files by the ascii back end and read again with numpy, one file per device."""

from pathlib import Path

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(overwrite_files=True, data_path="", data_prefix="wild_")
cells = nest.Create("iaf_psc_alpha", 3, {"I_e": [400.0, 450.0, 500.0]})
nest.Connect(cells, cells, {"rule": "all_to_all"}, {"weight": 10.0, "delay": 1.5})
recorder = nest.Create("spike_recorder", params={"record_to": "ascii", "label": "spikes"})
meter = nest.Create(
    "multimeter", params={"record_to": "ascii", "label": "V", "record_from": ["V_m", "I_syn_ex"], "interval": 0.5, "precision": 5}
)
nest.Connect(cells, recorder)
nest.Connect(meter, cells)
nest.Simulate(100.0)
for name in (*recorder.filenames, *meter.filenames):
    lines = Path(name).read_text().splitlines()
    table = np.loadtxt(name, skiprows=3)
    print(Path(name).name, lines[:3], table.shape, [round(float(x), 3) for x in table.mean(axis=0)])
    print(lines[3], "|", lines[8])
    Path(name).unlink()
