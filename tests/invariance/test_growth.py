# SPDX-License-Identifier: Apache-2.0
"""Laws of structural plasticity: the same synapses and spikes on any threads, slices, ranks, exchange methods, layouts, and after a checkpoint."""

import numpy as np
import pytest

from lowlevel import connect as connect_
from lowlevel import const, drawn, floats, gids, kernel, rows
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same

STEPS, UPDATE = 1000, 70


def prepared(net, synapse, label, weight, delay, **parameters):
    return net.prepared(
        rule="explicit",
        synapse=synapse,
        synapse_params=parameters,
        weight=weight,
        delay=delay,
        label=label,
        double_weights=synapse != "static_synapse",
    )


class Grown(Program):
    """Excitatory and inhibitory neurons; static, STDP and dopamine synapses that grow and go, while a user connects and removes some."""

    steps, changes = STEPS, (350, 400, 610, 700)

    def __init__(self, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        a, b = ("A", "B") if "areas" in settings else ("", "")
        self.exc = net.create("iaf_psc_exp", 50, floats(I_e=360.0), area=a)
        self.inh = net.create("iaf_cond_exp", 14, floats(I_e=420.0), area=b)
        self.precise = net.create("iaf_psc_exp_ps", 6, floats(I_e=380.0), area=b)
        pool = net.create("iaf_psc_exp", 5, floats(I_e=400.0), area=b)
        transmitter = net.create("volume_transmitter", 1, {}, area=b)
        noise = net.create("poisson_generator", 1, floats(rate=9000.0))
        connect_(net, rows(noise), rows(self.exc, 50), weight=30.0, delay=0.5)
        connect_(net, rows(pool, 5), rows(transmitter), delay=0.5)
        k = np.arange(50)
        axons = ("axon", "linear", floats(growth_rate=0.2 + 0.01 * (k % 7), eps=0.12, z=k % 4, tau_vacant=0.3))
        spines = ("spine", "gaussian", floats(growth_rate=0.08, eta=0.01, eps=0.2, z=1 + k % 5, tau_vacant=0.2))
        shafts = ("shaft", "sigmoid", floats(growth_rate=0.05, psi=0.02, eps=0.15, z=2.0))
        net.set_calcium(rows(self.exc, 50), floats(tau_Ca=60.0, beta_Ca=0.05))
        net.set_elements(rows(self.exc, 50), [axons, spines, shafts, ("spur", *spines[1:])])
        net.set_calcium(rows(self.inh, 20), floats(tau_Ca=40.0, beta_Ca=0.06))
        net.set_elements(
            rows(self.inh, 20), [("gaba", "linear", floats(growth_rate=0.06, eps=0.1, z=3.0)), (*spines[:2], floats(growth_rate=0.03))]
        )
        net.grow("axon", "spine", prepared(net, "static_synapse", 1, drawn("uniform", 5.0, 20.0), drawn("uniform", 0.5, 4.0)), True, False)
        dopamine = {"volume_transmitter": transmitter, "b": 0.4, "A_plus": 0.03, "A_minus": 0.028, "Wmax": 150.0}
        net.grow("axon", "shaft", prepared(net, "stdp_dopamine_synapse", 2, const(20.0), const(1.5), **dopamine))
        net.grow("axon", "spur", prepared(net, "stdp_synapse", 3, const(10.0), const(2.0), Wmax=60.0))
        net.grow("gaba", "shaft", prepared(net, "static_synapse", 4, const(-15.0), const(0.8)), False, True)
        net.set_updates(UPDATE, True)
        self.record = net.record_spikes(rows(self.exc, 70), 0, 10**9)

    def change(self, step):
        net = self.net
        if step == 350:  # at an update
            c = net.connections(rows(self.exc, 9), None, "")
            at = [np.ascontiguousarray(c[k][::3]) for k in ("slice", "table", "position")]
            net.remove(*at, step)
        if step == 400:
            connect = {"weight": const(10.0), "delay": const(2.0), "synapse": "stdp_synapse", "synapse_params": {"Wmax": 60.0}}
            net.connect(pre=rows(self.exc, 12), post=rows(self.exc + 20, 12), rule="one_to_one", label=3, double_weights=True, **connect)
        if step == 610:
            k = np.arange(20)
            net.set_elements(rows(self.exc + 4, 20), [("axon", "linear", floats(growth_rate=-0.1 + 0.01 * k, eps=0.12, z=6.0))])
            net.set_calcium(rows(self.exc, 5), floats(Ca=0.0))
        if step == 700:
            net.set_updates(55, True)

    def results(self):
        net = self.net
        net.build(None)
        c = net.connections(None, None, "")
        elements = [(name, values.tobytes()) for name, values in net.elements(gids(self.exc, 70))]
        calcium = [np.asarray(net.calcium(gids(self.exc, 70), name)).tobytes() for name in ("Ca", "t_spike")]
        spikes = [np.asarray(x).tobytes() for x in net.spikes(self.record)]
        return [
            *(c[k].tobytes() for k in ("source", "target", "delay_steps", "weight", "label")),
            elements,
            calcium,
            spikes,
            net.growth_changes,
        ]


def results(cuts=None, **settings):
    return Grown(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected():
    one = Grown()
    seen = []
    for stop in (0, 100, 300, 500, STEPS):
        one.run(until=stop)
        c = one.net.connections(None, None, "")
        seen.append(np.bincount(c["label"], minlength=5).tolist())
    assert min(max(row[k] for row in seen) for k in range(1, 5)) > 10  # all of them grow
    assert one.net.growth_changes > 2 * len(c["label"])  # and many have gone
    return results()


@pytest.mark.parametrize(("threads", "block_size"), [(1, 16), (2, 0), (2, 16), (3, 7)])
@pytest.mark.parametrize("layout", ["auto", "runs", "words"])
def test_threads_and_slices(expected, threads, block_size, layout):
    assert results(threads=threads, block_size=block_size, layout=layout) == expected


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {"exchange": {"regime": "sparse"}},
        {"exchange": {"regime": "dense"}},
        {"exchange": {"strategy": "allgather"}},
        {"exchange": {"strategy": "alltoall", "halves": True}},
        {"distribution": "consecutive"},
        {"distribution": "shuffled", "layout": "words"},
    ],
    ids=str,
)
def test_ranks(expected, ranks, settings):
    assert the_same(on_ranks(ranks, lambda comm: results(comm=comm, threads=2, block_size=16, **settings))) == expected


