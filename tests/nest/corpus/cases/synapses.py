# SPDX-License-Identifier: Apache-2.0
"""Every synapse model: defaults, and what its weight does under fixed spike trains, to 1e-9. Synapses with short-term changes: short_term.py."""

import numpy as np
from tests.nest.corpus.neurons import recorded
from tests.nest.corpus.values import error, holds, near, sample

PRE = [5.0, 12.0, 20.0, 21.0, 33.0, 50.0, 52.5, 71.0, 90.0, 93.0]
POST = [8.0, 15.0, 19.0, 27.0, 34.5, 48.0, 55.0, 72.0, 88.0, 97.0]
SYNAPSES = (
    "static_synapse", "static_synapse_hom_w", "bernoulli_synapse", "cont_delay_synapse", "stdp_synapse", "stdp_synapse_hom", "stdp_pl_synapse_hom", "stdp_triplet_synapse",
    "stdp_nn_symm_synapse", "stdp_nn_restr_synapse", "stdp_nn_pre_centered_synapse", "stdp_facetshw_synapse_hom", "tsodyks_synapse", "tsodyks_synapse_hom", "tsodyks2_synapse",
    "quantal_stp_synapse", "ht_synapse", "vogels_sprekeler_synapse", "jonke_synapse", "stdp_dopamine_synapse", "clopath_synapse", "urbanczik_synapse",
)  # fmt: skip
PLASTIC = {
    "stdp_synapse": {"lambda": 0.05, "alpha": 1.2, "mu_plus": 0.4, "mu_minus": 0.6, "Wmax": 40.0},
    "stdp_synapse_hom": {"lambda": 0.05, "alpha": 1.2, "mu_plus": 0.4, "mu_minus": 0.6, "Wmax": 40.0},
    "stdp_pl_synapse_hom": {"lambda": 0.05, "alpha": 0.3, "mu": 0.4},
    "stdp_triplet_synapse": {"Aplus": 0.01, "Aplus_triplet": 0.02, "Aminus": 0.01, "Aminus_triplet": 0.005, "Wmax": 40.0},
    "stdp_nn_symm_synapse": {"lambda": 0.05, "alpha": 1.2, "Wmax": 40.0},
    "stdp_nn_restr_synapse": {"lambda": 0.05, "alpha": 1.2, "Wmax": 40.0},
    "stdp_nn_pre_centered_synapse": {"lambda": 0.05, "alpha": 1.2, "Wmax": 40.0},
    "vogels_sprekeler_synapse": {"eta": 0.1, "alpha": 0.2, "Wmax": 40.0},
    "jonke_synapse": {"lambda": 0.05, "alpha": 1.2, "Wmax": 40.0},
}
COMMON = {
    "stdp_synapse_hom": ("lambda", "alpha", "mu_plus", "mu_minus", "Wmax"),
    "stdp_pl_synapse_hom": ("lambda", "alpha", "mu"),
    "jonke_synapse": ("lambda", "alpha", "Wmax"),
}


def defaults(model):
    def case(nest):
        found = {
            key: value
            for key, value in nest.GetDefaults(model).items()
            if isinstance(value, (int, float)) and key not in ("sizeof", "synapse_id", "synapse_modelid", "num_connections")
        }
        return {"defaults": holds(found)}

    return case


def pair(nest, model, delay, **defaults):
    """Two relays that fire at PRE and POST, and a plastic synapse between them (port 1: its spikes are not relayed)."""
    wanted = PLASTIC[model]
    common = {key: wanted[key] for key in COMMON.get(model, ())}
    nest.CopyModel(model, "mine", common | defaults)
    pre, post = nest.Create("parrot_neuron"), nest.Create("parrot_neuron", params={"tau_minus": 25.0})
    for node, times in ((pre, PRE), (post, POST)):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), node, syn_spec={"delay": 1.0})
    own = {key: value for key, value in wanted.items() if key not in common}
    nest.Connect(pre, post, syn_spec={"synapse_model": "mine", "weight": 20.0, "delay": delay, "receptor_type": 1} | own)
    return pre, post


