# SPDX-License-Identifier: Apache-2.0
"""Generators: what arrives at a parrot (spikes) or moves a membrane (currents)."""

import numpy as np
from tests.nest.corpus.neurons import intervals, recorded, spike_numbers
from tests.nest.corpus.values import counts, error, holds, near, sample, spikes

GENERATORS = (
    "poisson_generator", "spike_generator", "dc_generator", "ac_generator", "noise_generator", "step_current_generator", "step_rate_generator",
    "inhomogeneous_poisson_generator", "sinusoidal_poisson_generator", "sinusoidal_gamma_generator", "gamma_sup_generator", "ppd_sup_generator", "mip_generator",
    "pulsepacket_generator", "poisson_generator_ps", "spike_dilutor", "spike_train_injector",
)  # fmt: skip
LEFT_OUT = ("y_0", "y_1", "label", "stimulus_source")


def defaults(model):
    def case(nest):
        status = {key: value for key, value in nest.GetDefaults(model).items() if key not in LEFT_OUT and isinstance(value, (int, float))}
        own = {
            key: status[key]
            for key in status
            if key
            not in (
                "capacity",
                "elementsize",
                "global_id",
                "local",
                "model_id",
                "node_uses_wfr",
                "thread",
                "thread_local_id",
                "vp",
                "frozen",
            )
        }
        names = (
            "Ca",
            "archiver_length",
            "available",
            "beta_Ca",
            "instantiations",
            "post_trace",
            "t_spike",
            "tau_Ca",
            "tau_minus",
            "tau_minus_triplet",
        )
        return {"defaults": holds({key: "none" if abs(value) > 1e300 else value for key, value in own.items() if key not in names})}

    return case


for _model in GENERATORS:
    globals()[f"case_{_model}_defaults"] = defaults(_model)


def relayed(nest, generator, time, n=1, weight=1.0, delay=1.0):
    """Recorder of `n` parrots that get the spikes of the generator: a spike at t arrives there at t + delay."""
    relays, recorder = nest.Create("parrot_neuron", n), nest.Create("spike_recorder")
    nest.Connect(generator, relays, syn_spec={"weight": weight, "delay": delay})
    nest.Connect(relays, recorder)
    nest.Simulate(time)
    return recorder


def membrane(nest, generator, time, atol=1e-9, delay=1.0, interval=0.5, **params):
    """Voltage of a neuron that gets the current."""
    cell, meter = nest.Create("iaf_psc_alpha", params=params), nest.Create("voltmeter", params={"interval": interval})
    nest.Connect(generator, cell, syn_spec={"delay": delay})
    nest.Connect(meter, cell)
    nest.Simulate(time)
    return recorded(meter, atol)


def numbers_per_bin(recorder, relays, width, time):
    """Spikes of each relay in each bin, pooled."""
    events = recorder.events
    bins = np.floor((np.asarray(events["times"]) - 1e-6) / width).astype(int)
    table = np.zeros((relays + 1000, int(time / width) + 1), dtype=int)
    np.add.at(table, (np.asarray(events["senders"], dtype=int), bins), 1)
    return table[table.sum(axis=1) > 0]


def case_poisson_intervals(nest):
    recorder = relayed(nest, nest.Create("poisson_generator", params={"rate": 200.0}), 300.0, 40)
    return {"intervals": sample(intervals(recorder)), "numbers": counts(spike_numbers(recorder, 41)[1:])}


def case_poisson_trains_are_independent(nest):
    recorder = relayed(nest, nest.Create("poisson_generator", params={"rate": 100.0}), 500.0, 2)
    events = recorder.events
    trains = [set(events["times"][events["senders"] == sender].tolist()) for sender in (2, 3)]
    return {"shared": len(trains[0] & trains[1]) < 10}


def case_poisson_window(nest):
    generator = nest.Create("poisson_generator", params={"rate": 20000.0, "start": 10.0, "stop": 20.0})
    times = relayed(nest, generator, 40.0).events["times"]
    return {"first": float(times.min()), "last": float(times.max()), "number": bool(150 < len(times) < 260)}


