# SPDX-License-Identifier: Apache-2.0
"""Small behaviours that NEST's own tests look at: what errors say, labels as defaults, sums of nodes, keys that are only kept."""

import numpy as np
from tests.nest.corpus.values import error


def _said(call, *parts):
    """Which of these parts the error of a call has in its text."""
    try:
        call()
    except Exception as raised:
        return [type(raised).__name__, *(part in str(raised) for part in parts)]
    return "no error"


def case_texts_of_times(nest):
    def given(model, **params):
        return lambda: nest.Create(model, params=params)

    poisson, steps, spikes = "inhomogeneous_poisson_generator", "step_current_generator", "spike_generator"
    grid, positive, same = "not representable in current resolution", "strictly positive times", "have to be the same size"
    return {
        "off the grid": [
            _said(given(poisson, rate_times=[1.23], rate_values=[1.0]), grid),
            _said(given(steps, amplitude_times=[1.23], amplitude_values=[1.0]), grid),
            _said(given(spikes, spike_times=[1.23]), grid),
        ],
        "order": [
            _said(given(poisson, rate_times=[2.0, 1.0], rate_values=[1.0, 2.0]), "must be strictly increasing"),
            _said(given(steps, amplitude_times=[2.0, 1.0], amplitude_values=[1.0, 2.0]), "strictly increasing time steps"),
            _said(given(spikes, spike_times=[2.0, 1.0]), "must be sorted in non-descending order"),
        ],
        "at 0": [
            _said(given(steps, amplitude_times=[0.0], amplitude_values=[1.0]), positive),
            _said(given(spikes, spike_times=[0.0]), "set to 0"),
        ],
        "sizes": [
            _said(given(poisson, rate_times=[1.0, 2.0], rate_values=[1.0]), same),
            _said(given(poisson, rate_times=[1.0]), "Rate times and values must be reset together."),
            _said(given(steps, amplitude_times=[1.0]), "Amplitude times and values must be reset together."),
        ],
        "t_ref": _said(given("iaf_psc_alpha_ps", t_ref=0.0), "must be at least one time step"),
    }


def case_rates_in_the_past(nest):
    generator = nest.Create("inhomogeneous_poisson_generator")
    nest.Simulate(5.0)
    return {
        str(at): _said(lambda at=at: generator.set(rate_times=[at, 9.0], rate_values=[1.0, 2.0]), "strictly in the future")
        for at in (4.0, 5.0, 5.1)
    }


def case_label_as_default(nest):
    model = "static_synapse_lbl"
    nodes = nest.Create("iaf_psc_exp", 2)
    found = {"before": nest.GetDefaults(model, "synapse_label")}
    nest.SetDefaults(model, {"synapse_label": 7})
    nest.CopyModel(model, "mine", {"synapse_label": 9})
    nest.Connect(nodes, nodes, "one_to_one", {"synapse_model": model})
    nest.Connect(nodes, nodes, "one_to_one", {"synapse_model": "mine"})
    nest.Connect(nodes, nodes, "one_to_one", {"synapse_model": "mine", "synapse_label": 3})
    found |= {"after": nest.GetDefaults(model, "synapse_label"), "labels": nest.GetConnections().get("synapse_label")}
    return found | {
        "negative": error(lambda: nest.SetDefaults(model, {"synapse_label": -5})),
        "no number": error(lambda: nest.SetDefaults(model, {"synapse_label": 1.5})),
        "no label": error(lambda: nest.SetDefaults("static_synapse", {"synapse_label": 1})),
    }


def case_sums_and_empty_collections(nest):
    empty = nest.NodeCollection()
    nest.ResetKernel()
    nodes = nest.Create("iaf_psc_exp", 3)
    return {
        "zero": [(nodes + 0).tolist(), (0 + nodes).tolist(), (nodes + 0.0).tolist(), error(lambda: nodes + 1)],
        "empty": [_said(lambda: nest.Connect(empty, nodes), "Presynaptic"), _said(lambda: nest.Connect(nodes, empty), "Postsynaptic")],
        "unknown": [error(lambda: nodes.set(nix=[1.0, 2.0])), error(lambda: nodes.set(V_m=[1.0, 2.0]))],
        "defaults": error(lambda: nest.GetDefaults("iaf_psc_exp", 1)),
    }