def pairing(model, delay=1.0):
    """Weight at times at which no presynaptic spike is on the way: NEST is ahead by those."""
    pieces = [10.0] * 11 if delay < 2.0 else [45.0, 25.0, 40.0]

    def case(nest):
        pre, post = pair(nest, model, delay)
        found = []
        for piece in pieces:
            nest.Simulate(piece)
            found.append(nest.GetConnections(pre, post).weight)
        return {"weights": near(found, 1e-9, 1e-11)}

    return case


def recording(model):
    """The weight that each presynaptic spike was sent with."""

    def case(nest):
        meter = nest.Create("weight_recorder")
        pair(nest, model, 1.0, weight_recorder=meter)
        nest.Simulate(110.0)
        return {"weights": near(meter.events["weights"], 1e-9, 1e-11), "times": near(meter.events["times"])}

    return case


for _model in SYNAPSES:
    globals()[f"case_{_model}_defaults"] = defaults(_model)
for _model in PLASTIC:
    globals()[f"case_{_model}_pairing"] = pairing(_model)
    globals()[f"case_{_model}_long_delay"] = pairing(_model, 7.5)
    globals()[f"case_{_model}_recorded"] = recording(_model)


def response(nest, model, times, weight=200.0, n=1, cell="iaf_psc_exp", time=300.0, interval=1.0, **params):
    """Voltmeter of `n` cells that get the spikes at `times` through synapses of the model."""
    source, relay = nest.Create("spike_generator", params={"spike_times": times}), nest.Create("parrot_neuron")
    cells, meter = nest.Create(cell, n, {"V_th": 1e6}), nest.Create("voltmeter", params={"interval": interval})
    nest.Connect(source, relay)
    nest.Connect(relay, cells, syn_spec={"synapse_model": model, "weight": weight} | params)
    nest.Connect(meter, cells)
    nest.Simulate(time)
    return meter


def case_common_values_after_connect(nest):
    found = {}
    for model, key, value in (
        ("stdp_synapse_hom", "Wmax", 50.0),
        ("stdp_pl_synapse_hom", "lambda", 0.2),
        ("jonke_synapse", "tau_plus", 5.0),
    ):
        nest.ResetKernel()
        pair(nest, model, 1.0)
        nest.SetDefaults("mine", {key: value})
        nest.Simulate(45.0)
        nest.SetDefaults("mine", {key: 1.1 * value})
        nest.Simulate(65.0)
        found[model] = near(nest.GetConnections(synapse_model="mine").get("weight"))
    return found


def case_common_weight_after_connect(nest):
    nest.CopyModel("static_synapse_hom_w", "mine", {"weight": 300.0})
    source, relay, cells = (
        nest.Create("spike_generator", params={"spike_times": [1.0, 5.0, 8.0]}),
        nest.Create("parrot_neuron"),
        nest.Create("iaf_psc_exp", 2),
    )
    nest.Connect(source, relay)
    nest.Connect(relay, cells[0], syn_spec="mine")
    nest.Connect(nest.Create("dc_generator", params={"amplitude": 1.0}), cells[1], syn_spec="mine")
    found = {}
    for weight in (300.0, 400.0, -200.0):
        nest.SetDefaults("mine", {"weight": weight})
        nest.Simulate(4.0)
        found[str(weight)] = near(cells.V_m)
    return found


def case_static_hom_w(nest):
    nest.CopyModel("static_synapse_hom_w", "mine", {"weight": 300.0})
    source, cell, meter = (
        nest.Create("spike_generator", params={"spike_times": [1.0, 5.0]}),
        nest.Create("iaf_psc_exp", 2),
        nest.Create("voltmeter"),
    )
    nest.Connect(source, cell, syn_spec="mine")
    nest.Connect(meter, cell)
    nest.Simulate(20.0)
    order = np.lexsort((meter.events["senders"], meter.events["times"]))
    return {"V_m": near(np.array(meter.events["V_m"])[order]), "weights": nest.GetConnections(synapse_model="mine").get("weight")}


def case_static_hom_w_refuses(nest):
    nodes = nest.Create("parrot_neuron", 2)
    return {
        "in connect": error(lambda: nest.Connect(nodes, nodes, syn_spec={"synapse_model": "static_synapse_hom_w", "weight": 2.0})),
        "later": error(lambda: (nest.Connect(nodes, nodes, syn_spec="static_synapse_hom_w"), nest.GetConnections().set(weight=3.0))),
    }