def case_poisson_origin(nest):
    generator = nest.Create("poisson_generator", params={"rate": 20000.0, "start": 1.0, "stop": 3.0, "origin": 10.0})
    times = relayed(nest, generator, 40.0).events["times"]
    return {"first": float(times.min()), "last": float(times.max())}


def case_poisson_several_per_step(nest):
    recorder = relayed(nest, nest.Create("poisson_generator", params={"rate": 30000.0}), 100.0)
    per_step = np.bincount(np.round(np.asarray(recorder.events["times"]) * 10).astype(int), minlength=1001)[11:]
    return {"per step": counts(per_step)}


def case_poisson_rate_changes(nest):
    generator = nest.Create("poisson_generator", params={"rate": 0.0})
    recorder = relayed(nest, generator, 50.0)
    before = recorder.n_events
    generator.rate = 5000.0
    nest.Simulate(200.0)
    return {"before": before, "after": bool(850 < recorder.n_events < 1150)}


def case_bad_rates(nest):
    return {
        "negative": error(lambda: nest.Create("poisson_generator", params={"rate": -1.0})),
        "text": error(lambda: nest.Create("poisson_generator", params={"rate": "a"})),
    }


def case_spike_generator_times(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [0.1, 1.0, 1.0, 5.5, 20.0]})
    return {"times": spikes(relayed(nest, generator, 30.0, delay=0.5).events["times"])}


def case_spike_generator_multiplicities(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [1.0, 3.0, 5.0], "spike_multiplicities": [1, 3, 2]})
    return {"times": spikes(relayed(nest, generator, 10.0).events["times"])}


def case_spike_generator_weights(nest):
    generator, cell = (
        nest.Create("spike_generator", params={"spike_times": [1.0, 3.0, 5.0], "spike_weights": [1.0, -2.0, 0.5]}),
        nest.Create("iaf_psc_delta"),
    )
    meter = nest.Create("voltmeter", params={"interval": 0.1})
    nest.Connect(generator, cell, syn_spec={"weight": 2.0})
    nest.Connect(meter, cell)
    nest.Simulate(10.0)
    return recorded(meter, 1e-9)


def case_spike_generator_window(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [1.0, 2.0, 3.0, 4.0, 5.0], "start": 2.0, "stop": 4.0})
    return {"times": spikes(relayed(nest, generator, 10.0).events["times"])}


def case_spike_generator_origin(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [1.0, 2.0, 3.0], "origin": 5.0})
    return {"times": spikes(relayed(nest, generator, 15.0).events["times"])}


def case_spike_generator_refuses(nest):
    def raised(**params):
        return error(lambda: nest.Create("spike_generator", params=params))

    return {
        "off grid": raised(spike_times=[1.05]),
        "unsorted": raised(spike_times=[3.0, 1.0]),
        "zero": raised(spike_times=[0.0]),
        "negative": raised(spike_times=[-1.0]),
        "weights": raised(spike_times=[1.0, 2.0], spike_weights=[1.0]),
        "multiplicities": raised(spike_times=[1.0, 2.0], spike_multiplicities=[1]),
        "both": raised(spike_times=[1.0], precise_times=True, allow_offgrid_times=True),
    }


def case_spike_generator_off_grid(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [1.02, 2.07, 3.05], "allow_offgrid_times": True})
    return {"kept": near(generator.spike_times), "times": spikes(relayed(nest, generator, 10.0).events["times"])}


def case_spike_generator_shifts_now(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [0.0, 2.0], "shift_now_spikes": True})
    return {"times": spikes(relayed(nest, generator, 10.0).events["times"])}


def case_spike_generator_new_times(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [1.0]})
    recorder = relayed(nest, generator, 5.0)
    generator.spike_times = [7.0, 9.0]
    nest.Simulate(10.0)
    return {"times": spikes(recorder.events["times"]), "past": error(lambda: generator.set(spike_times=[1.0]))}


