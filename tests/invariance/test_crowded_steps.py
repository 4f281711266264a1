# SPDX-License-Identifier: Apache-2.0
"""Networks in which most neurons get spikes of one weight and delay in each step: counted by bits or added one by one, on any threads and ranks."""

import numpy as np
import pytest

import neuropil as npl
import simd_levels
from neuropil import _core
from thread_ranks import on_ranks, the_same

N, INPUTS, DURATION = 700, 70, 40.0


class Crowded:
    """Neurons at hundreds of spikes per second. listed: weights are stored one by one, though they are the same."""

    def __init__(self, comm=None, listed=False, **settings):
        self.net = npl.Network(seed=5, ranks=comm, **settings)
        cells = self.net.create("iaf_psc_delta", N, V_th=20.0, E_L=0.0, V_reset=0.0, t_ref=0.5, V_m=npl.uniform(0.0, 20.0))
        self.net.stimulate(cells, npl.poisson(rate=60_000.0), weight=0.1)
        projections = []
        for sources, weight in ((cells[:500], 0.125), (cells[500:], -0.375)):
            rule = npl.fixed_indegree(INPUTS * len(sources) // N)
            projections.append(self.net.connect(sources, cells, rule, weight=weight, delay=1.5))
        for projection in projections if listed else ():
            one = projection.connections()[:1]
            weight = one.weight.copy()
            one.weight = 2.0 * weight
            one.weight = weight
        self.spikes = self.net.record(cells)

    def result(self, until=DURATION):
        self.net.run(until - self.net.time)
        return self.spikes.times.tolist(), self.spikes.gids.tolist()


@pytest.fixture(scope="module")
def expected():
    found = Crowded(threads=1).result()
    assert len(found[0]) * INPUTS / (DURATION / 0.1) > N  # more than an event per neuron and step
    return found


def test_bits_are_used():
    bytes_of = []
    for listed in (False, True):
        crowded = Crowded(threads=1, listed=listed)
        crowded.net.build()
        before = crowded.net.memory["total"]
        crowded.result()
        bytes_of.append(crowded.net.memory["total"] - before)
    assert bytes_of[0] > bytes_of[1] + N * N / 8


@pytest.mark.parametrize("settings", [{"threads": 1, "listed": True}, {"threads": 2}, {"threads": 3}], ids=str)
def test_threads(expected, settings):
    assert Crowded(**settings).result() == expected


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks(expected, ranks):
    assert the_same(on_ranks(ranks, lambda comm: Crowded(comm, threads=1).result())) == expected


@pytest.mark.parametrize("level", simd_levels.LEVELS)
def test_simd_levels(expected, level):
    before = _core.simd()
    simd_levels.use(level)
    try:
        assert Crowded(threads=1).result() == expected
    finally:
        _core.set_simd(before)


def test_checkpoints(expected, tmp_path):
    first = Crowded(threads=1)
    first.result(20.0)
    first.net.save(tmp_path / "half.npl")
    later = npl.load(tmp_path / "half.npl", threads=2)
    later.run(DURATION - later.time)
    spikes = later.counterpart(first.spikes)
    assert (spikes.times.tolist(), spikes.gids.tolist()) == expected


def test_edits():
    def with_edit(**settings):
        crowded = Crowded(**settings)
        crowded.result(20.0)
        connections = crowded.net.connections()
        crowded.net.disconnect(connections[np.asarray(connections.source) % 3 == 0])
        return crowded.result()

    assert with_edit(threads=1) == with_edit(threads=2) == with_edit(threads=1, listed=True)
