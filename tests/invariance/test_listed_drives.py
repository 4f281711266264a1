# SPDX-License-Identifier: Apache-2.0
"""Law 3 for stimulators: every rank lists the edges onto its own nodes. Spikes, weights and checkpoints are those of the whole list."""

from types import SimpleNamespace

import numpy as np
import pytest

import neuropil as npl
from lowlevel import array, connect, const, digest, floats, kernel, rows
from snapshots import Saved
from thread_ranks import on_ranks, the_same

N, DEVICES = 24, 6
STEPS = 300


def lists(seed: int = 2) -> dict[str, SimpleNamespace]:
    """Lists of edges, sorted by target, then source: one neuron per device; some neurons with all devices; drawn edges; edges on one rank alone."""
    dice = np.random.default_rng(seed)
    drawn = np.flatnonzero(dice.random(N * DEVICES) < 0.3)
    ends = {
        "pairs": (np.arange(DEVICES), 3 * np.arange(DEVICES)),
        "grid": (np.tile(np.arange(DEVICES), 9), np.repeat(np.arange(5, 14), DEVICES)),
        "any": (drawn % DEVICES, drawn // DEVICES),
        "one": (np.array([1, 4]), np.array([7, 7])),
    }
    made = {}
    for name, (source, target) in ends.items():
        n = len(source)
        made[name] = SimpleNamespace(source=source, target=target, weight=dice.normal(30.0, 60.0, n), delay=0.1 * dice.integers(1, 20, n))
    return made


MODELS = {
    "pairs": ("poisson_generator", {"rate": 6000.0}),
    "grid": ("poisson_generator_ps", {"rate": 4000.0}),
    "any": ("dc_generator", {"amplitude": 4.0}),
    "one": ("gamma_sup_generator", {"rate": 3000.0, "gamma_shape": 3.0}),  # keeps a state per target
}


class Driven:
    """Neurons that stimulators drive. whole: lists that are those of a rule are given as this rule, by all ranks."""

    def __init__(self, comm=None, whole=False, saved=None, **settings):
        self.net = kernel(seed=5, comm=comm, **settings)
        self.rank = comm.rank if comm else 0
        self.cells, self.links, self.record = rows(1, N), dict(zip(MODELS, range(4), strict=True)), 0
        if saved is not None:
            self.net.restore(saved)
            return
        self.net.create("iaf_psc_exp", N, floats(I_e=350.0))
        for name, given in lists().items():
            model, parameters = MODELS[name]
            devices = rows(self.net.create(model, DEVICES, floats(**parameters)), DEVICES)
            made = self.by_rule if whole and name in ("pairs", "grid") else self.listed
            assert made(devices, given) == self.links[name]
        assert self.net.record_spikes(self.cells, 0, 1 << 40) == 0

    def listed(self, devices, given):
        here = np.asarray(self.net.ranks_of(given.target + 1)) == self.rank
        ends = {"sources": given.source[here], "targets": given.target[here]}
        values = {"weight": array(given.weight[here]), "delay": array(given.delay[here])}
        return connect(self.net, devices, self.cells, "explicit", own_targets=True, **ends, **values)

    def by_rule(self, devices, given):
        gids = np.unique(given.target) + 1
        rule = "one_to_one" if len(gids) == len(given.source) else "all_to_all"
        values = {"weight": array(given.weight), "delay": array(given.delay)}
        return connect(self.net, devices, np.stack([gids, 0 * gids + 1, 0 * gids + 1], axis=1), rule, **values)

    def run(self, until):
        self.net.run(until - self.net.step, None)
        return self

    def drives(self):
        return {name: self.net.drives(number) for name, number in self.links.items()}

    def change(self):
        """Other weights and delays, a number for all of the first link."""
        for name, found in self.drives().items():
            order, n = found["index"], len(found["index"])
            weight, delay = np.empty(n), np.empty(n)
            weight[order] = 1.5 * found["weight"] + found["target"]
            delay[order] = 0.1 * (found["delay_steps"] + found["target"] % 3)
            for check_only in (True, False):
                self.net.relink(self.links[name], const(12.0) if name == "pairs" else array(weight), array(delay), check_only=check_only)
        return self

    def digest(self):
        stamps, senders = self.net.spikes(self.record)[:2]
        assert len(stamps) > 30
        drives = [[*found.values()][:5] for found in self.drives().values()]  # without the index, which is of the rule
        return digest(stamps, senders, *(column for columns in drives for column in columns))


def all_at_once(comm=None, **settings):
    """A digest before and after the change of weights, and one of a run that goes on."""
    driven = Driven(comm, **settings).run(150)
    return driven.digest(), driven.change().digest(), driven.run(STEPS).digest()


@pytest.fixture(scope="module")
def expected():
    return all_at_once(whole=True)


def test_lists_are_the_rules_that_they_spell_out(expected):
    assert all_at_once(threads=2) == expected


@pytest.mark.parametrize(("ranks", "distribution"), [(2, "round_robin"), (3, "consecutive"), (3, "shuffled")])
def test_ranks_list_the_edges_of_their_own_neurons(expected, ranks, distribution):
    assert the_same(on_ranks(ranks, lambda comm: all_at_once(comm, distribution=distribution))) == expected


def saved_on(ranks, changed):
    """The checkpoint of step 150 on some ranks."""

    def program(comm):
        driven = Driven(comm).run(150)
        return Saved((driven.change() if changed else driven).net.snapshot())

    found = on_ranks(ranks, program)
    assert not [error for error in found if isinstance(error, BaseException)]
    return found


class Shards:
    """Checkpoints of several ranks as one."""

    def __init__(self, parts):
        self.parts, self.shards = parts, len(parts)

    def of(self, shard):
        return (self.parts[0], -1) if shard < 0 else (self.parts[shard], 0)

    def __getattr__(self, name):
        return lambda shard, *rest: getattr(self.of(shard)[0], name)(self.of(shard)[1], *rest)


@pytest.mark.parametrize(("ranks", "to", "changed"), [(1, 3, True), (3, 1, False), (3, 2, True), (2, 2, False)])
def test_checkpoints(expected, ranks, to, changed):
    saved = Shards(saved_on(ranks, changed))

    def program(comm):
        driven = Driven(comm, saved=saved)
        again = Saved(driven.net.snapshot())
        found = driven.digest(), (driven if changed else driven.change()).digest()
        return again, (found[0], found[1], driven.run(STEPS).digest())

    found = on_ranks(to, program)
    wanted = (expected[1],) * 2 if changed else expected[:2]
    assert the_same([digests for _, digests in found]) == (*wanted, expected[2])
    common = [
        {path: part[-1, path].tolist() for path, _, _ in part.columns(-1) if path != "dealt"} for part in (saved.parts[0], found[0][0])
    ]
    assert common[0] == common[1]


def test_what_one_rank_refuses_all_refuse():
    given = lists()["any"]

    def program(comm):
        net = kernel(seed=5, comm=comm)
        net.create("iaf_psc_exp", N, {})
        devices = rows(net.create("poisson_generator", DEVICES, {}), DEVICES)
        here = np.flatnonzero((np.asarray(net.ranks_of(np.arange(1, N + 1))) == comm.rank)[given.target])

        def refused(order, weight, targets=0):
            ends = {"sources": given.source[here][order], "targets": given.target[here][order] ^ targets}
            try:
                connect(net, devices, rows(1, N), "explicit", own_targets=True, weight=array(weight), **ends)
            except npl.NeuropilError as error:
                return type(error).__name__, str(error)
            return None

        every, one = np.ones(len(here)), comm.rank == 1
        found = [
            refused(slice(None, None, -1 if one else 1), every),
            refused(slice(None), np.where(one & (np.arange(len(here)) == 2), np.nan, every)),
            refused(slice(None), every, int(one)),
        ]
        assert refused(slice(None), every) is None
        return found

    found = on_ranks(2, program)
    kinds = [[kind for kind, _ in errors] for errors in found]
    assert kinds == [["RankError"] * 3, ["BadParameter"] * 3]
    for (_, told), words in zip(found[1], ("by target, then by source", "weight[2]", "own_targets"), strict=True):
        assert words in told
