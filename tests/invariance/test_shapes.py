# SPDX-License-Identifier: Apache-2.0
"""Laws of models with a shape (trees of compartments, many receptors): the same bits on any threads, slices, ranks, and after a checkpoint."""

import numpy as np
import pytest

import neuropil as npl
from lowlevel import connect, drawn, floats, kernel, rows
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same

PORTS = 37
TREE = npl.tree(
    [
        {"gbar_Na": 30.0, "gbar_K": 8.0, "g_C": 0.1},
        {"parent": 0, "C_m": 0.5, "g_C": 0.2, "gbar_K": 0.5},
        {"parent": 0, "C_m": 0.2, "g_C": 0.1},
        {"parent": 2, "C_m": 0.1, "g_C": 0.3, "gbar_Na": 0.4},
    ],
    [
        {"kind": "GABA"},
        {"compartment": 1, "kind": "AMPA"},
        {"compartment": 3, "kind": "NMDA"},
        {"compartment": 2, "kind": "AMPA_NMDA", "NMDA_ratio": 3.0},
        *({"compartment": k % 4, "kind": "AMPA"} for k in range(8)),
    ],
)
MODELS = ["iaf_psc_alpha_multisynapse", "gif_psc_exp_multisynapse", "glif_psc_double_alpha"]
SOLVED = ["aeif_cond_beta_multisynapse", "gif_cond_exp_multisynapse", "glif_cond"]


