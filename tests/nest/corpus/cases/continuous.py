# SPDX-License-Identifier: Apache-2.0
"""Connections that carry values: gap junctions, rates, mean rates, slow inward currents; waveform relaxation.

Without noise both simulators solve the same equations, and agree to the tolerance of the solver or of the relaxation; the noise of rate
neurons is drawn by other generators, so that only its statistics can agree.
"""

from functools import partial

import numpy as np
from tests.nest.corpus.values import error, near, sample, spikes

GAIN_MODELS = ("lin", "tanh", "sigmoid", "threshold_lin")
IPN = ("lin_rate_ipn", "tanh_rate_ipn", "sigmoid_rate_ipn", "sigmoid_rate_gg_1998_ipn", "threshold_lin_rate_ipn")
OPN = ("lin_rate_opn", "tanh_rate_opn", "threshold_lin_rate_opn")
TRANSFORMERS = tuple(f"rate_transformer_{name}" for name in (*GAIN_MODELS, "sigmoid_gg_1998"))


def recorded(nest, nodes, names=("rate",), interval=0.1):
    meter = nest.Create("multimeter", params={"record_from": [*names], "interval": interval})
    nest.Connect(meter, nodes)
    return lambda name=names[0]: np.array([meter.events[name][meter.events["senders"] == node] for node in nodes.tolist()])


def linked(nest, nodes, delays=(0.7, 1.3), seed=1, scale=0.4, model="rate_connection_delayed"):
    """All to all with given weights and delays."""
    rng = np.random.default_rng(seed)
    n = len(nodes)
    spec = {"synapse_model": model, "weight": rng.normal(0.0, scale, (n, n))}
    if model == "rate_connection_delayed":
        spec["delay"] = rng.choice(delays, (n, n))
    nest.Connect(nodes, nodes, "all_to_all", spec)


def rates_of(model, connection="rate_connection_delayed", settings=None, params=None, ms=12.0, atol=1e-10):
    def case(nest):
        nest.SetKernelStatus(settings or {})
        silent = {"sigma": 0.0} if not model.startswith("rate_transformer") and "gauss" not in model else {}
        nodes = nest.Create(model, 5, silent | (params or {}))
        nodes.rate = [0.1, -0.4, 0.9, 0.0, 0.3]
        if "mu" in nodes[0].get() and "gauss" not in model:
            nodes.mu = [0.5, 0.0, -0.3, 0.2, 0.1]
        linked(nest, nodes, model=connection)
        read = recorded(nest, nodes)
        nest.Simulate(ms)
        return {"rates": near(read(), atol)}

    return case


for _model in (*IPN, *OPN, *TRANSFORMERS):
    globals()[f"case_{_model}"] = rates_of(_model)
    globals()[f"case_{_model}_each_its_gain"] = rates_of(_model, params={"linear_summation": False})
    if _model not in TRANSFORMERS:  # loops of transformers without delay are no equations of motion
        globals()[f"case_{_model}_instantaneous"] = rates_of(
            _model, "rate_connection_instantaneous", {"wfr_tol": 1e-10, "wfr_max_iterations": 60}
        )
del _model
_GAUSS = {"mu": 0.2, "sigma": 0.7}
case_gauss_rate_ipn = rates_of("gauss_rate_ipn", params=_GAUSS | {"std": 0.0})
case_gauss_rate_ipn_each_its_gain = rates_of("gauss_rate_ipn", params=_GAUSS | {"std": 0.0, "linear_summation": False})
case_rate_transformer_gauss = rates_of("rate_transformer_gauss", params=_GAUSS)
case_lin_rate_ipn_coupled = rates_of(
    "lin_rate_ipn", params={"mult_coupling": True, "g_ex": 0.7, "g_in": 1.2, "theta_ex": 2.0, "theta_in": 0.5, "lambda": 0.8, "tau": 4.0}
)
case_lin_rate_opn_coupled = rates_of(
    "lin_rate_opn", params={"mult_coupling": True, "theta_ex": 1.0, "theta_in": 1.5, "linear_summation": False}
)
case_lin_rate_ipn_no_decay = rates_of("lin_rate_ipn", params={"lambda": 0.0})
case_lin_rate_ipn_rectified = rates_of("lin_rate_ipn", params={"rectify_output": True, "rectify_rate": 0.05})
case_threshold_lin_bounded = rates_of("threshold_lin_rate_ipn", params={"theta": 0.1, "alpha": 0.3, "g": 1.5})
case_instantaneous_tolerance = rates_of("lin_rate_ipn", "rate_connection_instantaneous", {"wfr_tol": 1e-3}, atol=2e-3)
case_instantaneous_one_iteration = rates_of("lin_rate_ipn", "rate_connection_instantaneous", {"wfr_max_iterations": 1}, atol=1e-2)
case_instantaneous_short_parts = rates_of(
    "lin_rate_ipn", "rate_connection_instantaneous", {"wfr_comm_interval": 0.3, "wfr_tol": 1e-10, "wfr_max_iterations": 50}
)
case_instantaneous_without_waveforms = rates_of("tanh_rate_ipn", "rate_connection_instantaneous", {"use_wfr": False})


