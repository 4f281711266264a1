# SPDX-License-Identifier: Apache-2.0
"""Neurons with compartments (Wybo et al. 2021): traces of trees with all receptors and channels, how they are given, and what is refused."""

import numpy as np
from tests.nest.corpus.values import error, near

ROOT = {"parent_idx": -1}
ACTIVE = {"C_m": 1.0, "g_C": 0.1, "g_L": 0.1, "e_L": -70.0, "gbar_Na": 30.0, "gbar_K": 8.0}
TREE = [
    {"parent_idx": -1, "params": ACTIVE},
    {"parent_idx": 0, "params": {"C_m": 0.5, "g_C": 0.2, "g_L": 0.05, "e_L": -65.0, "gbar_K": 0.5}},
    {"parent_idx": 0, "params": {"C_m": 0.2, "g_C": 0.1}},
    {"parent_idx": 2, "params": {"C_m": 0.1, "g_C": 0.3, "g_L": 0.01, "gbar_Na": 0.4}},
]
RECEPTORS = [
    {"comp_idx": 0, "receptor_type": "GABA"},
    {"comp_idx": 1, "receptor_type": "AMPA", "params": {"tau_d_AMPA": 5.0}},
    {"comp_idx": 3, "receptor_type": "NMDA"},
    {"comp_idx": 2, "receptor_type": "AMPA_NMDA", "params": {"NMDA_ratio": 3.0}},
    {"comp_idx": 3, "receptor_type": "AMPA", "params": {"e_AMPA": 5.0}},
]
TRAINS = [
    ([20.0, 21.0, 50.0], 0.2),
    ([5.0, 8.0, 30.0, 31.0], 0.3),
    ([10.0, 40.0], 0.5),
    ([12.0, 13.0, 14.0, 60.0], 0.2),
    ([55.0, 56.0], 0.4),
]


def recorded(nest, cell, names=None, time=150.0):
    """What a multimeter sees of one cell, in the order of time."""
    names = names or cell.recordables
    meter = nest.Create("multimeter", params={"interval": 0.4, "record_from": list(names)})
    nest.Connect(meter, cell)
    nest.Simulate(time)
    events = meter.events
    return {name: near(np.asarray(events[name]), atol=1e-7) for name in names}


def case_a_tree_with_all_receptors(nest):
    nest.ResetKernel()
    nest.resolution = 0.1
    cell = nest.Create("cm_default", params={"V_th": -20.0, "compartments": TREE, "receptors": RECEPTORS})
    for port, (times, weight) in enumerate(TRAINS):
        source = nest.Create("spike_generator", params={"spike_times": times})
        nest.Connect(source, cell, syn_spec={"receptor_type": port, "weight": weight, "delay": 1.5})
    follower = nest.Create("cm_default")
    follower.compartments = [ROOT, {"parent_idx": 0}]
    follower.receptors = {"comp_idx": 1, "receptor_type": "AMPA"}
    nest.Connect(cell, follower, syn_spec={"receptor_type": 0, "weight": 0.5, "delay": 2.0})
    spikes = nest.Create("spike_recorder")
    nest.Connect(cell + follower, spikes)
    found = recorded(nest, cell, time=80.0)
    return found | {"spikes": near(np.sort(spikes.events["times"]), atol=1e-6), "times": len(cell.recordables)}


def case_currents_into_compartments(nest):
    nest.ResetKernel()
    nest.resolution = 0.1
    cell = nest.Create("cm_default", params={"compartments": TREE})
    for where, amplitude, start in ((0, 0.4, 5.0), (3, 0.5, 20.0), (1, -0.4, 30.0), (0, 2.0, 40.0)):
        source = nest.Create("dc_generator", params={"amplitude": amplitude, "start": start, "stop": start + 9.0})
        nest.Connect(source, cell, syn_spec={"receptor_type": where, "weight": 1.5, "delay": 1.0})
    steps = nest.Create("step_current_generator", params={"amplitude_times": [52.0, 55.0], "amplitude_values": [1.0, 0.0]})
    nest.Connect(steps, cell, syn_spec={"delay": 0.1})
    return recorded(nest, cell, time=70.0)