class Shaped(Program):
    """Neurons of several shapes that drive each other, through plastic synapses, too; currents into compartments."""

    steps, changes = 1200, (400,)

    def __init__(self, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        some = {key: np.array([value]) for key, value in TREE.values.items()} | floats(V_th=-30.0)
        self.trees = net.create(TREE.name, 37, some | {"g_L_1": np.linspace(0.05, 0.1, 37)})
        self.small = [net.create(npl.tree([{}, {"parent": 0}], [{"compartment": 1, "kind": "AMPA"}]).name, 2 + k, {}) for k in range(3)]
        self.plain = net.create("iaf_psc_exp", 20, floats(I_e=390.0))
        self.many = [net.create(f"{name}[{PORTS}]", 9, {}) for name in [*MODELS, *SOLVED]]
        self.populations = net.create("gif_pop_psc_exp[150]", 11, floats(I_e=330.0, N=60.0))
        self.gated = net.create("iaf_bw_2001_exact[3]", 13, floats(w_NMDA_1=5.0, w_NMDA_2=5.0, w_NMDA_3=9.0))
        net.set(np.arange(self.many[0], self.many[0] + 3, dtype=np.int64), floats(tau_syn_9=7.0))
        noise = net.create("poisson_generator", 1, floats(rate=5000.0))
        dc = net.create("dc_generator", 2, floats(amplitude=0.6))
        connect(net, rows(dc), rows(self.trees, 20), receptor=3, weight=1.0)
        connect(net, rows(dc + 1), rows(self.trees + 10, 20), receptor=0, weight=drawn("uniform", 0.5, 3.0))
        for port in range(1, 13):
            connect(net, rows(noise), rows(self.trees, 37), weight=0.01, receptor=port)
        for port in (1, 9, 20, PORTS):
            for k, first in enumerate(self.many):
                connect(net, rows(noise), rows(first, 9), weight=(9.0, 9.0, 30.0, 0.3, 0.1, 0.3)[k], receptor=port)
                connect(net, rows(self.plain, 20), rows(first, 9), weight=0.5, delay=drawn("uniform", 0.3, 2.0), receptor=port)
        connect(net, rows(self.plain, 20), rows(self.trees, 37), weight=0.03, delay=1.5, receptor=7)
        connect(net, rows(self.trees, 37), rows(self.small[0], 9), weight=0.5, delay=0.3, receptor=1)
        connect(
            net, rows(self.trees, 37), rows(self.trees, 37), "fixed_indegree", indegree=6, weight=drawn("uniform", 0.01, 0.05),
            delay=drawn("uniform", 0.5, 3.0), synapse="stdp_synapse", synapse_params={"Wmax": 0.2}, receptor=12,
        )  # fmt: skip
        for port, weight in ((1, 3.0), (3, 5.0), (4, 5.0), (5, 9.0)):
            connect(net, rows(noise), rows(self.gated, 13), weight=weight, receptor=port)
        connect(net, rows(self.plain, 20), rows(self.gated, 13), weight=2.0, delay=0.9, receptor=2)
        p = self.populations
        connect(
            net,
            rows(p, 11),
            rows(p, 11),
            "fixed_indegree",
            indegree=4,
            weight=drawn("uniform", -9.0, 6.0),
            delay=drawn("uniform", 0.5, 3.0),
        )
        connect(net, rows(self.plain, 20), rows(p, 11), weight=30.0, delay=0.4)
        connect(net, rows(p, 11), rows(self.plain, 20), weight=drawn("uniform", 0.0, 20.0), delay=1.1)
        self.spikes = net.record_spikes(rows(self.trees, self.gated + 13 - self.trees), 0, 10**9)
        some = np.arange(self.trees, self.trees + 37, dtype=np.int64)
        self.states = net.record_state(some, ["v_comp0", "v_comp3", "m_Na_3", "g_d_AN_NMDA_3"], 7, 0)
        self.others = net.record_state(np.arange(self.many[0], self.gated + 13, dtype=np.int64), ["V_m"], 7, 0)

    def change(self, step):
        connect(self.net, rows(self.trees, 37), rows(self.many[1], 9), weight=5.0, delay=0.7, receptor=PORTS - 1)

    def results(self):
        weights = self.net.connections(None, None, "stdp_synapse")["weight"].tobytes()
        spikes = [np.asarray(x).tobytes() for x in self.net.spikes(self.spikes)[:2]]
        return [*spikes, *(np.asarray(self.net.samples(r)[1]).tobytes() for r in (self.states, self.others)), weights]


def results(cuts=None, **settings):
    return Shaped(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected():
    made = Shaped().run()
    found = made.results()
    senders = np.asarray(made.net.spikes(made.spikes)[1])
    for first, n in ((made.trees, 37), *((m, 9) for m in made.many), (made.populations, 11), (made.gated, 13)):
        assert ((senders >= first) & (senders < first + n)).sum() > 5, first
    return found


@pytest.mark.parametrize(("threads", "block_size"), [(1, 16), (2, 0), (3, 7)])
@pytest.mark.parametrize("layout", ["auto", "words"])
def test_threads_and_slices(expected, threads, block_size, layout):
    assert results(threads=threads, block_size=block_size, layout=layout) == expected


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks(expected, ranks):
    assert the_same(on_ranks(ranks, lambda comm: results(comm=comm, threads=2, block_size=16))) == expected


@pytest.mark.parametrize("step", [1, 333, 401])
@pytest.mark.parametrize(("threads", "block_size"), [(1, 0), (3, 16)])
def test_a_cut_changes_nothing(expected, step, threads, block_size):
    assert results({step: restored(threads=threads, block_size=block_size)}, threads=2) == expected


def test_a_cut_on_other_ranks(expected):
    assert on_other_ranks(Shaped, Shaped.results, 555, threads=2) == expected


def test_growing_step_by_step_is_the_same_as_at_once():
    def v(grow):
        net = kernel(0.1)
        whole = npl.tree([{}, {"parent": 0, "g_C": 0.3}], [{"kind": "AMPA"}, {"compartment": 1, "kind": "NMDA"}])
        cell = net.create("cm_default" if grow else whole.name, 5, {})
        noise = net.create("poisson_generator", 1, floats(rate=5000.0))
        if grow:
            net.reshape(cell, "cm_default[-1;0:AMPA]")
        connect(net, rows(noise), rows(cell, 5), weight=0.02, receptor=1)
        if grow:
            net.reshape(cell, whole.name)
        net.set(np.arange(cell, cell + 5, dtype=np.int64), floats(g_C_1=0.3))
        connect(net, rows(noise), rows(cell, 5), weight=0.1, receptor=2)
        record = net.record_state(np.arange(cell, cell + 5, dtype=np.int64), ["v_comp0", "v_comp1"], 1, 0)
        net.run(300, None)
        return np.asarray(net.samples(record)[1]).tobytes()

    assert v(True) == v(False)


def test_a_shape_may_only_grow_and_only_before_the_first_run():
    net = kernel(0.1)
    cell, other = net.create("cm_default[-1,0;0:AMPA]", 2, {}), net.create("iaf_psc_exp", 1, {})
    with pytest.raises(npl.errors.UnknownName):
        net.reshape(cell, "iaf_psc_exp_multisynapse[3]")
    with pytest.raises(npl.errors.BadParameter, match="first gid of a create"):
        net.reshape(cell + 1, "cm_default[-1;]")
    with pytest.raises(npl.errors.UnknownName):
        net.reshape(other, "iaf_psc_exp[3]")
    connect(net, rows(other), rows(cell), receptor=1)
    with pytest.raises(npl.errors.BadParameter, match="loses parts"):
        net.reshape(cell, "cm_default[-1,0;]")
    with pytest.raises(npl.errors.BadParameter, match="shape"):
        net.reshape(cell, "cm_default[-1,4;0:AMPA]")
    net.run(1, None)
    with pytest.raises(npl.errors.BadParameter, match="not simulated yet"):
        net.reshape(cell, "cm_default[-1,0;0:AMPA,1:AMPA]")


def test_only_few_nodes_take_room_for_many_receptors():
    net = kernel(0.1)
    net.create("iaf_psc_exp_multisynapse", 10_000, {})
    before = net.create("iaf_psc_exp_multisynapse[1000]", 1, {})
    assert before == 10_001
    net.run(1, None)
    assert net.memory()["input"] < 8 * 10_001 * 8 + 8 * 1000 + 1000
