# SPDX-License-Identifier: Apache-2.0
"""Structural plasticity: calcium, growth of elements, and which synapses form and go."""

import numpy as np
from tests.nest.corpus.values import counts, error, near

TIMES = [4.0, 11.0, 12.0, 30.0, 55.0, 56.5, 58.0, 90.0, 131.0, 133.0]


def element(z=0.0, rate=0.0, **more):
    return {"growth_curve": "linear", "growth_rate": rate, "eps": 0.5, "z": z, **more}


def growing(nest, interval=10.0, seed=1, synapses=None, **options):
    """Synapses s1 of a model `grown` between elements A and D."""
    nest.rng_seed = seed
    nest.structural_plasticity_update_interval = interval
    nest.CopyModel("static_synapse", "grown", {"weight": 2.0, "delay": 1.0})
    entry = {"synapse_model": "grown", "pre_synaptic_element": "A", "post_synaptic_element": "D", **options}
    nest.structural_plasticity_synapses = synapses or {"s1": entry}
    nest.EnableStructuralPlasticity()


def neurons(nest, n=1, **elements):
    return nest.Create("iaf_psc_alpha", n, {"synaptic_elements": elements})


def elements_of(*collections):
    """z and z_connected of all elements, in order of their names."""
    found = [e for nodes in collections for node in nodes for _, e in sorted(node.synaptic_elements.items())]
    return {"z": [round(e["z"], 6) for e in found], "z_connected": [e["z_connected"] for e in found]}


def case_status_of_elements(nest):
    cell = nest.Create("iaf_psc_alpha")
    found = {key: cell.get(key) for key in ("Ca", "tau_Ca", "beta_Ca", "t_spike", "synaptic_elements")}
    for curve in nest.growth_curves:
        cell.synaptic_elements = {"x": {"growth_curve": curve}}
        found[curve] = cell.synaptic_elements
    cell.synaptic_elements = {"y": {"growth_curve": "linear", "z": 3.0, "tau_vacant": 0.4}, "a": {}}
    found["two"] = cell.synaptic_elements
    cell.synaptic_elements = {"y": {}}
    return found | {"replaced": cell.synaptic_elements}


def case_parameters_of_elements_that_are_there(nest):
    """synaptic_elements_param: what is given changes, all else stays, also what is in use; elements that are not there are passed over."""
    growing(nest)
    pre, post = neurons(nest, 2, A=element(2.0)), neurons(nest, 2, D=element(2.0), E=element(1.0))
    nest.Simulate(11.0)
    made = nest.num_connections
    pre.set(synaptic_elements_param={"A": {"growth_rate": -0.05, "tau_vacant": 0.3}})
    post[0].set({"synaptic_elements_param": {"D": {"growth_curve": "gaussian", "eta": 0.1, "growth_rate": 0.02}, "missing": {"z": 4.0}}})
    shown = [node.synaptic_elements for node in (*pre, *post)]
    nest.Simulate(30.0)
    wrong = error(lambda: post.set(synaptic_elements_param=3.0))
    return {"made": made, "shown": shown, "later": elements_of(pre, post), "left": nest.num_connections, "wrong": wrong}


def case_defaults_of_models(nest):
    nest.SetDefaults("iaf_psc_exp", {"synaptic_elements": {"x": {"growth_curve": "linear", "z": 2.0}}, "tau_Ca": 500.0, "beta_Ca": 0.2})
    cells = nest.Create("iaf_psc_exp", 2)
    return {"elements": list(cells.synaptic_elements), "tau": list(cells.tau_Ca), "beta": list(cells.beta_Ca), "Ca": list(cells.Ca)}


def case_every_archiving_neuron(nest):
    """Before the first spike, and after it."""
    found = {}
    for model in ("iaf_psc_delta", "iaf_cond_exp", "aeif_cond_alpha", "hh_psc_alpha", "parrot_neuron", "izhikevich", "iaf_psc_exp_ps"):
        nest.ResetKernel()
        cell = nest.Create(model, params={"tau_Ca": 100.0, "beta_Ca": 0.5})
        found[model] = (cell.t_spike, cell.Ca, cell.tau_Ca, cell.beta_Ca, cell.synaptic_elements)
    return found