def case_other_resolutions(nest):
    found = {}
    for h in (0.025, 0.5):
        nest.ResetKernel()
        nest.resolution = h
        cell = nest.Create("cm_default", params={"compartments": [ROOT, {"parent_idx": 0, "params": {"gbar_K": 0.5}}]})
        cell.receptors = {"comp_idx": 1, "receptor_type": "NMDA"}
        source = nest.Create("spike_generator", params={"spike_times": [2.0, 9.0]})
        nest.Connect(source, cell, syn_spec={"receptor_type": 0, "weight": 2.0, "delay": 1.0})
        meter = nest.Create("multimeter", params={"interval": h, "record_from": ["v_comp0", "v_comp1", "n_K_1"]})
        nest.Connect(meter, cell)
        nest.Simulate(20.0)
        found |= {f"{name} {h}": near(np.asarray(meter.events[name]), atol=1e-8) for name in ("v_comp0", "v_comp1", "n_K_1")}
    return found


def case_several_neurons_of_a_kind(nest):
    nest.ResetKernel()
    nest.CopyModel("cm_default", "pyramid", {"compartments": [ROOT, {"parent_idx": 0}], "V_th": -60.0})
    cells = nest.Create("pyramid", 3)
    cells.receptors = [{"comp_idx": 1, "receptor_type": "AMPA"}]
    source = nest.Create("spike_generator", params={"spike_times": [3.0]})
    nest.Connect(source, cells[1:], syn_spec={"receptor_type": 0, "weight": 0.3, "delay": 1.0})
    meter = nest.Create("multimeter", params={"interval": 1.0, "record_from": ["v_comp1"]})
    nest.Connect(meter, cells)
    nest.Simulate(20.0)
    events = meter.events
    order = np.lexsort((events["senders"], np.round(events["times"], 3)))
    connections = nest.GetConnections(source=source)
    return {
        "v": near(np.asarray(events["v_comp1"])[order], atol=1e-9),
        "receptor": connections.receptor,
        "V_th": cells.V_th,
        "compartments": [list(each) for each in cells.compartments],
        "one": list(cells[0].receptors),
        "recordables": cells[0].recordables,
    }


def case_given_piece_by_piece(nest):
    nest.ResetKernel()
    cell = nest.Create("cm_default")
    empty = [list(cell.compartments), list(cell.receptors), list(cell.recordables)]
    cell.set(add_compartments=ROOT)
    cell.compartments += {"parent_idx": 0, "params": {"g_L": 0.3, "v_comp": -60.0}}
    cell.compartments += [{"parent_idx": 1}, {"parent_idx": 0}]
    cell.receptors = [{"comp_idx": 0, "receptor_type": "GABA"}]
    cell.receptors += {"comp_idx": 3, "receptor_type": "AMPA_NMDA"}
    cell.set(add_receptors=[{"comp_idx": 2, "receptor_type": "AMPA"}])
    shown = [list(cell.compartments), list(cell.receptors), str(cell.compartments), cell.recordables]
    summed = str(cell.compartments + {"parent_idx": 0})
    return {"empty": empty, "shown": shown, "sum": summed} | recorded(nest, cell, ["v_comp0", "v_comp1", "v_comp3"], 10.0)


def case_collections_made_by_hand(nest):
    nest.ResetKernel()
    cell = nest.Create("cm_default")
    cell.compartments = nest.Compartments(cell, [ROOT, {"parent_idx": 0}]) + {"parent_idx": 1}
    ports = nest.Receptors(cell, ({"comp_idx": 2, "receptor_type": "AMPA"},))
    cell.receptors = ports
    return {
        "compartments": cell.compartments.get_tuple(),
        "receptors": [cell.receptors[0], *cell.receptors],
        "kept": ports.get_tuple(),
        "again": error(lambda: cell.set(receptors=ports)),
        "dict": error(lambda: nest.Compartments(cell, ROOT)),
        "of another kind": error(lambda: cell.compartments + ports),
        "beyond": error(lambda: cell.receptors[5]),
    }


