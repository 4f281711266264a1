# SPDX-License-Identifier: Apache-2.0
"""Projections that overlap, in random programs, against a book of all edges kept in Python: each reads, sets and removes its own connections."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from thread_ranks import on_ranks, the_same

N = 8
NODES = st.lists(st.integers(0, N - 1), min_size=1, max_size=N, unique=True)
WEIGHT = st.integers(-12, 12).map(lambda k: k / 2 + 0.25)
DELAY = st.sampled_from([0.5, 1.0, 2.5])
SYNAPSE = st.sampled_from(["static_synapse", "static_synapse", "stdp_synapse", "tsodyks_synapse"])
PAIRS = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), min_size=1, max_size=6)
WHICH, PART = st.integers(0, 50), st.integers(0, 2)
OPERATION = st.one_of(
    st.tuples(st.just("all"), NODES, NODES, WEIGHT, DELAY, SYNAPSE),
    st.tuples(st.just("pairs"), PAIRS, WEIGHT, DELAY, SYNAPSE),
    st.tuples(st.just("ring"), st.integers(0, N - 1), WEIGHT, DELAY, SYNAPSE),
    st.tuples(st.just("weight"), WHICH, WEIGHT),
    st.tuples(st.just("delay"), WHICH, DELAY),
    st.tuples(st.just("some"), WHICH, PART, WEIGHT),
    st.tuples(st.just("remove"), WHICH, PART),
    st.tuples(st.just("run")),
    st.tuples(st.just("clone")),
)


def allowed(synapse, weight):
    """STDP takes weights from 0 to Wmax."""
    return abs(weight) if synapse == "stdp_synapse" else weight


class Program:
    """A network, and the edges (source, target, weight, delay) of each of its projections; setting a weight keeps its sign."""

    def __init__(self, **how):
        self.net = npl.Network(seed=2, **how)
        self.net.create("iaf_psc_exp", N)
        self.book, self.signs = [], []

    def do(self, name, *values):
        """An operation; those on projections where there are none do nothing."""
        if name in ("weight", "delay", "some", "remove"):
            if not self.book:
                return
            k = values[0] % len(self.book)
            if name in ("weight", "some"):
                values = (*values[:-1], self.signs[k] * abs(values[-1]))
            values = (self.net.projections[k], self.book[k], *values[1:])
        getattr(self, name)(*values)

    def all(self, pre, post, weight, delay, synapse):
        w = allowed(synapse, weight)
        self.signs.append(np.sign(w))
        nodes = [self.net.nodes(gids=[g + 1 for g in side]) for side in (pre, post)]
        self.net.connect(*nodes, weight=w, delay=delay, synapse=synapse)
        self.book.append([[s + 1, t + 1, w, delay] for s in pre for t in post])

    def pairs(self, pairs, weight, delay, synapse):
        weights = [np.sign(allowed(synapse, weight)) * (abs(weight) + k) for k in range(len(pairs))]
        self.signs.append(np.sign(weights[0]))
        ends = np.array(pairs) + 1
        self.net.connect_gids(ends[:, 0], ends[:, 1], weight=np.array(weights), delay=delay, synapse=synapse)
        self.book.append([[int(s), int(t), w, delay] for (s, t), w in zip(ends, weights, strict=True)])

    def ring(self, shift, weight, delay, synapse):
        w = allowed(synapse, weight)
        self.signs.append(np.sign(w))
        pre, post = (self.net.nodes(gids=[*range(first, first + N - shift)]) for first in (1, 1 + shift))
        self.net.connect(pre, post, npl.one_to_one(), weight=w, delay=delay, synapse=synapse)
        self.book.append([[s, s + shift, w, delay] for s in range(1, 1 + N - shift)])

    def weight(self, p, edges, value):
        p.weight = value
        for edge in edges:
            edge[2] = value

    def delay(self, p, edges, value):
        p.set(delay=value)
        for edge in edges:
            edge[3] = value

    def some(self, p, edges, part, value):
        p.weight[p.connections().source % 3 == part] = value
        for edge in edges:
            if edge[0] % 3 == part:
                edge[2] = value

    def remove(self, p, edges, part):
        p.disconnect(p.connections().target % 3 == part)
        edges[:] = [edge for edge in edges if edge[1] % 3 != part]

    def run(self):
        self.net.run(2.0)

    def clone(self):
        self.net = self.net.copy()

    def found(self):
        """What the projections say that they are, each sorted."""
        shown = []
        for p in self.net.projections:
            c = p.connections()
            assert c.synapse.tolist() == [p.synapse.name] * len(p)
            shown.append(sorted(map(list, zip(c.source.tolist(), c.target.tolist(), p.weight.tolist(), p.delay.tolist(), strict=True))))
        return shown

    def expected(self):
        return [sorted(edges) for edges in self.book]


def after(operations, check_each=False, **how):
    program = Program(**how)
    for operation in operations:
        program.do(*operation)
        assert not check_each or program.found() == program.expected(), operation
    assert program.found() == program.expected()
    return program


@settings(max_examples=60)
@given(st.lists(OPERATION, min_size=2, max_size=12))
def test_each_projection_has_its_own_connections(operations):
    after(operations, check_each=True, threads=2)


@settings(max_examples=10)
@given(st.lists(OPERATION, min_size=3, max_size=10), st.integers(2, 3))
def test_the_same_on_several_ranks(operations, ranks):
    expected = after(operations, threads=1).found()
    assert the_same(on_ranks(ranks, lambda comm: after(operations, ranks=comm, threads=2).found())) == expected


@settings(max_examples=10)
@given(st.lists(OPERATION, min_size=2, max_size=8), st.lists(OPERATION, max_size=4))
def test_checkpoints_keep_them_on_other_ranks(tmp_path_factory, before, later):
    path = tmp_path_factory.mktemp("saved") / "net.npc"
    program = after(before, threads=2)
    program.net.save(path)
    for operation in later:
        program.do(*operation)

    def resumed(comm):
        made = Program.__new__(Program)
        made.net, made.signs = npl.load(path, ranks=comm, threads=1), list(kept.signs)
        made.book = [[[*edge] for edge in edges] for edges in kept.book]
        for operation in later:
            made.do(*operation)
        return made.found()

    kept = after(before, threads=1)
    assert the_same(on_ranks(2, resumed)) == program.expected()


@pytest.mark.parametrize("n", [3, 40])
def test_many_calls_between_the_same_nodes(n):
    program = Program(threads=2)
    for k in range(n):
        program.all(range(N), range(N), 1.0 + k, 1.0, "static_synapse")
        if k < 8:  # lists of edges have fewer layers
            program.pairs([(1, 2), (1, 2), (3, k % N)], 0.5, 1.5, "static_synapse")
    assert program.found() == program.expected()
    program.do("remove", 4, 1)
    program.do("weight", 5, 7.25)
    assert program.found() == program.expected()