def over_time(curve, **params):
    """A relay that fires at TIMES; Ca, the last spike and z, looked at every 3 ms."""

    def case(nest):
        relay = nest.Create("parrot_neuron", params={"tau_Ca": 60.0, "beta_Ca": 0.15})
        nest.Connect(nest.Create("spike_generator", params={"spike_times": TIMES}), relay)
        relay.synaptic_elements = {"x": {"growth_curve": curve, "growth_rate": 0.02, "z": 4.0, **params}}
        calcium, z, last = [], [], []
        for _ in range(50):
            nest.Simulate(3.0)
            calcium.append(relay.Ca), z.append(relay.synaptic_elements["x"]["z"]), last.append(relay.t_spike)
        return {"Ca": near(calcium, 1e-12, 1e-9), "t_spike": near(last, 1e-9), "z": near(z, 1e-9 if curve == "linear" else 5e-3)}

    return case


case_linear_growth = over_time("linear", eps=0.2)
case_gaussian_growth = over_time("gaussian", eta=0.05, eps=0.25)
case_gaussian_growth_from_zero_on = over_time("gaussian", eta=0.0, eps=0.3)
case_sigmoid_growth = over_time("sigmoid", eps=0.2, psi=0.05)


def case_one_pair(nest):
    """Who connects when, and how vacant elements decay."""
    growing(nest)
    a, d = neurons(nest, A=element(5.7)), neurons(nest, D=element(3.2, tau_vacant=0.3))
    found = {"0": elements_of(a, d)}
    for _ in range(9):
        nest.Simulate(5.0)
        found[str(nest.biological_time)] = {"n": nest.num_connections, **elements_of(a, d)}
    c = nest.GetConnections()
    return found | {"models": sorted(set(c.synapse_model)), "weights": list(c.weight), "delays": list(c.delay)}


def case_enabled_while_running(nest):
    growing(nest)
    nest.DisableStructuralPlasticity()
    a, d = neurons(nest, A=element(5.0, 0.1)), neurons(nest, D=element(5.0, 0.1))
    found = {}
    for time, switch in ((7.0, nest.EnableStructuralPlasticity), (2.0, None), (1.5, None), (10.0, None)):
        nest.Simulate(time)
        found[str(nest.biological_time)] = {"n": nest.num_connections, **elements_of(a, d)}
        if switch is not None:
            switch()
    return found


def case_axons_retract(nest):
    growing(nest)
    a, d = neurons(nest, A=element(5.05, -0.1)), neurons(nest, 5, D=element(1.2))
    found = {}
    for _ in range(7):
        nest.Simulate(6.0)
        e = elements_of(a)
        spines = [one.synaptic_elements["D"] for one in d]
        found[str(nest.biological_time)] = {
            "n": nest.num_connections,
            **e,
            "spines": sorted(round(s["z"], 6) for s in spines),
            "connected": sorted(s["z_connected"] for s in spines),
        }
    return found


def case_both_ends_retract(nest):
    """Axons lose synapses first; what is left of both ends connects in the same update."""
    found = []
    for seed in range(1, 9):
        nest.ResetKernel()
        growing(nest, seed=seed)
        d = [neurons(nest, D=element(1.5)), neurons(nest, D=element(1.05, -0.01)), neurons(nest, A=element(2.05, -0.01))]
        nest.Simulate(1.0)
        before = nest.num_connections
        nest.Simulate(10.0)
        c = nest.GetConnections()
        found.append((before, int(c.source), int(c.target), *(e for node in d for e in elements_of(node)["z_connected"])))
    return {"found": found}


def case_who_loses_a_synapse(nest):
    lost = []
    for seed in range(1, 101):
        nest.ResetKernel()
        growing(nest, seed=seed)
        neurons(nest, A=element(3.05, -0.01))
        spines = neurons(nest, 3, D=element(1.5))
        nest.Simulate(11.0)
        lost += [k for k, one in enumerate(spines) if one.synaptic_elements["D"]["z_connected"] == 0]
    return {"lost": counts(lost)}


def case_partners_are_drawn_at_random(nest):
    """Ten neurons with elements of both kinds: pairs, in-degrees of one from another."""
    pairs, repeats = [], []
    for seed in range(1, 41):
        nest.ResetKernel()
        growing(nest, seed=seed)
        neurons(nest, 10, A=element(3.0), D=element(4.0))
        nest.Simulate(1.0)
        c = nest.GetConnections()
        table = np.zeros((10, 10), int)
        np.add.at(table, (np.array(c.source) - 1, np.array(c.target) - 1), 1)
        pairs += [table[k, (k + 3) % 10] for k in range(10)]
        repeats.append(int(table.trace()))
    return {"pairs": counts(pairs), "autapses": counts(repeats)}


