# SPDX-License-Identifier: Apache-2.0
"""Record, store and replay: spikes of a network go to files, are read with pandas, and drive a copy through spike_train_injectors and parrots."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

import nest


def network(n):
    cells = nest.Create("iaf_psc_alpha", n, {"I_e": np.linspace(376.0, 420.0, n)})
    for shift, weight in ((1, 25.0), (2, -40.0), (5, 30.0)):
        for k in range(n):
            nest.Connect(cells[k], cells[(k + shift) % n], syn_spec={"weight": weight, "delay": 1.0 + 0.5 * shift})
    return cells


def fresh():
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.set(resolution=0.1, overwrite_files=True, data_path=".", data_prefix="replay_")


def read(pattern):
    frames = [pd.read_csv(path, sep="\t", comment="#") for path in sorted(Path().glob(pattern))]
    return pd.concat(frames).sort_values(["time_ms", "sender"]).reset_index(drop=True)


fresh()
cells = network(10)
to_file = nest.Create("spike_recorder", params={"record_to": "ascii", "label": "net", "file_extension": "tsv", "precision": 4})
in_memory = nest.Create("spike_recorder", params={"record_to": "memory"})
in_steps = nest.Create("spike_recorder", params={"time_in_steps": True})
silent = nest.Create("spike_recorder", params={"record_to": "memory", "start": 50.0, "stop": 150.0})
for recorder in (to_file, in_memory, in_steps, silent):
    nest.Connect(cells, recorder)
nest.Simulate(200.0)
print(sorted(nest.recording_backends), to_file.n_events, in_memory.n_events, silent.n_events, in_steps.events["times"][:4].tolist())
table = read("replay_net-*.tsv")
print(table.shape, list(table.columns), table["time_ms"].head(3).tolist(), table.groupby("sender").size().tolist())
print("file and memory agree:", bool(np.allclose(table["time_ms"], np.sort(in_memory.events["times"]))))
Path("replay_state.json").write_text(
    json.dumps({"C_m": cells.C_m, "V_m": cells.V_m, "weights": nest.GetConnections(cells, cells).get("weight")})
)
final = np.array(cells.V_m)

fresh()
copy = nest.Create("iaf_psc_alpha", 10, {"I_e": np.linspace(376.0, 420.0, 10)})
injectors = nest.Create("spike_train_injector", 10)
for injector, (_, train) in zip(injectors, table.groupby("sender"), strict=True):
    injector.spike_times = train["time_ms"].to_numpy()
for shift, weight in ((1, 25.0), (2, -40.0), (5, 30.0)):
    for k in range(10):
        nest.Connect(injectors[k], copy[(k + shift) % 10], syn_spec={"weight": weight, "delay": 1.0 + 0.5 * shift})
recorder = nest.Create("spike_recorder")
nest.Connect(copy, recorder)
nest.Simulate(200.0)
state = json.loads(Path("replay_state.json").read_text())
print(
    "replayed:",
    recorder.n_events,
    f"{np.abs(np.array(copy.V_m) - final).max():.6f} mV",
    bool(np.allclose(state["V_m"], final)),
    len(state["weights"]),
)
times = np.sort(recorder.events["times"])
print("same spikes:", bool(len(times) == len(table) and np.allclose(times, np.sort(table["time_ms"]))))
frame = pd.DataFrame(recorder.events).groupby("senders")["times"].agg(["count", "min", "max"])
print(frame.head(3).round(3).to_string())
fresh()
nest.set(overwrite_files=False)
again = nest.Create("spike_recorder", params={"record_to": "ascii", "label": "net", "file_extension": "tsv"})
nest.Create("parrot_neuron", 9)
try:
    nest.Simulate(1.0)
    print("written anew", [Path(name).name for name in again.filenames])
except nest.NESTError as problem:
    print("not overwritten:", type(problem).__name__)
for path in Path().glob("replay_*"):
    path.unlink()
