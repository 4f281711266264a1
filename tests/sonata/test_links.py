# SPDX-License-Identifier: Apache-2.0
"""Law 3 for stimulators in files of SONATA: a rank reads and keeps the edges onto its own neurons, and the network is the same on any ranks."""

import h5py
import numpy as np
import pytest

import neuropil as npl
from lowlevel import digest
from neuropil.sonata.edges import EdgePopulation
from thread_ranks import on_ranks, the_same

N, DEVICES = 20, 5


def network():
    """Neurons of two models; stimulators one for each neuron, all to all, by a drawn rule, in several calls, and one alone."""
    net = npl.Network(seed=4, threads=1)
    exc, inh = net.create("iaf_psc_exp", N, name="exc"), net.create("iaf_psc_alpha", 4, name="inh")
    rng = np.random.default_rng(3)
    each, some, few = (net.create(kind, n, **given) for kind, n, given in (
        ("poisson_generator", N, {"rate": 7000.0}), ("poisson_generator", DEVICES, {"rate": 3000.0}), ("dc_generator", DEVICES, {"amplitude": 30.0}),
    ))  # fmt: skip
    net.connect(each, exc, npl.one_to_one(), weight=rng.normal(40.0, 5.0, N), delay=1.0)
    net.connect(some, exc[3:12], npl.all_to_all(), weight=rng.normal(0.0, 50.0, (9, DEVICES)), delay=rng.integers(1, 30, (9, DEVICES)) / 10)
    net.connect(few, exc, npl.fixed_indegree(2), weight=2.0, delay=0.5)
    net.connect(some, inh[1:2], npl.all_to_all(), weight=60.0, delay=1.5)
    net.stimulate(exc[:7], npl.step_current([10.0, 30.0], [200.0, 0.0]), weight=1.5)
    net.connect(exc, exc + inh, npl.fixed_indegree(4), weight=30.0, delay=1.0)
    return net


def cells_of(net):
    return sum([nodes for nodes in net.populations if nodes.model.startswith("iaf")][1:], net.populations[0])


def drives_of(net):
    return [p for p in net.projections if p.pre.model not in ("iaf_psc_exp", "iaf_psc_alpha")]


def columns(net):
    """Source, target, weight and delay of the connections of stimulators, sorted."""
    keys = ("source", "target", "weight", "delay")
    found = np.stack([np.concatenate([np.asarray(getattr(p, key)) for p in drives_of(net)]) for key in keys])
    return found[:, np.lexsort(found)]


def change(net):
    for p in drives_of(net):
        p.weight = p.weight * 1.25
        p.delay = 1.0 + 0.1 * (p.target % 3)


def result(net, record, until):
    net.run(until - net.time, progress=False)
    order = np.lexsort((record.gids, record.times))
    return digest(record.times[order], record.gids[order], columns(net))


def results(net):
    """Spikes, weights and delays, before and after a change of those of stimulators."""
    record = net.record(cells_of(net))
    first = result(net, record, 40.0)
    change(net)
    second = result(net, record, 80.0)
    assert len(record.times) > 100
    return first, second


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    net = network()
    path = net.to_sonata(tmp_path_factory.mktemp("links"))
    return path, results(net)


def load(path, comm):
    return npl.sonata.load(path, threads=1, ranks=comm).net


def listed_edges(net):
    """Edges of stimulators that this rank gave its kernel."""
    calls = [call.options for call in net._kernel.journal.first if call.name == "connect"]
    drives = [given for given in calls if given["rule"] == "explicit" and "generator" in net._kernel.model_of(int(given["pre"][0, 0]))]
    assert len(drives) == len(drives_of(net))
    return sum(len(given["rule_params"]["list"]) for given in drives)


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)])
def test_ranks_read_and_keep_the_edges_of_their_own_neurons(written, monkeypatch, ranks):
    path, expected = written
    slices, read = EdgePopulation.slices, {}

    def counted(self, mine, *more):
        for some in slices(self, mine, *more):
            read[self.source] = read.get(self.source, 0) + len(some.target)
            yield some

    monkeypatch.setattr(EdgePopulation, "slices", counted)

    def program(comm):
        net = load(path, comm)
        target = columns(net)[1].astype(np.int64)
        own = np.asarray(net._kernel.ranks_of(target)) == net.rank
        return (listed_edges(net), int(own.sum()), len(own)), results(net)

    found = on_ranks(ranks, program)
    assert the_same([found for _, found in found]) == expected
    listed, own, everywhere = np.array([counts for counts, _ in found]).T
    assert listed.tolist() == own.tolist()
    assert own.sum() == everywhere[0] == sum(n for source, n in read.items() if source not in ("exc", "inh"))


@pytest.mark.slow  # tests/invariance/test_listed_drives.py tests the kernel's part
@pytest.mark.parametrize(("ranks", "to"), [(1, 3), (3, 1), (3, 2)])
def test_a_checkpoint_goes_on_on_other_ranks(written, tmp_path, ranks, to):
    path, expected = written

    def first(comm):
        net = load(path, comm)
        record = net.record(cells_of(net))
        found = result(net, record, 40.0)
        net.save(tmp_path / "saved", extra={"record": record})
        return found

    def second(comm):
        net = npl.load(tmp_path / "saved", threads=1, ranks=comm)
        change(net)
        return result(net, net.extra["record"], 80.0)

    assert the_same(on_ranks(ranks, first)) == expected[0]
    assert the_same(on_ranks(to, second)) == expected[1]


def test_edges_between_the_same_two_nodes_are_connections_of_their_own(tmp_path):
    net = npl.Network(seed=2, threads=1)
    cells, noise = net.create("iaf_psc_exp", 3, name="cells"), net.create("poisson_generator", 2, name="noise", rate=500.0)
    net.connect(noise, cells, weight=2.0, delay=1.0)
    path = net.to_sonata(tmp_path)
    source, target = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 0, 2, 2, 2])
    (file,) = (tmp_path / "network").glob("noise*edges.h5")
    with h5py.File(file, "r+") as handle:
        (group,) = handle["edges"].values()
        group["source_node_id"][:], group["target_node_id"][:] = source, target
        del group["indices"]

    def program(comm):
        found = load(path, comm)
        return columns(found)[:2].tolist(), [int(nodes.gids[0]) for nodes in found.populations]

    for ranks in (1, 2):
        (sources, targets), (other, first) = the_same(on_ranks(ranks, program))
        assert (sources, targets) == ((first + source).tolist(), (other + np.sort(target)).tolist())
