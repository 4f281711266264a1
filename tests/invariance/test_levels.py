# SPDX-License-Identifier: Apache-2.0
"""Local and global exchange of areas (by_area): the same bits as on one rank, and fewer exchanges of all ranks by the ratio of delays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from invariance.mixed_network import hash_of
from lowlevel import digest
from neuropil import _core
from thread_ranks import on_ranks, the_same

AREAS = ("V1", "V2", "MT")


def areas_network(comm=None, *, shares=(), inside=0.5, between=5.0, pieces=(20.0, 3.3, 16.7), **options):
    """Three areas in which all connect to all, with plastic synapses inside V1 and between V1 and V2; hash and counters."""
    dealt = {"distribution": npl.parallel.by_area(dict(zip(AREAS, shares, strict=False)))} if shares else {}
    net = npl.Network(seed=3, threads=options.pop("threads", 1), ranks=comm, **(dealt | options))
    area = lambda name: name if not shares or name in AREAS[: len(shares)] else ""  # noqa: E731
    cells = {name: net.create("iaf_psc_exp", 30, I_e=npl.uniform(350.0, 450.0), area=area(name)) for name in AREAS}
    inside, between = np.broadcast_to(inside, 3), np.broadcast_to(between, (3, 3))
    for i, pre in enumerate(AREAS):
        for j, post in enumerate(AREAS):
            delay = inside[i] if i == j else between[i, j]
            synapse = npl.stdp(Wmax=200.0) if "V1" in (pre, post) and "MT" not in (pre, post) else None
            weight = npl.normal(20.0, 20.0).clip(0.0, 150.0)
            drawn = npl.normal(delay + 0.3, 0.3).clip(delay, delay + 1.0)
            net.connect(cells[pre], cells[post], npl.fixed_indegree(5), weight=weight, delay=drawn, synapse=synapse)
    everyone = cells["V1"] + cells["V2"] + cells["MT"]
    net.stimulate(everyone, npl.poisson(rate=6000.0), weight=20.0)
    spikes, trace = net.record(everyone), net.record(cells["V2"], "V_m", interval=0.7)
    for piece in pieces:
        net.run(piece)
    counters = net.counters
    found = digest(spikes.steps, spikes.gids, trace.values, net.connections().weight, np.array(counters["events"]))
    return found, counters, net._kernel.window_steps


@pytest.fixture(scope="module")
def expected():
    return areas_network()[0]


@pytest.mark.parametrize("strategy", sorted(_core.strategies()))
@pytest.mark.parametrize(
    ("ranks", "threads", "shares"), [(2, 1, (1, 1)), (3, 2, (2, 1, 1)), (4, 1, (3, 1)), (6, 1, (1, 1, 1)), (2, 2, (1, 2, 3))]
)
def test_one_result(expected, ranks, threads, shares, strategy):
    exchange = npl.exchange(strategy, local="nbx" if strategy == "alltoall" else "")
    results = on_ranks(ranks, lambda comm: areas_network(comm, shares=shares, threads=threads, exchange=exchange))
    assert the_same([r if isinstance(r, BaseException) else r[0] for r in results]) == expected


def test_exchanges_fall_by_the_ratio_of_delays():
    """40 ms in windows of 5 ms: 8, and one at the end of each run that ends inside a window; every 0.5 ms with another distribution."""
    _, levels, window = the_same(on_ranks(4, lambda comm: areas_network(comm, shares=(1, 1, 1), pieces=(40.0,))))
    _, one, none = the_same(on_ranks(4, lambda comm: areas_network(comm, pieces=(40.0,))))
    assert (window, none) == (50, 0)
    assert (levels["exchanges"], levels["local_exchanges"]) == (8, 80)
    assert (one["exchanges"], one["local_exchanges"]) == (80, 0)
    _, pieces, _ = the_same(on_ranks(4, lambda comm: areas_network(comm, shares=(1, 1, 1), pieces=(20.0, 3.3, 16.7))))
    assert pieces["exchanges"] == 9
    assert 0 < levels["local_words_sent"] < levels["words_sent"]


@pytest.mark.parametrize("shares", [{"A": 1, "B": 1}, {"A": 5, "B": 1, "C": 1}])
@pytest.mark.parametrize("ranks", [2, 5])
def test_everything(ranks, shares):
    """All models, devices, rules and changes; delays are alike everywhere, so that one level is left."""
    assert (
        the_same(on_ranks(ranks, lambda comm: hash_of(comm=comm, threads=2, distribution="by_area", areas=list(shares.items()))))
        == hash_of()
    )


delays = st.integers(1, 30).map(lambda steps: steps / 10)


@settings(max_examples=12, deadline=None)
@given(
    ranks=st.integers(2, 5),
    shares=st.lists(st.floats(0.1, 10.0), min_size=1, max_size=3).map(tuple),
    inside=st.tuples(delays, delays, delays),
    between=st.lists(st.integers(1, 99).map(lambda steps: steps / 10), min_size=9, max_size=9),
    pieces=st.lists(st.integers(1, 90).map(lambda steps: steps / 10), min_size=1, max_size=5),
    threads=st.integers(1, 2),
)
def test_any_delays_areas_and_pieces(ranks, shares, inside, between, pieces, threads):
    given = {"inside": inside, "between": np.reshape(between, (3, 3)), "pieces": pieces}
    results = on_ranks(ranks, lambda comm: areas_network(comm, shares=shares, threads=threads, **given))
    assert the_same([r if isinstance(r, BaseException) else r[0] for r in results]) == areas_network(**given)[0]


def test_halves_are_refused():
    with pytest.raises(npl.errors.BadParameter, match="halves"):
        npl.Network(distribution=npl.parallel.by_area({"A": 1.0}), exchange=npl.exchange("nbx", halves=True))
