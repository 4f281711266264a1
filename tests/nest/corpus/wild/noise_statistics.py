# SPDX-License-Identifier: Apache-2.0
"""White noise from devices against theory: variance of the potential for noise_generator, gamma and dead-time processes, mip and multinomial trains."""

import numpy as np

import nest


def cv(times):
    intervals = np.diff(np.sort(times))
    return intervals.std() / intervals.mean()


nest.ResetKernel()
nest.verbosity = nest.VerbosityLevel.QUIET
nest.set(rng_seed=1234, resolution=0.1)
n, tau, C, std, dt = 300, 10.0, 250.0, 200.0, 1.0
free = nest.Create("iaf_psc_alpha", n, {"V_th": 1e9, "tau_m": tau, "C_m": C})
noise = nest.Create("noise_generator", params={"mean": 100.0, "std": std, "dt": dt})
nest.Connect(noise, free)
meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 10.0, "start": 100.0})
nest.Connect(meter, free)
nest.Simulate(400.0)
V = meter.events["V_m"]
q = np.exp(-dt / tau)
theory = (std * tau / C) * np.sqrt((1.0 - q) / (1.0 + q))
print(f"mean {V.mean():.2f} mV, expected {-70.0 + 100.0 * tau / C:.2f}; std {V.std():.3f} mV, expected {theory:.3f}")

nest.ResetKernel()
nest.set(rng_seed=99, resolution=0.1)
modulated = nest.Create("noise_generator", params={"mean": 0.0, "std": 300.0, "std_mod": 300.0, "frequency": 5.0, "phase": 0.0, "dt": 0.5})
free = nest.Create("iaf_psc_alpha", n, {"V_th": 1e9, "tau_m": 2.0})
nest.Connect(modulated, free)
meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 5.0})
nest.Connect(meter, free)
nest.Simulate(400.0)
V = meter.events["V_m"].reshape(-1)
times = meter.events["times"]
loud, quiet = (V[np.abs(times % 200.0 - centre) < 20.0].std() for centre in (50.0, 150.0))
print("modulated: loud where it should be", bool(loud > 2.0 * quiet), f"{loud:.2f} mV")

nest.ResetKernel()
nest.set(rng_seed=5, resolution=0.1)
T = 4000.0
sources = {
    "poisson_generator": {"rate": 50.0},
    "gamma_sup_generator": {"rate": 50.0, "gamma_shape": 4, "n_proc": 1},
    "ppd_sup_generator": {"rate": 50.0, "dead_time": 12.0, "n_proc": 1},
    "sinusoidal_poisson_generator": {"rate": 50.0, "amplitude": 40.0, "frequency": 4.0},
    "sinusoidal_gamma_generator": {"rate": 50.0, "amplitude": 20.0, "frequency": 4.0, "order": 3.0},
    "mip_generator": {"rate": 400.0, "p_copy": 0.125},
}
for name, parameters in sources.items():
    generator, relays, recorder = nest.Create(name, params=parameters), nest.Create("parrot_neuron", 20), nest.Create("spike_recorder")
    nest.Connect(generator, relays)
    nest.Connect(relays, recorder)
    sources[name] = relays, recorder
nest.Simulate(T)
for name, (relays, recorder) in sources.items():
    events = recorder.get("events")
    trains = [events["times"][events["senders"] == node] for node in relays.tolist()]
    bins = np.arange(0.0, T + 1.0, 10.0)
    counts = np.array([np.histogram(train, bins)[0] for train in trains])
    print(
        f"{name}: {recorder.n_events / len(relays) / T * 1e3:.1f} spikes/s, CV {np.mean([cv(t) for t in trains]):.2f}, correlation {np.corrcoef(counts)[np.triu_indices(20, 1)].mean():.2f}"
    )