def case_homogeneous_parameters_belong_to_the_model(nest):
    nodes = nest.Create("iaf_psc_exp", 2)
    return {
        "hom": error(lambda: nest.Connect(nodes, nodes, syn_spec={"synapse_model": "stdp_synapse_hom", "lambda": 0.1})),
        "pl": error(lambda: nest.Connect(nodes, nodes, syn_spec={"synapse_model": "stdp_pl_synapse_hom", "lambda": 0.1})),
        "copy": error(lambda: nest.CopyModel("stdp_synapse_hom", "mine", {"lambda": 0.1})),
    }


def case_cont_delay(nest):
    """A delay that is no multiple of the step: the response lies between those of the neighbours."""
    return recorded(response(nest, "cont_delay_synapse", [5.0, 10.0], time=30.0, interval=0.5, cell="iaf_psc_exp", delay=1.25), 1e-6)


def case_stdp_closed_form(nest):
    """One pre-post and one post-pre pair: weights that can be written down."""
    found = {}
    for name, pre_times, post_times in (("potentiated", [10.0, 200.0], [16.0]), ("depressed", [16.0, 200.0], [10.0])):
        nest.ResetKernel()
        pre, post = nest.Create("parrot_neuron", 2)
        for node, times in ((pre, pre_times), (post, post_times)):
            nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), node)
        nest.Connect(
            pre,
            post,
            syn_spec={
                "synapse_model": "stdp_synapse",
                "weight": 50.0,
                "Wmax": 100.0,
                "mu_plus": 0.0,
                "mu_minus": 0.0,
                "lambda": 0.1,
                "receptor_type": 1,
            },
        )
        nest.Simulate(220.0)
        found[name] = near(nest.GetConnections(pre, post).weight, 1e-9)
    return found


def case_stdp_weights_stay_in_bounds(nest):
    pre, post = nest.Create("parrot_neuron", 2)
    for node, start in ((pre, 1.0), (post, 1.5)):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": np.arange(start, 300.0, 5.0)}), node)
    nest.Connect(
        pre,
        post,
        syn_spec={
            "synapse_model": "stdp_synapse",
            "weight": 30.0,
            "Wmax": 31.0,
            "lambda": 0.2,
            "mu_plus": 0.0,
            "mu_minus": 0.0,
            "alpha": 0.1,
            "receptor_type": 1,
        },
    )
    nest.Simulate(350.0)
    return {"weight": near(nest.GetConnections(pre, post).weight)}


def case_stdp_refuses(nest):
    nodes = nest.Create("iaf_psc_exp", 2)

    def raised(**params):
        return error(lambda: nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "stdp_synapse"} | params))

    return {"signs": raised(weight=-1.0, Wmax=100.0), "both negative": raised(weight=-1.0, Wmax=-100.0), "Kplus": raised(Kplus=-1.0)}


def case_stdp_between_neurons(nest):
    """Two integrate-and-fire neurons that drive each other through plastic synapses."""
    cells = nest.Create("iaf_psc_alpha", 2, {"I_e": [400.0, 390.0]})
    nest.Connect(
        cells,
        cells,
        {"rule": "all_to_all", "allow_autapses": False},
        {"synapse_model": "stdp_synapse", "weight": 50.0, "delay": 1.5, "lambda": 0.02},
    )
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(500.0)
    return {
        "times": near(sorted(recorder.events["times"])),
        "weights": near(sorted(nest.GetConnections(cells, cells).get("weight")), 1e-9, 1e-11),
    }


def case_stdp_time_constants_of_the_target(nest):
    """tau_minus belongs to the postsynaptic neuron."""
    pre, posts = nest.Create("parrot_neuron"), nest.Create("parrot_neuron", 3, {"tau_minus": [10.0, 20.0, 40.0]})
    nest.Connect(nest.Create("spike_generator", params={"spike_times": PRE}), pre)
    nest.Connect(nest.Create("spike_generator", params={"spike_times": POST}), posts)
    nest.Connect(pre, posts, syn_spec={"synapse_model": "stdp_synapse", "weight": 30.0, "receptor_type": 1})
    nest.Simulate(110.0)
    found = nest.GetConnections(pre, posts)
    order = np.argsort(found.get("target"))
    return {"weights": near(np.array(found.get("weight"))[order], 1e-9, 1e-11)}


