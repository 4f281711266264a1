# SPDX-License-Identifier: Apache-2.0
"""Kernel status, resetting, running."""

from tests.nest.corpus.values import error, near, sample, spikes


def case_defaults_of_the_kernel(nest):
    names = (
        "resolution",
        "biological_time",
        "local_num_threads",
        "total_num_virtual_procs",
        "num_processes",
        "rng_seed",
        "print_time",
        "overwrite_files",
        "data_prefix",
        "network_size",
        "num_connections",
        "keep_source_table",
        "use_compressed_spikes",
        "dict_miss_is_error",
        "ms_per_tic",
        "tics_per_ms",
    )
    return {name: getattr(nest, name) for name in names}


def case_set_and_get(nest):
    nest.set(resolution=0.2, rng_seed=5, overwrite_files=True)
    return {"one": nest.get("resolution"), "some": nest.get(["rng_seed", "overwrite_files"])}


def case_set_kernel_status(nest):
    nest.SetKernelStatus({"resolution": 0.5, "data_prefix": "run_"})
    return {
        "one": nest.GetKernelStatus("resolution"),
        "two": nest.GetKernelStatus(["resolution", "data_prefix"]),
        "attribute": nest.data_prefix,
    }


def case_kernel_status_is_a_dict(nest):
    status = nest.GetKernelStatus()
    wanted = ("resolution", "num_connections", "network_size", "min_delay", "max_delay", "rng_seed", "local_num_threads", "time_simulate")
    return {"has": [name in status for name in wanted], "type": type(status).__name__}


def case_unknown_names(nest):
    return {
        "write": error(lambda: setattr(nest, "no_such_thing", 1)),
        "set": error(lambda: nest.set(no_such_thing=1)),
        "get": error(lambda: nest.get("no_such_thing")),
        "SetKernelStatus": error(lambda: nest.SetKernelStatus({"no_such_thing": 1})),
        "GetKernelStatus": error(lambda: nest.GetKernelStatus("no_such_thing")),
        "read": error(lambda: nest.no_such_thing),
    }


def case_read_only_names(nest):
    return {
        "network_size": error(lambda: setattr(nest, "network_size", 3)),
        "num_connections": error(lambda: setattr(nest, "num_connections", 3)),
        "num_processes": error(lambda: setattr(nest, "num_processes", 2)),
        "set": error(lambda: nest.set(network_size=3)),
        "function": error(lambda: setattr(nest, "Create", None)),
    }


def case_bad_values(nest):
    return {
        "resolution": error(lambda: setattr(nest, "resolution", -0.1)),
        "seed": error(lambda: setattr(nest, "rng_seed", 0)),
        "seed type": error(lambda: setattr(nest, "rng_seed", "a")),
        "resolution type": error(lambda: setattr(nest, "resolution", "a")),
        "time": error(lambda: setattr(nest, "biological_time", 5.0)),
    }


def case_resolution_is_fixed_by_nodes(nest):
    nest.resolution = 0.5
    nest.Create("iaf_psc_exp")
    return {"set": error(lambda: setattr(nest, "resolution", 0.1)), "still": nest.resolution}


def case_threads_are_fixed_by_nodes(nest):
    nest.local_num_threads = 2
    before = nest.local_num_threads, nest.total_num_virtual_procs
    nest.Create("iaf_psc_exp")
    return {"before": before, "set": error(lambda: setattr(nest, "local_num_threads", 1)), "still": nest.local_num_threads}


def case_virtual_processes_set_the_threads(nest):
    nest.total_num_virtual_procs = 2
    return {"threads": nest.local_num_threads, "all": nest.total_num_virtual_procs}


def case_reset(nest):
    nest.set(resolution=0.5, rng_seed=9)
    nest.SetDefaults("iaf_psc_exp", {"C_m": 111.0})
    nest.CopyModel("iaf_psc_exp", "mine")
    nest.Create("mine", 3)
    nest.Simulate(10.0)
    nest.ResetKernel()
    return {
        "resolution": nest.resolution,
        "seed": nest.rng_seed,
        "size": nest.network_size,
        "time": nest.biological_time,
        "C_m": nest.GetDefaults("iaf_psc_exp", "C_m"),
        "mine": "mine" in nest.node_models,
        "next id": nest.Create("iaf_psc_exp").global_id,
    }


