# SPDX-License-Identifier: Apache-2.0
"""Recorders: what they keep, when, and where the back ends put it."""

from pathlib import Path

import numpy as np
from tests.nest.corpus.neurons import recorded
from tests.nest.corpus.values import error, holds, near, spikes


def regular(nest, n=1, current=450.0):
    return nest.Create("iaf_psc_exp", n, {"I_e": current})


def case_events_of_a_spike_recorder(nest):
    cells, recorder = regular(nest, 2), nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(60.0)
    events = recorder.events
    return {
        "keys": sorted(events),
        "times": spikes(events["times"]),
        "senders": sorted(events["senders"].tolist()),
        "n": recorder.n_events,
        "types": [str(events["times"].dtype), str(events["senders"].dtype)],
    }


def case_empty_events(nest):
    recorder, meter = nest.Create("spike_recorder"), nest.Create("multimeter", params={"record_from": ["V_m"]})
    nest.Connect(regular(nest), recorder)
    numbers = [{key: len(value) for key, value in device.events.items()} for device in (recorder, meter)]
    return {"spikes": holds(numbers[0]), "meter": holds(numbers[1]), "n": [recorder.n_events, meter.n_events]}


def case_events_are_cleared(nest):
    cell, recorder = regular(nest), nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    nest.Simulate(60.0)
    before = recorder.n_events
    recorder.n_events = 0
    cleared = recorder.n_events
    nest.Simulate(60.0)
    return {
        "before": before,
        "cleared": cleared,
        "after": spikes(recorder.events["times"]),
        "other": error(lambda: recorder.set(n_events=5)),
    }


def case_window(nest):
    cell, recorder = regular(nest, 1, 900.0), nest.Create("spike_recorder", params={"start": 20.0, "stop": 50.0})
    nest.Connect(cell, recorder)
    nest.Simulate(100.0)
    return {"times": spikes(recorder.events["times"])}


def case_window_with_origin(nest):
    cell, recorder = regular(nest, 1, 900.0), nest.Create("spike_recorder", params={"start": 10.0, "stop": 30.0, "origin": 40.0})
    nest.Connect(cell, recorder)
    nest.Simulate(100.0)
    return {"times": spikes(recorder.events["times"])}


def case_edges_of_the_window(nest):
    """(start, stop]: a spike at start is not recorded, one at stop is."""
    relay, recorder = nest.Create("parrot_neuron"), nest.Create("spike_recorder", params={"start": 5.0, "stop": 8.0})
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}), relay)
    nest.Connect(relay, recorder)
    nest.Simulate(20.0)
    return {"times": spikes(recorder.events["times"])}


def case_two_recorders_and_parts(nest):
    cells, first, second = (
        nest.Create("iaf_psc_exp", 4, {"I_e": [400.0, 450.0, 500.0, 550.0]}),
        nest.Create("spike_recorder"),
        nest.Create("spike_recorder"),
    )
    nest.Connect(cells[:3], first)
    nest.Connect(cells[2:], second)
    nest.Simulate(100.0)
    return {
        "first": sorted(set(first.events["senders"].tolist())),
        "second": sorted(set(second.events["senders"].tolist())),
        "numbers": [first.n_events, second.n_events],
    }


def case_time_in_steps(nest):
    cell, recorder = regular(nest), nest.Create("spike_recorder", params={"time_in_steps": True})
    nest.Connect(cell, recorder)
    nest.Simulate(60.0)
    events = recorder.events
    return {
        "keys": sorted(events),
        "times": [int(time) for time in events["times"]],
        "offsets": [float(value) for value in events["offsets"]],
    }


def case_several_recorders_in_one_collection(nest):
    cells, recorders = nest.Create("iaf_psc_exp", 3, {"I_e": [400.0, 500.0, 600.0]}), nest.Create("spike_recorder", 3)
    nest.Connect(cells, recorders, "one_to_one")
    nest.Simulate(100.0)
    return {"n": recorders.n_events, "events": [spikes_of(events) for events in recorders.events]}


def spikes_of(events):
    return sorted(round(float(time), 6) for time in events["times"])


