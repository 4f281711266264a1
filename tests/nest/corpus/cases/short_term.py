# SPDX-License-Identifier: Apache-2.0
"""Synapses with short-term changes and with chance: responses to fixed spike trains; deterministic ones to 1e-9, random ones in law."""

import numpy as np
from tests.nest.corpus.cases.synapses import response, sent
from tests.nest.corpus.neurons import recorded, spike_numbers
from tests.nest.corpus.values import counts, error, near

BURST = [10.0, 20.0, 30.0, 35.0, 60.0, 61.0, 62.0, 150.0, 250.0]


def case_tsodyks_depressing(nest):
    return recorded(response(nest, "tsodyks_synapse", BURST, U=0.5, tau_rec=100.0, tau_fac=0.0, tau_psc=2.0), 1e-9)


def case_tsodyks_facilitating(nest):
    return recorded(response(nest, "tsodyks_synapse", BURST, U=0.1, tau_rec=50.0, tau_fac=200.0, tau_psc=2.0), 1e-9)


def case_tsodyks_hom(nest):
    nest.CopyModel("tsodyks_synapse_hom", "mine", {"U": 0.2, "tau_rec": 80.0, "tau_fac": 100.0, "tau_psc": 2.0, "weight": 150.0})
    source, relay, cell, meter = (
        nest.Create("spike_generator", params={"spike_times": BURST}),
        nest.Create("parrot_neuron"),
        nest.Create("iaf_psc_exp"),
        nest.Create("voltmeter"),
    )
    nest.Connect(source, relay)
    nest.Connect(relay, cell, syn_spec="mine")
    nest.Connect(meter, cell)
    nest.Simulate(300.0)
    return recorded(meter, 1e-9)


def case_tsodyks2(nest):
    return recorded(response(nest, "tsodyks2_synapse", BURST, U=0.3, tau_rec=100.0, tau_fac=50.0), 1e-9)


def case_tsodyks2_state(nest):
    response(nest, "tsodyks2_synapse", BURST, U=0.3, u=0.3, x=1.0, tau_rec=100.0, tau_fac=50.0)
    found = nest.GetConnections(synapse_model="tsodyks2_synapse")
    return {"u": near(found.get("u")), "x": near(found.get("x"))}


def case_tsodyks_refuses(nest):
    nodes = nest.Create("parrot_neuron", 2)

    def raised(**params):
        return error(lambda: nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "tsodyks_synapse"} | params))

    return {
        "U": raised(U=1.5),
        "U below": raised(U=-0.1),
        "tau_rec": raised(tau_rec=-1.0),
        "tau_psc": raised(tau_psc=0.0),
        "x and y": raised(x=0.8, y=0.5),
    }


def case_quantal(nest):
    source, relay, cells = (
        nest.Create("spike_generator", params={"spike_times": [10.0, 40.0, 70.0]}),
        nest.Create("parrot_neuron"),
        nest.Create("iaf_psc_delta", 400, {"V_th": 1e6, "tau_m": 1e9, "C_m": 1.0}),
    )
    nest.Connect(source, relay)
    nest.Connect(
        relay,
        cells,
        syn_spec={
            "synapse_model": "quantal_stp_synapse",
            "U": 0.4,
            "u": 0.4,
            "n": 5,
            "a": 5,
            "tau_rec": 50.0,
            "tau_fac": 20.0,
            "weight": 1.0,
        },
    )
    found = {}
    for name in ("first", "second", "third"):
        before = np.array(cells.V_m)
        nest.Simulate(30.0)
        found[name] = counts(np.round(np.array(cells.V_m) - before))
    return found


def case_bernoulli(nest):
    source, relays, targets, recorder = (
        nest.Create("spike_generator", params={"spike_times": np.arange(1.0, 101.0)}),
        nest.Create("parrot_neuron"),
        nest.Create("parrot_neuron", 60),
        nest.Create("spike_recorder"),
    )
    nest.Connect(source, relays)
    nest.Connect(relays, targets, syn_spec={"synapse_model": "bernoulli_synapse", "p_transmit": 0.3})
    nest.Connect(targets, recorder)
    nest.Simulate(110.0)
    return {"numbers": counts(spike_numbers(recorder, 62)[2:])}


def case_bernoulli_refuses(nest):
    nodes = nest.Create("parrot_neuron", 2)
    return {
        str(p): error(lambda p=p: nest.Connect(nodes, nodes, syn_spec={"synapse_model": "bernoulli_synapse", "p_transmit": p}))
        for p in (-0.1, 1.1)
    }


def case_ht(nest):
    return recorded(response(nest, "ht_synapse", BURST, P=1.0, delta_P=0.3, tau_P=100.0), 1e-9)


def case_quantal_without_chance(nest):
    """Sites that release and recover for certain, or never."""
    found = {}
    for name, own in (
        ("all", {"n": 5, "a": 2, "u": 1.0, "U": 1.0, "tau_rec": 1e-3}),
        ("once", {"n": 5, "a": 3, "u": 1.0, "U": 1.0, "tau_rec": 1e12}),
        ("more than there are", {"n": 2, "a": 5, "u": 1.0, "U": 1.0, "tau_rec": 1e-3}),
        ("none", {"n": 2, "a": 2, "u": 0.0, "U": 0.0}),
    ):
        nest.ResetKernel()
        found |= {
            f"{name} {key}": value
            for key, value in sent(nest, "quantal_stp_synapse", [5.0, 30.0, 50.0], [90.0], {}, own, ["a", "u"]).items()
        }
    return found


def case_quantal_refuses(nest):
    nodes = nest.Create("parrot_neuron", 2)
    given = ({"u": 1.5}, {"U": 1.5}, {"tau_rec": 0.0}, {"tau_fac": -1.0})
    return {
        str(own): error(lambda own=own: nest.Connect(nodes, nodes, syn_spec={"synapse_model": "quantal_stp_synapse"} | own))
        for own in given
    }