def case_biological_time(nest):
    nest.Create("iaf_psc_exp")
    times = [nest.biological_time]
    for length in (1.0, 0.3, 10.0):
        nest.Simulate(length)
        times.append(nest.biological_time)
    return {"times": near(times)}


def case_time_can_be_set_back(nest):
    nest.Create("iaf_psc_exp")
    nest.Simulate(5.0)
    nest.biological_time = 0.0
    return {"time": nest.biological_time}


def case_bad_simulation_times(nest):
    nest.Create("iaf_psc_exp")
    found = {"off grid": error(lambda: nest.Simulate(0.15))}
    nest.ResetKernel()
    found["negative"] = error(lambda: nest.Simulate(-1.0))
    nest.ResetKernel()
    return found | {"text": error(lambda: nest.Simulate("a")), "none": error(lambda: nest.Simulate(None))}


def case_simulate_nothing(nest):
    nest.Create("iaf_psc_exp")
    nest.Simulate(0.0)
    return {"time": nest.biological_time}


def case_prepare_run_cleanup(nest):
    cell = nest.Create("iaf_psc_exp", params={"I_e": 500.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    nest.Prepare()
    for _ in range(5):
        nest.Run(20.0)
    nest.Cleanup()
    return {"times": spikes(recorder.events["times"]), "time": nest.biological_time}


def case_run_manager(nest):
    cell = nest.Create("iaf_psc_exp", params={"I_e": 500.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    with nest.RunManager():
        nest.Run(30.0)
        nest.Run(12.5)
    return {"times": spikes(recorder.events["times"]), "time": nest.biological_time}


def case_run_without_prepare(nest):
    nest.Create("iaf_psc_exp")
    return {"raises": error(lambda: nest.Run(5.0))}


def case_pieces_give_the_same_as_one(nest):
    def run(pieces):
        nest.ResetKernel()
        cell = nest.Create("iaf_psc_alpha", params={"I_e": 450.0})
        recorder = nest.Create("spike_recorder")
        nest.Connect(cell, recorder)
        for piece in pieces:
            nest.Simulate(piece)
        return recorder.events["times"].tolist()

    return {"same": run([200.0]) == run([50.0, 0.1, 99.9, 50.0]), "times": spikes(run([200.0]))}


def case_parameters_change_between_runs(nest):
    cell = nest.Create("iaf_psc_exp")
    recorder = nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    for current in (0.0, 450.0, 700.0, 0.0):
        cell.I_e = current
        nest.Simulate(50.0)
    return {"times": spikes(recorder.events["times"]), "V_m": near(cell.V_m)}


def case_nodes_added_between_runs(nest):
    recorder = nest.Create("spike_recorder")
    nest.Connect(nest.Create("iaf_psc_exp", params={"I_e": 450.0}), recorder)
    nest.Simulate(40.0)
    nest.Connect(nest.Create("iaf_psc_exp", params={"I_e": 450.0}), recorder)
    nest.Simulate(60.0)
    events = recorder.events
    return {"times": spikes(events["times"]), "senders": sorted(set(events["senders"].tolist())), "size": nest.network_size}


def case_coarse_resolution(nest):
    nest.resolution = 0.5
    cell = nest.Create("iaf_psc_exp", params={"I_e": 450.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cell, recorder, syn_spec={"delay": 1.0})
    nest.Simulate(200.0)
    return {"times": spikes(recorder.events["times"])}


def case_fine_resolution(nest):
    nest.resolution = 0.01
    cell = nest.Create("iaf_psc_alpha", params={"I_e": 450.0})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    nest.Simulate(100.0)
    return {"times": spikes(recorder.events["times"])}


def case_network_size_and_connections(nest):
    nodes = nest.Create("parrot_neuron", 10)
    nest.Connect(nodes, nodes, {"rule": "fixed_indegree", "indegree": 3})
    nest.Connect(nodes, nest.Create("spike_recorder"))
    return {"size": nest.network_size, "connections": nest.num_connections}


def case_delay_extrema_follow_the_connections(nest):
    nodes = nest.Create("parrot_neuron", 3)
    nest.Connect(nodes[0], nodes[1], syn_spec={"delay": 0.7})
    nest.Connect(nodes[1], nodes[2], syn_spec={"delay": 3.2})
    return {"min": near(nest.min_delay), "max": near(nest.max_delay)}


def case_delay_extrema_set_by_hand(nest):
    nest.set(min_delay=0.5, max_delay=2.5)
    nodes = nest.Create("parrot_neuron", 2)
    found = {"min": nest.min_delay, "max": nest.max_delay, "inside": error(lambda: nest.Connect(nodes, nodes, syn_spec={"delay": 2.0}))}
    return found | {
        "below": error(lambda: nest.Connect(nodes, nodes, syn_spec={"delay": 0.3})),
        "above": error(lambda: nest.Connect(nodes, nodes, syn_spec={"delay": 3.0})),
    }


def case_delay_extrema_come_in_pairs(nest):
    return {"min": error(lambda: nest.set(min_delay=0.5)), "max": error(lambda: nest.set(max_delay=5.0))}


def case_local_spike_counter(nest):
    cells = nest.Create("iaf_psc_exp", 3, {"I_e": 450.0})
    nest.Connect(cells, nest.Create("spike_recorder"))
    nest.Simulate(100.0)
    return {"count": nest.local_spike_counter}


def case_ranks(nest):
    nest.SyncProcesses()
    return {"rank": nest.Rank(), "processes": nest.NumProcesses()}


def case_lists_of_models(nest):
    return {
        "nodes": {"iaf_psc_exp", "iaf_psc_alpha", "parrot_neuron", "spike_recorder", "poisson_generator"} <= set(nest.node_models),
        "synapses": {"static_synapse", "stdp_synapse"} <= set(nest.synapse_models),
        "rules": sorted(nest.connection_rules),
    }


def case_recording_backends(nest):
    return {"has": {"memory", "ascii", "screen"} <= set(nest.recording_backends), "stimulation": sorted(nest.stimulation_backends)}


def case_rng_types(nest):
    return {"type": nest.rng_type, "types": sorted(nest.rng_types)}


def case_userdict(nest):
    nest.userdict["mine"] = 5
    return {"kept": nest.userdict["mine"]}


def case_verbosity(nest):
    nest.verbosity = nest.VerbosityLevel.ERROR
    found = nest.verbosity.name
    nest.verbosity = nest.VerbosityLevel.QUIET
    return {"name": found, "levels": sorted(level.name for level in nest.VerbosityLevel)}


def case_old_verbosity(nest):
    nest.set_verbosity("M_WARNING")
    return {"set": True}


def case_build_info(nest):
    return {"has": {"version", "have_mpi", "have_gsl", "have_threads"} <= set(nest.build_info), "version": nest.__version__.split(".")[0]}


def case_timers_are_there(nest):
    nest.Create("iaf_psc_exp", 5)
    nest.Simulate(5.0)
    status = nest.GetKernelStatus()
    return {
        name: name in status and status[name] >= 0.0 for name in ("time_construction_create", "time_construction_connect", "time_simulate")
    }


def case_errors_are_a_family(nest):
    names = (
        "BadProperty",
        "BadParameter",
        "BadDelay",
        "UnknownModelName",
        "UnknownComponent",
        "UnknownSynapseType",
        "UnknownNode",
        "IllegalConnection",
        "DimensionMismatch",
        "TypeMismatch",
        "UnaccessedDictionaryEntry",
        "NotImplemented",
        "InexistentConnection",
        "NewModelNameExists",
        "UnknownReceptorType",
        "IncompatibleReceptorType",
    )
    base = nest.NESTError
    return {
        "base": base is nest.NESTErrors.KernelException,
        "derived": [issubclass(getattr(nest.NESTErrors, name), base) for name in names],
    }


def case_seeds_change_the_noise(nest):
    def run(seed):
        nest.ResetKernel()
        nest.rng_seed = seed
        relay, recorder = nest.Create("parrot_neuron"), nest.Create("spike_recorder")
        nest.Connect(nest.Create("poisson_generator", params={"rate": 500.0}), relay)
        nest.Connect(relay, recorder)
        nest.Simulate(1000.0)
        return recorder.events["times"]

    first, again, other = run(3), run(3), run(4)
    return {"same": first.tolist() == again.tolist(), "other": first.tolist() != other.tolist(), "times": sample(first)}