def case_multimeter_samples(nest):
    cells, meter = (
        nest.Create("iaf_psc_exp", 2, {"I_e": [300.0, 350.0]}),
        nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"], "interval": 2.0}),
    )
    nest.Connect(meter, cells)
    nest.Simulate(11.0)
    events = meter.events
    order = np.lexsort((events["senders"], events["times"]))
    return {
        "keys": sorted(events),
        "times": near(np.array(events["times"])[order]),
        "senders": np.array(events["senders"])[order],
        "V_m": near(np.array(events["V_m"])[order]),
    }


def case_multimeter_default_interval(nest):
    cell, meter = regular(nest), nest.Create("multimeter", params={"record_from": ["V_m"]})
    nest.Connect(meter, cell)
    nest.Simulate(10.0)
    return {"times": near(meter.events["times"]), **recorded(meter, 1e-9)}


def case_multimeter_of_each_step(nest):
    cell, meter = regular(nest), nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.1})
    nest.Connect(meter, cell)
    nest.Simulate(20.0)
    return {"times": near(meter.events["times"]), **recorded(meter, 1e-9)}


def case_multimeter_offset(nest):
    cell, meter = regular(nest), nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 3.0, "offset": 1.5})
    nest.Connect(meter, cell)
    nest.Simulate(20.0)
    return {"times": near(meter.events["times"]), **recorded(meter, 1e-9)}


def case_multimeter_window(nest):
    cell, meter = regular(nest), nest.Create("multimeter", params={"record_from": ["V_m"], "start": 5.0, "stop": 12.0})
    nest.Connect(meter, cell)
    nest.Simulate(20.0)
    return {"times": near(meter.events["times"])}


def case_multimeter_in_pieces(nest):
    cell, meter = regular(nest), nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.7})
    nest.Connect(meter, cell)
    for piece in (3.0, 0.1, 6.9):
        nest.Simulate(piece)
    return {"times": near(meter.events["times"]), **recorded(meter, 1e-9)}


def case_multimeter_refuses(nest):
    cell = regular(nest)

    def connected(**params):
        return error(lambda: nest.Connect(nest.Create("multimeter", params=params), cell))

    return {
        "quantity": connected(record_from=["no_such"]),
        "interval": error(lambda: nest.Create("multimeter", params={"interval": 0.05})),
        "zero": error(lambda: nest.Create("multimeter", params={"interval": 0.0})),
        "off grid": error(lambda: nest.Create("multimeter", params={"interval": 0.25})),
    }


def case_multimeter_cannot_change_what_it_records(nest):
    cell, meter = regular(nest), nest.Create("multimeter", params={"record_from": ["V_m"]})
    nest.Connect(meter, cell)
    return {"record_from": error(lambda: meter.set(record_from=["I_syn_ex"])), "interval": error(lambda: meter.set(interval=2.0))}


def case_voltmeter(nest):
    cell, meter = regular(nest), nest.Create("voltmeter")
    nest.Connect(meter, cell)
    nest.Simulate(10.0)
    return {"keys": sorted(meter.events), "from": list(map(str, meter.record_from)), **recorded(meter, 1e-9)}


def case_multimeter_in_steps(nest):
    cell, meter = regular(nest), nest.Create("multimeter", params={"record_from": ["V_m"], "time_in_steps": True, "interval": 2.5})
    nest.Connect(meter, cell)
    nest.Simulate(10.0)
    return {"times": [int(time) for time in meter.events["times"]], "keys": sorted(meter.events)}


def case_recordables_of_several_models(nest):
    meter, cells = nest.Create("multimeter", params={"record_from": ["V_m"]}), nest.Create("iaf_psc_exp") + nest.Create("iaf_cond_exp")
    nest.Connect(meter, cells)
    nest.Simulate(3.0)
    return {"senders": sorted(meter.events["senders"].tolist())}


def case_defaults(nest):
    names = ("start", "stop", "origin", "label", "n_events", "interval", "offset", "time_in_steps", "record_to")
    found = {}
    for model in ("spike_recorder", "multimeter", "voltmeter", "weight_recorder", "correlation_detector"):
        status = nest.GetDefaults(model)
        found[model] = holds(
            {key: "none" if isinstance(status[key], float) and status[key] > 1e300 else str(status[key]) for key in names if key in status}
        )
    return found


