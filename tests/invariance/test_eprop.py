# SPDX-License-Identifier: Apache-2.0
"""Law 1 for e-prop: any ranks, threads, slices and cuts in intervals, in both generations, with both optimizers; sources that are silent for long."""

import numpy as np
import pytest

from eprop_network import built, data, names, task
from eprop_reference import Eprop, Events
from lowlevel import digest, gids, kernel, rows
from pairwise import matrix
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same

STEPS = 700
NETWORKS = {
    "descent": (Eprop, {"adapt_beta": 0.3, "t_ref": 2, "interval": 60, "window": 50, "eta": 1e-4, "c_reg": 10.0, "batch": 2}),
    "adam": (Eprop, {"adam": True, "interval": 40, "reset": False, "eta": 1e-2, "tau_filter": 13.0}),
    "long intervals": (Eprop, {"adapt_beta": 0.3, "interval": 330, "eta": 1e-5, "c_reg": 10.0}),
    "events": (Events, {"adapt_beta": 0.3, "eta": 1e-4, "c_reg": 2.0}),
    "events of adam": (Events, {"holds": True, "t_ref": 3, "adam": True, "batch": 3, "each_step": False, "eta": 1e-3}),
    "each step of adam": (Events, {"adam": True, "eta": 1e-3, "cutoff": 320}),
}
OUT_OF_TIME = slice(3, 9)  # inputs that are silent in the middle


class Network(Program):
    """A network that learns; its weights, states and spikes."""

    steps = STEPS

    def __init__(self, which, **settings):
        kind, how = NETWORKS[which]
        p = task(kind, 3, 17, 70, 3, 0.3, **how)
        inputs, target = data(p, STEPS, 0.08)
        inputs[60:500, OUT_OF_TIME] = 0.0
        window = (np.arange(STEPS + 9) % 50 >= 20).astype(float) if kind is Events else None
        self.synapse, self.settings = names(p)[2], settings
        self.net, parts = built(p, inputs, target, window, kernel(1.0, seed=3, **settings))
        self.spikes = self.net.record_spikes(rows(parts["rec"], 70), 0, 10**9)
        self.recurrent = self.net.record_state(gids(parts["rec"], 70), ["V_m", "surrogate_gradient", "learning_signal"], 7, 0)
        self.readouts = self.net.record_state(gids(parts["out"], 3), ["V_m", "error_signal"], 7, 0)

    def hash(self):
        c = self.net.connections(None, None, self.synapse)
        found = [c["source"], c["target"], c["weight"], *self.net.spikes(self.spikes)]
        return digest(*found, *self.net.samples(self.recurrent), *self.net.samples(self.readouts))


@pytest.fixture(scope="module", params=NETWORKS)
def expected(request):
    before = Network(request.param).run(until=2)
    net = Network(request.param).run()
    weights, first = (n.net.connections(None, None, n.synapse)["weight"] for n in (net, before))
    assert (weights != first).mean() > 0.5
    assert np.isfinite(weights).all()
    assert np.abs(weights).max() < 15.0
    return request.param, net.hash()


@pytest.mark.parametrize(("threads", "block_size", "layout"), [(2, 0, "auto"), (3, 8, "words"), (1, 5, "runs")])
def test_threads_and_slices(expected, threads, block_size, layout):
    which, result = expected
    assert Network(which, threads=threads, block_size=block_size, layout=layout).run().hash() == result


@matrix("expected, step, slices", [*NETWORKS], [1, 61, 255, 256, 257, 333, 480], [(1, 0), (2, 7)], indirect=["expected"])
def test_a_cut_changes_nothing(expected, step, slices):
    threads, block_size = slices
    which, result = expected
    again = {step: restored(1.0, store_all=step % 2 == 0, threads=threads, block_size=block_size), 510: restored(1.0)}
    assert Network(which, threads=2).run(again).hash() == result


@pytest.mark.parametrize("pieces", [7, 64])
def test_runs_in_pieces(expected, pieces):
    which, result = expected
    assert Network(which, threads=2).run(dict.fromkeys(range(pieces, STEPS, pieces), lambda net: net)).hash() == result


@pytest.mark.parametrize(("ranks", "threads"), [(2, 1), (3, 2)])
def test_ranks(expected, ranks, threads):
    which, result = expected
    assert the_same(on_ranks(ranks, lambda comm: Network(which, comm=comm, threads=threads).run().hash())) == result


@pytest.mark.parametrize(("ranks", "to_ranks", "step"), [(2, 1, 310), (1, 3, 130), (3, 2, 527)])
def test_checkpoints_on_other_ranks(expected, ranks, to_ranks, step):
    which, result = expected
    assert on_other_ranks(lambda comm: Network(which, comm=comm), Network.hash, step, ranks, to_ranks, resolution=1.0) == result
