# SPDX-License-Identifier: Apache-2.0
"""Short-term plasticity of one connection at several rates, amplitude by amplitude from the synaptic current."""

import numpy as np

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
kinds = {"depressing": {"U": 0.5, "tau_rec": 800.0, "tau_fac": 0.0}, "facilitating": {"U": 0.03, "tau_rec": 130.0, "tau_fac": 530.0}}
for name, parameters in kinds.items():
    for rate in (10.0, 40.0):
        nest.ResetKernel()
        nest.SetKernelStatus({"resolution": 0.1})
        times = np.round(np.arange(20.0, 420.0, 1000.0 / rate), 1)
        neuron = nest.Create("iaf_psc_exp", params={"V_th": 1e6, "tau_syn_ex": 3.0})
        source, parrot = nest.Create("spike_generator", params={"spike_times": times}), nest.Create("parrot_neuron")
        meter = nest.Create("multimeter", params={"record_from": ["I_syn_ex"], "interval": 0.1})
        nest.Connect(source, parrot)
        nest.Connect(parrot, neuron, syn_spec={"synapse_model": "tsodyks2_synapse", "weight": 250.0, "delay": 1.0, **parameters})
        nest.Connect(meter, neuron)
        nest.Simulate(450.0)
        current = meter.get("events", "I_syn_ex")
        jumps = np.diff(current)
        found = jumps[jumps > 1.0]
        print(f"{name} at {rate:g}/s: first {found[0]:.3f}, last {found[-1]:.3f}, {len(found)} pulses")
