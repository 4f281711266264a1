# SPDX-License-Identifier: Apache-2.0
"""A dendrite as compartments: the more inputs arrive together, the more the NMDA spike adds to the sum of single responses; and what active channels do."""

import numpy as np

import nest

SOMA = {"C_m": 89.245, "g_C": 0.0, "g_L": 8.925, "e_L": -75.0}
DEND = {"C_m": 1.93, "g_C": 1.255, "g_L": 0.193, "e_L": -75.0}
ACTIVE = {"gbar_Na": 4608.7, "e_Na": 60.0, "gbar_K": 956.1, "e_K": -90.0}


def cell(active=False):
    neuron = nest.Create("cm_default")
    neuron.V_th = -30.0
    neuron.compartments = [{"parent_idx": -1, "params": {**SOMA, **ACTIVE} if active else SOMA}] + [
        {"parent_idx": k, "params": DEND} for k in range(3)
    ]
    return neuron


def response(number, receptor, active=False, interval=0.5):
    nest.ResetKernel()
    nest.set_verbosity("M_ERROR")
    nest.SetKernelStatus({"resolution": 0.1})
    neuron = cell(active)
    neuron.receptors = [{"comp_idx": 3, "receptor_type": receptor}, {"comp_idx": 0, "receptor_type": "GABA"}]
    source = nest.Create("spike_generator", params={"spike_times": 60.0 + interval * np.arange(number)})
    nest.Connect(source, neuron, syn_spec={"synapse_model": "static_synapse", "weight": 0.3, "delay": 0.5, "receptor_type": 0})
    names = [f"v_comp{k}" for k in range(4)]
    meter = nest.Create("multimeter", 1, {"record_from": names, "interval": 0.1})
    nest.Connect(meter, neuron)
    recorder = nest.Create("spike_recorder")
    nest.Connect(neuron, recorder)
    nest.Simulate(200.0)
    events = nest.GetStatus(meter, "events")[0]
    late = events["times"] >= 60.0
    return [events[name][late].max() - events[name][late][0] for name in names], recorder.n_events


single = {receptor: response(1, receptor)[0] for receptor in ("AMPA", "AMPA_NMDA")}
for receptor, alone in single.items():
    print(receptor, "alone:", " ".join(f"{v:.3f}" for v in alone), "mV")
    for number in (2, 4, 8, 16, 24):
        peaks, _ = response(number, receptor)
        print(f"  {number:2d} inputs: soma {peaks[0]:.3f} mV ({peaks[0] / (number * alone[0]):.2f} of the sum), tip {peaks[3]:.2f} mV")
peaks, spikes = response(40, "AMPA_NMDA", active=True)
print(f"with channels at the soma: {spikes} spikes, soma {peaks[0]:.1f} mV")

nest.ResetKernel()
neuron = cell()
neuron.receptors = [{"comp_idx": k, "receptor_type": kind} for k in (0, 3) for kind in ("AMPA", "GABA")]
print(
    "compartments",
    [c["parent_idx"] for c in neuron.compartments],
    "receptors",
    [(r["comp_idx"], r["receptor_type"]) for r in neuron.receptors],
)
print("recordables", sorted(neuron.recordables))
for bad in ({"comp_idx": 9, "receptor_type": "AMPA"}, {"comp_idx": 0, "receptor_type": "GLUTAMATE"}):
    try:
        neuron.receptors = bad
    except nest.NESTError as problem:
        print("refused:", bad, isinstance(problem, nest.NESTErrors.KernelException))
step = nest.Create("dc_generator", params={"amplitude": 30.0, "start": 5.0, "stop": 55.0})
nest.Connect(step, neuron, syn_spec={"receptor_type": 3, "delay": 0.5})
meter = nest.Create("multimeter", params={"record_from": [f"v_comp{k}" for k in range(4)], "interval": 10.0})
nest.Connect(meter, neuron)
nest.Simulate(101.0)
for k in range(4):
    print(k, np.round(meter.events[f"v_comp{k}"], 3))
