# SPDX-License-Identifier: Apache-2.0
"""A thalamocortical loop of Hill-Tononi neurons with their receptors by name, a subthreshold oscillation by ac_generator, and currents that are recorded."""

import numpy as np

import nest

nest.ResetKernel()
nest.set_verbosity("M_ERROR")
nest.SetKernelStatus({"resolution": 0.1})
for name, parameters in {
    "relay_cell": {"tau_m": 8.0, "E_Na": 30.0, "g_KL": 1.2, "g_peak_h": 1.0, "g_peak_NaP": 0.0, "g_peak_KNa": 0.0},
    "reticular_cell": {"tau_m": 8.0, "g_peak_T": 1.0, "g_peak_h": 0.0, "g_KL": 1.0},
    "cortical_cell": {"tau_m": 16.0, "theta_eq": -51.0, "g_peak_h": 0.0, "g_peak_T": 0.0},
}.items():
    nest.CopyModel("ht_neuron", name, parameters)
receptors = nest.GetDefaults("ht_neuron")["receptor_types"]
nest.CopyModel("ht_synapse", "AMPA", {"receptor_type": receptors["AMPA"], "weight": 20.0, "delay": 2.0, "tau_P": 300.0, "delta_P": 0.3})
nest.CopyModel("ht_synapse", "NMDA", {"receptor_type": receptors["NMDA"], "weight": 6.0, "delay": 2.0})
nest.CopyModel("ht_synapse", "GABA_A", {"receptor_type": receptors["GABA_A"], "weight": 6.0, "delay": 1.5})
nest.CopyModel("static_synapse", "GABA_B", {"receptor_type": receptors["GABA_B"], "weight": 2.0, "delay": 4.0})
pops = {name: nest.Create(name, n) for name, n in {"relay_cell": 3, "reticular_cell": 2, "cortical_cell": 4}.items()}
for k, cell in enumerate(pops["relay_cell"]):
    cell.V_m = -64.0 - k
wiring = [
    ("relay_cell", "cortical_cell", ("AMPA", "NMDA")),
    ("relay_cell", "reticular_cell", ("AMPA",)),
    ("reticular_cell", "relay_cell", ("GABA_A", "GABA_B")),
    ("reticular_cell", "reticular_cell", ("GABA_A",)),
    ("cortical_cell", "relay_cell", ("AMPA",)),
    ("cortical_cell", "reticular_cell", ("AMPA", "NMDA")),
]
for pre, post, kinds in wiring:
    for kind in kinds:
        nest.Connect(pops[pre], pops[post], {"rule": "all_to_all", "allow_autapses": False}, syn_spec=kind)
retina = nest.Create("spike_generator", params={"spike_times": np.arange(10.0, 400.0, 35.0)})
nest.Connect(retina, pops["relay_cell"], syn_spec={"weight": 40.0, "receptor_type": receptors["AMPA"], "delay": 1.0})
rhythm = nest.Create("ac_generator", params={"amplitude": 6.0, "frequency": 7.0, "offset": 2.0})
nest.Connect(rhythm, pops["cortical_cell"])
meter = nest.Create(
    "multimeter",
    params={"record_from": ["V_m", "theta", "I_T", "I_h", "I_NaP", "I_KNa", "g_AMPA", "g_NMDA", "g_GABA_A", "g_GABA_B"], "interval": 1.0},
)
recorders = nest.Create("spike_recorder", len(pops))
for population, recorder in zip(pops.values(), recorders, strict=True):
    nest.Connect(meter, population)
    nest.Connect(population, recorder)
nest.Simulate(400.0)
events = meter.get("events")
for (name, population), recorder in zip(pops.items(), recorders, strict=True):
    mine = np.isin(events["senders"], population.tolist())
    times = recorder.events["times"]
    print(f"{name}: {recorder.n_events} spikes, first {times[:3].round(1).tolist()}")
    for key in ("V_m", "theta", "I_T", "I_h", "g_AMPA", "g_NMDA", "g_GABA_A", "g_GABA_B"):
        print(f"  {key}: {events[key][mine].min():.2f} to {events[key][mine].max():.2f}")
found = nest.GetConnections(pops["relay_cell"], synapse_model="AMPA")
print(
    len(found), np.round(sorted(found.get("P")), 4)[:3], dict(sorted(receptors.items())), {n: nest.GetDefaults(n, "type_id") for n in pops}
)
