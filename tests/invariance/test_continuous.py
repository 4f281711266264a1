# SPDX-License-Identifier: Apache-2.0
"""Laws of continuous connections: the same bits on any threads, slices, ranks, exchange methods, layouts, and after a checkpoint."""

import numpy as np
import pytest

import neuropil as npl
from lowlevel import array, connect, drawn, floats, gids, kernel, rows
from pairwise import matrix
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same


class Rates(Program):
    """Noisy rate neurons of both kinds with delays, a device, spiking neurons beside them; later more, other and fewer connections."""

    steps, changes = 600, (200,)

    def __init__(self, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        a, b = ("A", "B") if "areas" in settings else ("", "")
        self.inputs = net.create("lin_rate_ipn", 41, {**floats(sigma=0.3), "tau": np.linspace(3.0, 20.0, 41)}, area=a)
        self.outputs = net.create("lin_rate_opn", 23, floats(sigma=0.1, mu=0.5, linear_summation=0.0, g=0.7), area=b)
        self.cells = net.create("iaf_psc_exp", 30, floats(I_e=400.0), area=b)
        self.device = net.create("step_rate_generator", 1, {})
        net.set(np.array([self.device]), {}, {"amplitude_times": np.array([3.0, 20.0]), "amplitude_values": np.array([1.0, -0.5])})
        self._connect(self.inputs, 41, self.outputs, 23, 9)
        self._connect(self.outputs, 23, self.inputs, 41, 7)
        connect(net, rows(self.device), rows(self.inputs, 41), weight=0.7, delay=2.0, synapse="rate_connection_delayed")
        connect(
            net, rows(self.cells, 30), rows(self.cells, 30), "fixed_indegree", indegree=5, weight=20.0, delay=drawn("uniform", 0.5, 3.0)
        )
        self.record = net.record_spikes(rows(self.cells, 30), 0, 10**9)
        self.course = net.record_state(gids(self.inputs, 64), ["rate"], 10, 0)

    def _connect(self, pre, n_pre, post, n_post, indegree):
        connect(
            self.net, rows(pre, n_pre), rows(post, n_post), "fixed_indegree", indegree=indegree, weight=drawn("normal", 0.0, 0.2),
            delay=drawn("uniform", 0.5, 6.0), synapse="rate_connection_delayed",
        )  # fmt: skip

    def _found(self):
        c = self.net.connections(None, None, "rate_connection_delayed")
        order = np.lexsort((c["weight"], c["delay_steps"], c["target"], c["source"]))
        return {name: np.asarray(values)[order] for name, values in c.items()}

    def change(self, step):
        c = self._found()
        at = [c[name][:50] for name in ("slice", "table", "position")]
        self.net.edit(*at, 0, weight=np.linspace(-0.3, 0.3, 50))
        self._connect(self.inputs, 20, self.inputs, 41, 3)

    def results(self):
        c = self._found()
        rates = np.asarray(self.net.samples(self.course)[1])
        spikes = [np.asarray(x).tobytes() for x in self.net.spikes(self.record)[:2]]
        return [rates.tobytes(), *spikes, *(c[name].tobytes() for name in ("source", "target", "weight", "delay_steps"))]


class Gaps(Rates):
    """Fast-spiking cells with gap junctions, plastic synapses among them and noise; rate neurons without delay. Parts of 5 steps are repeated."""

    wave = (True, 1e-5, 4.0, 15, 3)

    def __init__(self, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        net.set_waveform(*self.wave)
        a, b = ("A", "B") if "areas" in settings else ("", "")
        self.cells = net.create("hh_psc_alpha_gap", 25, {"I_e": np.linspace(50.0, 200.0, 25)}, area=a)
        self.more = net.create("hh_cond_beta_gap_traub", 9, floats(I_e=300.0), area=b)
        self.inputs = net.create("tanh_rate_ipn", 20, floats(sigma=0.2, g=2.0), area=b)
        noise = net.create("poisson_generator", 1, floats(rate=4000.0))
        current = net.create("ac_generator", 1, floats(amplitude=40.0, frequency=50.0))
        connect(net, rows(noise), rows(self.cells, 25), weight=40.0, delay=0.5)
        connect(net, rows(current), rows(self.cells, 34), weight=1.0, delay=0.5)
        learning = {"synapse": "stdp_synapse", "synapse_params": {"Wmax": 60.0, "lambda": 0.1}}
        connect(
            net, rows(self.cells, 25), rows(self.cells, 34), "fixed_indegree", indegree=6, weight=drawn("uniform", 5.0, 30.0),
            delay=drawn("uniform", 0.5, 3.0), doubles=True, **learning,
        )  # fmt: skip
        connect(net, rows(self.more, 9), rows(self.cells, 25), "fixed_indegree", indegree=3, weight=-20.0, delay=1.2)
        self._connect(self.cells, 34, self.cells, 34, 2)
        connect(
            net, rows(self.inputs, 20), rows(self.inputs, 20), "fixed_indegree", indegree=5, weight=drawn("normal", 0.0, 0.4), delay=0.1,
            synapse="rate_connection_instantaneous",
        )  # fmt: skip
        self.record = net.record_spikes(rows(self.cells, 34), 0, 10**9)
        self.course = net.record_state(gids(self.cells, 34), ["V_m"], 7, 0)

    def _connect(self, pre, n_pre, post, n_post, indegree):
        """Gap junctions, both ways."""
        rng = np.random.default_rng(indegree + self.net.step)
        source, target = rng.integers(0, 25, (2, 12 * indegree))
        weight = rng.uniform(0.5, 3.0, source.size)
        connect(
            self.net, rows(pre, n_pre), rows(post, n_post), "explicit", sources=np.r_[source, target], targets=np.r_[target, source],
            weight=array(np.r_[weight, weight]), delay=0.1, synapse="gap_junction",
        )  # fmt: skip

    def change(self, step):
        c = self._found()
        at = [c[name][:10] for name in ("slice", "table", "position")]
        self.net.edit(*at, 0, weight=np.linspace(0.1, 4.0, 10))
        self._connect(self.cells, 25, self.cells, 25, 1)

    def results(self):
        learned = self.net.connections(None, None, "stdp_synapse")
        order = np.lexsort((learned["weight"], learned["delay_steps"], learned["target"], learned["source"]))
        rates = np.asarray(self.net.get(gids(self.inputs, 20), "rate"))
        return [*super().results(), learned["weight"][order].tobytes(), rates.tobytes()]

    def _found(self):
        c = self.net.connections(None, None, "gap_junction")
        order = np.lexsort((c["weight"], c["target"], c["source"]))
        return {name: np.asarray(values)[order] for name, values in c.items()}


class Glia(Rates):
    """Neurons that spike onto astrocytes, whose slow inward currents come back to them; mean rates beside them, with waveform relaxation."""

    def __init__(self, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        net.set_waveform(True, 1e-6, 0.5, 15, 3)
        a, b = ("A", "B") if "areas" in settings else ("", "")
        self.cells = net.create("aeif_cond_alpha_astro", 30, {"I_e": np.linspace(400.0, 800.0, 30)}, area=a)
        self.inputs = net.create("astrocyte_lr_1994", 19, {**floats(delta_IP3=0.4), "Ca_astro": np.linspace(0.1, 0.4, 19)}, area=b)
        self.means = net.create("siegert_neuron", 13, {"mean": np.linspace(1.0, 20.0, 13), **floats(tau_m=10.0)}, area=b)
        noise = net.create("poisson_generator", 1, floats(rate=3000.0))
        connect(net, rows(noise), rows(self.cells, 30), weight=4.0, delay=0.5)
        connect(
            net, rows(self.cells, 30), rows(self.inputs, 19), "fixed_indegree", indegree=4, weight=1.0, delay=drawn("uniform", 0.5, 3.0)
        )
        self._connect(self.inputs, 19, self.cells, 30, 4)
        for drift, diffusion, indegree in ((0.2, 0.4, 3), (-0.3, 0.9, 2)):
            connect(
                net, rows(self.means, 13), rows(self.means, 13), "fixed_indegree", indegree=indegree, weight=1.0, delay=0.1,
                synapse="diffusion_connection", synapse_params={"drift_factor": drift, "diffusion_factor": diffusion},
            )  # fmt: skip
        self.record = net.record_spikes(rows(self.cells, 30), 0, 10**9)
        self.course = net.record_state(gids(self.cells, 30), ["V_m", "I_SIC"], 5, 0)

    def _connect(self, pre, n_pre, post, n_post, indegree):
        connect(
            self.net, rows(self.inputs, 19), rows(self.cells, 30), "fixed_indegree", indegree=indegree, weight=drawn("uniform", 1.0, 20.0),
            delay=drawn("uniform", 0.5, 6.0), synapse="sic_connection",
        )  # fmt: skip

    def _found(self):
        c = self.net.connections(None, None, "sic_connection")
        order = np.lexsort((c["weight"], c["delay_steps"], c["target"], c["source"]))
        return {name: np.asarray(values)[order] for name, values in c.items()}

    def results(self):
        states = [np.asarray(self.net.get(gids(self.inputs, 19), name)).tobytes() for name in ("Ca_astro", "IP3", "h_IP3R")]
        return [*super().results(), *states, np.asarray(self.net.get(gids(self.means, 13), "rate")).tobytes()]


class GapsStepByStep(Gaps):
    """Without waveform relaxation."""

    wave = (False, 1e-5, 0.5, 15, 3)


NETWORKS = {"rates": Rates, "gaps": Gaps, "gaps step by step": GapsStepByStep, "glia": Glia}


@pytest.fixture(scope="module", params=NETWORKS)
def network(request):
    return NETWORKS[request.param]


def results(network, cuts=None, **settings):
    return network(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected(network):
    found = network().run()
    assert np.unique(np.asarray(found.net.samples(found.course)[1])).size > 2000
    assert min(map(len, found.results())) > 0
    return found.results()


@matrix("network, slices, layout", [*NETWORKS], [(1, 16), (2, 0), (3, 7)], ["runs", "words"], indirect=["network"])
def test_threads_and_slices(network, expected, slices, layout):
    threads, block_size = slices
    assert results(network, threads=threads, block_size=block_size, layout=layout) == expected


@matrix(
    "network, ranks, exchange",
    [*NETWORKS],
    [2, 3],
    [{"exchange": {"regime": "sparse"}}, {"exchange": {"strategy": "alltoall", "halves": True}}, {"distribution": "consecutive"}],
    indirect=["network"],
)
def test_ranks(network, expected, ranks, exchange):
    assert the_same(on_ranks(ranks, lambda comm: results(network, comm=comm, threads=2, block_size=16, **exchange))) == expected


def test_areas(network, expected):
    areas = {"distribution": "by_area", "areas": [("A", 1.0), ("B", 1.0)]}
    assert the_same(on_ranks(4, lambda comm: results(network, comm=comm, **areas))) == expected


@matrix("network, step, slices", [*NETWORKS], [5, 35, 205, 450], [(1, 0), (3, 16)], indirect=["network"])
def test_a_cut_changes_nothing(network, expected, step, slices):
    """At the end of a part, which is 5 steps long."""
    threads, block_size = slices
    assert results(network, {step: restored(threads=threads, block_size=block_size)}, threads=2) == expected


def test_a_cut_on_other_ranks(network, expected):
    assert on_other_ranks(network, lambda one: one.results(), 335, threads=2, block_size=8) == expected


def test_removed_connections_bring_nothing():
    net = kernel(0.1)
    cells = net.create("lin_rate_ipn", 2, {**floats(sigma=0.0), "rate": np.array([1.0, 0.0])})
    connect(net, rows(cells), rows(cells + 1), weight=array([1.0]), delay=0.5, synapse="rate_connection_delayed")
    net.run(20, None)
    before = net.get(gids(cells + 1), "rate")[0]
    c = net.connections(None, None, "rate_connection_delayed")
    net.remove(c["slice"], c["table"], c["position"], net.step)
    net.run(10, None)
    assert net.get(gids(cells + 1), "rate")[0] == pytest.approx(before * np.exp(-10 * 0.1 / 10.0), rel=1e-14)


def coupled(*pairs, **settings):
    """Two neurons with gap junctions from the first to the second of each pair; 1 ms in pieces."""
    net = npl.Network(seed=3, **settings)
    cells = net.create("hh_psc_alpha_gap", 2, I_e=[300.0, 500.0])
    net.connect_gids([a for a, _ in pairs], [b for _, b in pairs], weight=0.4, synapse="gap_junction")
    return net, cells


@pytest.mark.parametrize("pair", [(1, 2), (2, 1), (2, 2)])
def test_a_gap_junction_in_one_direction(pair):
    """Neurons that only send note how their potential goes on, whichever neurons they share a slice with."""
    found = []
    for settings in ({}, {"block_size": 1}, {"threads": 2}):
        net, cells = coupled(pair, **settings)
        net.run(5.0)
        found.append(cells.V_m.tolist())
    assert found[1:] == found[:-1]


@pytest.mark.parametrize("first", [0.1, 0.2, 0.3, 1.0])
def test_gap_junctions_in_a_clone(first):
    net, cells = coupled((1, 2), (2, 1))
    net.run(first)
    clone = net.copy()
    for one in (net, clone):
        one.run(5.0)
    assert clone.counterpart(cells).V_m.tolist() == cells.V_m.tolist()


@pytest.mark.parametrize("model", ["lin_rate_ipn", "lin_rate_opn"])
def test_neurons_without_noise_beside_noisy_ones(model):
    """They are of one group on few slices; their noise was -0 there, where numbers are drawn (program 1004260)."""

    def noise(block_size):
        net = npl.Network(seed=3, threads=1, block_size=block_size)
        noisy, quiet = net.create(model, 24), net.create(model, 24, sigma=0.0)
        net.run(1.0)
        assert noisy.get("noise").any()
        return [nodes.get("noise").tobytes() for nodes in (noisy, quiet)]

    assert noise(1) == noise(64)
