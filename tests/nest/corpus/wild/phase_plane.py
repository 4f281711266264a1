# SPDX-License-Identifier: Apache-2.0
"""Phase plane of a Hodgkin-Huxley neuron by the simulator: state is set, one step is made, derivatives are read; nullclines and a trajectory."""

import numpy as np

import nest

nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.resolution = 0.1
h = nest.GetKernelStatus("resolution")
neuron = nest.Create("hh_psc_alpha", params={"I_e": 100.0})
start = neuron.get(["V_m", "Act_m", "Inact_h", "Act_n"])
print({key: round(value, 6) for key, value in start.items()})
potentials = np.linspace(-81.0, 39.0, 7)
activations = np.linspace(0.1, 0.9, 5)
field = np.zeros((len(activations), len(potentials), 2))
for i, n in enumerate(activations):
    for j, V in enumerate(potentials):
        neuron.set(V_m=V, Act_n=n, Act_m=start["Act_m"], Inact_h=start["Inact_h"])
        nest.Simulate(h)
        field[i, j] = (neuron.V_m - V) / h, (neuron.Act_n - n) / h
np.set_printoptions(suppress=True, linewidth=120)
print(field[:, :, 0].round(2))
print("n falls where", (field[:, :, 1] < 0).astype(int).tolist())
nullcline = [float(np.interp(0.0, field[::-1, j, 1], activations[::-1])) for j in range(len(potentials))]
print("nullcline of n", np.round(nullcline, 3).tolist())
neuron.set(start)
neuron.I_e = 800.0
trajectory = []
for _ in range(250):
    nest.Simulate(h)
    trajectory.append(list(neuron.get(["V_m", "Act_n"]).values()))
trajectory = np.array(trajectory)
print("trajectory", trajectory[::50].round(2).tolist(), f"spike at {0.1 * trajectory[:, 0].argmax():.1f} ms, {neuron.t_spike:.1f}")
nest.ResetKernel()
traub = nest.Create("hh_cond_exp_traub", 2, {"I_e": [300.0, 450.0]})
meter = nest.Create("multimeter", params={"record_from": nest.GetDefaults("hh_cond_exp_traub", "recordables"), "interval": 0.5})
recorder = nest.Create("spike_recorder")
nest.Connect(meter, traub)
nest.Connect(traub, recorder)
nest.Simulate(100.0)
events = meter.events
print(sorted(events), [int(np.sum(recorder.events["senders"] == node)) for node in traub.tolist()])
for key in ("Act_m", "Act_n", "Inact_h"):
    print(key, [round(float(events[key][events["senders"] == node].max()), 2) for node in traub.tolist()])