def case_stdp_in_a_random_network(nest):
    cells = nest.Create("iaf_psc_exp", 50, {"tau_minus": 30.0})
    drive = nest.Create("poisson_generator", params={"rate": 8000.0})
    nest.Connect(drive, cells, syn_spec={"weight": 45.0})
    nest.Connect(
        cells,
        cells,
        {"rule": "fixed_indegree", "indegree": 10},
        {"synapse_model": "stdp_synapse", "weight": 20.0, "delay": 1.5, "lambda": 0.05, "Wmax": 40.0},
    )
    nest.Simulate(500.0)
    return {"weights": sample(nest.GetConnections(synapse_model="stdp_synapse").get("weight"))}


def case_hpc_and_lbl_variants(nest):
    names = [
        name for name in ("static_synapse_hpc", "stdp_synapse_hpc", "static_synapse_lbl", "stdp_synapse_lbl") if name in nest.synapse_models
    ]
    nodes = nest.Create("iaf_psc_exp", 2)
    nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "stdp_synapse_hpc", "weight": 3.0})
    return {"names": names, "weight": nest.GetConnections().weight}


def case_plastic_needs_an_archive(nest):
    """STDP onto a device, or a recorder, makes no sense."""
    cell = nest.Create("iaf_psc_exp")
    return {"recorder": error(lambda: nest.Connect(cell, nest.Create("spike_recorder"), syn_spec="stdp_synapse"))}


def sent(nest, model, pre, post, common, own, names=()):
    """Weights sent at times `pre` with postsynaptic spikes at `post`, then the state of the synapse."""
    recorder = nest.Create("weight_recorder")
    nest.CopyModel(model, "mine", common | {"weight_recorder": recorder})
    nodes = nest.Create("parrot_neuron", 2)
    for node, times in zip(nodes, (pre, post), strict=True):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), node)
    nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "mine", "delay": 1.5, "receptor_type": 1} | own)
    nest.Simulate(150.0)
    connection = nest.GetConnections(nodes[0], nodes[1])
    return {"weights": near(recorder.events["weights"], 1e-9, 1e-11)} | {name: near(connection.get(name), 1e-9, 1e-11) for name in names}


def case_jonke_with_beta(nest):
    """Every postsynaptic spike counts, also those before the first presynaptic one."""
    common = {"lambda": 0.2, "alpha": 0.8, "beta": 0.3, "mu_plus": 0.05, "mu_minus": -0.02, "tau_plus": 15.0, "Wmax": 22.0}
    return sent(nest, "jonke_synapse", PRE[3:], POST, common, {"weight": 20.0}, ["Kplus"])


def case_triplet_state(nest):
    own = {"Aplus": 0.3, "Aplus_triplet": 0.2, "Aminus": 0.2, "Aminus_triplet": 0.1, "tau_plus_triplet": 70.0, "Wmax": 22.0, "weight": 20.0}
    return sent(nest, "stdp_triplet_synapse", PRE, POST, {}, own, ["Kplus", "Kplus_triplet"])


def several_at_once(nest, post_model, model, **own):
    """Weights where either side spikes several times in a step, or at once."""
    found = {}
    for pre_copies, post_copies in (
        ([1, 1, 1], [0, 0, 3, 0]),
        ([1, 1, 1], [1, 2, 2, 1]),
        ([1, 3, 2], [2, 0, 1, 3]),
        ([2, 2, 2], [2, 2, 2, 2]),
    ):
        nest.ResetKernel()
        trains = [([10.0, 30.0, 50.0], pre_copies), ([5.0, 20.0, 33.0, 40.0], post_copies)]
        drive = nest.Create("spike_generator", 2, [{"spike_times": at, "spike_multiplicities": n} for at, n in trains])
        pre, post = nest.Create("parrot_neuron"), nest.Create(post_model)
        nest.Connect(drive[0], pre)
        nest.Connect(drive[1], post)
        nest.Connect(pre, post, syn_spec={"synapse_model": model, "receptor_type": 1, "weight": 5.0, **own})
        nest.Simulate(80.0)
        found[f"{pre_copies} {post_copies}"] = near(nest.GetConnections(pre, post).weight)
    return found


