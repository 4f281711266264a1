# SPDX-License-Identifier: Apache-2.0
"""Runs that end by an error: its text, the time, what was recorded and what can be done afterwards are the same for any layout."""

import numpy as np
import pytest

import neuropil as npl
import simd_levels
from lowlevel import digest
from neuropil import _core
from pairwise import matrix
from thread_ranks import on_ranks, the_same


def unstable(comm=None, **settings):
    """Adaptive neurons of which some are driven out of all bounds at different times, in a network that fires and learns."""
    net = npl.Network(seed=5, ranks=comm, **settings)
    cells = net.create("aeif_cond_alpha", 30, I_e=npl.uniform(500.0, 900.0), area="A", name="cells")
    firing = net.create("iaf_psc_exp", 40, I_e=npl.uniform(400.0, 600.0), area="B", name="firing")
    net.connect(firing, cells, npl.fixed_indegree(5), weight=npl.uniform(1.0, 3.0), delay=npl.uniform(0.7, 2.0))
    net.connect(cells, firing, npl.fixed_indegree(5), weight=npl.uniform(10.0, 30.0), delay=npl.uniform(3.0, 9.0), synapse=npl.stdp())
    net.connect(firing, firing, npl.fixed_indegree(5), weight=npl.uniform(10.0, 30.0), delay=npl.uniform(0.7, 2.0), name="own")
    net.run(31.3)
    net.create("aeif_cond_alpha", 7, area="A", name="odd")
    net["odd"][[2, 5]].I_e = -1e11
    net["odd"][4].I_e = -2e9
    return net, npl.errors.NumericalInstability


def outgrown(comm=None, **settings):
    """A rule whose steps are of the size of its huge bound."""
    net = npl.Network(seed=5, ranks=comm, **settings)
    cells = net.create("iaf_psc_exp", 30, I_e=npl.uniform(500.0, 800.0), area="A", name="cells")
    other = net.create("iaf_psc_exp", 20, I_e=npl.uniform(500.0, 700.0), area="B", name="firing")
    rule = npl.synapse.stdp_synapse(Wmax=1e15, **{"lambda": 1e-3})
    net.connect(other, other, npl.fixed_indegree(4), weight=10.0, delay=npl.uniform(0.5, 4.0))
    net.run(3.0)
    net.connect(other, cells, npl.fixed_indegree(3), weight=10.0, delay=npl.uniform(0.5, 4.0), synapse=rule)
    return net, npl.errors.WeightOutgrown


def history(made, comm=None, pieces=1, **settings):
    net, error = made(comm, **settings)
    cells, firing = net["cells"], net["firing"]
    records = [net.record(cells + firing), net.record(firing[:3], ["V_m", "I_syn_ex"], interval=0.3)]
    with pytest.raises(error) as caught:
        for _ in range(pieces):
            net.run(1e4 / pieces)
    said = str(caught.value)
    ended = net.time
    for f in (lambda: net.run(1.0), lambda: net.run(0.0), lambda: net.run(until=1e5)):
        with pytest.raises(error) as again:
            f()
        assert str(again.value) == said
    seen = [digest(records[0].times, records[0].gids), digest(records[1].times, records[1].values), len(records[0])]
    state = [digest(cells.V_m, firing.V_m), net.time, net.counters["spikes"]]
    added = net.create("iaf_psc_exp", 3)
    net.connect(added, cells, npl.fixed_indegree(2), weight=2.5, synapse=npl.stdp())
    found = net.connections()
    weights = digest(*(np.sort(np.asarray(x)) for x in (found.source, found.target, found.weight)))
    with pytest.raises(error):
        net.run(1.0)
    return [said, ended, seen, state, weights, digest(records[0].times, records[1].values)]


PROGRAMS = {"unstable": unstable, "outgrown": outgrown}


@pytest.fixture(scope="module")
def expected():
    return {name: history(made, threads=1) for name, made in PROGRAMS.items()}


def test_the_first_neuron_in_time_is_named(expected):
    said, ended, (_, _, n), *_ = expected["unstable"]
    assert said.startswith("neuron 73 (aeif_cond_alpha) is numerically unstable: ")
    assert " at 32 ms" in said
    assert 32.0 < ended < 32.0 + 4 * 9.0
    assert n > 50


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    "settings", [{"threads": 2}, {"threads": 3}, {"threads": 1, "block_size": 1}, {"threads": 2, "block_size": 9}], ids=str
)
def test_threads_and_slices(expected, name, settings):
    assert history(PROGRAMS[name], **settings) == expected[name]


@matrix(
    "name,ranks,threads,settings",
    list(PROGRAMS),
    [2, 3],
    [1, 2],
    [
        {},
        {"block_size": 7},
        {"exchange": "allgather"},
        {"exchange": npl.exchange("alltoall", halves=True)},
        {"distribution": "consecutive"},
        {"distribution": npl.parallel.by_area({"A": 1, "B": 1})},
    ],
)
def test_ranks(expected, name, ranks, threads, settings):
    assert the_same(on_ranks(ranks, lambda comm: history(PROGRAMS[name], comm, threads=threads, **settings))) == expected[name]


def test_a_program_that_is_run_in_pieces(expected):
    """A run ends at the end of its piece at the latest; what is said does not depend on that."""
    one = history(unstable, pieces=1000, threads=1)
    assert one[0] == expected["unstable"][0]
    for settings in ({"threads": 3, "block_size": 4},):
        assert history(unstable, pieces=1000, **settings) == one
    assert the_same(on_ranks(3, lambda comm: history(unstable, comm, pieces=1000, threads=1))) == one


@pytest.fixture
def restored_simd():
    before = _core.simd()
    yield
    _core.set_simd(before)


@pytest.mark.parametrize("level", simd_levels.LEVELS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_instruction_sets_agree(expected, restored_simd, name, level):
    simd_levels.use(level)
    assert history(PROGRAMS[name], threads=2) == expected[name]


def test_neurons_that_diverged_are_held_where_they_are():
    """A neuron that is found unstable goes no further: no other result becomes infinite meanwhile."""
    net, error = unstable(threads=1)
    with pytest.raises(error) as caught:
        net.run(1e4)
    assert net["odd"].V_m[2] == caught.value.value
    assert np.isfinite(net["odd"].V_m).all()