def case_transformers_at_once(nest):
    """A rate goes through a chain of transformers."""
    nest.set(wfr_tol=1e-10, wfr_max_iterations=60)
    source, chain = nest.Create("lin_rate_ipn", params={"sigma": 0.0, "mu": 0.5}), nest.Create("rate_transformer_tanh", 3, {"g": 2.0})
    at_once = {"synapse_model": "rate_connection_instantaneous", "weight": 1.5}
    nest.Connect(source, chain[:1], syn_spec=at_once)
    nest.Connect(chain[:2], chain[1:], "one_to_one", at_once)
    read = recorded(nest, source + chain)
    nest.Simulate(12.0)
    return {"rates": near(read(), 1e-9)}


def case_both_connections(nest):
    """Delayed and instantaneous ones; other weights and rates between two runs. With several delays NEST uses old weights for what is on its way."""
    nest.set(wfr_tol=1e-10, wfr_max_iterations=60)
    nodes = nest.Create("tanh_rate_ipn", 4, {"sigma": 0.0, "mu": [0.3, -0.2, 0.1, 0.5], "g": 1.4})
    linked(nest, nodes, model="rate_connection_instantaneous")
    linked(nest, nodes, (0.7,), seed=2)
    read = recorded(nest, nodes)
    nest.Simulate(7.0)
    nest.GetConnections(nodes[:1], nodes, "rate_connection_delayed").weight = 0.9
    nest.GetConnections(nodes, nodes[2:3], "rate_connection_instantaneous").weight = -0.5
    nodes[1].rate = 1.5
    nest.Simulate(7.0)
    return {"rates": near(read(), 1e-9)}


def case_step_rate_generator(nest):
    """The device comes before its targets: else what it sends in a slice may come too late for them in NEST."""
    device = nest.Create("step_rate_generator", params={"amplitude_times": [0.3, 4.3, 9.0], "amplitude_values": [2.0, -1.0, 0.5]})
    nodes = nest.Create("lin_rate_ipn", 3, {"sigma": 0.0, "tau": 5.0})
    nest.Connect(
        device,
        nodes,
        syn_spec={"synapse_model": "rate_connection_delayed", "weight": [[1.0], [0.5], [-2.0]], "delay": [[1.0], [1.0], [2.5]]},
    )
    linked(nest, nodes)
    read = recorded(nest, nodes)
    nest.Simulate(15.0)
    c = nest.GetConnections(device)
    return {"rates": near(read(), 1e-10), "connections": c.get(["source", "target", "weight", "delay", "receptor"])}


def case_noise_of_the_input(nest):
    """The stationary rates of neurons without input: normal, with variance sigma^2 / 2; and the recorded noise."""
    nodes = nest.Create("lin_rate_ipn", 400, {"sigma": 2.0, "tau": 5.0, "mu": 3.0})
    meter = nest.Create("multimeter", params={"record_from": ["rate", "noise"], "interval": 1.0})
    nest.Connect(meter, nodes)
    nest.Simulate(62.0)
    last = meter.events["times"] == 60.0
    return {"rates": sample(meter.events["rate"][last]), "noise": sample(meter.events["noise"][last])}


def case_noise_of_the_output(nest):
    nodes = nest.Create("lin_rate_opn", 400, {"sigma": 0.7, "tau": 5.0, "mu": 3.0})
    meter = nest.Create("multimeter", params={"record_from": ["rate", "noise", "noisy_rate"], "interval": 1.0})
    nest.Connect(meter, nodes)
    nest.Simulate(32.0)
    last = meter.events["times"] == 30.0
    found = {key: meter.events[key][last] for key in ("rate", "noise", "noisy_rate")}
    return {"rates": near(found["rate"], 1e-9), "noise": sample(found["noise"]), "noisy": sample(found["noisy_rate"])}


