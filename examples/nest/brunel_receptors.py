# SPDX-License-Identifier: Apache-2.0
"""A random network whose neurons have a receptor of its own for each kind of input, with three time constants."""

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(resolution=0.1, rng_seed=12)
n_exc, n_inh = 400, 100
neuron = {"tau_syn": [2.0, 0.5, 5.0], "tau_m": 20.0, "C_m": 250.0, "E_L": 0.0, "V_th": 20.0, "V_reset": 10.0, "V_m": 0.0, "t_ref": 2.0}
exc = nest.Create("iaf_psc_exp_multisynapse", n_exc, neuron)
inh = nest.Create("iaf_psc_exp_multisynapse", n_inh, neuron)
noise = nest.Create("poisson_generator", params={"rate": 9000.0})
recorders = nest.Create("spike_recorder", 2, {"start": 100.0})
for receptor, model, weight in ((1, "from_exc", 45.0), (2, "from_noise", 65.0), (3, "from_inh", -110.0)):
    nest.CopyModel("static_synapse", model, {"weight": weight, "delay": 1.5, "receptor_type": receptor})
nest.Connect(noise, exc + inh, syn_spec="from_noise")
nest.Connect(exc, exc + inh, {"rule": "fixed_indegree", "indegree": 40}, "from_exc")
nest.Connect(inh, exc + inh, {"rule": "fixed_indegree", "indegree": 10}, "from_inh")
nest.Connect(exc, recorders[0])
nest.Connect(inh, recorders[1])
nest.Simulate(600.0)

for name, cells, recorder in (("excitatory", exc, recorders[0]), ("inhibitory", inh, recorders[1])):
    print(f"{name}: {recorder.n_events / len(cells) / 0.5:.1f} spikes/s")
for model in ("from_exc", "from_noise", "from_inh"):
    print(f"{model}: {nest.GetDefaults(model, 'num_connections')} connections")
