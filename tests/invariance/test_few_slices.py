# SPDX-License-Identifier: Apache-2.0
"""Networks with little to do in a step have fewer slices than threads, and more when they grow: the same bits as in any slices."""

import numpy as np
import pytest

from lowlevel import connect, drawn, floats, gids, kernel, rows
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same

FEW = {"threads": 4, "few_slices": True, "adaptive_threads": True}
DELAY = drawn("uniform", 0.5, 4.0)


class Growing(Program):
    """100 small populations; a larger one before the first run, and from step 200 on."""

    steps, changes = 500, (200, 350)

    def __init__(self, small=100, before=0, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        self.noise = net.create("poisson_generator", 1, floats(rate=8000.0))
        self.cells, self.spikes = [], []
        for k in range(small):
            self._more(10, "iaf_psc_exp" if k % 3 else "iaf_psc_alpha")
        frozen = gids(self.cells[7][0], 3)
        net.freeze(frozen, True)
        net.set(frozen + 10, floats(V_m=-60.0, tau_m=12.0), {})
        if before:
            self._more(before)

    def _more(self, n, model="iaf_psc_exp"):
        net = self.net
        cells = net.create(model, n, floats(I_e=200.0, C_m=240.0), [("V_m", drawn("uniform", -70.0, -56.0), len(self.cells))])
        self.cells = [*self.cells, (cells, n)]  # copies of a program share lists
        connect(net, rows(self.noise), rows(cells, n), weight=30.0, delay=0.5)
        for first, m in self.cells[-4:]:
            connect(net, rows(first, m), rows(cells, n), "fixed_indegree", indegree=4, weight=20.0, delay=DELAY)
            plastic = {"synapse": "stdp_synapse", "synapse_params": {"Wmax": 90.0}}
            connect(net, rows(cells, n), rows(first, m), "fixed_indegree", indegree=2, weight=15.0, delay=DELAY, **plastic)
        self.spikes = [*self.spikes, net.record_spikes(rows(cells, n), 0, 10**9)]

    def change(self, step):
        self._more(2500 if step == 200 else 5000)

    def results(self):
        net = self.net
        found = [np.asarray(x).tobytes() for r in self.spikes for x in net.spikes(r)]
        weights = net.connections(None, None, "stdp_synapse")
        order = np.lexsort([weights[k] for k in ("weight", "delay_steps", "target", "source")])
        found += [weights[k][order].tobytes() for k in ("source", "target", "weight")]
        everyone = np.concatenate([gids(*cells) for cells in self.cells])
        return [*found, net.get(everyone, "V_m").tobytes(), net.get(everyone, "tau_m").tobytes(), net.counters()["spikes"]]


def results(cuts=None, **settings):
    return Growing(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected():
    return {before: results(before=before) for before in (0, 3000)}


@pytest.mark.parametrize("before", [0, 3000])
@pytest.mark.parametrize("settings", [FEW, {"threads": 4}], ids=["few", "many"])
def test_the_same_bits(expected, before, settings):
    assert results(before=before, **settings) == expected[before]


@pytest.mark.parametrize("cut", [200, 350, 420])
@pytest.mark.parametrize("after", [FEW, {"threads": 3}], ids=["few", "many"])
def test_a_cut_changes_nothing(expected, cut, after):
    assert results({cut: restored(**after)}, **FEW) == expected[0]
    assert results({cut: restored(**FEW)}, threads=2) == expected[0]


def test_ranks(expected):
    assert the_same(on_ranks(2, lambda comm: results(comm=comm, **FEW))) == expected[0]
    assert on_other_ranks(Growing, Growing.results, 350, **FEW) == expected[0]


def test_slices_of_a_network_that_grows():
    one = Growing(**FEW)
    assert one.net.slices == 1
    one.run(until=200)
    assert one.net.slices == 1
    one.change(200)
    assert one.net.slices == 1 + 4
    one.change(350)
    assert one.net.slices == 1 + 4
    assert Growing(before=3000, **FEW).net.slices == 4
    assert Growing(**FEW | {"threads": 1}).net.slices == 1


@pytest.mark.parametrize(
    ("model", "n", "slices"),
    [("iaf_psc_exp", 1, 1), ("iaf_psc_exp", 1000, 1), ("iaf_psc_exp", 3000, 1), ("iaf_psc_exp", 3100, 4), ("iaf_psc_exp", 10_000, 4), ("hh_psc_alpha", 100, 1), ("hh_psc_alpha", 400, 4)],
)  # fmt: skip
def test_slices_by_neurons(model, n, slices):
    net = kernel(**FEW)
    net.create(model, n, {})
    assert net.slices == slices
    net.run(1, None)
    assert net.slices == slices


@pytest.mark.parametrize("settings", [{"block_size": 65536}, {"slices": 4}, {"few_slices": False}], ids=str)
def test_slices_that_are_asked_for(settings):
    assert kernel(**FEW | settings).slices == 4


@pytest.mark.parametrize("indegree", [10, 6000])
def test_slices_by_synapses(indegree):
    """As many as the plan says; a checkpoint knows their number."""
    net = kernel(**FEW)
    everyone = rows(net.create("iaf_psc_exp", 500, floats(C_m=240.0)), 500)
    connect(net, everyone, everyone, "fixed_indegree", indegree=indegree, weight=1.0, delay=DELAY)
    planned, neurons = net.plan()["counts"]["slices"], net.plan()["bytes"]["neurons"]
    net.build(None)
    again = restored(**FEW)(net)
    assert planned == net.slices == again.slices == (1 if indegree == 10 else 4)
    assert net.memory()["neurons"] == neurons  # equal parameters take no columns in new slices, either
