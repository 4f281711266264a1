# SPDX-License-Identifier: Apache-2.0
"""Law 1 for synapses that read what their targets recorded: any ranks, threads, slices and cuts, connections and delays that change."""

import numpy as np
import pytest

from lowlevel import connect, digest, drawn, floats, gids, kernel, rows
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same

CLOPATH = {"tau_x": 12.0, "Wmax": 30.0}
URBANCZIK = {"eta": 0.02, "tau_Delta": 30.0, "Wmax": 60.0}


class Recurrent(Program):
    """Three models with histories of two kinds, one without, driven; three plastic synapses; connections, delays and targets are added while it runs."""

    steps, changes = 900, (300, 500)

    def __init__(self, **settings):
        self.net = net = kernel(0.1, seed=3, **settings)
        rng = np.random.default_rng(2)
        self.aeif = net.create("aeif_psc_delta_clopath", 31, floats(I_e=rng.uniform(500, 900, 31), A_LTP=2e-2, A_LTD=5e-3))
        self.hh = net.create("hh_psc_alpha_clopath", 9, floats(I_e=rng.uniform(200, 600, 9), delay_u_bars=rng.uniform(0, 9, 9).round(1)))
        self.plain = net.create("iaf_psc_exp", 17, floats(I_e=500.0))
        params = {"phi_max": rng.uniform(0.1, 0.4, 11), "theta": -62.0, "dendritic_tau_syn_ex": rng.uniform(2.0, 9.0, 11).round(1)}
        self.two = net.create("pp_cond_exp_mc_urbanczik", 11, floats(**params))
        noise = net.create("poisson_generator", 1, floats(rate=4000.0))
        connect(net, rows(noise), rows(self.aeif, 31), weight=0.6, delay=1.0)
        self._plastic(self.aeif, 31, self.aeif, 31, 0.5, 3.0)
        self._plastic(self.plain, 17, self.hh, 9, 1.0, 1.5)
        self._plastic(self.aeif, 31, self.two, 11, 0.1, 6.0, URBANCZIK)
        self._plastic(self.two, 11, self.plain, 17, 0.1, 2.0, {})
        self.record = net.record_spikes(rows(1, 68), 0, 10**9)
        self.states = net.record_state(gids(self.hh, 9), ["V_m", "u_bar_plus", "u_bar_minus", "u_bar_bar"], 11, 0)

    def _plastic(self, pre, n_pre, post, n_post, low, high, params=CLOPATH):
        synapse = "clopath_synapse" if params is CLOPATH else "urbanczik_synapse" if params else "stdp_synapse"
        connect(
            self.net, rows(pre, n_pre), rows(post, n_post), "fixed_indegree", indegree=6, weight=drawn("uniform", 1.0, 4.0), delay=drawn("uniform", low, high),
            synapse=synapse, synapse_params=params, receptor=3 if params is URBANCZIK else 0,
        )  # fmt: skip

    def change(self, step):
        if step == 300:  # delays that no synapse had before
            self._plastic(self.hh, 9, self.aeif, 31, 4.0, 9.0)
            self.net.set(gids(self.aeif, 31)[3:20], floats(delay_u_bars=8.0, A_LTP=5e-3))
            self.net.set(gids(self.hh, 9)[2:5], floats(delay_u_bars=1.0))
        if step == 500:
            self.net.create("aeif_psc_delta_clopath", 7, floats(I_e=900.0))
            self._plastic(self.aeif, 31, self.net.n_nodes - 6, 7, 0.5, 2.0)
            self._plastic(self.hh, 9, self.two, 11, 3.0, 12.0, URBANCZIK)
            self.net.set(gids(self.two, 11)[2:7], floats(dendritic_tau_syn_ex=4.0, theta=-60.0))

    def hash(self):
        found = []
        for synapse in ("clopath_synapse", "urbanczik_synapse", "stdp_synapse"):
            c = self.net.connections(None, None, synapse)
            found += [c["source"], c["target"], c["weight"], c["delay_steps"]]
            if synapse == "clopath_synapse":
                found.append(self.net.get_state("x_bar", c["slice"], c["table"], c["position"]))
        return digest(*found, *self.net.spikes(self.record), *self.net.samples(self.states))


@pytest.fixture(scope="module")
def expected():
    net = Recurrent().run()
    weights = net.net.connections(None, None, "clopath_synapse")["weight"]
    assert weights.max() > 6.0
    predicting = net.net.connections(None, None, "urbanczik_synapse")["weight"]
    assert 0 < np.sum(predicting == 0.0) < 0.8 * len(predicting)
    assert predicting.max() > 4.5
    return net.hash()


@pytest.mark.parametrize(("threads", "block_size", "layout"), [(2, 0, "auto"), (3, 8, "words"), (1, 5, "runs")])
def test_threads_and_slices(expected, threads, block_size, layout):
    assert Recurrent(threads=threads, block_size=block_size, layout=layout).run().hash() == expected


@pytest.mark.parametrize("step", [1, 20, 299, 300, 301, 555])
@pytest.mark.parametrize(("threads", "block_size"), [(1, 0), (2, 7)])
def test_a_cut_changes_nothing(expected, step, threads, block_size):
    assert Recurrent(threads=2).run({step: restored(store_all=step % 2 == 0, threads=threads, block_size=block_size)}).hash() == expected


@pytest.mark.parametrize(("ranks", "threads"), [(2, 1), (3, 2)])
def test_ranks(expected, ranks, threads):
    assert the_same(on_ranks(ranks, lambda comm: Recurrent(comm=comm, threads=threads).run().hash())) == expected


@pytest.mark.parametrize(("ranks", "to_ranks", "step"), [(2, 1, 310), (1, 3, 120), (3, 2, 700)])
def test_checkpoints_on_other_ranks(expected, ranks, to_ranks, step):
    assert on_other_ranks(Recurrent, Recurrent.hash, step, ranks, to_ranks) == expected
