# SPDX-License-Identifier: Apache-2.0
"""What was found to differ from NEST once: connections, recorders and space."""

import numpy as np
from tests.nest.corpus.cases.gaps import pulse
from tests.nest.corpus.values import error, near

# --- connections


def case_order_of_connections(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Connect(cells[2], cells[:2], syn_spec={"synapse_model": "stdp_synapse"})
    nest.Connect(cells[1], cells, syn_spec={"weight": 2.0})
    nest.Connect(cells[0], cells[::2], syn_spec={"weight": 3.0})
    pulse(nest, cells, 4.0)
    found = nest.GetConnections()
    return {
        "all": list(zip(found.synapse_model, found.source, found.target, found.weight, strict=True)),
        "port": found.port,
        "ids": found.synapse_id,
    }


def case_threads_of_connections(nest):
    nest.local_num_threads = 2
    cells = nest.Create("iaf_psc_exp", 4)
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    found = nest.GetConnections()
    return {"threads": sorted(zip(found.source, found.target_thread, strict=True))}


def case_connections_refused_or_not(nest):
    cell, other = nest.Create("iaf_psc_exp", 2)
    found = {}
    meter = nest.Create("multimeter", params={"record_from": ["V_m"]})
    nest.Connect(meter, cell)
    found["twice"] = error(lambda: nest.Connect(meter, cell))
    found["other"] = error(lambda: nest.Connect(meter, other))
    found["static hom weight"] = error(lambda: nest.Connect(cell, cell, syn_spec={"synapse_model": "static_synapse_hom_w", "weight": 3.0}))
    found["chs"] = error(lambda: nest.Connect(nest.Create("dc_generator"), nest.Create("iaf_chs_2007")))
    found["array with repeats"] = error(lambda: nest.Connect(nest.Create("parrot_neuron", 3), np.array([1, 1, 2]), "one_to_one"))
    found["receptor floats"] = error(
        lambda: nest.Connect(
            [1, 1], [1, 2], "one_to_one", {"receptor_type": np.array([0.5, 1.0]), "weight": np.ones(2), "delay": np.ones(2)}
        )
    )
    found["p"] = error(lambda: nest.Connect(cell, other, {"rule": "all_to_all", "p": 0.5}))
    found["mask"] = error(lambda: nest.Connect(cell, other, {"rule": "one_to_one", "mask": {"circular": {"radius": 1.0}}}))
    return found


def case_receptors_of_meters(nest):
    cells, meters, other = nest.Create("iaf_psc_exp", 3), nest.Create("multimeter", 2), nest.Create("voltmeter")
    nest.Connect(meters, cells[:2])
    nest.Connect(other, cells)
    nest.Connect(cells, nest.Create("spike_recorder"))
    found = nest.GetConnections()
    return {"all": list(zip(found.source, found.target, found.receptor, found.port, strict=True))}


def case_sizes_of_connections(nest):
    found = {}
    for model in ("static_synapse", "stdp_synapse", "static_synapse_hom_w", "bernoulli_synapse", "tsodyks_synapse", "stdp_synapse_hom"):
        found[model] = nest.GetDefaults(model, "sizeof")
        nest.ResetKernel()
        cell = nest.Create("iaf_psc_exp")
        nest.Connect(cell, cell, syn_spec={"synapse_model": model})
        found[model + " c"] = nest.GetConnections().sizeof
    return found


def case_table_of_connections(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    nest.Connect(cells, cells[:2], syn_spec={"weight": 2.5})
    return {"text": str(nest.GetConnections()), "empty": str(nest.GetConnections(synapse_model="stdp_synapse"))}


def case_keys_of_mixed_connections(nest):
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(cells, cells, syn_spec={"synapse_model": "stdp_synapse", "alpha": 2.0})
    nest.Connect(cells, cells, "one_to_one")
    some = nest.GetConnections()
    return {
        "alpha": some.get("alpha"),
        "list": error(lambda: some.get(["alpha", "weight"])),
        "unknown": error(lambda: some.get("nothing")),
        "unknown is": some.get("nothing") if not error(lambda: some.get("nothing")) else "raised",
    }


def case_spike_counter_without_generators(nest):
    relay = nest.Create("parrot_neuron")
    pulse(nest, relay, 1.0, [1.0, 2.0, 3.0])
    nest.Simulate(5.0)
    found = {"relay": nest.local_spike_counter}
    nest.Simulate(5.0)
    return found | {"next": nest.local_spike_counter}


def case_weight_recorder_lists(nest):
    recorder = nest.Create("weight_recorder")
    found = {"new": [len(recorder.senders), len(recorder.targets)]}
    cells = nest.Create("parrot_neuron", 4)
    recorder.set(senders=[cells[0].global_id], targets=cells[2:])
    nest.CopyModel("stdp_synapse", "seen", {"weight_recorder": recorder})
    nest.Connect(cells[:2], cells[2:], syn_spec={"synapse_model": "seen", "weight": 3.0})
    pulse(nest, cells[:2], 1.0, [1.0, 4.0])
    nest.Simulate(10.0)
    events = recorder.events
    return found | {
        "events": sorted(zip(events["senders"].tolist(), events["targets"].tolist(), events["times"].tolist(), strict=True)),
        "keys": sorted(events),
    }


# --- recording


def case_frozen_and_recorded(nest):
    meter = nest.Create("multimeter", params={"record_from": ["V_m"]})
    cells = nest.Create("iaf_psc_exp", 2)
    nest.Connect(meter, cells)
    found = {"meter": error(lambda: meter.set(frozen=True)), "recorder": error(lambda: nest.Create("spike_recorder").set(frozen=True))}
    cells[0].frozen = True
    nest.Simulate(5.0)
    return found | {"senders": sorted(set(meter.events["senders"].tolist())), "n": meter.n_events}


def case_order_of_multimeter_events(nest):
    cells = nest.Create("iaf_psc_exp", 3)
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.5})
    nest.Connect(meter, cells)
    nest.Simulate(4.0)
    found = {"one": [meter.events["senders"], near(meter.events["times"])][0]}
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_exp", 3)
    nest.Connect(cells, cells, syn_spec={"delay": 1.5})
    meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.5})
    nest.Connect(meter, cells)
    nest.Simulate(4.0)
    found |= {"delays": meter.events["senders"], "times": near(meter.events["times"])}
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_exp", 3)
    meter = nest.Create("voltmeter")
    nest.Connect(meter, cells, syn_spec={"delay": 2.0})
    nest.Connect(cells, cells, syn_spec={"delay": 2.0})
    nest.Simulate(7.0)
    return found | {"two": meter.events["senders"], "two times": near(meter.events["times"])}


