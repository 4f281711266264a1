# SPDX-License-Identifier: Apache-2.0
"""Turns of phrase that scripts are full of."""

import numpy as np
from tests.nest.corpus.values import counts, error, near, sample, spikes


def regular(nest, n=2):
    cells, recorder = nest.Create("iaf_psc_alpha", n, {"I_e": 400.0}), nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    return cells, recorder


def case_events_by_old_status(nest):
    _, recorder = regular(nest)
    nest.Simulate(50.0)
    return {
        "events": spikes(nest.GetStatus(recorder, "events")[0]["times"]),
        "whole": sorted(nest.GetStatus(recorder)[0]["events"]),
        "n": nest.GetStatus(recorder, "n_events")[0],
    }


def case_status_lists_for_two_generators(nest):
    noise = nest.Create("poisson_generator", 2)
    nest.SetStatus(noise, [{"rate": 800.0}, {"rate": 150.0}])
    noise[0].rate = 900.0
    return {"rates": noise.rate, "get": noise.get("rate")}


def case_weights_and_delays_named_by_copies(nest):
    nest.CopyModel("static_synapse", "excitatory", {"weight": 2.0, "delay": 1.5})
    nest.CopyModel("static_synapse", "inhibitory", {"weight": -8.0, "delay": 1.5})
    nodes = nest.Create("iaf_psc_delta", 10)
    nest.Connect(nodes[:8], nodes, {"rule": "fixed_indegree", "indegree": 3}, "excitatory")
    nest.Connect(nodes[8:], nodes, conn_spec={"rule": "fixed_indegree", "indegree": 1}, syn_spec="inhibitory")
    numbers = [nest.GetDefaults(name)["num_connections"] for name in ("excitatory", "inhibitory")]
    return {"numbers": numbers, "all": nest.GetKernelStatus("num_connections"), "weights": sorted(set(nest.GetConnections().get("weight")))}


def case_loop_over_local_nodes(nest):
    nodes = nest.Create("iaf_psc_exp", 4)
    info = [(node.global_id, node.vp) for node in nodes if node.local]
    rng = np.random.default_rng(1)
    for node_id, _ in info:
        nest.NodeCollection([node_id]).set({"V_m": -70.0 + node_id})
    return {"info": info, "V_m": nodes.V_m, "drawn": bool(rng.random() < 1.0)}


def case_loop_with_set(nest):
    nodes = nest.Create("iaf_psc_exp", 3)
    for k, node in enumerate(nodes):
        node.set(I_e=10.0 * k)
        node.V_m = -60.0 - k
    return {"I_e": nodes.I_e, "V_m": nodes.V_m}


def case_voltage_by_sender(nest):
    cells, meter = nest.Create("iaf_psc_exp", 2, {"I_e": [200.0, 300.0]}), nest.Create("multimeter", params={"record_from": ["V_m"]})
    nest.Connect(meter, cells)
    nest.Simulate(20.0)
    events = meter.get("events")
    return {str(node): near(events["V_m"][events["senders"] == node]) for node in cells.global_id}


def case_record_from_without_a_list(nest):
    meter = nest.Create("multimeter")
    meter.set(record_from=["V_m", "I_syn_ex"], interval=0.5)
    cell = nest.Create("iaf_psc_exp")
    nest.Connect(meter, cell)
    nest.Simulate(3.0)
    return {"keys": sorted(meter.events), "n": meter.n_events}


def case_record_from_as_text(nest):
    return {"raises": error(lambda: nest.Create("multimeter", params={"record_from": "V_m"}))}


