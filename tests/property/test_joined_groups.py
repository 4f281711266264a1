# SPDX-License-Identifier: Apache-2.0
"""Small populations of a model are updated together: nothing of a network shows it. A build after each `create` keeps them apart."""

import functools
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowlevel import array, connect, digest, drawn, explicit, floats, gids, kernel, rows
from neuropil import _core
from neuropil.errors import NumericalInstability
from property.random_networks import Population
from thread_ranks import on_ranks, the_same

MODELS = {  # a current that may or may not make them spike, and a parameter that changes constants of the update
    "iaf_psc_exp": ((300.0, 420.0), "tau_m"),
    "iaf_psc_alpha": ((300.0, 420.0), "tau_syn_ex"),
    "iaf_psc_delta": ((300.0, 420.0), "tau_m"),
    "iaf_psc_exp_ps": ((300.0, 420.0), "tau_m"),
    "iaf_cond_exp": ((300.0, 500.0), "g_L"),
    "aeif_cond_alpha": ((500.0, 900.0), "g_L"),
    "izhikevich": ((4.0, 12.0), "a"),
    "pp_psc_delta": ((300.0, 420.0), "tau_m"),
    "parrot_neuron": (None, None),
}
FIELDS = {m["name"]: [f[0] for f in (*m["parameters"], *m["state"]) if f[0][0] != "_"] for m in _core.models()}
INIT = {(m["name"], f[0]): f[2] for m in _core.models() for f in m["parameters"]}
RECORDED = {name: [f for f in FIELDS[name] if f in ("V_m", "I_syn_ex", "w", "U_m", "g_ex")] for name in MODELS}
STEPS, EVENT = 240, 90


@dataclass
class Joined:
    """The network that follows from a seed. apart: built after every call; singles: a call of create for each neuron."""

    seed: int
    apart: bool = False
    singles: bool = False
    settings: dict = field(default_factory=dict)

    def __post_init__(self):
        self.rng = np.random.default_rng(self.seed)
        self.net = kernel(0.1, seed=5, **self.settings)
        self.populations, self.devices = [], []
        self.names = list(self.rng.choice(list(MODELS), 3, replace=False))
        self._grow(int(self.rng.integers(2, 12)))
        self._record()

    def _build(self):
        if self.apart:
            self.net.build(None)

    def _create(self, model, n, params):
        if not self.singles:
            first = self.net.create(model, n, params)
            self._build()
            return first
        made = [self.net.create(model, 1, {k: v[[i if len(v) > 1 else 0]] for k, v in params.items()}) for i in range(n)]
        return made[0]

    def _population(self):
        rng = self.rng
        name, size = str(rng.choice(self.names)), int(rng.choice([1, 1, 2, 7, 40, 90, 300]))
        currents, other = MODELS[name]
        params = {}
        if currents:
            params["I_e"] = [rng.choice([currents[1], rng.uniform(*currents)])] if rng.random() < 0.8 else rng.uniform(*currents, size)
        if other and rng.random() < 0.2:
            params[other] = [INIT[name, other] * rng.uniform(0.7, 1.4)]
        return Population(name, size, floats(**params))

    def _grow(self, n):
        """Populations and generators in turn, then connections."""
        rng, fresh = self.rng, []
        for _ in range(n):
            p = self._population()
            p.first = self._create(p.model, p.size, p.params)
            fresh.append(p)
            if rng.random() < 0.5:
                device = str(rng.choice(["poisson_generator", "dc_generator", "noise_generator", "spike_generator"]))
                given = {
                    "poisson_generator": {"rate": rng.choice([300.0, 9000.0])},
                    "dc_generator": {"amplitude": 50.0},
                    "noise_generator": {"std": 60.0},
                }
                gid = self.net.create(device, 1, floats(**given.get(device, {})))
                if device == "spike_generator":
                    self.net.set(np.array([gid]), {}, {"spike_times": np.array([1.0, 5.0, 17.0])})
                self.devices.append((device, gid))
                self._drive(device, gid, p)
                self._build()
        self.populations += fresh
        for q in fresh:
            for p in rng.choice(np.array(self.populations, object), 2) if q.model != "parrot_neuron" else []:
                self._connect(p, q, 60)
        self._build()

    def _drive(self, device, gid, p):
        if p.model == "parrot_neuron" and device in ("dc_generator", "noise_generator"):
            return
        connect(self.net, rows(gid), rows(p.first, p.size), weight=15.0, delay=float(self.rng.choice([0.1, 1.0])))

    def _connect(self, p, q, k):
        """k connections, with weights of their own or all the same."""
        rng = self.rng
        weights = rng.uniform(-30.0, 50.0, k) if rng.random() < 0.5 else np.full(k, rng.choice([20.0, -20.0]))
        pairs = {"sources": rng.integers(0, p.size, k), "targets": rng.integers(0, q.size, k)}
        delays = array(0.1 * rng.integers(1, 20, k))
        connect(
            self.net, rows(p.first, p.size), rows(q.first, q.size), "explicit", weight=array(weights), delay=delays, doubles=True, **pairs
        )

    def _record(self):
        self.spikes = self.net.record_spikes(np.concatenate([rows(p.first, p.size) for p in self.populations]), 0, 10**9)
        some = [p for p in self.populations if RECORDED[p.model] and self.rng.random() < 0.6]
        self.traces = [self.net.record_state(gids(p.first, p.size), RECORDED[p.model][:1], 3, 1) for p in some]

    def _event(self):
        """Sets parameters and state of all or some neurons of some populations, freezes some, and grows."""
        rng, net = self.rng, self.net
        for p in self.populations:
            some = gids(p.first, p.size)[: rng.integers(1, p.size + 1)]
            what = rng.integers(5) if MODELS[p.model][0] else 9
            if what == 0:
                net.set(some, floats(I_e=MODELS[p.model][0][1]))
            elif what == 1:
                net.set(gids(p.first, p.size), floats(I_e=rng.uniform(*MODELS[p.model][0], p.size)))
            elif what == 2 and "V_m" in FIELDS[p.model]:
                net.set_each(rows(p.first, len(some)), floats(I_e=MODELS[p.model][0][0]), [("V_m", drawn("uniform", -70.0, -60.0), 77)])
            elif what == 3:
                net.freeze(some[:2], True)
        for device, gid in self.devices:
            if device == "poisson_generator" and rng.random() < 0.5:
                net.set(gids(gid), floats(rate=rng.choice([0.0, 700.0])))
        self._grow(int(rng.integers(1, 4)))

    def run(self):
        self.net.run(EVENT, None)
        self._event()
        self.net.run(STEPS - EVENT, None)
        return self

    def hash(self):
        c = self.net.connections(None, None, "")
        parts = [c[k] for k in ("source", "target", "weight", "delay_steps", "receptor")]
        parts += self.net.spikes(self.spikes)[:2]
        parts += [x for r in self.traces for x in self.net.samples(r)]
        parts += [self.net.get(gids(p.first, p.size), f) for p in self.populations for f in FIELDS[p.model]]
        return digest(*parts)


