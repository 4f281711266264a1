# SPDX-License-Identifier: Apache-2.0
"""Laws of synapses with a third factor: the same bits on any threads, slices, ranks, exchange methods, layouts, and after a checkpoint."""

import numpy as np
import pytest

from lowlevel import array, connect, drawn, floats, kernel, rows
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same


class Modulated(Program):
    """Two transmitters, a pool that fires by itself, recurrent plasticity of several delays; more synapses later."""

    steps, changes = 1200, (400,)

    def __init__(self, doubles=True, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        a, b = ("A", "B") if "areas" in settings else ("", "")
        self.cells = net.create("iaf_psc_exp", 60, floats(I_e=300.0), area=a)
        self.pool = net.create("iaf_psc_exp", 23, floats(I_e=410.0), area=b)
        self.transmitters = net.create("volume_transmitter", 2, {}, area=b)
        noise = net.create("poisson_generator", 1, floats(rate=9000.0))
        connect(net, rows(noise), rows(self.cells, 83), weight=60.0, delay=0.5)
        for k in range(2):
            connect(
                net, rows(self.pool + 5 * k, 15), rows(self.transmitters + k), delay=array(np.linspace(0.5, 4.0, 15).round(1)), weight=1.0
            )
        self.doubles = doubles
        for k, tau in enumerate((30.0, 200.0, 30.0)):
            self._learn(self.cells, k % 2, tau)
        self.record = net.record_spikes(rows(self.cells, 85), 0, 10**9)

    def _learn(self, first, transmitter, tau):
        params = {
            "volume_transmitter": self.transmitters + transmitter,
            "tau_n": tau,
            "b": 0.4,
            "A_plus": 0.03,
            "A_minus": 0.028,
            "Wmax": 150.0,
            "c": 0.3,
            "n": 0.02,
        }
        connect(
            self.net, rows(self.cells, 40), rows(first, 60), "fixed_indegree", indegree=8, weight=drawn("uniform", 5.0, 60.0),
            delay=drawn("uniform", 0.5, 3.0), doubles=self.doubles, synapse="stdp_dopamine_synapse", synapse_params=params,
        )  # fmt: skip

    def change(self, step):
        self._learn(self.cells, 1, 77.0)

    def results(self):
        c = self.net.connections(None, None, "stdp_dopamine_synapse")
        at = c["slice"], c["table"], c["position"]
        states = [np.asarray(self.net.get_state(name, *at)).tobytes() for name in ("weight", "c", "n")]
        spikes = [np.asarray(x).tobytes() for x in self.net.spikes(self.record)[:2]]
        return [*states, *spikes, c["source"].tobytes(), c["target"].tobytes(), c["weight"].tobytes()]


def results(cuts=None, **settings):
    return Modulated(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected():
    found = Modulated().run()
    c = found.net.connections(None, None, "stdp_dopamine_synapse")
    assert np.unique(c["weight"]).size > 1000  # weights have changed
    assert min(map(len, found.results())) > 0
    return found.results()


@pytest.mark.parametrize(("threads", "block_size"), [(1, 16), (2, 0), (2, 16), (3, 7)])
@pytest.mark.parametrize("layout", ["auto", "runs", "words"])
def test_threads_and_slices(expected, threads, block_size, layout):
    assert results(threads=threads, block_size=block_size, layout=layout) == expected


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize(
    "exchange",
    [
        {"exchange": {"regime": "sparse"}},
        {"exchange": {"regime": "dense"}},
        {"exchange": {"strategy": "allgather"}},
        {"exchange": {"strategy": "alltoall", "halves": True}},
        {"distribution": "consecutive"},
    ],
    ids=str,
)
def test_ranks(expected, ranks, exchange):
    assert the_same(on_ranks(ranks, lambda comm: results(comm=comm, threads=2, block_size=16, **exchange))) == expected


def test_areas(expected):
    """Spikes of an area that sends nothing but transmitters to another are exchanged as often as all."""
    areas = {"distribution": "by_area", "areas": [("A", 1.0), ("B", 1.0)]}
    assert the_same(on_ranks(4, lambda comm: results(comm=comm, **areas))) == expected


@pytest.mark.parametrize("step", [1, 333, 401, 950])
@pytest.mark.parametrize(("threads", "block_size"), [(1, 0), (3, 16)])
def test_a_cut_changes_nothing(expected, step, threads, block_size):
    assert results({step: restored(threads=threads, block_size=block_size)}, threads=2) == expected


def test_a_cut_on_other_ranks(expected):
    assert on_other_ranks(Modulated, Modulated.results, 555, threads=2) == expected
