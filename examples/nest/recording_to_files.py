# SPDX-License-Identifier: Apache-2.0
"""Spikes and potentials written to text files, and read again."""

import tempfile
from pathlib import Path

import numpy as np

import nest

with tempfile.TemporaryDirectory() as folder:
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.set(data_path=folder, data_prefix="demo_", overwrite_files=True)
    cells = nest.Create("iaf_psc_alpha", 3, {"I_e": [400.0, 500.0, 600.0]})
    recorder = nest.Create("spike_recorder", params={"record_to": "ascii", "label": "spikes"})
    meter = nest.Create("voltmeter", params={"record_to": "ascii", "label": "potential", "interval": 1.0})
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells)
    nest.Simulate(100.0)
    for device in (recorder, meter):
        path = Path(device.filenames[0])
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        rows = np.array([[float(word) for word in line.split()] for line in lines[1:]])
        print(f"{path.name}: columns {lines[0].split()}, rows {len(rows)}, last time {rows[:, 1].max():.1f} ms")
