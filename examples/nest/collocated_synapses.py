# SPDX-License-Identifier: Apache-2.0
"""Two synapses for each pair: a fast strong one and a slow weak one, at two ports of the target."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
source = nest.Create("spike_generator", params={"spike_times": [10.0]})
relay = nest.Create("parrot_neuron")
cells = nest.Create("iaf_psc_exp_multisynapse", 3, [{"tau_syn": [1.0, 8.0]}] * 3)
fast, slow = {"weight": 200.0, "delay": 1.0, "receptor_type": 1}, {"weight": 40.0, "delay": 3.0, "receptor_type": 2}
nest.Connect(source, relay)
nest.Connect(relay, cells, "all_to_all", nest.CollocatedSynapses(fast, slow))
meter = nest.Create("multimeter", params={"record_from": ["I_syn_1", "I_syn_2", "V_m"], "interval": 0.1})
nest.Connect(meter, cells[0])
nest.Simulate(60.0)

events = meter.events
print(f"connections: {nest.num_connections}")
for name in ("I_syn_1", "I_syn_2"):
    print(f"{name}: peak {events[name].max():.1f} pA at {events['times'][events[name].argmax()]:.1f} ms")
print(f"V_m: peak {events['V_m'].max():.4f} mV at {events['times'][events['V_m'].argmax()]:.1f} ms")