def case_disconnect_with_rules(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    nest.Connect(nodes, nodes)
    connections = nest.GetConnections()
    found = {key: error(lambda key=key: nest.Disconnect(connections, **{key: "one_to_one"})) for key in ("conn_spec", "syn_spec")}
    return found | {"left": nest.num_connections}


def case_flush_events(nest):
    interval = {"flush_event_send_interval": 5.0}
    found = {model: nest.Create(model, params=interval).get("flush_event_send_interval") for model in ("eprop_iaf", "parrot_neuron")}
    for value in (0.0, -1.0):
        found[str(value)] = error(lambda value=value: nest.Create("eprop_iaf", params={"flush_event_send_interval": value}))
    return found | {"others": error(lambda: nest.Create("iaf_psc_exp", params=interval))}


def case_nothing_for_all(nest):
    transmitter, neuron = nest.Create("volume_transmitter"), nest.Create("iaf_psc_exp")
    meter = nest.Create("multimeter")
    plastic = ("stdp_synapse", "tsodyks_synapse", "bernoulli_synapse")
    return {
        "transmitter": error(lambda: nest.Connect(nest.Create("poisson_generator"), transmitter)),
        "meters": [error(lambda m=m: nest.Connect(meter, neuron, syn_spec={"synapse_model": m})) for m in plastic],
    }


def case_distance_from_an_array(nest):
    layer = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([3, 3]))
    point = np.array([0.0, 0.5])
    return {"displacement": nest.Displacement(point, layer), "distance": nest.Distance(point, layer)}


def case_parts_that_are_no_dicts(nest):
    cell = nest.Create("cm_default")
    cell.compartments = [{"parent_idx": -1}]
    return {"list": error(lambda: cell.compartments + [3]), "number": error(lambda: cell.compartments + 3)}  # noqa: RUF005


def case_options_of_back_ends_as_defaults(nest):
    keys = ["record_to", "file_extension", "precision"]
    nest.SetDefaults("spike_recorder", {"record_to": "ascii", "file_extension": "xyz", "precision": 5})
    nest.CopyModel("multimeter", "mine", {"record_to": "screen", "precision": 7})
    return {
        "defaults": nest.GetDefaults("spike_recorder", keys),
        "made": nest.Create("spike_recorder").get(keys),
        "own": nest.Create("spike_recorder", params={"file_extension": "bar"}).get(keys),
        "other": nest.Create("spike_recorder", params={"record_to": "screen"}).get(["record_to", "precision"]),
        "copy": nest.Create("mine").get(["record_to", "precision"]),
    }


def case_dead_time_at_the_beginning(nest):
    """A rate so high that there is a spike whenever there can be one."""
    how = {"c_1": 0.0, "c_2": 1e7, "c_3": 0.0, "dead_time": 3.0}
    cells = nest.Create("pp_psc_delta", 4, how | {"t_ref_remaining": [0.0, 1.0, 1.05, 5.0]})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    negative = error(lambda: nest.Create("pp_psc_delta", params={"t_ref_remaining": -1.0}))
    shown = cells.get("t_ref_remaining")
    nest.Simulate(10.0)
    events = recorder.events
    return {
        "spikes": [events["times"][events["senders"] == cell.global_id].round(3).tolist() for cell in cells],
        "shown": [shown, cells.get("t_ref_remaining")],
        "negative": negative,
    }


def case_adaptation_of_one_kernel_as_numbers(nest):
    given = {"tau_sfa": 34.0, "q_sfa": 3}
    cells = nest.Create("pp_psc_delta", 2, given)
    found = {"made": [np.ravel(cells.get(key)).tolist() for key in given]}
    nest.SetDefaults("pp_psc_delta", given)
    found["defaults"] = [np.ravel(nest.GetDefaults("pp_psc_delta", key)).tolist() for key in given]
    return found | {"others": error(lambda: nest.Create("gif_psc_exp", params=given))}


def case_more_values_than_nodes(nest):
    values, found = np.array([-1.0, -2.0, -3.0, -4.0, -5.0]), {}
    for name, given in (("array", values), ("list", values.tolist()), ("short", values[:2]), ("one", values[:1])):
        for n in (1, 3):
            found[f"created {name} {n}"] = _values_or_error(lambda given=given, n=n: nest.Create("iaf_psc_alpha", n, {"V_m": given}).V_m)
            cells = nest.Create("iaf_psc_alpha", n)
            found[f"set {name} {n}"] = _values_or_error(lambda given=given, cells=cells: (cells.set(V_m=given), cells.V_m)[1])
    return found


def case_arrays_that_belong_together_and_are_partly_the_same(nest):
    times, found = np.arange(5.0) + 3.0, {}
    for name, model, keys in (
        ("rates", "step_rate_generator", ("amplitude_times", "amplitude_values")),
        ("currents", "step_current_generator", ("amplitude_times", "amplitude_values")),
        ("spikes", "spike_generator", ("spike_times", "spike_weights")),
    ):
        given = [dict(zip(keys, (times, np.arange(5.0) + k), strict=True)) for k in range(2)]
        made, changed = nest.Create(model, 2, given), nest.Create(model, 2)
        changed.set(given)
        changed.set(given[::-1])
        found[name] = [[list(node.get(key)) for node in nodes for key in keys] for nodes in (made, changed)]
    return found


def _values_or_error(call):
    try:
        return call()
    except Exception as raised:
        return type(raised).__name__