def case_weight_recorder(nest):
    recorder = nest.Create("weight_recorder")
    nest.CopyModel("static_synapse", "watched", {"weight_recorder": recorder, "weight": 2.5})
    relays = nest.Create("parrot_neuron", 3)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 3.0]}), relays[0])
    nest.Connect(relays[0], relays[1:], syn_spec="watched")
    nest.Simulate(10.0)
    events = recorder.events
    rows = sorted(
        zip(events["times"].tolist(), events["senders"].tolist(), events["targets"].tolist(), events["weights"].tolist(), strict=True)
    )
    return {"rows": rows, "keys": sorted(events)}


def case_weight_recorder_of_some(nest):
    relays = nest.Create("parrot_neuron", 4)
    recorder = nest.Create("weight_recorder", params={"senders": relays[:1], "targets": relays[2:]})
    nest.CopyModel("static_synapse", "watched", {"weight_recorder": recorder})
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0]}), relays[:2])
    nest.Connect(relays[:2], relays[2:], syn_spec="watched")
    nest.Simulate(10.0)
    return {"rows": sorted(zip(recorder.events["senders"].tolist(), recorder.events["targets"].tolist(), strict=True))}


def case_weight_recorder_of_receptors(nest):
    recorder = nest.Create("weight_recorder", params={"start": 2.5, "stop": 9.0})
    for model in ("static_synapse", "tsodyks2_synapse"):
        nest.CopyModel(model, f"watched {model}", {"weight_recorder": recorder})
    relays, cells = nest.Create("parrot_neuron", 2), nest.Create("iaf_psc_exp_multisynapse", 2, {"tau_syn": [1.0, 2.0, 3.0]})
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 3.0, 10.0]}), relays)
    for model, receptor, delay in (("static_synapse", 2, 1.1), ("tsodyks2_synapse", 3, 1.7)):
        nest.Connect(
            relays, cells, syn_spec={"synapse_model": f"watched {model}", "receptor_type": receptor, "delay": delay, "weight": 2.0}
        )
    nest.Simulate(20.0)
    events = recorder.events
    names = ("times", "senders", "targets", "receptors")
    return {"rows": sorted(zip(*(events[name].tolist() for name in names), strict=True)), "weights": near(sorted(events["weights"]), 1e-12)}


def case_weight_recorder_in_pieces(nest):
    """Senders that change, what was cleared, and connections of devices, which are not recorded."""
    recorder = nest.Create("weight_recorder")
    nest.SetDefaults("static_synapse", {"weight_recorder": recorder})
    relays = nest.Create("parrot_neuron", 3)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 12.0, 23.0]}), relays[:2])
    nest.Connect(relays[:2], relays[2])
    nest.Connect(relays, nest.Create("spike_recorder"))
    found = {}
    for key, senders in (("all", nest.NodeCollection()), ("second", relays[1:]), ("third", relays[2:])):
        recorder.set(senders=senders)
        nest.Simulate(11.0)
        found[key] = sorted(zip(recorder.events["times"].tolist(), recorder.events["senders"].tolist(), strict=True))
    recorder.n_events = 0
    return found | {"keys": sorted(recorder.events), "n": recorder.n_events, "senders": recorder.senders.tolist()}


def case_weight_recorder_refuses(nest):
    recorders, cells = nest.Create("weight_recorder", 2), nest.Create("iaf_psc_exp", 2)

    def named(value):
        return error(lambda: nest.SetDefaults("static_synapse", {"weight_recorder": value}))

    return {
        "two": named(recorders),
        "none": named(nest.NodeCollection()),
        "neuron": named(cells[0]),
        "number": named(3),
        "connect": error(lambda: nest.Connect(cells, cells, syn_spec={"synapse_model": "static_synapse", "weight_recorder": recorders[0]})),
        "to": error(lambda: nest.Connect(cells, recorders)),
        "from": error(lambda: nest.Connect(recorders, cells)),
        "senders": error(lambda: recorders[0].set(senders=3)),
    }