def test_areas(expected):
    areas = {"distribution": "by_area", "areas": [("A", 1.0), ("B", 1.0)]}
    assert the_same(on_ranks(4, lambda comm: results(comm=comm, **areas))) == expected


@pytest.mark.parametrize("step", [0, 1, UPDATE - 1, UPDATE, UPDATE + 1, 350, 400, 666, 715])
@pytest.mark.parametrize(("threads", "block_size"), [(1, 0), (3, 16)])
def test_a_cut_changes_nothing(expected, step, threads, block_size):
    assert results({step: restored(threads=threads, block_size=block_size)}, threads=2) == expected


def test_how_runs_are_cut_changes_nothing(expected):
    one = Grown()
    for stop in range(0, STEPS + 1, 10):
        if stop < 350 or stop > 700:
            one.run(until=stop)
    assert one.results() == expected


@pytest.mark.parametrize("step", [UPDATE * 3, 333])
def test_a_cut_on_other_ranks(expected, step):
    assert on_other_ranks(Grown, Grown.results, step, threads=2) == expected


@pytest.mark.parametrize(("autapses", "multapses"), [(True, True), (False, False)])
def test_more_ranks_than_neurons(autapses, multapses):
    """Elements come and go so that all of a neuron's synapses are lost, and ranks have nothing to say."""

    def pairs(comm=None):
        net = kernel(0.1, seed=5, **({"comm": comm} if comm else {}))
        cells = net.create("iaf_psc_exp", 3, {})
        few = {name: (name, "linear", floats(growth_rate=rate, eps=1.0, z=4.0)) for name, rate in (("axon", 0.2), ("spine", 0.15))}
        net.set_elements(rows(cells, 3), list(few.values()))
        net.grow("axon", "spine", prepared(net, "static_synapse", 1, const(1.0), const(1.0)), autapses, multapses)
        net.set_updates(20, True)
        found = []
        for k in range(8):
            if k == 3:
                net.set_elements(rows(cells, 1), [("axon", "linear", floats(growth_rate=-0.9, eps=1.0, z=1.0)), few["spine"]])
            net.run(40, None)
            c = net.connections(None, None, "")
            found.append((c["source"].tolist(), c["target"].tolist(), net.growth_changes))
        return found

    alone = pairs()
    assert 1 in alone[2][0]
    assert 1 not in alone[7][0]
    for ranks in (2, 7):
        assert the_same(on_ranks(ranks, pairs)) == alone
