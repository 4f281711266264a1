# SPDX-License-Identifier: Apache-2.0
"""A small network of neurons with precise spike times at several resolutions: spikes converge, those of the grid do not."""

import numpy as np

import nest

N = 12


def run(model, h):
    nest.ResetKernel()
    nest.verbosity = nest.VerbosityLevel.QUIET
    nest.set(resolution=h)
    cells = nest.Create(model, N, {"tau_m": 15.0, "tau_syn_ex": 2.0, "tau_syn_in": 2.0, "t_ref": 2.0})
    cells.I_e = [380.0 + 7.0 * k for k in range(N)]
    cells.set({"V_m": -70.0})
    weight = {"synapse_model": "static_synapse", "delay": 1.5}
    nest.Connect(cells[:9], cells, {"rule": "all_to_all", "allow_autapses": False}, {**weight, "weight": 18.0})
    nest.Connect(cells[9:], cells, {"rule": "all_to_all", "allow_autapses": False}, {**weight, "weight": -30.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(120.0)
    events = recorder.get("events")
    return [np.sort(events["times"][events["senders"] == node]) for node in cells.tolist()]


for precise, grid in (("iaf_psc_alpha_ps", "iaf_psc_alpha"), ("iaf_psc_exp_ps", "iaf_psc_exp"), ("iaf_psc_exp_ps_lossless", "iaf_psc_exp")):
    fine = run(precise, 0.05)
    for h in (0.5, 0.1):
        errors = []
        for model in (precise, grid):
            found = run(model, h)
            errors.append(max(abs(a[0] - b[0]) for a, b in zip(found, fine, strict=True)))
        print(f"{precise} at {h} ms: error {'below 1e-6' if errors[0] < 1e-6 else errors[0]} ms, on the grid {errors[1]:.2f} ms")
    print("  spikes", [len(train) for train in fine], "off grid:", nest.off_grid_spiking)
    print("  first", " ".join(f"{train[0]:.5f}" for train in fine[:4]))

nest.ResetKernel()
nest.resolution = 0.1
source = nest.Create("spike_generator", params={"precise_times": True, "spike_times": [1.234, 5.005, 7.77]})
relay = nest.Create("parrot_neuron_ps")
target = nest.Create("iaf_psc_delta_ps", params={"V_th": 1e3})
nest.Connect(source, relay)
nest.Connect(relay, target, syn_spec={"weight": 3.0, "delay": 2.0})
recorder = nest.Create("spike_recorder", params={"time_in_steps": True})
nest.Connect(relay, recorder)
nest.Simulate(15.0)
print(recorder.events["times"], np.round(recorder.events["offsets"], 4), f"{target.V_m:.9f}")
poisson = nest.Create("poisson_generator_ps", params={"rate": 2000.0, "dead_time": 0.2})
many = nest.Create("parrot_neuron_ps", 3)
nest.Connect(poisson, many)
detector = nest.Create("spike_recorder")
nest.Connect(many, detector)
nest.Simulate(500.0)
gaps = np.concatenate([np.diff(np.sort(detector.events["times"][detector.events["senders"] == n])) for n in many.tolist()])
print("dead time kept:", bool(gaps.min() >= 0.2 - 1e-9), "rate right:", bool(abs(detector.n_events / 3 / 0.5 - 2000.0) < 150.0))
