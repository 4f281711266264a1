# SPDX-License-Identifier: Apache-2.0
"""stdp_dopamine_synapse and volume_transmitter: what a third factor does to weights, as they are read back and as they are sent."""

import numpy as np
from tests.nest.corpus.values import error, near

PRE = [5.0, 12.0, 20.0, 21.0, 33.0, 50.0, 52.5, 71.0, 90.0, 93.0]
POST = [8.0, 15.0, 19.0, 27.0, 34.5, 48.0, 55.0, 72.0, 88.0, 97.0]
POOL = [[11.0, 30.0, 31.0, 80.0], [11.0, 44.5, 60.0], [2.0, 60.0, 95.5]]


def network(nest, delay, deliver_interval=1, lag=1.0, **common):
    """Relays that fire at PRE and POST, a plastic synapse between them, and a pool of three whose spikes arrive after `lag`."""
    relays = nest.Create("parrot_neuron", 5)
    for relay, times in zip(relays, (PRE, POST, *POOL), strict=True):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), relay, syn_spec={"delay": 1.0})
    transmitter = nest.Create("volume_transmitter", params={"deliver_interval": deliver_interval})
    nest.Connect(relays[2:], transmitter, syn_spec={"weight": -3.0, "delay": lag})
    recorder = nest.Create("weight_recorder")
    nest.CopyModel("stdp_dopamine_synapse", "mine", {"volume_transmitter": transmitter, "weight_recorder": recorder} | common)
    nest.Connect(relays[0], relays[1], syn_spec={"synapse_model": "mine", "weight": 20.0, "delay": delay, "receptor_type": 1})
    return relays, recorder


def over_time(delay=1.0, pieces=(10.0,) * 11, names=("weight", "c", "n"), **how):
    def case(nest):
        relays, recorder = network(nest, delay, **how)
        found = {name: [] for name in names}
        for piece in pieces:
            nest.Simulate(piece)
            connection = nest.GetConnections(relays[0], relays[1])
            for name in names:
                found[name].append(connection.get(name))
        sent = {"sent": near(recorder.events["weights"], 1e-9, 1e-10)}
        return sent | {name: near(values, 1e-9, 1e-10) for name, values in found.items()}

    return case


case_defaults_of_the_paper = over_time()
case_dendritic_delay = over_time(delay=3.0)
case_late_arrivals = over_time(lag=7.5, pieces=(7.0,) * 15)
case_every_ms = over_time(pieces=(1.0,) * 60)
case_rare_deliveries = over_time(deliver_interval=5, pieces=(3.0, 4.0, 8.0, 17.0, 20.0, 31.0, 27.0), names=("weight", "c"))
case_other_parameters = over_time(delay=2.0, A_plus=0.7, A_minus=0.9, tau_plus=12.0, tau_c=40.0, tau_n=25.0, b=0.03, Wmin=5.0, Wmax=30.0)
case_short_steps = over_time(delay=0.1, lag=0.3, pieces=(5.3,) * 20, tau_c=50.0, tau_n=20.0, b=0.05)

case_trace_and_concentration_at_time_0 = over_time(c=1.5, n=0.02, b=0.01, pieces=(4.0, 6.0) + (10.0,) * 10)
case_negative_at_time_0 = over_time(c=-20.0, n=-0.02, b=-0.004, Wmax=21.0)


def case_c_and_n_of_connect(nest):
    transmitter = nest.Create("volume_transmitter")
    nest.CopyModel("stdp_dopamine_synapse", "mine", {"volume_transmitter": transmitter})
    parrots = nest.Create("parrot_neuron", 3)
    for c, n in ((1.5, 0.02), (0.0, 0.01), (-2.0, 0.0)):
        nest.Connect(parrots[:1], parrots[1:2], syn_spec={"synapse_model": "mine", "weight": 20.0, "c": c, "n": n, "receptor_type": 1})
    found = {"now": [nest.GetConnections(parrots[:1]).get(name) for name in ("c", "n")]}
    nest.Simulate(30.0)
    connections = nest.GetConnections(parrots[:1])
    defaults = nest.GetDefaults("mine")
    return found | {
        "later": near([connections.get(name) for name in ("c", "n", "weight")], 1e-9, 1e-12),
        "defaults": [defaults["c"], defaults["n"]],
    }


