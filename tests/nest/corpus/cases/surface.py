# SPDX-License-Identifier: Apache-2.0
"""What is there at all: names of the module, of errors, of kernel attributes and status keys. Ours may have more."""

import types

from tests.nest.corpus.values import error, holds

TIMES = ("time_", "memory_size", "max_update_time", "min_update_time", "cycle_time_log", "data_path", "rng_types", "_cpu")


def public(thing):
    return sorted(name for name in dir(thing) if not name.startswith("_"))


def scalar(value):
    """Numbers, texts and flags as they are; anything without limit as "none"."""
    if isinstance(value, float) and abs(value) > 1e300:
        return "none"
    return value if isinstance(value, (bool, int, float, str)) else type(value).__name__


def case_functions_and_classes(nest):
    """All public names of the module; those that are modules of NEST's own inside are left out."""
    modules = (
        "ll_api",
        "lib",
        "server",
        "versionchecker",
        "nestkernel_api",
        "to_do",
        "serialize_data",
        "to_json",
        "NestModule",
        "cycle_time_log",
    )  # the last one cannot be read in NEST 3.10
    return {"names": holds([name for name in public(nest) if name not in modules])}


def case_subpackages(nest):
    kinds = ("random", "math", "logic", "spatial", "spatial_distributions")
    made = {
        name: [part for part in public(getattr(nest, name)) if not isinstance(getattr(getattr(nest, name), part), types.ModuleType)]
        for name in kinds
    }
    private = ("CreateParameter", "np", "warnings")
    return {name: holds([part for part in parts if part not in private]) for name, parts in made.items()}


def case_error_classes(nest):
    return {
        "names": holds(
            [
                name
                for name in public(nest.NESTErrors)
                if isinstance(getattr(nest.NESTErrors, name), type) and issubclass(getattr(nest.NESTErrors, name), Exception)
            ]
        )
    }


def case_kernel_attributes(nest):
    """Values in a fresh kernel."""
    found = nest.GetKernelStatus()
    return {
        "values": holds({key: scalar(value) for key, value in sorted(found.items()) if not key.startswith((*TIMES, "T_m", "verbosity"))})
    }


def case_kernel_status_keys(nest):
    return {"keys": holds(sorted(nest.GetKernelStatus()))}


def case_node_collection_methods(nest):
    return {"names": holds(public(nest.NodeCollection))}


def case_synapse_collection_methods(nest):
    return {"names": holds(public(nest.SynapseCollection))}


def case_parameter_methods(nest):
    return {"names": holds(public(nest.Parameter))}


def case_mask_methods(nest):
    return {"names": holds(public(nest.Mask))}


def case_status_of_a_neuron(nest):
    left = (
        "archiver_length",
        "post_trace",
        "available",
        "capacity",
        "instantiations",
        "elementsize",
        "type_id",
    )
    return {"keys": holds([key for key in sorted(nest.Create("iaf_psc_alpha").get()) if key not in left])}


def case_status_of_devices(nest):
    left = (
        "available",
        "capacity",
        "instantiations",
        "elementsize",
        "type_id",
        "Ca",
        "beta_Ca",
        "tau_Ca",
        "post_trace",
        "t_spike",
        "archiver_length",
        "synaptic_elements",
    )
    models = ("spike_recorder", "multimeter", "poisson_generator", "dc_generator", "spike_generator", "step_current_generator")
    return {model: holds([key for key in sorted(nest.Create(model).get()) if key not in left]) for model in models}


def case_status_of_a_connection(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    nest.Connect(nodes[0], nodes[1])
    nest.Connect(nodes[1], nodes[0], syn_spec="stdp_synapse")
    return {model: holds(sorted(nest.GetConnections(synapse_model=model).get())) for model in ("static_synapse", "stdp_synapse")}


def case_structural_plasticity(nest):
    nest.EnableStructuralPlasticity()
    nest.DisableStructuralPlasticity()
    return {"done": True}


def case_waveform_relaxation_settings(nest):
    nest.set(use_wfr=False)
    return {"use": nest.use_wfr}


def case_local_virtual_processes(nest):
    return {"all": [int(value) for value in nest.GetLocalVPs()]}


def case_buffer_sizes(nest):
    nest.set(buffer_size_target_data=1024, adaptive_target_buffers=False)
    return {"set": nest.get(["buffer_size_target_data", "adaptive_target_buffers"])}


def case_memory_size(nest):
    return {"type": type(nest.memory_size).__name__}


def case_print_time(nest):
    nest.print_time = True
    found = nest.print_time
    nest.print_time = False
    return {"set": found}


def case_old_lists_of_models(nest):
    return {
        "nodes": "iaf_psc_exp" in nest.Models("nodes"),
        "synapses": "stdp_synapse" in nest.Models("synapses"),
        "rules": "one_to_one" in nest.ConnectionRules(),
    }


def case_old_names_that_went(nest):
    return {name: hasattr(nest, name) for name in ("sli_run", "sr", "sli_func", "SetKernelStatus", "GetKernelStatus")}


def case_messages(nest):
    return {"said": error(lambda: nest.message("text", nest.VerbosityLevel.DEBUG))}


def case_install_of_unknown_modules(nest):
    return {"raises": error(lambda: nest.Install("no_such_module"))}


def case_rng_types(nest):
    nest.rng_type = "Philox_64"
    found = nest.rng_type
    return {"set": found, "bad": error(lambda: setattr(nest, "rng_type", "no_such"))}