def case_dc(nest):
    return membrane(nest, nest.Create("dc_generator", params={"amplitude": 250.0}), 50.0)


def case_dc_window(nest):
    return membrane(
        nest, nest.Create("dc_generator", params={"amplitude": 250.0, "start": 10.0, "stop": 30.0}), 50.0, interval=0.1, delay=2.0
    )


def case_dc_changed(nest):
    generator = nest.Create("dc_generator", params={"amplitude": 100.0})
    cell, meter = nest.Create("iaf_psc_exp"), nest.Create("voltmeter", params={"interval": 0.5})
    nest.Connect(generator, cell, syn_spec={"weight": 2.0})
    nest.Connect(meter, cell)
    nest.Simulate(10.0)
    generator.amplitude = -50.0
    nest.Simulate(20.0)
    return recorded(meter, 1e-9)


def case_ac(nest):
    return membrane(nest, nest.Create("ac_generator", params={"amplitude": 200.0, "offset": 100.0, "frequency": 40.0, "phase": 30.0}), 60.0)


def case_ac_window(nest):
    return membrane(nest, nest.Create("ac_generator", params={"amplitude": 200.0, "frequency": 50.0, "start": 10.0, "stop": 40.0}), 60.0)


def case_ac_current_recorded(nest):
    generator, meter = (
        nest.Create("ac_generator", params={"amplitude": 100.0, "frequency": 100.0}),
        nest.Create("multimeter", params={"record_from": ["I"], "interval": 0.5}),
    )
    nest.Connect(meter, generator)
    nest.Connect(generator, nest.Create("iaf_psc_alpha"))
    nest.Simulate(20.0)
    return recorded(meter, 1e-9)


def case_step_current(nest):
    generator = nest.Create(
        "step_current_generator", params={"amplitude_times": [1.0, 10.0, 20.5, 40.0], "amplitude_values": [100.0, -50.0, 300.0, 0.0]}
    )
    return membrane(nest, generator, 60.0, interval=0.1)


def case_step_current_window(nest):
    generator = nest.Create(
        "step_current_generator", params={"amplitude_times": [5.0, 20.0], "amplitude_values": [100.0, 200.0], "start": 10.0, "stop": 30.0}
    )
    return membrane(nest, generator, 50.0, interval=0.1)


def case_step_current_refuses(nest):
    def raised(times, values):
        return error(lambda: nest.Create("step_current_generator", params={"amplitude_times": times, "amplitude_values": values}))

    return {
        "unsorted": raised([5.0, 3.0], [1.0, 2.0]),
        "twice": raised([5.0, 5.0], [1.0, 2.0]),
        "lengths": raised([5.0, 6.0], [1.0]),
        "off grid": raised([5.05], [1.0]),
        "past": raised([0.0], [1.0]),
        "only times": error(lambda: nest.Create("step_current_generator", params={"amplitude_times": [5.0]})),
    }


def case_noise(nest):
    generator = nest.Create("noise_generator", params={"mean": 100.0, "std": 300.0, "dt": 1.0})
    cells, meter = nest.Create("iaf_psc_alpha", 150, {"V_th": 1000.0}), nest.Create("voltmeter", params={"interval": 50.0})
    nest.Connect(generator, cells)
    nest.Connect(meter, cells)
    nest.Simulate(250.0)
    return {"V_m": sample(np.asarray(meter.events["V_m"])[150:])}


def case_noise_modulated(nest):
    generator = nest.Create("noise_generator", params={"mean": 0.0, "std": 200.0, "std_mod": 150.0, "frequency": 20.0, "dt": 0.5})
    cells, meter = nest.Create("iaf_psc_alpha", 200, {"V_th": 1000.0}), nest.Create("voltmeter", params={"interval": 62.5})
    nest.Connect(generator, cells)
    nest.Connect(meter, cells)
    nest.Simulate(250.0)
    times = np.asarray(meter.events["times"])
    return {f"at {time}": sample(np.asarray(meter.events["V_m"])[times == time]) for time in (125.0, 187.5)}