def case_refused(nest):
    nest.ResetKernel()

    def compartments(*given, **more):
        nest.Create("cm_default").set(compartments=[ROOT, *given] if given else more["all"])

    def receptors(*given):
        nest.Create("cm_default", params={"compartments": [ROOT]}).set(receptors=list(given))

    cell = nest.Create(
        "cm_default", params={"compartments": [ROOT, {"parent_idx": 0}], "receptors": [{"comp_idx": 1, "receptor_type": "AMPA"}]}
    )
    source, current = nest.Create("poisson_generator"), nest.Create("dc_generator")
    meter = nest.Create("multimeter", params={"record_from": ["v_comp2"]})
    found = {
        "parent": error(lambda: compartments({"parent_idx": 7})),
        "second root": error(lambda: compartments(ROOT)),
        "no root": error(lambda: compartments(all=[{"parent_idx": 0}])),
        "unknown": error(lambda: compartments({"parent_idx": 0, "params": {"foo": 1.0}})),
        "unknown key": error(lambda: compartments({"parent_idx": 0, "x": 1})),
        "no parent": error(lambda: compartments({"params": {}})),
        "none": error(lambda: compartments(all=[])),
        "number": error(lambda: compartments(all=3)),
        "half": error(lambda: compartments({"parent_idx": 0.5})),
        "twice": error(lambda: cell.set(compartments=[ROOT])),
        "receptors twice": error(lambda: cell.set(receptors=[{"comp_idx": 0, "receptor_type": "AMPA"}])),
        "place": error(lambda: receptors({"comp_idx": 9, "receptor_type": "AMPA"})),
        "below": error(lambda: receptors({"comp_idx": -1, "receptor_type": "AMPA"})),
        "no type": error(lambda: receptors({"comp_idx": 0})),
        "other type's": error(lambda: receptors({"comp_idx": 0, "receptor_type": "AMPA", "params": {"tau_d_GABA": 1.0}})),
        "port": error(lambda: nest.Connect(source, cell, syn_spec={"receptor_type": 1})),
        "current": error(lambda: nest.Connect(current, cell, syn_spec={"receptor_type": 2})),
        "recordable": error(lambda: nest.Connect(meter, cell)),
        "state": error(lambda: cell.set(v_comp0=3.0)),
        "add": error(lambda: cell.compartments + 3),
    }
    nest.ResetKernel()
    nest.Create("cm_default")
    return found | {"no compartments": error(lambda: nest.Simulate(1.0))}