def case_keywords_of_connect(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    nest.Connect(pre=nodes, post=nodes, conn_spec="one_to_one", syn_spec={"weight": 2.0})
    return {"number": nest.num_connections}


def case_weight_statistics(nest):
    nodes = nest.Create("iaf_psc_exp", 40)
    nest.Connect(nodes, nodes, syn_spec={"weight": nest.random.normal(3.0, 1.0)})
    every = nest.GetConnections()
    return {
        "some": sample(every[::4].get("weight")),
        "one": len(every[10:20].get(["weight"])["weight"]),
        "sources": sorted(set(every[:40].get("source")))[:1],
    }


def case_connections_of_a_slice(nest):
    nodes = nest.Create("iaf_psc_exp", 6)
    nest.Connect(nodes, nodes, {"rule": "all_to_all", "allow_autapses": False})
    found = nest.GetConnections(source=nodes[:2], target=nodes[4:])
    return {"pairs": sorted(zip(found.source, found.target, strict=True))}


def case_set_of_a_slice_of_connections(nest):
    nodes = nest.Create("iaf_psc_exp", 4)
    nest.Connect(nodes[0], nodes, syn_spec={"weight": 1.0})
    nest.GetConnections()[:2].set(weight=5.0)
    nest.GetConnections()[3].weight = 7.0
    return {"weights": sorted(nest.GetConnections().weight)}


def case_defaults_of_generators_before_create(nest):
    nest.SetDefaults("poisson_generator", {"rate": 123.0})
    nest.SetDefaults("iaf_psc_delta", {"C_m": 1.0, "tau_m": 20.0, "E_L": 0.0, "V_th": 20.0, "V_m": 0.0, "V_reset": 10.0, "t_ref": 2.0})
    return {"rate": nest.Create("poisson_generator").rate, "V": nest.Create("iaf_psc_delta").get(["V_m", "V_th", "C_m"])}


def case_devices_in_a_dict(nest):
    generators = {name: nest.Create(name) for name in ("dc_generator", "poisson_generator", "spike_generator")}
    return {name: [str(device.model), device.start] for name, device in generators.items()}


def case_single_values_as_lists(nest):
    cell = nest.Create("iaf_psc_exp", params={"V_m": [-61.0]})
    cell.set({"I_e": [5.0]})
    return {"V_m": cell.V_m, "I_e": cell.I_e}


def case_numpy_values(nest):
    cells = nest.Create("iaf_psc_exp", 2, {"V_m": np.float64(-61.0), "I_e": np.array([1.0, 2.0]), "C_m": np.float32(200.0)})
    nest.Connect(cells, cells, syn_spec={"weight": np.float64(2.0), "delay": np.float64(1.5)})
    return {"V_m": cells.V_m, "I_e": cells.I_e, "C_m": cells.C_m, "weights": nest.GetConnections().weight}


def case_numpy_integers(nest):
    n, k = np.int64(5), np.int64(2)
    cells = nest.Create("iaf_psc_exp", n)
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": k})
    nest.Simulate(np.float64(3.0))
    return {"n": len(cells), "connections": nest.num_connections, "time": nest.biological_time}


def case_population_rate(nest):
    cells = nest.Create("iaf_psc_exp", 50)
    nest.Connect(nest.Create("poisson_generator", params={"rate": 9000.0}), cells, syn_spec={"weight": 45.0})
    recorder = nest.Create("spike_recorder", params={"start": 100.0})
    nest.Connect(cells, recorder)
    nest.Simulate(600.0)
    return {"numbers": counts(np.bincount(recorder.events["senders"], minlength=51)[1:51])}


def case_two_simulations_in_one_script(nest):
    found = []
    for current in (400.0, 500.0):
        nest.ResetKernel()
        nest.resolution = 0.1
        cell, recorder = nest.Create("iaf_psc_exp", params={"I_e": current}), nest.Create("spike_recorder")
        nest.Connect(cell, recorder)
        nest.Simulate(100.0)
        found.append(recorder.n_events)
    return {"spikes": found}


def case_threads_and_printing(nest):
    nest.set(local_num_threads=2, print_time=False, overwrite_files=True)
    _, recorder = regular(nest, 3)
    nest.Simulate(50.0)
    return {"n": recorder.n_events, "threads": nest.local_num_threads}


def case_pandas_of_events(nest):
    import pandas as pd

    _, recorder = regular(nest)
    nest.Simulate(60.0)
    table = pd.DataFrame(recorder.events)
    return {"columns": sorted(table.columns), "by sender": table.groupby("senders")["times"].count().tolist()}


def case_node_ids_in_arithmetic(nest):
    cells = nest.Create("iaf_psc_exp", 5)
    ids = np.array(cells.global_id) - cells[0].global_id
    return {"ids": ids, "reversed": [int(node) for node in sorted(cells.tolist(), reverse=True)], "last": cells[-1].global_id}


def case_membership_of_senders(nest):
    a, b = nest.Create("iaf_psc_exp", 2, {"I_e": 450.0}), nest.Create("iaf_psc_exp", 2, {"I_e": 500.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(a + b, recorder)
    nest.Simulate(100.0)
    senders = recorder.events["senders"]
    return {"a": int(np.isin(senders, a.tolist()).sum()), "b": sum(int(sender) in b for sender in senders)}


def case_continued_with_more_input(nest):
    cell, recorder = nest.Create("iaf_psc_exp"), nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    nest.Simulate(20.0)
    drive = nest.Create("spike_generator", params={"spike_times": nest.biological_time + np.array([5.0, 6.0, 7.0])})
    nest.Connect(drive, cell, syn_spec={"weight": 2000.0})
    nest.Simulate(20.0)
    return {"times": spikes(recorder.events["times"])}


def case_weights_reset_by_hand(nest):
    cells = nest.Create("iaf_psc_alpha", 3, {"I_e": 450.0})
    nest.Connect(cells, cells, syn_spec={"synapse_model": "stdp_synapse", "weight": 10.0})
    nest.Simulate(100.0)
    nest.GetConnections(cells, cells).weight = 10.0
    return {"weights": nest.GetConnections(cells, cells).weight}


def case_receptor_types_by_name(nest):
    receptors = nest.GetDefaults("ht_neuron")["receptor_types"]
    cells = nest.Create("ht_neuron", 2)
    nest.Connect(cells[0], cells[1], syn_spec={"receptor_type": receptors["AMPA"], "weight": 1.0})
    return {"receptor": nest.GetConnections().receptor}


def case_help_and_messages(nest):
    return {"help": error(lambda: nest.help("iaf_psc_exp", True)), "message": error(lambda: nest.message("a", nest.VerbosityLevel.INFO))}