def case_correlation_detector(nest):
    detector = nest.Create("correlation_detector", params={"tau_max": 5.0, "delta_tau": 1.0, "Tstart": 0.0, "Tstop": 100.0})
    relays = nest.Create("parrot_neuron", 2)
    for port, times in enumerate(([10.0, 20.0, 33.0, 60.0], [11.0, 20.5, 30.0, 62.0])):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), relays[port])
        nest.Connect(relays[port], detector, syn_spec={"receptor_type": port})
    nest.Simulate(120.0)
    return {"histogram": near(detector.histogram), "counts": near(detector.count_histogram), "n": np.asarray(detector.n_events)}


def case_correlomatrix_detector(nest):
    found = {}
    for name, more in {"all": {}, "counted": {"Tstart": 30.0, "Tstop": 80.0}, "window": {"start": 30.0, "stop": 80.0}}.items():
        nest.ResetKernel()
        detector = nest.Create("correlomatrix_detector", params={"N_channels": 3, "delta_tau": 0.5, "tau_max": 4.0, **more})
        for channel in range(3):
            relay, times = nest.Create("parrot_neuron"), [round(3.0 + (2.3 + channel) * k % 101.0, 1) for k in range(40)]
            nest.Connect(nest.Create("spike_generator", params={"spike_times": sorted(times)}), relay)
            nest.Connect(relay, detector, syn_spec={"receptor_type": channel, "weight": 1.0 + channel})
        nest.Simulate(120.0)
        found |= {f"{name} {key}": near(detector.get(key)) for key in ("covariance", "count_covariance", "n_events")}
    found["even"] = error(lambda: nest.Create("correlomatrix_detector", params={"delta_tau": 0.2, "tau_max": 1.0}))
    found["no such channel"] = error(lambda: nest.Connect(relay, detector, syn_spec={"receptor_type": 3}))
    return found


def case_spin_detector(nest):
    generator = nest.Create("spike_generator", params={"spike_times": [1.0, 4.0, 6.0, 6.5], "spike_multiplicities": [2, 1, 2, 1]})
    relay, detector = nest.Create("parrot_neuron"), nest.Create("spin_detector")
    nest.Connect(generator, relay)
    nest.Connect(relay, detector)
    nest.Simulate(10.0)
    events = detector.events
    return {
        "keys": sorted(events),
        "times": near(events["times"]),
        "state": [int(state) for state in events["state"]],
        "n": detector.n_events,
    }


def case_correlospinmatrix_detector(nest):
    """Two neurons with two states, played by parrots: one is in state 1 from 3.0 to 3.5 ms and from 6 to 8 ms, the other from 4.0 to 4.7 ms."""
    found = {}
    for name, bins in {"fine": {"delta_tau": 0.1, "tau_max": 2.0}, "coarse": {"delta_tau": 0.3, "tau_max": 2.1}}.items():
        nest.ResetKernel()
        detector = nest.Create("correlospinmatrix_detector", params={"N_channels": 2, **bins})
        for channel, (times, numbers) in enumerate((([2.0, 2.5, 5.0, 7.0, 9.0], [2, 1, 2, 1, 2]), ([3.0, 3.7], [2, 1]))):
            relay, params = nest.Create("parrot_neuron"), {"spike_times": times, "spike_multiplicities": numbers}
            nest.Connect(nest.Create("spike_generator", params=params), relay)
            nest.Connect(relay, detector, syn_spec={"receptor_type": channel})
        nest.Simulate(20.0)
        found[name] = near(detector.count_covariance)
    return found


def case_bad_backend(nest):
    return {name: error(lambda name=name: nest.Create("spike_recorder", params={"record_to": name})) for name in ("no_such", "")}


def lines_of(path):
    return [line for line in Path(path).read_text().splitlines() if not line.startswith("#")]


def case_ascii_spikes(nest):
    cells, recorder = regular(nest, 2), nest.Create("spike_recorder", params={"record_to": "ascii", "label": "mine"})
    nest.Connect(cells, recorder)
    nest.Simulate(40.0)
    names = [str(name) for name in recorder.filenames]
    lines = lines_of(names[0])
    return {
        "names": [Path(name).name for name in names],
        "head": lines[0].split("\t"),
        "rows": sorted(line.split("\t") for line in lines[1:]),
    }


