# SPDX-License-Identifier: Apache-2.0
"""Laws of short-term plasticity onto neurons with precise spike times: the same bits on any threads, slices, ranks, and after a checkpoint."""

import numpy as np
import pytest

from lowlevel import connect, drawn, floats, kernel, rows
from programs import Program, restored
from thread_ranks import on_ranks, the_same

SYNAPSES = {
    "tsodyks_synapse": {"U": 0.4, "tau_fac": 50.0},
    "tsodyks2_synapse": {"U": 0.4, "tau_rec": 60.0},
    "ht_synapse": {"delta_P": 0.2},
    "bernoulli_synapse": {"p_transmit": 0.6},
    "quantal_stp_synapse": {"n": 3.0},
}


class Precise(Program):
    """Precise neurons that drive each other and a precise parrot each through all of these synapses."""

    steps, changes = 900, (400,)

    def __init__(self, seed=4, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        self.cells = net.create("iaf_psc_exp_ps", 40, floats(I_e=395.0))
        net.set(np.arange(self.cells, self.cells + 40, dtype=np.int64), {"V_m": np.linspace(-70.0, -56.0, 40)})
        self.parrots = net.create("parrot_neuron_ps", 10, {})
        for k, (synapse, parameters) in enumerate(SYNAPSES.items()):
            how = {
                "synapse": synapse,
                "synapse_params": parameters,
                "weight": drawn("uniform", 5.0, 40.0),
                "delay": drawn("uniform", 0.5, 4.0),
            }
            connect(net, rows(self.cells, 40), rows(self.cells, 40), "fixed_indegree", indegree=4, **how)
            connect(net, rows(self.cells + k, 3), rows(self.parrots + 2 * k, 2), **how | {"weight": 1.0})
        self.spikes = net.record_spikes(rows(self.cells, 50), 0, 10**9)

    def change(self, step):
        first = self.net.connections(None, None, "tsodyks2_synapse")
        self.net.remove(*(np.ascontiguousarray(first[key][::3]) for key in ("slice", "table", "position")), -1)

    def results(self):
        steps, senders, offsets = (np.asarray(x) for x in self.net.spikes(self.spikes)[:3])
        assert len(set(senders.tolist())) == 50
        assert len(np.unique(offsets)) > 100
        return [x.tobytes() for x in (steps, senders, offsets)]


def results(cuts=None, **settings):
    return Precise(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected():
    return results()


@pytest.mark.parametrize(("threads", "block_size"), [(1, 16), (2, 0), (3, 7)])
@pytest.mark.parametrize("layout", ["auto", "words"])
def test_threads_and_slices(expected, threads, block_size, layout):
    assert results(threads=threads, block_size=block_size, layout=layout) == expected


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks(expected, ranks):
    assert the_same(on_ranks(ranks, lambda comm: results(comm=comm, threads=2, block_size=16))) == expected


@pytest.mark.parametrize("step", [1, 333, 401])
def test_a_cut_changes_nothing(expected, step):
    assert results({step: restored(seed=4, threads=2, block_size=16)}) == expected