def case_names_of_noise(nest):
    """mean and std are other names of mu and sigma; in gauss models mu and sigma are those of the gain, too."""
    found = {}
    for model in ("lin_rate_ipn", "gauss_rate_ipn"):
        node = nest.Create(model, params={"mu": 1.5, "sigma": 0.4})
        found[model] = [node.get(["mu", "sigma", "mean", "std"])]
        node.set(mean=0.25, std=0.75)
        found[model].append(node.get(["mu", "sigma", "mean", "std"]))
        node.set({"mu": 3.0, "mean": 2.0})
        found[model].append(node.get(["mu", "mean"]))
    return found


def case_rates_refuse(nest):
    node = nest.Create("lin_rate_ipn")
    refused = [
        {"tau": 0.0},
        {"sigma": -1.0},
        {"lambda": -0.5},
        {"rectify_rate": -1.0},
        {"linear_summation": 1},
        {"noise": 1.0},
        {"lambda_": 1.0},
    ]
    found = {str(given): error(lambda given=given: node.set(given)) for given in refused}
    return found | {"noisy": error(lambda: nest.Create("lin_rate_opn").set(noisy_rate=1.0)), "tau": node.tau}


# --- who may be connected to whom


def case_who_sends_what(nest):
    """Every kind of node to every other, by every connection."""
    models = (
        "lin_rate_ipn", "rate_transformer_lin", "siegert_neuron", "hh_psc_alpha_gap", "hh_cond_beta_gap_traub", "astrocyte_lr_1994",
        "aeif_cond_alpha_astro", "iaf_psc_exp", "parrot_neuron", "step_rate_generator", "poisson_generator", "dc_generator", "spike_recorder",
    )  # fmt: skip
    connections = (
        "static_synapse", "rate_connection_instantaneous", "rate_connection_delayed", "gap_junction", "diffusion_connection", "sic_connection",
    )  # fmt: skip
    nodes = {model: nest.Create(model) for model in models}
    found = {}
    for connection in connections:
        rule = {"rule": "one_to_one", "make_symmetric": True} if connection == "gap_junction" else "one_to_one"
        for a in models:
            done = {b: error(partial(nest.Connect, nodes[a], nodes[b], rule, connection)) for b in models}
            if ends := [b for b, raised in done.items() if not raised]:
                found[f"{connection}: {a}"] = ends
    return found


def case_connections_refuse(nest):
    rates, gaps, siegert = nest.Create("lin_rate_ipn", 2), nest.Create("hh_psc_alpha_gap", 3), nest.Create("siegert_neuron", 2)
    astro, neuron = nest.Create("astrocyte_lr_1994"), nest.Create("aeif_cond_alpha_astro")
    symmetric = {"rule": "one_to_one", "make_symmetric": True}

    def refused(pre, post, rule="all_to_all", **spec):
        return error(lambda: nest.Connect(pre, post, rule, spec))

    gap = {"synapse_model": "gap_junction"}
    return {
        "one way": refused(gaps[0], gaps[1], "one_to_one", **gap),
        "others": refused(gaps[:2], gaps[1:], **gap),
        "array": refused(gaps, gaps, synapse_model="gap_junction", weight=np.ones((3, 3))),
        "drawn": refused(gaps, gaps, synapse_model="gap_junction", weight=nest.random.uniform()),
        "drawn both ways": refused(gaps[0], gaps[1], symmetric, synapse_model="gap_junction", weight=nest.random.uniform()),
        "indegree": refused(gaps, gaps, {"rule": "fixed_indegree", "indegree": 1}, **gap),
        "both ways, all to all": refused(gaps, gaps, {"rule": "all_to_all", "make_symmetric": True}, **gap),
        "gap with delay": refused(gaps[0], gaps[1], symmetric, synapse_model="gap_junction", delay=1.0),
        "rate with delay": refused(rates, rates, synapse_model="rate_connection_instantaneous", delay=1.0),
        "diffusion with delay": refused(siegert, siegert, synapse_model="diffusion_connection", delay=1.0),
        "diffusion with weight": refused(siegert, siegert, synapse_model="diffusion_connection", weight=1.0),
        "receptor of rates": refused(rates, rates, synapse_model="rate_connection_instantaneous", receptor_type=1),
        "unknown key": refused(astro, neuron, synapse_model="sic_connection", nothing=1.0),
        "none": nest.num_connections,
    }