def case_noise_refuses(nest):
    return {
        "std": error(lambda: nest.Create("noise_generator", params={"std": -1.0})),
        "dt": error(lambda: nest.Create("noise_generator", params={"dt": 0.15})),
    }


def case_inhomogeneous_poisson(nest):
    generator = nest.Create(
        "inhomogeneous_poisson_generator", params={"rate_times": [10.0, 110.0, 210.0], "rate_values": [1000.0, 200.0, 3000.0]}
    )
    table = numbers_per_bin(relayed(nest, generator, 310.0, 20), 20, 100.0, 310.0)
    return {"low": counts(table[:, 1]), "first": counts(table[:, 0]), "high": counts(table[:, 2])}


def case_inhomogeneous_poisson_refuses(nest):
    def raised(times, values):
        return error(lambda: nest.Create("inhomogeneous_poisson_generator", params={"rate_times": times, "rate_values": values}))

    return {
        "unsorted": raised([5.0, 3.0], [1.0, 2.0]),
        "lengths": raised([5.0], [1.0, 2.0]),
        "negative": raised([5.0], [-1.0]),
        "off grid": raised([5.05], [1.0]),
    }


def case_sinusoidal_poisson(nest):
    generator = nest.Create("sinusoidal_poisson_generator", params={"rate": 500.0, "amplitude": 400.0, "frequency": 10.0, "phase": 90.0})
    times = np.asarray(relayed(nest, generator, 1000.0, 10).events["times"]) - 1.0
    return {"phase": sample(times % 100.0)}


def case_sinusoidal_poisson_shared(nest):
    nest.SetDefaults("sinusoidal_poisson_generator", {"individual_spike_trains": False})
    generator = nest.Create("sinusoidal_poisson_generator", params={"rate": 500.0, "amplitude": 100.0, "frequency": 10.0})
    events = relayed(nest, generator, 100.0, 3).events
    trains = [events["times"][events["senders"] == sender].tolist() for sender in (2, 3, 4)]
    return {"same": trains[0] == trains[1] == trains[2]}


def case_sinusoidal_gamma(nest):
    generator = nest.Create("sinusoidal_gamma_generator", params={"rate": 100.0, "amplitude": 50.0, "frequency": 10.0, "order": 3.0})
    recorder = relayed(nest, generator, 1000.0, 15)
    return {"intervals": sample(intervals(recorder, 50.0)[::2]), "phase": sample((np.asarray(recorder.events["times"]) - 1.0) % 100.0)}


def case_gamma_superposition(nest):
    generator = nest.Create("gamma_sup_generator", params={"rate": 50.0, "gamma_shape": 4, "n_proc": 3})
    recorder = relayed(nest, generator, 500.0, 40)
    return {"intervals": sample(intervals(recorder, 100.0)[::2]), "numbers": counts(spike_numbers(recorder, 41)[1:])}


def case_gamma_of_one_process(nest):
    recorder = relayed(nest, nest.Create("gamma_sup_generator", params={"rate": 100.0, "gamma_shape": 5, "n_proc": 1}), 1500.0, 10)
    return {"intervals": sample(intervals(recorder, 100.0))}


def case_poisson_with_dead_time(nest):
    recorder = relayed(nest, nest.Create("ppd_sup_generator", params={"rate": 50.0, "dead_time": 5.0, "n_proc": 1}), 2000.0, 10)
    found = intervals(recorder, 100.0)
    return {"intervals": sample(found), "shortest": bool(found.min() >= 5.0)}


def case_poisson_with_dead_time_superposition(nest):
    recorder = relayed(
        nest,
        nest.Create(
            "ppd_sup_generator", params={"rate": 20.0, "dead_time": 10.0, "n_proc": 10, "relative_amplitude": 0.5, "frequency": 5.0}
        ),
        1000.0,
        10,
    )
    return {"phase": sample((np.asarray(recorder.events["times"]) - 1.0) % 200.0)}