def case_triplets_of_spikes_in_one_step(nest):
    return several_at_once(nest, "parrot_neuron", "stdp_triplet_synapse", Aplus=0.05, Aplus_triplet=0.2, Aminus=0.04, Aminus_triplet=0.03)


def case_triplets_of_one_step_with_parameters_that_differ(nest):
    nest.SetDefaults("stdp_triplet_synapse", {"Aplus": 0.05, "Aminus": 0.04})
    return several_at_once(
        nest, "parrot_neuron", "stdp_triplet_synapse", Aplus_triplet=np.array([[0.2]]), Aminus_triplet=np.array([[0.03]])
    )


def case_triplets_onto_precise_neurons_of_spikes_at_once(nest):
    return several_at_once(nest, "parrot_neuron_ps", "stdp_triplet_synapse", Aplus=0.05, Aplus_triplet=0.2, Aminus=0.04)


def case_triplet_of_negative_weights(nest):
    own = {"Aplus": 0.3, "Aplus_triplet": 0.2, "Aminus": 0.2, "Wmax": -22.0, "weight": -20.0}
    return sent(nest, "stdp_triplet_synapse", PRE, POST, {}, own, ["Kplus"])


def case_pre_centered_state(nest):
    return sent(nest, "stdp_nn_pre_centered_synapse", PRE, POST, {}, {"lambda": 0.1, "Wmax": 40.0, "weight": 20.0}, ["Kplus"])


def case_short_term_state(nest):
    found = {}
    for model, own, names in (
        ("tsodyks_synapse", {"U": 0.3, "tau_rec": 100.0, "tau_fac": 50.0}, ["x", "y", "u"]),
        ("ht_synapse", {"delta_P": 0.3, "tau_P": 100.0}, ["P"]),
        ("stdp_synapse", {}, ["Kplus"]),
        ("stdp_pl_synapse_hom", {}, ["Kplus"]),
        ("vogels_sprekeler_synapse", {}, ["Kplus"]),
    ):
        nest.ResetKernel()
        found |= {f"{model} {key}": value for key, value in sent(nest, model, PRE, POST, {}, own, names).items()}
    return found


TRACED = (
    "stdp_synapse",
    "stdp_synapse_hom",
    "stdp_pl_synapse_hom",
    "stdp_triplet_synapse",
    "stdp_nn_pre_centered_synapse",
    "vogels_sprekeler_synapse",
    "jonke_synapse",
)


def initial_trace(model):
    def case(nest):
        """The first spike of a source pairs with what was before, by the trace that it is given; a late first spike, too."""
        wanted = PLASTIC[model]
        common = {key: wanted[key] for key in COMMON.get(model, ())}
        own = {key: value for key, value in wanted.items() if key not in common} | {"weight": 20.0, "Kplus": 1.7}
        own |= {"Kplus_triplet": 2.5} if model == "stdp_triplet_synapse" else {}
        names = ["Kplus", "Kplus_triplet"] if model == "stdp_triplet_synapse" else ["Kplus"]
        return sent(nest, model, PRE[3:], POST, common, own, names)

    return case


def default_trace(model):
    def case(nest):
        """By SetDefaults and CopyModel, before and after the first spike."""
        nest.SetDefaults(model, {"Kplus": 0.75})
        nest.CopyModel(model, "other", {"Kplus": 1.25})
        cells, found = nest.Create("parrot_neuron", 2), []
        for name, own in ((model, {}), ("other", {}), ("other", {"Kplus": 0.5})):
            nest.Connect(cells[0], cells[1], syn_spec={"synapse_model": name, "receptor_type": 1, "weight": 0.5} | own)
        nest.Connect(nest.Create("spike_generator", params={"spike_times": [7.0, 9.0]}), cells[0])
        for _ in range(2):
            found.append(sorted(nest.GetConnections(cells[0], cells[1]).Kplus))
            nest.Simulate(20.0)
        return {
            "defaults": near([nest.GetDefaults(name)["Kplus"] for name in (model, "other")]),
            "traces": near(found, 1e-12),
        }

    return case