def case_defaults(nest):
    keys = ("weight", "delay", "has_delay", "requires_symmetric", "receptor_type", "synapse_modelid")
    found = {name: {key: nest.GetDefaults(name, key) for key in keys} for name in (
        "gap_junction", "rate_connection_delayed", "rate_connection_instantaneous", "sic_connection",
    )}  # fmt: skip
    found["diffusion"] = nest.GetDefaults("diffusion_connection", ["drift_factor", "diffusion_factor", "has_delay", "requires_symmetric"])
    found["delay"] = [
        error(lambda name=name: nest.SetDefaults(name, {"delay": 2.0}))
        for name in ("gap_junction", "rate_connection_instantaneous", "diffusion_connection", "rate_connection_delayed", "sic_connection")
    ]
    found["weight"] = error(lambda: nest.SetDefaults("diffusion_connection", {"weight": 2.0}))
    nest.SetDefaults("diffusion_connection", {"drift_factor": 2.0})
    nest.CopyModel("gap_junction", "mine", {"weight": 3.0})
    gaps = nest.Create("hh_psc_alpha_gap", 2)
    nest.Connect(gaps, gaps, {"rule": "all_to_all", "allow_autapses": False}, "mine")
    return found | {"of copies": nest.GetConnections().get(["source", "target", "weight", "delay", "synapse_model"])}


def case_uses_waveforms(nest):
    names = ("lin_rate_ipn", "siegert_neuron", "hh_psc_alpha_gap", "hh_cond_beta_gap_traub", "astrocyte_lr_1994", "iaf_psc_exp")
    found = {name: nest.Create(name).node_uses_wfr for name in names}
    nest.ResetKernel()
    nest.use_wfr = False
    return found | {f"{name}, not used": nest.Create(name).node_uses_wfr for name in names}


# --- kernel keys

_WFR = ("use_wfr", "wfr_comm_interval", "wfr_interpolation_order", "wfr_max_iterations", "wfr_tol")


def case_keys(nest):
    shown = {}

    def show(name):
        shown[name] = nest.get([*_WFR, "resolution"])

    show("at first")
    nest.set(wfr_comm_interval=2.0, wfr_interpolation_order=1, wfr_max_iterations=4, wfr_tol=0.0)
    show("set")
    nest.use_wfr = False
    show("not used")
    nest.set(wfr_tol=0.5, wfr_interpolation_order=0)
    nest.resolution = 0.2
    show("another resolution")
    nest.set(use_wfr=True)
    show("used again")
    nest.ResetKernel()
    show("reset")
    nest.resolution = 2.0
    show("long steps")
    nest.ResetKernel()
    nest.use_wfr = False
    nest.set(use_wfr=True, wfr_comm_interval=3.0)
    show("together")
    return shown


def case_keys_refuse(nest):
    bad = {"wfr_comm_interval": 0.05, "wfr_interpolation_order": 2, "wfr_max_iterations": 0, "wfr_tol": -1e-3}
    found = {key: error(lambda key=key, value=value: nest.set(**{key: value})) for key, value in bad.items()}
    found["types"] = [error(lambda key=key: nest.set(**{key: "x"})) for key in _WFR]
    nest.use_wfr = False
    found["interval, not used"] = error(lambda: nest.set(wfr_comm_interval=1.0))
    nest.ResetKernel()
    nodes = nest.Create("hh_psc_alpha_gap", 2)
    found["nodes"] = [error(lambda value=value: nest.set(use_wfr=value)) for value in (False, True)]
    nest.wfr_comm_interval = 2.0
    nest.Connect(nodes, nodes, "all_to_all", "gap_junction")
    found["connections"] = error(lambda: nest.set(wfr_comm_interval=1.0))
    nest.set(wfr_tol=0.1, wfr_max_iterations=3, wfr_interpolation_order=0)
    return found | {"at last": nest.get([*_WFR])}