def case_ascii_multimeter(nest):
    cell, meter = (
        regular(nest),
        nest.Create(
            "multimeter", params={"record_to": "ascii", "record_from": ["V_m"], "precision": 5, "file_extension": "txt", "interval": 5.0}
        ),
    )
    nest.Connect(meter, cell)
    nest.Simulate(20.0)
    lines = lines_of(meter.filenames[0])
    return {
        "name": Path(str(meter.filenames[0])).name,
        "head": lines[0].split("\t"),
        "rows": sorted(line.split("\t") for line in lines[1:]),
    }


def case_ascii_in_steps(nest):
    cell, recorder = regular(nest), nest.Create("spike_recorder", params={"record_to": "ascii", "time_in_steps": True})
    nest.Connect(cell, recorder)
    nest.Simulate(40.0)
    lines = lines_of(recorder.filenames[0])
    return {
        "name": Path(str(recorder.filenames[0])).name,
        "head": lines[0].split("\t"),
        "rows": [line.split("\t")[:2] for line in lines[1:]],
    }


def case_ascii_paths(nest):
    Path("here").mkdir()
    nest.set(data_path="here", data_prefix="run1_")
    cell, recorder = regular(nest), nest.Create("spike_recorder", params={"record_to": "ascii"})
    nest.Connect(cell, recorder)
    nest.Simulate(20.0)
    return {"files": sorted(path.name for path in Path("here").iterdir())}


def case_ascii_does_not_overwrite(nest):
    def run(overwrite):
        nest.ResetKernel()
        nest.overwrite_files = overwrite
        cell, recorder = regular(nest), nest.Create("spike_recorder", params={"record_to": "ascii", "label": "same"})
        nest.Connect(cell, recorder)
        nest.Simulate(20.0)

    run(False)
    return {"refused": error(lambda: run(False)), "allowed": error(lambda: run(True))}


def case_screen(nest):
    cell, recorder = regular(nest), nest.Create("spike_recorder", params={"record_to": "screen"})
    nest.Connect(cell, recorder)
    return {"runs": error(lambda: nest.Simulate(20.0))}


def case_recorders_on_two_threads(nest):
    nest.local_num_threads = 2
    cells, recorder, meter = (
        nest.Create("iaf_psc_exp", 4, {"I_e": [400.0, 450.0, 500.0, 550.0]}),
        nest.Create("spike_recorder"),
        nest.Create("voltmeter"),
    )
    nest.Connect(cells, recorder)
    nest.Connect(meter, cells)
    nest.Simulate(100.0)
    events = recorder.events
    rows = sorted(zip(np.round(events["times"], 6).tolist(), events["senders"].tolist(), strict=True))
    order = np.lexsort((meter.events["senders"], meter.events["times"]))
    return {"rows": rows, "n": meter.n_events, "V_m": near(np.array(meter.events["V_m"])[order])}


def case_recorder_delay_does_not_matter(nest):
    cell, recorder = regular(nest), nest.Create("spike_recorder")
    nest.Connect(cell, recorder, syn_spec={"delay": 5.0})
    nest.Simulate(60.0)
    return {"times": spikes(recorder.events["times"])}


def case_weighted_recording(nest):
    """The weight of a connection to a recorder has no effect."""
    cell, recorder = regular(nest), nest.Create("spike_recorder")
    nest.Connect(cell, recorder, syn_spec={"weight": -3.0})
    nest.Simulate(60.0)
    return {"n": recorder.n_events}


def case_same_node_twice(nest):
    cell, recorder = regular(nest), nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    nest.Connect(cell, recorder)
    nest.Simulate(50.0)
    return {"times": spikes(recorder.events["times"])}


def case_ascii_weights(nest):
    recorder = nest.Create("weight_recorder", params={"record_to": "ascii", "precision": 4})
    nest.CopyModel("static_synapse", "watched", {"weight_recorder": recorder, "weight": 2.5})
    relays = nest.Create("parrot_neuron", 3)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 3.0]}), relays[0])
    nest.Connect(relays[0], relays[1:], syn_spec="watched")
    nest.Simulate(10.0)
    return {"lines": sorted(line.rpartition("\t")[0] for line in lines_of(recorder.filenames[0]))}  # ports are of a thread