for _model in TRACED:
    globals()[f"case_{_model}_initial_trace"] = initial_trace(_model)
    globals()[f"case_{_model}_default_trace"] = default_trace(_model)


def no_trace(model, name="tau_plus", **others):
    def case(nest):
        """A time constant of 0: presynaptic spikes leave nothing behind."""
        common = {"tau_plus": 0.0, "lambda": 0.1} if model in ("stdp_synapse_hom", "jonke_synapse") else {}
        own = {} if common else {name: 0.0} | others
        return sent(nest, model, PRE, POST, common, own | {"weight": 20.0}, ["Kplus"] if model in TRACED else [])

    return case


for _model in ("stdp_synapse", "stdp_synapse_hom", "stdp_nn_symm_synapse", "stdp_nn_restr_synapse", "stdp_nn_pre_centered_synapse", "stdp_triplet_synapse", "jonke_synapse"):  # fmt: skip
    globals()[f"case_{_model}_without_tau_plus"] = no_trace(_model)
case_vogels_sprekeler_synapse_without_tau = no_trace("vogels_sprekeler_synapse", "tau", eta=0.1, Wmax=40.0)
case_stdp_triplet_synapse_without_slow_trace = no_trace("stdp_triplet_synapse", "tau_plus_triplet", Aplus=0.3, Aminus=0.2)


def case_nn_restr_with_simultaneous_spikes(nest):
    """A postsynaptic spike that reaches the synapse together with a presynaptic one lets the one before it depress."""
    own = {"lambda": 0.1, "Wmax": 40.0, "weight": 20.0}
    return sent(nest, "stdp_nn_restr_synapse", [2.0, 10.0, 30.0, 45.0], [4.0, 28.5, 33.0], {}, own)


def case_nn_restr_alone(nest):
    return sent(nest, "stdp_nn_restr_synapse", [2.0, 10.0, 30.0], [28.5], {}, {"lambda": 0.1, "Wmax": 40.0, "weight": 20.0})


def changed_delay(model):
    def case(nest):
        """Delays that are set between calls of Simulate while no spike is on its way; shorter ones: for longer ones NEST has dropped spikes."""
        nest.set(min_delay=1.0, max_delay=10.0)
        pre, post = pair(nest, model, 7.0)
        connection, found = nest.GetConnections(pre, post), []
        for piece, delay in ((30.0, 4.5), (15.0, 3.0), (15.0, 1.5), (20.0, 1.0), (30.0, 1.0)):
            nest.Simulate(piece)
            found.append(connection.weight)
            connection.delay = delay
            connection = nest.GetConnections(pre, post)
        return {"weights": near(found, 1e-9, 1e-11), "delay": connection.delay}

    return case


for _model in PLASTIC:
    if _model != "stdp_nn_pre_centered_synapse":
        globals()[f"case_{_model}_changed_delay"] = changed_delay(_model)


def case_cont_delay_of_devices(nest):
    """From a stimulator, and to a recorder; delays on the grid."""
    relay, found, cell = nest.Create("parrot_neuron"), nest.Create("spike_recorder"), nest.Create("iaf_psc_alpha")
    current = nest.Create("step_current_generator", params={"amplitude_times": [1.0, 5.0], "amplitude_values": [1000.0, 0.0]})
    wanted, meter = {"synapse_model": "cont_delay_synapse", "delay": 2.3}, nest.Create("voltmeter", params={"interval": 0.1})
    nest.Connect(nest.Create("spike_generator", params={"spike_times": [1.0, 3.0, 5.0]}), relay, syn_spec=wanted)
    nest.Connect(relay, found, syn_spec=wanted)
    nest.Connect(current, cell, syn_spec=wanted)
    nest.Connect(meter, cell)
    nest.Simulate(20.0)
    return {"times": near(found.events["times"]), "V_m": near(meter.events["V_m"]), "delays": near(sorted(nest.GetConnections().delay))}
