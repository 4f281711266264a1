# SPDX-License-Identifier: Apache-2.0
"""Eligibility propagation of both generations: recurrent networks with readouts whose weights are followed, and what is refused.

The weights that spikes are sent with are those of a weight_recorder, in the order of their times; traces are a multimeter's.
"""

import numpy as np
from tests.nest.corpus.values import error, near

OF_2020 = "_bsshslm_2020"
NEURON = {"C_m": 1.0, "E_L": 0.0, "V_m": 0.0, "V_th": 0.7, "tau_m": 10.0, "t_ref": 0.0}
READOUT = {"C_m": 1.0, "E_L": 0.0, "V_m": 0.0, "tau_m": 15.0}
ADAPTS = {"adapt_beta": 0.3, "adapt_tau": 60.0}


def network(nest, model, neuron=(), readout=(), optimizer=(), synapse=(), time=330.0, h=1.0, interval=50.0, window=40.0, reset=True,
            rate=0.1, sizes=(6, 5, 2), normed=False, delay=None, record=True, average=False, seed=5):  # fmt: skip
    """Inputs, recurrent neurons and readouts; what was recorded, and the weights at the end."""
    nest.ResetKernel()
    end = OF_2020 if model.endswith(OF_2020) else ""
    nest.set(resolution=h, eprop_update_interval=interval, eprop_learning_window=window, eprop_reset_neurons_on_update=reset)
    rng = np.random.default_rng(seed)
    steps = round(time / h)
    n_in, n_rec, n_out = sizes
    recurrent, out = nest.Create(model, n_rec, NEURON | dict(neuron)), nest.Create(f"eprop_readout{end}", n_out, READOUT | dict(readout))
    relays, recorder = nest.Create("parrot_neuron", n_in), nest.Create("weight_recorder")
    for relay in relays:
        times = (1.0 + np.flatnonzero(rng.random(steps) < rate * h)) * h
        nest.Connect(nest.Create("spike_generator", params={"spike_times": np.round(times, 3)}), relay, syn_spec={"delay": h})
    common = {"optimizer": dict(optimizer)} | ({"average_gradient": True} if average else {})
    nest.CopyModel(f"eprop_synapse{end}", "learns", common | ({"weight_recorder": recorder} if record else {}))
    for pre, post, mean, width in ((relays, recurrent, 0.4, 0.3), (recurrent, recurrent, 0.0, 0.3), (recurrent, out, 0.0, 0.5)):
        spec = {"synapse_model": "learns", "weight": rng.normal(mean, width, (len(post), len(pre))), "delay": delay or h}
        nest.Connect(pre, post, {"rule": "all_to_all", "allow_autapses": pre is not post}, spec | (dict(synapse) if end else {}))
    signal = {"synapse_model": f"eprop_learning_signal_connection{end}", "weight": rng.normal(0.0, 1.0, (n_rec, n_out)), "delay": h}
    nest.Connect(out, recurrent, "all_to_all", signal)
    times = h * np.arange(1, steps)
    told = {"synapse_model": "rate_connection_delayed", "receptor_type": 2, "delay": h}
    for k in range(n_out):
        rates = {"amplitude_times": times, "amplitude_values": 0.5 * (1.0 + np.sin(times / (7.0 + 6.0 * k)))}
        nest.Connect(nest.Create("step_rate_generator", params=rates), out[k], syn_spec=told)
    if normed:
        nest.Connect(out, out, {"rule": "all_to_all", "allow_autapses": False}, told | {"receptor_type": 1})
    if not end:
        learns = {"amplitude_times": times, "amplitude_values": (times % interval >= interval - window).astype(float)}
        nest.Connect(nest.Create("step_rate_generator", params=learns), out, syn_spec=told | {"receptor_type": 1})
    meters = []
    for nodes in (recurrent, out):
        names = [name for name in map(str, nodes[0].recordables) if name != "eprop_history_duration"]
        meters.append(nest.Create("multimeter", params={"interval": h, "record_from": sorted(names)}))
        nest.Connect(meters[-1], nodes)
    nest.Simulate(time)
    found = {f"{'rec' if meter is meters[0] else 'out'} {name}": meter.events[name] for meter in meters for name in meter.record_from}
    if record:
        sent = recorder.events
        order = np.lexsort((sent["targets"], sent["senders"], np.round(sent["times"], 3)))
        found |= {"sent": sent["weights"][order], "senders": sent["senders"][order]}
    made = nest.GetConnections(synapse_model="learns")
    return found | {"weights": np.array(made.weight)[np.lexsort((made.target, made.source))]}