def case_shortest_delay(nest):
    """min_delay where connections have none, and how far a multimeter has come."""
    found = {}
    for name, settings, delay in (
        ("none", {}, None), ("shorter", {}, 0.5), ("longer", {}, 2.5), ("other interval", {"wfr_comm_interval": 0.3}, None),
        ("not used", {"use_wfr": False}, 0.4),
    ):  # fmt: skip
        nest.ResetKernel()
        nest.set(**settings)
        nodes = nest.Create("hh_psc_alpha_gap", 2)
        meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 0.1})
        nest.Connect(meter, nodes)
        nest.Connect(nodes, nodes, "all_to_all", "gap_junction")
        if delay:
            nest.Connect(nodes, nodes, "all_to_all", {"delay": delay})
        nest.Simulate(6.0)
        found[name] = [nest.min_delay, nest.max_delay, len(meter.events["times"])]
    return found


# --- gap junctions

TIGHT = {"wfr_tol": 1e-9, "wfr_max_iterations": 40}


def gaps_of(model, weight=2.0, ms=60.0, atol=2e-3, settings=None, drive=(300.0, 0.0, 150.0), **more):
    def case(nest):
        nest.SetKernelStatus(TIGHT if settings is None else settings)
        cells = nest.Create(model, 3, {"I_e": list(drive), **more})
        nest.Connect(
            cells[:2], cells[1:], {"rule": "one_to_one", "make_symmetric": True}, {"synapse_model": "gap_junction", "weight": weight}
        )
        read = recorded(nest, cells, ("V_m",), 0.5)
        recorder = nest.Create("spike_recorder")
        nest.Connect(cells, recorder)
        nest.Simulate(ms)
        times = {f"spikes {k}": spikes(recorder.events["times"][recorder.events["senders"] == k + 1], 0.1) for k in range(3)}
        return {"V_m": near(read("V_m")[:, :30], atol)} | times

    return case


case_gap_hh_psc_alpha_gap = gaps_of("hh_psc_alpha_gap", 20.0)
case_gap_hh_cond_beta_gap_traub = gaps_of("hh_cond_beta_gap_traub", 15.0, drive=(600.0, 0.0, 300.0))
case_gap_subthreshold = gaps_of("hh_psc_alpha_gap", 30.0, drive=(60.0, -60.0, 20.0), atol=1e-4, ms=20.0)
case_gap_linear_interpolation = gaps_of(
    "hh_psc_alpha_gap", 20.0, settings=TIGHT | {"wfr_interpolation_order": 1}, drive=(60.0, -60.0, 20.0)
)
case_gap_constant = gaps_of("hh_psc_alpha_gap", 20.0, settings=TIGHT | {"wfr_interpolation_order": 0}, drive=(60.0, -60.0, 20.0))
case_gap_without_waveforms = gaps_of("hh_psc_alpha_gap", 20.0, settings={"use_wfr": False}, drive=(60.0, -60.0, 20.0))
case_gap_loose = gaps_of("hh_psc_alpha_gap", 20.0, settings={}, drive=(60.0, -60.0, 20.0), atol=5e-3)
case_gap_short_parts = gaps_of("hh_psc_alpha_gap", 20.0, settings=TIGHT | {"wfr_comm_interval": 0.2}, drive=(60.0, -60.0, 20.0))
case_gap_half_steps = gaps_of("hh_psc_alpha_gap", 20.0, settings=TIGHT | {"resolution": 0.05}, drive=(60.0, -60.0, 20.0))


def case_gap_with_chemical_synapses(nest):
    nest.SetKernelStatus(TIGHT)
    cells = nest.Create("hh_psc_alpha_gap", 4, {"I_e": 50.0})
    generator = nest.Create("spike_generator", params={"spike_times": [2.0, 11.0, 11.5, 23.0]})
    nest.Connect(generator, cells[:1], syn_spec={"weight": 400.0, "delay": 1.0})
    nest.Connect(cells[:2], cells[2:], {"rule": "one_to_one", "make_symmetric": True}, {"synapse_model": "gap_junction", "weight": 10.0})
    nest.Connect(cells[:1], cells[1:2], syn_spec={"weight": -80.0, "delay": 1.5})
    read = recorded(nest, cells, ("V_m",), 0.5)
    nest.Simulate(40.0)
    connections = nest.GetConnections(cells, cells, "gap_junction")
    connections.weight = 25.0
    nest.Disconnect(connections[0])
    nest.Simulate(20.0)
    left = nest.GetConnections(cells, cells, "gap_junction").get(["source", "target", "weight", "delay"])
    return {"V_m": near(read("V_m"), 5e-3), "left": left}