def case_headers_of_files(nest):
    from pathlib import Path

    nest.overwrite_files = True
    meter = nest.Create("multimeter", params={"record_from": ["V_m", "I_syn_ex"], "record_to": "ascii", "label": "meter", "interval": 0.5})
    recorder = nest.Create("spike_recorder", params={"record_to": "ascii", "label": "spikes"})
    cells = nest.Create("iaf_psc_exp", 2, {"I_e": 900.0})
    nest.Connect(meter, cells)
    nest.Connect(cells, recorder)
    nest.Simulate(10.0)
    return {name: [line.split() for line in Path(name).read_text().splitlines()[:6]] for name in sorted(map(str, Path().glob("*.dat")))}


def case_defaults_of_back_ends(nest):
    found = {}
    for to in ("memory", "ascii", "screen"):
        nest.ResetKernel()
        recorder = nest.Create("spike_recorder", params={"record_to": to})
        found[to] = sorted(
            key
            for key in recorder.get()
            if key in ("file_extension", "precision", "time_in_steps", "events", "filenames", "label", "n_events")
        )
        nest.ResetKernel()
        nest.SetDefaults("spike_recorder", {"record_to": to})
        found[to + " defaults"] = error(lambda: nest.GetDefaults("spike_recorder"))
    return found


def case_individual_spike_trains(nest):
    found = {}
    for model in ("sinusoidal_poisson_generator", "sinusoidal_gamma_generator"):
        nest.ResetKernel()
        source = nest.Create(model)
        found[model] = error(lambda s=source: s.set(individual_spike_trains=False))
        found[model + " create"] = error(lambda m=model: nest.Create(m, params={"individual_spike_trains": False}))
        nest.ResetKernel()
        found[model + " defaults"] = error(lambda m=model: nest.SetDefaults(m, {"individual_spike_trains": False}))
        nest.ResetKernel()
        found[model + " copy"] = error(lambda m=model: nest.CopyModel(m, "mine", {"individual_spike_trains": False}))
    return found


# --- space


def case_metadata_of_parts(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3]))
    return {
        "slice": layer[2:5].spatial is not None,
        "step": layer[::2].spatial is not None,
        "list": layer[[0, 3]].spatial is not None,
        "mask": layer[np.arange(9) % 2 == 0].spatial is not None,
        "one": layer[1].spatial is not None,
        "iter": next(iter(layer)).spatial is not None,
        "keys": sorted(layer[2:5].spatial or {}),
    }


def case_displacements_of_arrays(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3]))
    return {
        "flat": nest.Displacement(np.array([0.0, 0.0]), layer[0]),
        "flat distance": nest.Distance(np.array([0.1, 0.0]), layer[0]),
        "list": nest.Displacement([[0.0, 0.0]], layer[0]),
        "2d": error(lambda: nest.Displacement(np.array([[0.0, 0.0], [0.1, 0.1]]), layer[:2])),
    }


def case_apply_to_positions(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3]))
    distance = nest.spatial.distance
    return {
        "lists": near(distance.apply(layer[0], [[0.0, 0.1], [0.2, 0.3]])),
        "arrays": near(distance.apply(layer[0], [np.array([0.0, 0.1]), np.array([0.2, 0.3])])),
        "inconsistent": error(lambda: distance.apply(layer[0], [[0.0, 0.1], [0.2]])),
        "dimensions": error(lambda: distance.apply(layer[0], [[0.0, 0.1, 0.2]])),
        "unknown": error(lambda: layer.set(unknown=[1.0] * 9)),
    }


def case_oversized_masks(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3], edge_wrap=True))
    mask = {"circular": {"radius": 3.0}}
    found = {"refused": error(lambda: nest.Connect(layer, layer, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask}))}
    rule = {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask, "allow_oversized_mask": True}
    found["allowed"] = error(lambda: nest.Connect(layer, layer, rule))
    found["no multapses"] = error(lambda: nest.Connect(layer, layer, rule | {"allow_multapses": False}))
    found["indegree"] = error(
        lambda: nest.Connect(layer, layer, {"rule": "fixed_indegree", "indegree": 2, "mask": mask, "allow_oversized_mask": True})
    )
    return found


def case_values_stored_and_restored(nest):
    cells = nest.Create("iaf_psc_alpha", 3)
    cells.V_m = [-60.0, -61.0, -62.0]
    stored = cells.get(["V_m", "I_e"])
    nest.ResetKernel()
    cells = nest.Create("iaf_psc_alpha", 3)
    cells.set(stored)
    larger = nest.Create("iaf_psc_alpha", 2) + cells
    return {"V_m": cells.V_m, "wrong": error(lambda: larger.set(stored))}