def outcome(seed, **how):
    """The hash of a program; where neurons become unstable the error, which names the same neuron and time in any form."""
    try:
        return Joined(seed, **how).run().hash()
    except NumericalInstability as error:
        return str(error)


@pytest.mark.parametrize("examples", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_joined_are_as_apart(examples):
    @settings(max_examples=examples)
    @given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from([0, 7, 64]))
    def check(seed, threads, block_size):
        apart = outcome(seed, apart=True)
        assert outcome(seed, settings={"threads": threads, "block_size": block_size}) == apart

    check()


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_singles_are_as_populations(seed):
    assert outcome(seed, singles=True, settings={"threads": 2}) == outcome(seed)


@functools.cache
def expected(seed):
    return outcome(seed, apart=True)


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("distribution", ["round_robin", "consecutive", "shuffled"])
def test_over_ranks(ranks, distribution):
    for seed in range(4):
        settings = {"threads": 2, "distribution": distribution}
        found = on_ranks(ranks, lambda comm, s=seed, more=settings: Joined(s, settings={"comm": comm, **more}).run().hash())
        assert the_same(found) == expected(seed)


def made_of(n, **settings):
    """n populations of five neurons with a current of their own, and a recorder of each."""
    net = kernel(0.1, **settings)
    firsts = [net.create("iaf_psc_exp", 5, floats(I_e=350.0 + 10 * k)) for k in range(n)]
    return net, firsts, [net.record_spikes(rows(first, 5), 0, 10**9) for first in firsts]


def test_setting_one_population_leaves_the_others_alone():
    net, firsts, _ = made_of(6)
    net.run(10, None)
    net.set(gids(firsts[2], 5), floats(I_e=77.0, V_m=-60.0))
    net.set(gids(firsts[4] + 1), floats(tau_m=33.0))
    for k, first in enumerate(firsts):
        assert list(net.get(gids(first, 5), "I_e")) == [77.0 if k == 2 else 350.0 + 10 * k] * 5
        assert list(net.get(gids(first, 5), "tau_m")) == [33.0 if k == 4 and i == 1 else 10.0 for i in range(5)]
        assert (net.get(gids(first, 5), "V_m") == -60.0).all() == (k == 2)


def test_recorders_by_population():
    net, firsts, recorders = made_of(20, threads=2)
    net.run(3000, None)
    for first, recorder in zip(firsts, recorders, strict=True):
        senders = net.spikes(recorder)[1]
        assert set(senders) <= set(gids(first, 5))
    assert len(net.spikes(recorders[-1])[1]) > len(net.spikes(recorders[8])[1]) > 0


def test_new_populations_after_a_build_stand_alone_from_the_old():
    net, firsts, _ = made_of(3)
    net.build(None)
    late = net.create("iaf_psc_exp", 5, floats(I_e=500.0))
    recorder = net.record_spikes(rows(late, 5), 0, 10**9)
    explicit(net, [late, firsts[0]], [firsts[0], late + 4], weight=[500.0, 1.0], delay_steps=[3, 9])
    net.run(600, None)
    assert len(net.spikes(recorder)[1]) > 0
    assert list(net.get(gids(firsts[0], 5), "I_e")) == [350.0] * 5


def test_nodes_that_were_built_are_not_taken_back():
    net, firsts, _ = made_of(2)
    last = net.create("iaf_psc_exp", 5, {})
    net.build(None)
    net.undo_create(last)
    assert net.n_nodes == last + 4
    extra = net.create("iaf_psc_exp", 5, {})
    net.undo_create(extra)
    assert net.n_nodes == last + 4
    connect(net, rows(firsts[0], 5), rows(last, 5), weight=10.0)
    net.run(100, None)