def case_no_autapses(nest):
    growing(nest, allow_autapses=False)
    neurons(nest, 3, A=element(20.0), D=element(20.0))
    nest.Simulate(25.0)
    c = nest.GetConnections()
    return {"autapses": sum(s == t for s, t in zip(c.source, c.target, strict=True)), "many": nest.num_connections > 40}


def case_two_kinds_of_synapses(nest):
    """The first takes what it can get; all vacant elements decay."""
    nest.CopyModel("static_synapse", "other", {"weight": -3.0, "delay": 1.0})
    own = {"synapse_model": "grown", "pre_synaptic_element": "A", "post_synaptic_element": "D"}
    growing(nest, synapses={"s1": own, "s2": {"synapse_model": "other", "pre_synaptic_element": "B", "post_synaptic_element": "D"}})
    a, d = neurons(nest, A=element(5.0), B=element(3.0)), neurons(nest, D=element(7.05, -0.02))
    found = {}
    for time in (1.0, 60.0, 40.0):
        nest.Simulate(time)
        found[str(nest.biological_time)] = {"n": nest.num_connections, "other": len(nest.GetConnections(synapse_model="other"))}
        found[str(nest.biological_time)]["D"] = round(d.synaptic_elements["D"]["z"], 6)
    return found | {"last": a.synaptic_elements["B"]["z_connected"] + a.synaptic_elements["A"]["z_connected"]}


def case_disconnect_frees_elements(nest):
    growing(nest)
    neurons(nest, A=element(4.0)), neurons(nest, D=element(4.0))
    nest.Simulate(5.0)
    nest.GetConnections()[:1].disconnect()
    n = nest.num_connections
    nest.Simulate(10.0)
    return {"then": n, "now": nest.num_connections}


def case_others_take_no_elements(nest):
    growing(nest)
    a, d = neurons(nest, A=element(2.0)), neurons(nest, D=element(2.0))
    nest.Connect(a, d, "one_to_one", {"synapse_model": "grown"})
    nest.Connect(a, d)
    before = elements_of(a, d)
    nest.Simulate(5.0)
    return {"before": before, "after": elements_of(a, d), "n": nest.num_connections}


def case_attributes(nest):
    found = {"default": nest.structural_plasticity_update_interval, "none": nest.structural_plasticity_synapses}
    growing(nest, 25.0, allow_multapses=False)
    return found | {
        "curves": list(nest.growth_curves),
        "interval": nest.structural_plasticity_update_interval,
        "synapses": nest.structural_plasticity_synapses,
    }


def case_refusals(nest):
    cell = nest.Create("iaf_psc_alpha", params={"synaptic_elements": {"x": {}}})

    def synapses(**entry):
        nest.structural_plasticity_synapses = {"s": entry}

    return {
        "tau_Ca": error(lambda: cell.set(tau_Ca=0.0)),
        "beta_Ca": error(lambda: cell.set(beta_Ca=-1.0)),
        "Ca": error(lambda: cell.set(Ca=-0.5)),
        "t_spike": error(lambda: cell.set(t_spike=1.0)),
        "tau_vacant": error(lambda: cell.set(synaptic_elements={"x": {"tau_vacant": -1.0}})),
        "no model": error(lambda: synapses(synapse_model="nope", pre_synaptic_element="A", post_synaptic_element="D")),
        "no source": error(lambda: synapses(synapse_model="static_synapse", post_synaptic_element="D")),
        "growth_curves": error(lambda: nest.set(growth_curves=["x"])),
    }


def case_homeostasis(nest):
    """Excitatory neurons grow inputs until calcium is at its target."""
    growing(nest, 50.0)
    nest.structural_plasticity_synapses = {
        "s1": {"synapse_model": "grown", "pre_synaptic_element": "A", "post_synaptic_element": "D"},
    }
    nest.SetDefaults("grown", {"weight": 60.0})
    relays = nest.Create("parrot_neuron", 40, {"synaptic_elements": {"A": element(1000.0, tau_vacant=0.001)}})
    nest.Connect(nest.Create("poisson_generator", params={"rate": 300.0}), relays)
    cells = nest.Create("iaf_psc_alpha", 40, {"tau_Ca": 500.0, "beta_Ca": 0.1})
    cells.synaptic_elements = {"D": element(0.0, 0.01, tau_vacant=0.1)}
    nest.Simulate(4000.0)
    calcium = []
    for _ in range(20):
        nest.Simulate(100.0)
        calcium.append(np.mean(cells.Ca))
    degree = np.bincount(nest.GetConnections(synapse_model="grown").target, minlength=81)[41:81]
    return {"Ca": near(np.mean(calcium), 0.05), "in-degree": near(np.mean(degree), 4.0)}