def one_each(nest, model, params, n, time):
    """Spike times of `n` independent generators, each through a relay of its own: events with senders 1 .. n."""
    generators, relays, recorder = nest.Create(model, n, params), nest.Create("parrot_neuron", n), nest.Create("spike_recorder")
    nest.Connect(generators, relays, "one_to_one")
    nest.Connect(relays, recorder)
    nest.Simulate(time)
    return np.asarray(recorder.events["times"]) - 1.0, np.asarray(recorder.events["senders"]) - n


def case_multiple_interactions(nest):
    """Children of one generator share spikes; how many spikes of the mother a child gets is binomial."""
    recorder = relayed(nest, nest.Create("mip_generator", params={"rate": 100.0, "p_copy": 0.4}), 2000.0, 10)
    times, repeats = np.unique(np.asarray(recorder.events["times"]), return_counts=True)
    return {"together": counts(repeats), "many": len(times) > 100}


def case_multiple_interactions_rate(nest):
    times, senders = one_each(nest, "mip_generator", {"rate": 100.0, "p_copy": 0.4}, 60, 1000.0)
    return {"numbers": counts(np.bincount(senders, minlength=61)[1:]), "times": sample(times)}


def case_pulse_packets(nest):
    times, senders = one_each(nest, "pulsepacket_generator", {"pulse_times": [50.0, 120.0], "activity": 20, "sdev": 5.0}, 20, 200.0)
    return {
        "first": sample(times[times < 85.0]),
        "second": sample(times[times > 85.0]),
        "numbers": sorted(set(np.bincount(senders)[1:].tolist())),
    }


def case_pulse_packets_are_shared(nest):
    """All targets of a generator get the same packet."""
    events = relayed(
        nest, nest.Create("pulsepacket_generator", params={"pulse_times": [50.0], "activity": 20, "sdev": 5.0}), 100.0, 2
    ).events
    first, second = (sorted(events["times"][events["senders"] == sender].tolist()) for sender in (2, 3))
    return {"same": first == second}


def case_step_rate(nest):
    return {
        "defaults": error(
            lambda: nest.Create("step_rate_generator", params={"amplitude_times": [5.0, 10.0], "amplitude_values": [1.0, 2.0]})
        )
    }


def case_spike_train_injector(nest):
    injector = nest.Create("spike_train_injector", params={"spike_times": [1.0, 4.0, 4.0, 9.5], "spike_multiplicities": [1, 1, 2, 1]})
    return {"times": spikes(relayed(nest, injector, 20.0).events["times"])}


def case_currents_of_generators_recorded(nest):
    found, window = {}, {"start": 2.0, "stop": 6.0}
    step = {"amplitude_times": [1.0, 2.1, 4.0], "amplitude_values": [1.0, 2.0, 3.0]}
    for model, params in {"dc_generator": {"amplitude": 5.0, **window}, "step_current_generator": step}.items():
        nest.ResetKernel()
        device, meter = nest.Create(model, params=params), nest.Create("multimeter", params={"record_from": ["I"], "interval": 0.5})
        nest.Connect(device, nest.Create("iaf_psc_exp", 2), syn_spec={"weight": 3.0})
        nest.Connect(meter, device)
        nest.Simulate(4.0)
        nest.Simulate(4.0)
        found |= {f"{model} {key}": near(meter.events[key]) for key in ("times", "I")}
    return found


def case_rates_of_generators_recorded(nest):
    found = {}
    for model in ("sinusoidal_poisson_generator", "sinusoidal_gamma_generator"):
        device = nest.Create(model, params={"rate": 50.0, "amplitude": 20.0, "frequency": 100.0, "phase": 30.0, "start": 2.0})
        meter = nest.Create("multimeter", params={"record_from": ["rate"], "interval": 0.7})
        nest.Connect(meter, device)
        nest.Simulate(5.0)
        found[model] = near(meter.events["rate"])
    return found