def case_more_than_eight_receptors(nest):
    """Each model with 20 receptors, of which some get spikes."""
    found = {}
    n = 20
    taus = np.linspace(0.5, 6.0, n)
    reversal = np.where(np.arange(n) % 3 == 2, -85.0, 0.0)
    given = {
        "iaf_psc_exp_multisynapse": ({"tau_syn": taus}, 150.0, 1e-9),
        "iaf_psc_alpha_multisynapse": ({"tau_syn": taus}, 80.0, 1e-9),
        "gif_psc_exp_multisynapse": ({"tau_syn": taus, "lambda_0": 1e-12}, 30.0, 1e-9),
        "gif_cond_exp_multisynapse": ({"tau_syn": taus, "E_rev": reversal, "lambda_0": 1e-12}, 1.0, 2e-3),
        "aeif_cond_alpha_multisynapse": ({"tau_syn": taus, "E_rev": reversal}, 5.0, 2e-2),
        "aeif_cond_beta_multisynapse": ({"tau_rise": taus, "tau_decay": 3.0 * taus, "E_rev": reversal}, 4.0, 2e-2),
        "glif_psc": ({"tau_syn": taus}, 20.0, 1e-6),
        "glif_cond": ({"tau_syn": taus, "E_rev": reversal}, 0.5, 1e-3),
    }
    for model, (params, weight, atol) in given.items():
        nest.ResetKernel()
        nest.SetDefaults(model, {key: list(value) if np.ndim(value) else value for key, value in params.items()})
        cell = nest.Create(model)
        for port in (1, 2, 9, 15, 20):
            source = nest.Create("spike_generator", params={"spike_times": [5.0 + port, 30.0, 31.0 + 0.1 * port]})
            nest.Connect(source, cell, syn_spec={"receptor_type": port, "weight": weight, "delay": 1.0})
        meter = nest.Create("multimeter", params={"interval": 0.5, "record_from": ["V_m"]})
        nest.Connect(meter, cell)
        nest.Simulate(60.0)
        found[model] = near(np.asarray(meter.events["V_m"]), atol=atol)
        found[f"{model} refused"] = error(
            lambda cell=cell: nest.Connect(nest.Create("poisson_generator"), cell, syn_spec={"receptor_type": 21})
        )
        found[f"{model} ports"] = len(cell.tau_syn if "tau_syn" in params else cell.tau_rise)
    cell = nest.Create("iaf_psc_exp_multisynapse", 2)
    cell.set(tau_syn=[1.1 + k for k in range(12)])
    found["grown"] = [len(each) for each in cell.tau_syn]
    return found


def case_currents_into_all_compartments_of_iaf_cond_alpha_mc(nest):
    nest.ResetKernel()
    nest.CopyModel("iaf_cond_alpha_mc", "pyramid", {"soma": {"I_e": 30.0}})
    cells = nest.Create("iaf_cond_alpha_mc", 2) + nest.Create("pyramid")
    ports = nest.GetDefaults("iaf_cond_alpha_mc", "receptor_types")
    for place, (amplitude, start, weight) in {
        "soma": (200.0, 5.0, 1.0),
        "proximal": (150.0, 20.0, 2.0),
        "distal": (400.0, 40.0, 1.0),
    }.items():
        source = nest.Create("dc_generator", params={"amplitude": amplitude, "start": start, "stop": start + 25.0})
        nest.Connect(source, cells, syn_spec={"receptor_type": ports[f"{place}_curr"], "weight": weight, "delay": 1.0})
    steps = nest.Create("step_current_generator", params={"amplitude_times": [70.0, 75.0], "amplitude_values": [900.0, 0.0]})
    nest.Connect(steps, cells[0], syn_spec={"receptor_type": 9, "delay": 0.5})
    train = nest.Create("spike_generator", params={"spike_times": [10.0, 50.0]})
    nest.Connect(train, cells, syn_spec={"receptor_type": ports["distal_exc"], "weight": 2.0})
    meter, spikes = (
        nest.Create("multimeter", params={"interval": 0.5, "record_from": ["V_m.s", "V_m.p", "V_m.d"]}),
        nest.Create("spike_recorder"),
    )
    nest.Connect(meter, cells)
    nest.Connect(cells, spikes)
    nest.Simulate(90.0)
    events = meter.events
    order = np.lexsort((events["senders"], np.round(events["times"], 3)))
    return {
        **{name: near(np.asarray(events[name])[order], atol=5e-3) for name in ("V_m.s", "V_m.p", "V_m.d")},
        "spikes": near(np.sort(spikes.events["times"]), atol=0.1),
        "no such port": error(lambda: nest.Connect(steps, cells, syn_spec={"receptor_type": 10})),
        "a port of spikes": error(lambda: nest.Connect(steps, cells, syn_spec={"receptor_type": 1})),
        "soma by its number": error(lambda: nest.Connect(train, cells, syn_spec={"receptor_type": 8})),
    }
