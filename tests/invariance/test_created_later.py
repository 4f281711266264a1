# SPDX-License-Identifier: Apache-2.0
"""Nodes that are created after the first run, in slices of their own where the others are full: the same bits as in one slice."""

import numpy as np
import pytest

import neuropil as npl
import neuropil.nest as nest
from lowlevel import connect, drawn, floats, gids, kernel, rows
from pairwise import matrix
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same

STDP = {"synapse": "stdp_synapse", "synapse_params": {"lambda": 0.1, "Wmax": 90.0}}
TRIPLET = {"synapse": "stdp_triplet_synapse", "synapse_params": {"Aplus": 0.5, "Aplus_triplet": 0.7}}
DELAY = drawn("uniform", 0.5, 4.0)


class Later(Program):
    """Cells, rate neurons and devices; the same again, larger, from step 300 on; some of these are undone, others come at step 500."""

    steps, changes = 800, (300, 301, 500)

    def __init__(self, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        self.area = "A" if "areas" in settings else ""
        self.created, self.records, self.states = [], [], []
        self.weights = net.record_weights(None, None)
        self.transmitter = net.create("volume_transmitter", 1, {}, area=self.area)
        net.set_updates(70, True)
        self._more(30)
        grown = {"weight": drawn("uniform", 5.0, 20.0), "delay": DELAY, "label": 1, "double_weights": False}
        synapse = {"rule": "explicit", "synapse": "stdp_synapse", "synapse_params": {"Wmax": 60.0}}
        net.grow("axon", "spine", net.prepared(**synapse, **grown), True, False)

    def _more(self, n):
        net, area = self.net, self.area
        cells = net.create("iaf_psc_exp", n, {"I_e": np.linspace(350.0, 450.0, n)}, area=area)
        precise = net.create("iaf_psc_exp_ps", n // 3, floats(I_e=400.0), area=area)
        rates = net.create("lin_rate_ipn", n // 2, floats(sigma=0.3), area=area)
        noise = net.create("poisson_generator", 1, floats(rate=9000.0))
        trains = net.create("poisson_generator", n // 4, floats(rate=90.0))
        connect(net, rows(noise), rows(cells, n), weight=30.0, delay=0.5)
        connect(net, rows(cells, n // 4), rows(self.transmitter), delay=1.5)
        connect(net, rows(trains, n // 4), rows(cells, n), "fixed_indegree", indegree=3, weight=40.0, delay=DELAY, **STDP)
        self.created.append((cells, n, rates))
        for old, m, old_rates in self.created:
            self._connect(old, m, cells, n), self._connect(cells, n, old, m) if old != cells else None
            values = {"weight": 0.1, "delay": DELAY, "synapse": "rate_connection_delayed"}
            connect(net, rows(old_rates, m // 2), rows(rates, n // 2), "fixed_indegree", indegree=3, **values)
        connect(net, rows(precise, n // 3), rows(cells, n), "fixed_indegree", indegree=2, weight=20.0, delay=DELAY)
        net.set_calcium(rows(cells, n), floats(tau_Ca=60.0, beta_Ca=0.05))
        elements = floats(growth_rate=0.2, eps=0.2, z=3.0)
        net.set_elements(rows(cells, n), [("axon", "linear", elements), ("spine", "linear", elements)])
        self.records += [net.record_spikes(rows(cells, n + n // 3), 0, 10**9), net.record_spikes(rows(trains, n // 4), 0, 10**9)]
        self.states += [net.record_state(gids(cells, n), ["V_m", "I_syn_ex"], 7, 0), net.record_state(gids(rates, n // 2), ["rate"], 10, 0)]

    def _connect(self, pre, m, post, n):
        plastic = {"weight": drawn("uniform", 5.0, 40.0), "delay": DELAY, "indegree": 4}
        dopamine = {"volume_transmitter": self.transmitter, "tau_n": 50.0, "b": 0.4, "A_plus": 0.03, "A_minus": 0.028, "Wmax": 150.0}
        for synapse in (STDP, TRIPLET, {"synapse": "stdp_dopamine_synapse", "synapse_params": dopamine}):
            connect(self.net, rows(pre, m), rows(post, n), "fixed_indegree", recorder=self.weights, **plastic, **synapse)
        connect(self.net, rows(pre, m), rows(post, n), "pairwise_bernoulli", p=0.1, weight=drawn("normal", 0.0, 20.0), delay=DELAY)

    def change(self, step):
        net = self.net
        if step == 301:
            undone = net.create("iaf_psc_exp", 200, {}, area=self.area)
            net.undo_create(undone)
        else:
            self._more(50 if step == 300 else 17)
        if step == 500:
            c = net.connections(rows(self.created[1][0], 20), None, "")
            net.remove(*(np.ascontiguousarray(c[k][::3]) for k in ("slice", "table", "position")), step)

    def results(self):
        net = self.net
        net.build(None)
        c = net.connections(None, None, "")
        order = np.lexsort([c[k] for k in ("weight", "label", "receptor", "delay_steps", "target", "source")])
        found = [c[k][order].tobytes() for k in ("source", "target", "delay_steps", "weight", "label")]
        found += [np.asarray(x).tobytes() for r in self.records for x in net.spikes(r)]
        found += [np.asarray(x).tobytes() for r in self.states for x in net.samples(r)]
        sent = net.sent_weights(self.weights)
        found += [np.asarray(sent[k]).tobytes() for k in ("steps", "source", "target", "weight")]
        cells = np.concatenate([gids(first, n) for first, n, _ in self.created])
        return [*found, net.get(cells, "V_m").tobytes(), net.calcium(cells, "Ca").tobytes(), net.counters()["spikes"], net.growth_changes]


def results(cuts=None, **settings):
    return Later(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected():
    found = results()
    assert [k for k, x in enumerate(found[:-2]) if len(x) == 0] == [10, 16, 22]  # offsets of trains, which are on the grid
    return found


@pytest.mark.parametrize(("threads", "block_size"), [(1, 1), (1, 16), (1, 90), (2, 0), (2, 20), (3, 7)])
def test_threads_and_slices(expected, threads, block_size):
    assert results(threads=threads, block_size=block_size) == expected


@matrix(
    "ranks,settings,block_size",
    [2, 3],
    [
        {"exchange": {"regime": "sparse"}},
        {"exchange": {"regime": "dense"}},
        {"exchange": {"strategy": "allgather"}},
        {"exchange": {"strategy": "alltoall", "halves": True}},
        {"distribution": "consecutive"},
        {"distribution": "shuffled"},
    ],
    [5, 40],
)
def test_ranks(expected, ranks, settings, block_size):
    assert the_same(on_ranks(ranks, lambda comm: results(comm=comm, threads=2, block_size=block_size, **settings))) == expected


def test_areas(expected):
    """All nodes are in one of two areas: only its ranks make more slices."""
    areas = {"distribution": "by_area", "areas": [("A", 1.0), ("B", 1.0)]}
    assert the_same(on_ranks(3, lambda comm: results(comm=comm, block_size=8, **areas))) == expected


@pytest.mark.parametrize("step", [299, 300, 350, 501, 650])
@pytest.mark.parametrize(("before", "after"), [(9, 0), (0, 9), (9, 9)])
def test_a_cut_changes_nothing(expected, step, before, after):
    assert results({step: restored(threads=2, block_size=after)}, threads=2, block_size=before) == expected


def test_a_cut_on_other_ranks(expected):
    assert on_other_ranks(Later, Later.results, 555, threads=2, block_size=11) == expected


@pytest.mark.parametrize("distribution", ["round_robin", "consecutive", "shuffled"])
@pytest.mark.parametrize("before", [1, 45])
def test_no_slice_has_more_nodes_than_the_block_size(distribution, before):
    """One by one, too: nodes that a distribution always puts on the first rank do not all go to its first slice."""
    net = kernel(threads=2, block_size=10, distribution=distribution)
    for _ in range(before):
        net.create("iaf_psc_exp", 1, {})
    for n in (25, 7, 100, *[1] * 45, 30):
        net.create("iaf_psc_exp", n, {})
        net.run(3, None)
    everyone = rows(1, net.n_nodes)
    connect(net, everyone, everyone, "one_to_one", weight=1.0, delay=1.0)
    net.build(None)
    _, sizes = np.unique(net.connections(None, None, "")["slice"], return_counts=True)
    assert sizes.sum() == net.n_nodes == before + 207
    assert sizes.max() <= 10


@pytest.mark.parametrize("model", ["iaf_psc_exp", "parrot_neuron"])
def test_more_nodes_than_a_slice_holds(model):
    """70 000 nodes on one thread beside others: refused before version 0.2."""
    net = npl.Network(seed=1, threads=1)
    few = net.create("iaf_psc_exp", 10, I_e=400.0)
    net.run(1.0)
    many = net.create(model, 70_000)
    net.connect(few, many, npl.fixed_indegree(1), weight=1.0, delay=1.0)
    net.connect(many[-10:], few, npl.one_to_one(), weight=50.0, delay=1.0) if model == "parrot_neuron" else None
    spikes, first = net.record(many), net.record(few)
    net.run(40.0)
    again = net.create("iaf_psc_exp", 70_000, I_e=500.0)
    later = net.record(again[::1000])
    net.run(20.0)
    assert len(first) > 0
    assert len(later.gids) >= 70
    if model == "parrot_neuron":
        assert np.unique(spikes.gids).size == 70_000  # each has a source among the ten, which all fire
    else:
        assert many.V_m.min() >= -70.0 and many.V_m.max() > -70.0


def test_nest_creates_more_nodes_than_a_slice_holds():
    nest.ResetKernel()
    nest.set(local_num_threads=1, min_delay=1.0, max_delay=2.0)
    pool = nest.Create("iaf_psc_alpha", 10, {"I_e": 500.0})
    nest.Simulate(1.0)
    relays = nest.Create("parrot_neuron", 70_000)
    nest.Connect(pool, relays, {"rule": "fixed_indegree", "indegree": 1})
    recorder = nest.Create("spike_recorder")
    nest.Connect(relays, recorder)
    nest.Simulate(50.0)
    events = recorder.events
    assert np.unique(events["senders"]).size == 70_000
    connections = nest.GetConnections(target=relays[-3:])
    sources = [events["times"][events["senders"] == target] for target in connections.target]
    assert all(len(times) > 0 for times in sources)
    nest.ResetKernel()