def case_gap_symmetric_rules(nest):
    cells = nest.Create("hh_psc_alpha_gap", 30)
    rule = {"rule": "symmetric_pairwise_bernoulli", "p": 0.3, "allow_autapses": False, "make_symmetric": True}
    nest.Connect(cells, cells, rule, {"synapse_model": "gap_junction", "weight": 0.5})
    c = nest.GetConnections()
    pairs = set(zip(c.source, c.target, strict=True))
    return {"both ways": all((b, a) in pairs for a, b in pairs), "weights": sorted(set(c.weight)), "models": sorted(set(c.synapse_model))}


# --- mean rates


def siegert(nest, n=3, **params):
    return nest.Create("siegert_neuron", n, params)


def case_siegert_neuron(nest):
    nest.SetKernelStatus(TIGHT)
    nodes = siegert(nest, tau_m=10.0)
    nodes.mean = [20.0, 0.0, 5.0]
    for a, b, drift, diffusion in ((0, 1, 0.5, 0.2), (0, 2, -0.5, 3.0), (1, 2, 3.5, 3.0), (2, 1, 0.4, 5.0), (1, 1, -0.1, 1.0)):
        spec = {"synapse_model": "diffusion_connection", "drift_factor": drift, "diffusion_factor": diffusion}
        nest.Connect(nodes[a], nodes[b], syn_spec=spec)
    read = recorded(nest, nodes)
    nest.Simulate(20.0)
    shown = nest.GetConnections(nodes, nodes[2:]).get(["source", "target", "drift_factor", "diffusion_factor", "delay", "receptor"])
    nest.GetConnections(nodes[0], nodes[2]).drift_factor = 1.0
    nest.Simulate(10.0)
    return {"rates": near(read(), 2e-6, 1e-6), "connections": shown}


def case_siegert_function(nest):
    """Rates over means and variances, from below the threshold to far above it; NEST ends the process where a variance is 0 or tiny."""
    drifts, variances = np.linspace(-20.0, 60.0, 9), (9.0, 25.0, 100.0, 400.0)
    inputs = [(mu, v) for mu in drifts for v in variances if mu > -10.0 or v > 25.0]
    source = siegert(nest, 1, mean=1.0, rate=1.0, theta=15.0)
    found = {}
    for tau_syn in (0.0, 0.5):
        targets = siegert(nest, len(inputs), tau=1e-3, tau_m=10.0, tau_syn=tau_syn, t_ref=2.0, theta=15.0, V_reset=-2.0)
        for target, (mu, variance) in zip(targets, inputs, strict=True):
            nest.Connect(
                source, target, syn_spec={"synapse_model": "diffusion_connection", "drift_factor": mu, "diffusion_factor": variance}
            )
        found[str(tau_syn)] = targets
    nest.Simulate(3.0)
    return {name: near(targets.rate, 1e-7, 1e-6) for name, targets in found.items()}


def case_siegert_refuses(nest):
    node = siegert(nest, 1)
    refused = [{"tau": 0.0}, {"tau_m": 0.0}, {"tau_syn": -1.0}, {"t_ref": -1.0}, {"theta": -1.0}, {"V_reset": 15.0}]
    found = {str(given): error(lambda given=given: node.set(given)) for given in refused}
    nest.Connect(node, node, syn_spec="diffusion_connection")
    c = nest.GetConnections()
    return found | {
        "weight of a connection": error(lambda: c.set(weight=2.0)),
        "delay of a connection": error(lambda: c.set(delay=2.0)),
        "keys": [key for key in c.get() if key != "sizeof"],
    }


# --- astrocytes


def case_astrocyte_alone(nest):
    nodes = nest.Create("astrocyte_lr_1994", 4)
    nodes.set(IP3=[0.16, 0.4, 0.6, 1.0], Ca_astro=[0.073, 0.2, 0.1, 0.5], h_IP3R=[0.793, 0.5, 0.9, 0.2])
    read = recorded(nest, nodes, ("IP3", "Ca_astro", "h_IP3R"), 50.0)
    nest.Simulate(4000.0)
    return {name: near(read(name), 1e-5) for name in ("IP3", "Ca_astro", "h_IP3R")}


