# SPDX-License-Identifier: Apache-2.0
"""Law 1: a network that is saved and goes on, on another number of ranks, threads and slices, gives the bits of one that was never stopped."""

import copy

import numpy as np
import pytest

from invariance.edited_network import N_CHANGES, Edited
from invariance.mixed_network import EVENTS, STEPS, Mixed, hash_of
from lowlevel import kernel
from pairwise import matrix
from snapshots import Saved, continued
from thread_ranks import on_ranks, the_same


@pytest.fixture(scope="module")
def expected():
    return hash_of()


def goes_on(store_all=False, **settings):
    """A cut: the network goes on in another kernel, made with these settings."""
    return lambda net: continued(net, lambda: kernel(0.1, seed=12, **settings), store_all)


@matrix(
    "step, threads, block_size, to_threads, to_block_size, store_all",
    (1, 33, *EVENTS, 301, 449),
    (1, 2, 3),
    (0, 40),
    (1, 2, 4),
    (0, 16, 40),
    (False, True),
)
def test_a_cut_changes_nothing(expected, step, threads, block_size, to_threads, to_block_size, store_all):
    cuts = {step: goes_on(store_all, threads=to_threads, block_size=to_block_size)}
    assert hash_of(cuts=cuts, threads=threads, block_size=block_size) == expected


def many_cuts(steps):
    return {step: goes_on(step % 5 == 0, threads=1 + step % 3, block_size=(0, 50)[step % 2]) for step in steps}


def test_many_cuts_in_one_run_change_nothing(expected):
    assert hash_of(cuts=many_cuts(range(0, STEPS, 7))) == expected


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3))
def test_a_cut_in_every_step_changes_nothing(expected, first):
    assert hash_of(cuts=many_cuts(range(first, STEPS, 3))) == expected


@pytest.mark.parametrize("doubles", [False, True])
@pytest.mark.parametrize("layout", ["runs", "words", "sorted_auto"])
def test_layouts(layout, doubles):
    cuts = {170: goes_on(threads=2, layout="words"), 310: goes_on(threads=3)}
    assert hash_of(cuts=cuts, layout=layout, doubles=doubles) == hash_of(doubles=doubles)


def saved_on(ranks, step, **settings):
    """The program of one rank, and the checkpoint of all."""
    mixed = on_ranks(ranks, lambda comm: Mixed(comm=comm, **settings).run(until=step))
    snapshots = on_ranks_with(mixed, lambda one: one.net.snapshot())
    return mixed[0], Saved(*snapshots)


def on_ranks_with(things, program):
    return on_ranks(len(things), lambda comm: program(things[comm.rank]))


def resumed_on(ranks, mixed, saved, **settings):
    def program(comm):
        own = copy.copy(mixed)
        own.net = kernel(0.1, seed=12, comm=comm, **settings)
        own.net.restore(saved)
        own.spike_records, own.state_records, own.nodes = [*mixed.spike_records], [*mixed.state_records], {**mixed.nodes}
        return own.run().hash()

    return the_same(on_ranks(ranks, program))


@matrix(
    "step, ranks, threads, to_ranks, to_threads, distribution, to_distribution",
    (1, 150, 233),
    (1, 2, 4),
    (1, 2),
    (1, 2, 3, 7),
    (1, 2),
    ("round_robin", "shuffled"),
    ("round_robin", "consecutive"),
)
def test_ranks(expected, step, ranks, threads, to_ranks, to_threads, distribution, to_distribution):
    mixed, saved = saved_on(ranks, step, threads=threads, distribution=distribution)
    assert saved.shards == ranks
    assert resumed_on(to_ranks, mixed, saved, threads=to_threads, distribution=to_distribution) == expected


@pytest.mark.parametrize("strategy", ["allgather", "nbx", "persistent"])
def test_strategies_and_windows(expected, strategy):
    mixed, saved = saved_on(3, 77, exchange={"strategy": "alltoall", "halves": True})
    assert resumed_on(2, mixed, saved, exchange={"strategy": strategy}) == expected


def test_a_checkpoint_of_a_checkpoint_is_the_same():
    """What is saved right after restoring is what was saved."""
    mixed, saved = saved_on(2, 233)
    nets = on_ranks(2, lambda comm: kernel(0.1, seed=12, comm=comm))
    for result in on_ranks_with(nets, lambda net: net.restore(saved)):
        assert result is None, result
    again = Saved(*on_ranks_with(nets, lambda net: net.snapshot()))
    for shard in range(-1, 2):
        assert sorted(saved.columns(shard)) == sorted(again.columns(shard))
        for path, _, n in saved.columns(shard):
            assert np.array_equal(saved[shard, path], again[shard, path]), (shard, path, n)
    assert mixed.net.step == nets[0].step


@pytest.fixture(scope="module")
def edited():
    return Edited().run().hash()


@pytest.mark.parametrize("to", [1, 2, 3])
@pytest.mark.parametrize("place", ["before", "after"])
def test_changes_with_spikes_in_flight(edited, place, to):
    """Cut at every change, one after the other in one run, and each alone."""
    every = {k: {"threads": 1 + (k + to) % 3} for k in range(N_CHANGES)}
    assert Edited(threads=2).run(**{place: every}).hash() == edited
    for k in range(to - 1, N_CHANGES, 3):
        assert Edited().run(**{place: {k: {"threads": to}}}).hash() == edited, k


AREAS = {"distribution": "by_area", "areas": [("A", 1.0), ("B", 1.0)]}


@pytest.mark.parametrize(("of", "to"), [(AREAS, AREAS), (AREAS, {}), ({}, AREAS)])
@pytest.mark.parametrize("to_ranks", [2, 4])
def test_areas(expected, of, to, to_ranks):
    """Areas of a network that was dealt otherwise are known, too."""
    mixed, saved = saved_on(4, 233, **of)
    assert resumed_on(to_ranks, mixed, saved, **to) == expected
