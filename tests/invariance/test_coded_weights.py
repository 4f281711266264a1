# SPDX-License-Identifier: Apache-2.0
"""Coded weights: the same bits on any ranks, threads and layouts, stored as codes or as floats, also when they are set one by one."""

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simd_levels
from lowlevel import connect, digest, drawn, floats, gids, kernel, rows
from neuropil import _core
from thread_ranks import on_ranks, the_same

DELAY = drawn("normal", 1.5, 0.7, "clip", 0.3, 4.0)
N = {"exp": 90, "by_sign": 40, "delta": 20, "precise": 12}
MODELS = {"exp": "iaf_psc_exp", "by_sign": "iaf_cond_exp", "delta": "iaf_psc_delta", "precise": "iaf_psc_exp_ps"}
STEPS = 240


@dataclass
class Coded:
    """Populations of models that take weights in different ways. full: no code is left for any weight."""

    full: bool = False
    bits: int = 12
    synapse: str = "static_synapse"
    edits: bool = False
    settings: dict = field(default_factory=dict)

    def __post_init__(self):
        self.net = kernel(0.1, seed=3, **self.settings)
        self.first = {}
        rng = np.random.default_rng(1)
        for name, n in N.items():
            start = {"V_m": rng.uniform(-70, -56, n)} if name != "delta" else {}
            self.first[name] = self.net.create(MODELS[name], n, floats(I_e=420.0, **start))
        self._connect("exp", "exp", drawn("uniform", 1.0, 2.0, bits=16 if self.full else 1), rule="pairwise_bernoulli", p=0.0)
        self._grow()
        self.spikes = self.net.record_spikes(rows(1, self.net.n_nodes), 0, 10**9)
        self.trace = self.net.record_state(gids(self.first["by_sign"], 40), ["V_m"], 5, 0)

    def _connect(self, source, target, weight, rule="fixed_indegree", **call):
        at = [rows(self.first[name], N[name]) for name in (source, target)]
        connect(self.net, *at, rule, weight=weight, delay=DELAY, **call)

    def _grow(self):
        bits = self.bits
        self._connect("exp", "exp", drawn("normal", 40.0, 9.0, "redraw", 0.0, 1e3, bits), indegree=20)
        self._connect("exp", "exp", drawn("normal", 40.0, 9.0, "redraw", 0.0, 1e3, bits), indegree=20, synapse=self.synapse)
        self._connect("exp", "by_sign", drawn("normal", 1.0, 4.0, bits=bits), indegree=12)  # two tables
        self._connect("by_sign", "exp", drawn("normal", -70.0, 20.0, "clip", -100.0, -50.0, bits), indegree=9)
        self._connect("delta", "delta", drawn("lognormal", -1.0, 0.5, bits=min(bits, 8)), indegree=5)
        self._connect("exp", "precise", drawn("exponential", 30.0, bits=min(bits, 10)), indegree=9)
        self._connect("exp", "exp", 25.0, indegree=2)

    def _edit(self):
        """Some weights become others of the book, some become new ones, some delays change, some connections go."""
        weights = self._some(1)["weight"]
        known = weights[weights > 30.0].min()
        for keep, new in ((0, known), (1, 43.21)):
            c = self._some(keep + 2)
            self.net.edit(*self._at(c), 0, weight=np.where(c["weight"] < 0, np.where(keep, -61.7, c["weight"]), new))
        for values in (
            {"weight": [known]},
            {"weight": [0.77]},
            {"delay_steps": [23]},
            {"weight": [1.23], "delay_steps": [9]},
            {"label": [4]},
        ):
            c = self._some(5, synapse="static_synapse")
            types = {"weight": np.float64, "delay_steps": np.int64, "label": np.int32}
            self.net.edit(*self._at(c), 0, **{name: np.array(value, types[name]) for name, value in values.items()})
        self.net.remove(*self._at(self._some(6)), 0)
        self._grow()

    def _some(self, number, synapse=""):
        """Connections by what they connect, not by how they are stored: the same in any network."""
        c = self.net.connections(rows(1, 60), None, synapse)
        chosen = (c["source"] * 31 + c["target"] * 17) % 11 == number
        return {name: np.ascontiguousarray(column[chosen]) for name, column in c.items()}

    @staticmethod
    def _at(c):
        return [c[k] for k in ("slice", "table", "position")]

    def run(self):
        self.net.run(STEPS // 2, None)
        if self.edits:
            self._edit()
        self.net.run(STEPS - STEPS // 2, None)
        return self

    def hash(self):
        c = self.net.connections(None, None, "")
        kept = np.lexsort([c[k] for k in ("weight", "synapse", "receptor", "delay_steps", "target", "source")])
        connections = [c[k][kept] for k in ("source", "target", "weight", "delay_steps", "synapse", "receptor")]
        return digest(*connections, *self.net.spikes(self.spikes), *self.net.samples(self.trace))


def hash_of(**settings):
    own = {key: settings.pop(key) for key in ("full", "bits", "synapse", "edits") if key in settings}
    return Coded(**own, settings=settings).run().hash()


def bytes_per_synapse(net):
    memory = net.net.memory()
    return memory["synapses"] / net.net.connection_count()


@pytest.fixture(scope="module", params=[False, True], ids=["", "edits"])
def edits(request):
    return request.param


@pytest.fixture(scope="module")
def expected(edits):
    return hash_of(edits=edits)


def test_the_network_is_worth_testing():
    found = Coded().run()
    senders = found.net.spikes(found.spikes)[1]
    assert all(((senders >= found.first[name]) & (senders < found.first[name] + n)).any() for name, n in N.items())
    assert bytes_per_synapse(found) < 6.0
    assert bytes_per_synapse(Coded(full=True).run()) > 6.0


@pytest.mark.parametrize(("threads", "block_size"), list(itertools.product([1, 2, 3], [0, 7, 64])))
def test_threads_and_block_sizes(expected, edits, threads, block_size):
    assert hash_of(edits=edits, threads=threads, block_size=block_size) == expected


@pytest.mark.parametrize("layout", ["runs", "words", "sorted_auto", "counted_auto"])
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_ranks_and_layouts(expected, edits, ranks, layout):
    assert the_same(on_ranks(ranks, lambda comm: hash_of(edits=edits, layout=layout, comm=comm, threads=2))) == expected


@pytest.mark.parametrize("ranks", [1, 3])
def test_codes_and_floats(expected, edits, ranks):
    assert the_same(on_ranks(ranks, lambda comm: hash_of(edits=edits, full=True, comm=comm))) == expected


@pytest.mark.parametrize("level", simd_levels.LEVELS)
def test_simd_levels(expected, edits, level):
    before = _core.simd()
    try:
        simd_levels.use(level)
        assert hash_of(edits=edits) == expected
    finally:
        _core.set_simd(before)


@settings(max_examples=12)
@given(
    bits=st.integers(1, 16),
    threads=st.integers(1, 3),
    synapse=st.sampled_from(["static_synapse", "stdp_synapse", "bernoulli_synapse", "tsodyks2_synapse"]),
    edits=st.booleans(),
)
def test_any_bits_and_synapses(bits, threads, synapse, edits):
    """Synapses with a rule keep floats."""
    same = {"bits": bits, "synapse": synapse, "edits": edits}
    assert hash_of(threads=threads, **same) == hash_of(full=True, **same)