def case_astrocyte_input(nest):
    """Spikes make IP3; a current is one of calcium."""
    nodes = nest.Create("astrocyte_lr_1994", 3, {"delta_IP3": 0.02, "tau_IP3": 500.0})
    generator = nest.Create("spike_generator", params={"spike_times": [5.0, 30.0, 31.0, 90.0], "spike_weights": [1.0, 2.0, 0.5, 4.0]})
    nest.Connect(generator, nodes[:2], syn_spec={"weight": [[1.0], [5.0]], "delay": 1.5})
    current = nest.Create("dc_generator", params={"amplitude": 1e-4, "start": 20.0, "stop": 120.0})
    nest.Connect(current, nodes[2], syn_spec={"weight": 2.0, "delay": 1.0})
    read = recorded(nest, nodes, ("IP3", "Ca_astro", "h_IP3R"), 5.0)
    nest.Simulate(300.0)
    return {name: near(read(name), 1e-6) for name in ("IP3", "Ca_astro", "h_IP3R")}


def case_slow_inward_current(nest):
    astro = nest.Create("astrocyte_lr_1994", 2, {"Ca_astro": [0.3, 0.1968], "IP3": 0.5, "SIC_scale": [1.0, 2.5]})
    neurons = nest.Create("aeif_cond_alpha_astro", 3, {"I_e": [0.0, 300.0, 600.0]})
    weights = np.array([[2.0, 1.0], [20.0, 0.0], [40.0, -5.0]])
    delays = np.array([[0.3, 1.0], [1.0, 2.0], [5.0, 0.1]])
    nest.Connect(astro, neurons, "all_to_all", {"synapse_model": "sic_connection", "weight": weights, "delay": delays})
    recorder = nest.Create("spike_recorder")
    nest.Connect(neurons, recorder)
    read = recorded(nest, neurons, ("I_SIC", "V_m", "w"), 0.1)
    nest.Simulate(60.0)
    found = {"I_SIC": near(read("I_SIC"), 1e-4), "V_m": near(read("V_m")[:, :100], 1e-4)}
    return found | {f"spikes {k}": spikes(recorder.events["times"][recorder.events["senders"] == k], 0.1) for k in neurons.tolist()}


def case_tripartite(nest):
    """All to all, so that nothing is drawn but the pool, which is all of the astrocytes."""
    pre, post = nest.Create("parrot_neuron", 3), nest.Create("aeif_cond_alpha_astro", 2)
    astro = nest.Create("astrocyte_lr_1994", 1, {"delta_IP3": 0.2, "IP3": 1.0, "Ca_astro": 0.19})
    generator = nest.Create("spike_generator", params={"spike_times": [10.0 * k for k in range(1, 30)]})
    nest.Connect(generator, pre)
    nest.TripartiteConnect(
        pre, post, astro, {"rule": "all_to_all"}, {"rule": "third_factor_bernoulli_with_pool", "p": 1.0, "pool_size": 1, "pool_type": "random"},
        {"primary": {"weight": 5.0, "delay": 2.0}, "third_in": {"weight": 0.5, "delay": 1.0},
         "third_out": {"synapse_model": "sic_connection", "weight": 3.0, "delay": 1.5}},
    )  # fmt: skip
    read, calcium = recorded(nest, post, ("I_SIC", "V_m"), 1.0), recorded(nest, astro, ("Ca_astro", "IP3"), 1.0)
    nest.Simulate(400.0)
    numbers = {model: len(nest.GetConnections(synapse_model=model)) for model in ("static_synapse", "sic_connection")}
    return {
        "I_SIC": near(read("I_SIC"), 2e-3),
        "Ca": near(calcium("Ca_astro"), 1e-5),
        "IP3": near(calcium("IP3"), 1e-6),
        "numbers": numbers,
    }


def case_astrocyte_refuses(nest):
    node = nest.Create("astrocyte_lr_1994")
    refused = [
        {"tau_IP3": 0.0}, {"Ca_tot": 0.0}, {"SIC_scale": 0.0}, {"SIC_th": -1.0}, {"Kd_act": 0.0}, {"Kd_inh": -1.0}, {"Km_SERCA": 0.0},
        {"delta_IP3": -1.0}, {"ratio_ER_cyt": 0.0}, {"IP3_0": -1.0}, {"rate_L": -1.0}, {"IP3": -0.1}, {"Ca_astro": -0.1}, {"h_IP3R": -0.1},
    ]  # fmt: skip
    found = {str(given): error(lambda given=given: node.set(given)) for given in refused}
    return found | {"keys": [*node.get()], "recordables": [*node.recordables], "kind": node.element_type}