def case_bounds(nest):
    """A weight that comes to both bounds."""
    found = {}
    for name, common in (("up", {"A_plus": 40.0, "Wmax": 21.0}), ("down", {"A_minus": 60.0, "A_plus": 0.0, "Wmin": 19.5})):
        nest.ResetKernel()
        relays, _ = network(nest, 1.0, **common)
        nest.Simulate(110.0)
        found[name] = near(nest.GetConnections(relays[0], relays[1]).weight, 1e-9, 1e-10)
    return found


def case_many_synapses(nest):
    """Two transmitters with pools of their own. min_delay is one step: with more, NEST takes presynaptic spikes that came before a delivery after it."""
    rng = np.random.default_rng(3)
    relays = nest.Create("parrot_neuron", 30)
    for relay in relays:
        times = np.unique(rng.integers(10, 2900, 25)) / 10
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), relay, syn_spec={"delay": 0.1})
    transmitters = nest.Create("volume_transmitter", 2)
    for k in range(2):
        nest.Connect(relays[20 + 5 * k : 25 + 5 * k], transmitters[k], syn_spec={"delay": 1.0 + k})
        nest.CopyModel("stdp_dopamine_synapse", f"mine{k}", {"volume_transmitter": transmitters[k], "tau_n": 50.0, "b": 0.01})
        spec = {"synapse_model": f"mine{k}", "weight": 30.0, "delay": 1.5, "receptor_type": 1}
        nest.Connect(relays[:10], relays[10:20], "one_to_one" if k else "all_to_all", spec)
    nest.Simulate(300.0)
    return {f"weights {k}": near(sorted(nest.GetConnections(synapse_model=f"mine{k}").weight), 1e-9, 1e-10) for k in range(2)}


def case_spikes_before_a_delivery(nest):
    """A postsynaptic spike between a presynaptic one and the delivery that follows (min_delay is 1 ms): in NEST it does not see the former."""
    nodes = nest.Create("parrot_neuron", 2)
    for node, times in zip(nodes, ([10.0, 14.4], [11.0, 13.7, 16.0]), strict=True):
        nest.Connect(nest.Create("spike_generator", params={"spike_times": times}), node, syn_spec={"delay": 1.0})
    nest.SetDefaults("stdp_dopamine_synapse", {"volume_transmitter": nest.Create("volume_transmitter")})
    nest.Connect(*nodes, syn_spec={"synapse_model": "stdp_dopamine_synapse", "receptor_type": 1})
    nest.Simulate(30.0)
    return {"c": near(nest.GetConnections(*nodes).c, 1e-9)}


def case_what_is_shown(nest):
    transmitter, nodes = nest.Create("volume_transmitter", params={"deliver_interval": 3}), nest.Create("iaf_psc_exp", 2)
    before = len(nest.GetDefaults("stdp_dopamine_synapse", "volume_transmitter") or ())
    nest.SetDefaults("stdp_dopamine_synapse", {"volume_transmitter": transmitter})
    nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "stdp_dopamine_synapse", "weight": 2.0})
    connection = nest.GetConnections()
    return {
        "before": before,
        "named": nest.GetDefaults("stdp_dopamine_synapse", "volume_transmitter").tolist(),
        "interval": transmitter.deliver_interval,
        "kind": transmitter.element_type,
        "keys": [key for key in connection.get() if key != "sizeof"],
        "values": connection.get(["weight", "c", "n"]),
    }


def case_refuses(nest):
    transmitter, nodes = nest.Create("volume_transmitter", 2), nest.Create("parrot_neuron", 2)

    def named(value):
        return error(lambda: nest.SetDefaults("stdp_dopamine_synapse", {"volume_transmitter": value}))

    def joined(**spec):
        return error(lambda: nest.Connect(nodes[0], nodes[1], syn_spec={"synapse_model": "stdp_dopamine_synapse"} | spec))

    found = {"none": joined(), "two": named(transmitter), "no node": named(3), "another model": named(nodes[0])}
    nest.SetDefaults("stdp_dopamine_synapse", {"volume_transmitter": transmitter[0]})
    found |= {"common": joined(A_plus=2.0), "port": error(lambda: nest.Connect(nodes[0], transmitter[0], syn_spec={"receptor_type": 1}))}
    return found | {"sends": error(lambda: nest.Connect(transmitter[0], nodes[0]))}