def case_step_rate_recorded(nest):
    device = nest.Create("step_rate_generator", params={"amplitude_times": [1.0, 2.1, 4.0], "amplitude_values": [1.0, 2.0, 3.0]})
    meter = nest.Create("multimeter", params={"record_from": ["rate"], "interval": 0.5})
    nest.Connect(meter, device)
    nest.Simulate(6.0)
    return {"rate": near(meter.events["rate"]), "to a neuron": error(lambda: nest.Connect(device, nest.Create("iaf_psc_exp")))}


def case_noise_recorded(nest):
    device, meter = (
        nest.Create("noise_generator", params={"mean": 10.0, "std": 2.0, "dt": 0.5}),
        nest.Create("multimeter", params={"interval": 0.5}),
    )
    meter.record_from = ["I"]
    nest.Connect(device, nest.Create("iaf_psc_exp"))
    nest.Connect(meter, device)
    nest.Simulate(100.0)
    return {"I": sample(meter.events["I"])}


def case_spikes_of_generators_recorded(nest):
    """Without delay, and a train of its own for each recorder."""
    generator, recorders = (
        nest.Create("poisson_generator", params={"rate": 20000.0, "start": 1.0, "stop": 21.0}),
        nest.Create("spike_recorder", 2),
    )
    nest.Connect(generator, recorders)
    nest.Simulate(30.0)
    first, second = (recorder.events["times"].tolist() for recorder in recorders)
    times = np.array(first + second)
    return {
        "edges": [float(times.min()), float(times.max())],
        "numbers": counts(np.histogram(times, 40, (1.1, 21.1))[0]),
        "senders": sorted({int(sender) for recorder in recorders for sender in recorder.events["senders"]}),
        "same": first == second,
    }


def case_frozen_generator(nest):
    generator, relay, recorder = (
        nest.Create("dc_generator", params={"amplitude": 600.0}),
        nest.Create("iaf_psc_exp"),
        nest.Create("spike_recorder"),
    )
    nest.Connect(generator, relay)
    nest.Connect(relay, recorder)
    found = []
    for frozen in (True, False, True):
        generator.frozen = frozen
        nest.Simulate(50.0)
        found.append(recorder.n_events)
    return {"n": found}


def case_spike_dilutor(nest):
    source, dilutor = (
        nest.Create("spike_generator", params={"spike_times": np.arange(1.0, 500.0)}),
        nest.Create("spike_dilutor", params={"p_copy": 0.25}),
    )
    nest.Connect(source, dilutor)
    return {"numbers": counts(spike_numbers(relayed(nest, dilutor, 520.0, 20), 22)[2:])}


def case_generators_on_two_threads(nest):
    nest.local_num_threads = 2
    recorder = relayed(nest, nest.Create("poisson_generator", params={"rate": 300.0}), 150.0, 40)
    return {"numbers": counts(spike_numbers(recorder, 41)[1:]), "intervals": sample(intervals(recorder))}


def case_generators_with_different_rates(nest):
    generators, relays, recorder = (
        nest.Create("poisson_generator", 3, {"rate": [100.0, 500.0, 2000.0]}),
        nest.Create("parrot_neuron", 3),
        nest.Create("spike_recorder"),
    )
    nest.Connect(generators, relays, "one_to_one")
    nest.Connect(relays, recorder)
    nest.Simulate(1000.0)
    low, middle, high = spike_numbers(recorder, 6)[3:6]
    return {"low": bool(60 < low < 140), "middle": bool(400 < middle < 600), "high": bool(1800 < high < 2200)}


def case_spike_generator_cleared_by_empty_arrays(nest):
    device = nest.Create("spike_generator", params={"spike_times": [1.0, 2.0], "spike_multiplicities": [2, 3]})
    keys = ["spike_times", "spike_multiplicities", "spike_weights"]
    found = {"given": device.get(keys)}
    device.spike_multiplicities = np.array([], dtype=np.int64)
    for value in ([], (), np.array([])):
        device.spike_weights = value
    found["cleared"] = device.get(keys)
    device.spike_times = []
    return found | {"empty": device.get(keys), "types": [str(device.get(key).dtype) for key in keys]}
