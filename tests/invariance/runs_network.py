# SPDX-License-Identifier: Apache-2.0
"""A program that uses generators in all ways, samples synapses, resets and copies: its hash is the same however it is run."""

import hashlib

import neuropil as npl


def records_of(net):
    cells, gens = net["cells"], net["poisson"]
    return [
        net.record(cells + net["relays"]),
        net.record(gens),
        net.record(net["precise"] + net["gamma"]),
        net.record(cells[:4], "V_m", interval=0.5),
        net.record(net["noise"], "I", interval=0.7),
        net.record(net.projections["stdp"], ["weight", "Kplus"], interval=3.0),
        net.record(net.projections["short"], ["u", "x"], interval=3.0, offset=1.0),
    ]


def network(comm=None, **settings):
    net = npl.Network(seed=12, ranks=comm, **settings)
    cells = net.create("iaf_psc_exp", 40, V_m=npl.normal(-60.0, 4.0), I_e=npl.uniform(0.0, 200.0), area="A", name="cells")
    relays = net.create("parrot_neuron", 12, area="B", name="relays")
    poisson = net.create("poisson_generator", 8, rate=80.0, area="B", name="poisson")
    precise = net.create("poisson_generator_ps", 3, rate=100.0, name="precise")
    gamma = net.create("gamma_sup_generator", 3, rate=90.0, gamma_shape=3, n_proc=5, area="A", name="gamma")
    noise = net.create("noise_generator", 2, mean=20.0, std=80.0, name="noise")
    net.connect(
        poisson, cells, npl.fixed_indegree(4), weight=npl.uniform(20.0, 80.0), delay=npl.uniform(0.5, 3.0), synapse=npl.stdp(), name="stdp"
    )
    net.connect(precise, cells, npl.fixed_outdegree(10), weight=60.0, delay=1.5, synapse=npl.synapse.tsodyks2_synapse(U=0.4), name="short")
    net.connect(gamma, relays, npl.pairwise_bernoulli(0.5), delay=1.1, synapse=npl.synapse.bernoulli_synapse(p_transmit=0.6))
    net.connect(relays, cells, npl.fixed_indegree(3), weight=40.0, delay=1.5)
    net.connect(cells, cells, npl.fixed_indegree(5), weight=npl.uniform(20.0, 40.0), delay=1.2, synapse=npl.stdp())
    net.connect(noise, cells)
    net.stimulate(cells, npl.poisson(6000.0), weight=40.0)
    return net


def digest(found, into):
    for record in found:
        into.update(record.times.tobytes())
        if hasattr(record, "sources"):
            arrays = [record.source, record.target, *(record[name] for name in record.names)]
        else:
            arrays = [record.values] if hasattr(record, "values") else [record.gids, record.offsets]
        for array in arrays:
            into.update(array.tobytes())


def hash_of(comm=None, **settings):
    """Runs; goes on in a copy; another trial with another rate; another with another seed."""
    net = network(comm, **settings)
    found, all_found = records_of(net), hashlib.sha256()
    net.run(20.0)
    digest(found, all_found)
    net.projections["stdp"].weight[::3] = 50.0
    twin = net.copy()
    twin.run(15.3)
    digest([twin.counterpart(record) for record in found], all_found)
    net.reset()
    net["poisson"].rate = 200.0
    net.run(25.0)
    digest(found, all_found)
    net.reset(seed=77)
    net.run(25.0)
    digest(found, all_found)
    assert all(len(record) for record in found)
    return all_found.hexdigest()
