# SPDX-License-Identifier: Apache-2.0
"""Runs that cannot go on: an error that says why, on all ranks, and results that can still be read."""

import pytest

import neuropil as npl
from thread_ranks import on_ranks


def diverging(comm=None, **settings):
    """The error of a network in which neurons 8 and 13 are driven to minus infinity."""
    net = npl.Network(ranks=comm, seed=3, **settings)
    cells = net.create("iaf_cond_exp", 20)
    fine = net.create("iaf_psc_exp", 5, I_e=600.0)
    net.connect(fine, cells, weight=1.0, delay=0.7)
    spikes = net.record(fine)
    net.run(2.3)
    cells[[7, 12]].I_e = -1e12
    with pytest.raises(npl.errors.NumericalInstability) as caught:
        net.run(1e6)
    with pytest.raises(npl.errors.NumericalInstability) as again:
        net.run(0.1)
    assert str(again.value) == str(caught.value)
    assert spikes.times.tolist() is not None
    e = caught.value
    return e.model, e.gid, e.state, e.value, e.time, str(e)


def test_a_diverged_neuron_is_named_by_all_ranks():
    expected = diverging(threads=1)
    assert expected[:3] == ("iaf_cond_exp", 8, "V_m")
    assert expected[3] < -1e6
    assert expected[4] == 3.0
    assert isinstance(npl.errors.NumericalInstability("x"), ArithmeticError)
    assert diverging(threads=3, block_size=4) == expected
    for ranks in (2, 3):
        assert on_ranks(ranks, lambda comm: diverging(comm, threads=1)) == [expected] * ranks


def growing(comm=None, **settings):
    net = npl.Network(ranks=comm, seed=3, memory_limit="30 MB", **settings)
    cells = net.create("parrot_neuron", 1000)
    net.stimulate(cells, npl.poisson(rate=500.0))
    return net, net.record(cells[:1]), net.record(cells)


def test_recordings_that_fill_the_memory_end_the_run():
    net, _, spikes = growing(threads=2)
    with pytest.raises(npl.errors.TooLarge, match=r"recorded spikes of recorder 1 have grown to \d+\.\d MB") as caught:
        net.run(1e8)
    assert isinstance(caught.value, MemoryError)
    assert caught.value.needed > caught.value.available == 30e6
    stopped = net.time
    assert spikes.times[-1] == pytest.approx(stopped, abs=1.0)
    spikes.clear()
    net.run(5.0)
    assert net.time == pytest.approx(stopped + 5.0)


def test_recordings_that_fill_the_memory_of_one_rank_end_all():
    def program(comm):
        net, _, spikes = growing(comm, threads=1, distribution=[1] * 1001)  # all cells on rank 1
        with pytest.raises(npl.errors.TooLarge if comm.rank == 1 else npl.errors.RankError, match="recorded spikes of recorder 1"):
            net.run(1e8)
        return net.time, len(spikes)

    results = on_ranks(2, program)
    assert results[0] == results[1]
    assert results[0][1] > 100_000


def test_spikes_that_multiply_end_the_run():
    net = npl.Network(seed=3, threads=1, memory_limit=40e6)
    parrots = net.create("parrot_neuron", 64)
    net.stimulate(parrots, npl.spike_train([1.0]), delay=1.0)
    net.connect(parrots, parrots, delay=1.0)
    with pytest.raises(npl.errors.TooLarge, match="spikes"):
        net.run(1e6)


def test_a_neuron_that_sends_a_million_spikes_in_a_step_ends_the_run():
    net = npl.Network(seed=3, threads=1)
    parrots = net.create("parrot_neuron", 2)
    net.stimulate(parrots, npl.spike_train([1.0]), delay=1.0)
    net.connect(parrots, parrots, delay=1.0)
    with pytest.raises(npl.errors.NumericalInstability, match="parrot_neuron"):
        net.run(1e6)


@pytest.mark.parametrize("limit", [0, -1.0, "much", "3 parsecs", float("nan")])
def test_limits_that_are_none(limit):
    with pytest.raises(npl.errors.BadParameter, match="memory_limit"):
        npl.Network(memory_limit=limit)


def test_an_interrupt_of_one_rank_while_building_is_told_to_the_others():
    def program(comm):
        net = npl.Network(ranks=comm, threads=1)
        cells = net.create("iaf_psc_exp", 10)
        net.connect(cells, cells)

        def press(phase, done, total):
            if comm.rank == 1:
                raise KeyboardInterrupt

        with pytest.raises(
            KeyboardInterrupt if comm.rank == 1 else npl.errors.RankError, match=None if comm.rank == 1 else "rank 1 has stopped the build"
        ):
            net.run(5.0, progress=press)
        assert net.time == 0.0
        net.run(5.0)
        return net.time

    assert on_ranks(3, program) == [5.0] * 3