def compared(found, keys):
    """Some of each column, within 2e-9 of the largest value: weights and all that follows from them differ by what inputs are rounded to."""
    thin = {key: found[key][:: len(found[key]) // 100 + 1] for key in keys}
    return {"number": len(found["sent"])} | {key: near(column, atol=2e-9 * max(10.0, np.abs(column).max())) for key, column in thin.items()}


ADAM = {"type": "adam", "beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-6}
VARIANTS = {
    "eprop_iaf_bsshslm_2020": {
        "plain": {},
        "holds": {"neuron": {"t_ref": 3.0}, "optimizer": {"eta": 2e-4}},
        "regular": {"neuron": {"c_reg": 30.0, "f_target": 20.0}, "optimizer": {"eta": 3e-5}},
        "adam": {"optimizer": ADAM | {"eta": 5e-3}},
        "batch": {"optimizer": {"batch_size": 2, "eta": 5e-5}},
        "adam batch": {"optimizer": ADAM | {"eta": 1e-2, "batch_size": 3}},
        "average": {"average": True, "optimizer": {"eta": 2e-4}},
        "bounds": {"optimizer": {"eta": 2e-3, "Wmin": -1.2, "Wmax": 1.2}},
        "goes on": {"reset": False, "optimizer": {"eta": 3e-5}},
        "filter": {"synapse": {"tau_m_readout": 30.0}, "optimizer": {"eta": 5e-5}},
        "irregular": {
            "neuron": {"regular_spike_arrival": False, "V_th": 0.1},
            "readout": {"regular_spike_arrival": False},
            "optimizer": {"eta": 1e-3},
        },
        "exponential": {"neuron": {"surrogate_gradient_function": "exponential", "surrogate_gradient_width": 0.5}},
        "sigmoid": {"neuron": {"surrogate_gradient_function": "fast_sigmoid_derivative", "surrogate_gradient_height": 0.6}},
        "arctan": {"neuron": {"surrogate_gradient_function": "arctan_derivative", "surrogate_gradient_width": 2.0}},
        "rest": {"neuron": {"E_L": -70.0, "V_m": -70.0, "V_th": -69.3}, "readout": {"E_L": 0.5, "V_m": 0.5}},
        "currents": {"neuron": {"I_e": 0.02, "C_m": 2.0, "V_min": -0.2}, "readout": {"I_e": 0.01, "V_min": -0.1}},
        "fine": {"h": 0.5, "interval": 40.0, "window": 30.5, "optimizer": {"eta": 2e-5}},
        "rare": {"rate": 0.004, "time": 1500.0, "neuron": {"V_th": 0.3}, "optimizer": {"eta": 2e-5}},
        "long": {"interval": 700.0, "window": 500.0, "time": 1500.0, "rate": 0.05, "optimizer": {"eta": 2e-6}},
    },
    "eprop_iaf_adapt_bsshslm_2020": {
        "plain": {"neuron": ADAPTS},
        "regular": {"neuron": ADAPTS | {"c_reg": 30.0, "f_target": 20.0, "t_ref": 2.0}, "optimizer": {"eta": 2e-4}},
        "adam": {"neuron": ADAPTS, "optimizer": ADAM | {"eta": 5e-3}},
        "goes on": {"neuron": ADAPTS, "reset": False, "optimizer": {"eta": 2e-4}},
    },
    "eprop_iaf": {
        "plain": {},
        "holds": {"neuron": {"t_ref": 3.0}, "optimizer": {"eta": 3e-4}},
        "regular": {"neuron": {"c_reg": 3.0, "f_target": 20.0, "kappa": 0.8, "kappa_reg": 0.9}, "optimizer": {"eta": 3e-4}},
        "adam": {"optimizer": ADAM | {"eta": 1e-3}},
        "batch": {"optimizer": {"batch_size": 7, "eta": 1e-3}},
        "adam batch": {"optimizer": ADAM | {"batch_size": 7, "eta": 1e-3}},
        "sum": {"optimizer": {"optimize_each_step": False, "eta": 3e-4}},
        "adam sum": {"optimizer": ADAM | {"optimize_each_step": False, "eta": 1e-3}},
        "bounds": {"optimizer": {"eta": 5e-4, "Wmin": -1.2, "Wmax": 1.2}},
        "cut": {"neuron": {"eprop_isi_trace_cutoff": 6.0}, "readout": {"eprop_isi_trace_cutoff": 9.0}, "optimizer": {"eta": 3e-4}},
        "fine": {"h": 0.5, "optimizer": {"eta": 5e-5}},
        "rare": {"rate": 0.004, "time": 1500.0, "neuron": {"V_th": 0.3}, "optimizer": {"eta": 3e-4}},
        "currents": {"neuron": {"I_e": 0.02, "C_m": 2.0, "V_min": -0.2}, "readout": {"I_e": 0.01, "V_min": -0.1}},
    },
    "eprop_iaf_adapt": {
        "plain": {"neuron": ADAPTS},
        "regular": {"neuron": ADAPTS | {"c_reg": 3.0, "f_target": 20.0, "t_ref": 2.0}, "optimizer": {"eta": 3e-4}},
    },
    "eprop_iaf_psc_delta": {
        "plain": {},
        "holds": {"neuron": {"t_ref": 3.0, "V_reset": -0.1}, "optimizer": {"eta": 3e-4}},
        "keeps": {"neuron": {"t_ref": 3.0, "refractory_input": True}, "optimizer": {"eta": 3e-4}},
        "currents": {"neuron": {"I_e": 0.02, "C_m": 2.0, "V_min": -0.2, "V_reset": -0.1}},
    },
    "eprop_iaf_psc_delta_adapt": {"plain": {"neuron": ADAPTS | {"V_reset": -0.1, "t_ref": 0.0}}},
}


def followed(model, variants):
    def case(nest):
        found = {}
        for name, how in variants.items():
            result = network(nest, model, **how)
            some = [key for key in result if "rec" not in key or name in ("plain", "holds", "keeps", "currents", "rest", "goes on")]
            found |= {f"{name} {key}": value for key, value in compared(result, some).items()}
        return found

    return case


for _model, _variants in VARIANTS.items():
    globals()[f"case_{_model}"] = followed(_model, _variants)


def case_cross_entropy(nest):
    """Readouts that tell each other what they are, and compare their shares with targets."""
    found = {}
    for name, how in {
        "adam": {"optimizer": ADAM | {"eta": 5e-3}},
        "three": {"sizes": (6, 5, 3), "readout": {"E_L": 0.2, "V_m": 0.2}, "optimizer": {"eta": 1e-4}},
        "goes on": {"reset": False, "optimizer": {"eta": 2e-5}},
    }.items():
        how["readout"] = {"loss": "cross_entropy"} | how.get("readout", {})
        result = network(nest, "eprop_iaf_bsshslm_2020", normed=True, **how)
        found |= {f"{name} {key}": value for key, value in compared(result, result).items()}
    return found


def case_delays(nest):
    """Other than a step are refused."""
    found = {}
    for end in ("", OF_2020):
        for resolution in (0.1, 1.0):
            for delay in (0.1, 1.0, 1.1, 2.0):
                nest.ResetKernel()
                nest.resolution = resolution
                pre, post = nest.Create("parrot_neuron"), nest.Create(f"eprop_iaf{end}")
                spec = {"synapse_model": f"eprop_synapse{end}", "delay": delay}
                found[f"{end} {resolution} {delay}"] = error(lambda a=pre, b=post, spec=spec: nest.Connect(a, b, syn_spec=spec))
    return found


def case_status(nest):
    """What models and connections show of themselves, and the optimizer of Adam."""
    found = {}
    for model in [*VARIANTS, "eprop_readout_bsshslm_2020", "eprop_readout"]:
        default = nest.GetDefaults(model)
        hidden = ("recordables", "elementsize", "eprop_history_duration")
        found |= {f"{model} {key}": value for key, value in default.items() if key not in hidden and isinstance(value, int | float | str)}
    for name in ("", OF_2020):
        nest.SetDefaults(f"eprop_synapse{name}", {"optimizer": {"type": "adam", "eta": 0.5, "optimize_each_step": False}})
        found |= {f"{name} {key}": value for key, value in nest.GetDefaults(f"eprop_synapse{name}", "optimizer").items()}
        pre, post = nest.Create("parrot_neuron"), nest.Create(f"eprop_iaf{name}", 2)
        nest.Connect(pre, post, syn_spec={"synapse_model": f"eprop_synapse{name}", "weight": 0.3, "delay": nest.resolution})
        made = nest.GetConnections(pre, post)
        found |= {f"{name} {key}": made.get(key) for key in ("weight", "optimizer", "delay", "receptor")}
    made.set(weight=[0.4, 0.5], tau_m_readout=7.0)
    return found | {"set": [made.weight, made.tau_m_readout]}


def case_kernel_keys(nest):
    found = {}
    nest.eprop_reset_neurons_on_update = True  # NEST's ResetKernel leaves it as it was
    names = ("eprop_update_interval", "eprop_learning_window", "eprop_reset_neurons_on_update")
    for given in (
        {"eprop_update_interval": 400.0, "eprop_learning_window": 100.0},
        {"eprop_reset_neurons_on_update": False},
        {"eprop_update_interval": 0.0},
        {"eprop_update_interval": -5.0},
        {"eprop_learning_window": 500.0},
        {"eprop_learning_window": 0.0},
        {"eprop_reset_neurons_on_update": 0},
    ):
        found[str(given)] = [error(lambda given=given: nest.set(**given)), [getattr(nest, name) for name in names]]
    return found


def case_connections(nest):
    """What learns, and what tells it to, between which nodes."""
    found = {}
    learners = ("eprop_iaf", "eprop_readout")
    models = ("eprop_iaf", "eprop_iaf_bsshslm_2020", "eprop_readout", "eprop_readout_bsshslm_2020", "iaf_psc_delta", "parrot_neuron")
    for synapse in ("eprop_learning_signal_connection", "eprop_synapse"):
        for end in ("", OF_2020):
            for pre in models:
                for post in models:
                    if any(of.removesuffix(OF_2020) in learners and of.endswith(OF_2020) != bool(end) for of in (pre, post)):
                        continue  # see case_generations
                    a, b, spec = nest.Create(pre), nest.Create(post), {"synapse_model": synapse + end, "delay": nest.resolution}
                    found[f"{synapse}{end} {pre} {post}"] = error(lambda a=a, b=b, spec=spec: nest.Connect(a, b, syn_spec=spec))
    return found


def case_generations(nest):
    """Synapses of one generation onto neurons of the other."""
    found = {}
    for synapse, post in (("", OF_2020), (OF_2020, "")):
        a, b, readout = nest.Create("parrot_neuron"), nest.Create(f"eprop_iaf{post}"), nest.Create(f"eprop_readout{synapse}")
        for pre, kind in ((a, "eprop_synapse"), (readout, "eprop_learning_signal_connection")):
            spec = {"synapse_model": kind + synapse, "delay": nest.resolution}
            found[kind + synapse] = error(lambda pre=pre, b=b, spec=spec: nest.Connect(pre, b, syn_spec=spec))
    return found


def case_rates(nest):
    """What tells readouts what to do."""
    found = {}
    for model in ("eprop_readout", "eprop_readout_bsshslm_2020", "eprop_iaf"):
        for port in range(4):
            rates, target = nest.Create("step_rate_generator"), nest.Create(model)
            spec = {"synapse_model": "rate_connection_delayed", "receptor_type": port}
            found[f"{model} {port}"] = error(lambda a=rates, b=target, spec=spec: nest.Connect(a, b, syn_spec=spec))
    return found


def case_refuses(nest):
    found = {}
    values = {
        "c_reg": -1.0, "f_target": -1.0, "surrogate_gradient_height": 0.0, "surrogate_gradient_width": 0.0, "t_ref": -1.0, "tau_m": 0.0, "C_m": 0.0,
        "surrogate_gradient_function": "none", "regular_spike_arrival": 1, "kappa": 1.5, "kappa_reg": -0.1, "eprop_isi_trace_cutoff": -1.0,
        "learning_signal": 1.0, "surrogate_gradient": 1.0, "adapt_tau": 0.0, "adapt_beta": -1.0, "V_th_adapt": 0.0, "V_reset": -50.0, "refractory_input": 1,
        "tau_minus": 10.0, "loss": "none", "error_signal": 1.0, "readout_signal": 1.0, "target_signal": 1.0, "V_th": -80.0, "E_L": -50.0,
    }  # fmt: skip
    for model in [*VARIANTS, "eprop_readout_bsshslm_2020", "eprop_readout"]:
        for key, value in values.items():
            found[f"{model} {key}"] = error(lambda model=model, key=key, value=value: nest.Create(model).set({key: value}))
    return found


def case_refused_optimizers(nest):
    found = {}
    for end in ("", OF_2020):
        synapse = f"eprop_synapse{end}"
        for given in ({"batch_size": 0}, {"batch_size": 1.5}, {"eta": -1.0}, {"Wmin": 200.0}, {"optimize_each_step": 1}, {"type": "none"},
                      {"type": "adam", "beta_1": 1.0}, {"type": "adam", "beta_2": -0.1}, {"type": "adam", "epsilon": -1.0}):  # fmt: skip
            nest.ResetKernel()
            found[f"{synapse} {given}"] = error(lambda of=synapse, given=given: nest.SetDefaults(of, {"optimizer": given}))
        nodes = nest.Create(f"eprop_iaf{end}", 2)
        for key, value in {"optimizer": {"eta": 0.1}, "average_gradient": True, "tau_m_readout": -1.0, "eta": 0.1}.items():
            spec = {"synapse_model": synapse, key: value, "delay": nest.resolution}
            found[f"{synapse} Connect {key}"] = error(lambda spec=spec, nodes=nodes: nest.Connect(nodes, nodes, syn_spec=spec))
    return found


def case_adaptation_while_held(nest):
    """The threshold rises with each spike."""
    found = {}
    for t_ref in (0.0, 2.0):
        nest.ResetKernel()
        nest.resolution = 1.0
        cell = nest.Create("eprop_iaf_psc_delta_adapt", params={"I_e": 600.0, "t_ref": t_ref})
        nest.Simulate(60.0)
        found["adaptation" if t_ref else "without a refractory period"] = near(cell.adaptation)
    return found


def case_optimizers_of_new_connections_set_to_what_they_are(nest):
    nest.resolution = 1.0
    nest.SetDefaults("eprop_synapse_bsshslm_2020", {"optimizer": {"type": "adam", "Wmin": -100.0, "Wmax": 100.0}})
    cells = nest.Create("eprop_iaf_bsshslm_2020", 3)
    nest.Connect(cells, cells, syn_spec={"synapse_model": "eprop_synapse_bsshslm_2020", "delay": 1.0, "weight": 1.0})
    some = nest.GetConnections(cells[0], cells[1:3])
    some.set([{"optimizer": {"m": 0.0, "v": 0.0}}] * 2)
    some[0].set({"optimizer": {"v": 0.0}, "weight": 2.0})
    text = error(lambda: some.set({"optimizer": {"m": "text"}}))
    return {"optimizers": some.optimizer, "weights": sorted(some.weight), "text": text}


def case_learning_rate_changed_after_simulate(nest):
    """It is that of intervals that begin then."""
    nest.set(resolution=1.0, eprop_update_interval=100.0, eprop_learning_window=100.0, eprop_reset_neurons_on_update=True)
    cell = {"C_m": 1.0, "E_L": 0.0, "V_m": 0.0, "tau_m": 20.0}
    cells = nest.Create("eprop_iaf_bsshslm_2020", 3, cell | {"V_th": 0.5, "c_reg": 0.01})
    readout = nest.Create("eprop_readout_bsshslm_2020", 1, cell)
    drive, relay = nest.Create("spike_generator", 2), nest.Create("parrot_neuron", 2)
    for k in range(2):
        drive[k].spike_times = np.unique(np.random.default_rng(k).integers(3, 700, 100)).astype(float)
    target = nest.Create("step_rate_generator", 1, {"amplitude_times": [2.0, 300.0], "amplitude_values": [1.0, -1.0]})
    rates = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-7}  # NEST keeps those of another case
    limits = {"Wmin": -100.0, "Wmax": 100.0, "batch_size": 1}
    given = {"optimizer": {"type": "adam", "eta": 0.002} | rates | limits, "average_gradient": False, "tau_m_readout": 10.0}
    nest.SetDefaults("eprop_synapse_bsshslm_2020", given)
    learns = {"synapse_model": "eprop_synapse_bsshslm_2020", "delay": 1.0}
    nest.Connect(drive, relay, "one_to_one", {"delay": 1.0})
    nest.Connect(relay, cells, "all_to_all", learns | {"weight": 0.6})
    nest.Connect(cells, readout, "all_to_all", learns | {"weight": 0.3})
    feedback = {"synapse_model": "eprop_learning_signal_connection_bsshslm_2020", "delay": 1.0, "weight": 0.7}
    nest.Connect(readout, cells, "all_to_all", feedback)
    nest.Connect(target, readout, "all_to_all", {"synapse_model": "rate_connection_delayed", "delay": 1.0, "receptor_type": 2})
    weights = []
    for eta in (0.002, 0.0, 0.01):
        given["optimizer"]["eta"] = eta
        nest.SetDefaults("eprop_synapse_bsshslm_2020", given)
        nest.Simulate(230.0)
        weights += nest.GetConnections(relay, cells).weight
    shown = nest.GetDefaults("eprop_synapse_bsshslm_2020", "optimizer")["eta"]
    return {"weights": near(weights, 1e-6), "shown": shown}
