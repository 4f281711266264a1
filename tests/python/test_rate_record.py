# SPDX-License-Identifier: Apache-2.0
"""`net.record(nodes, "rate", bin=...)`: the numbers of the spikes that a record of spikes has, in bounded memory, on any ranks and threads."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from lowlevel import connect, drawn, floats, kernel, rows
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same


def network(seed=5, **made):
    """Neurons on the grid and between grid points, relays, generators that emit. Returns the network and its node sets."""
    net = npl.Network(0.1, seed=seed, **made)
    cells = net.create("iaf_psc_exp", 60, I_e=npl.uniform(300.0, 700.0), V_m=npl.uniform(-70.0, -56.0))
    precise = net.create("iaf_psc_exp_ps", 20, I_e=npl.uniform(400.0, 800.0))
    relays = net.create("parrot_neuron", 5)
    noise = net.create("poisson_generator", 3, rate=900.0)
    net.connect(cells, cells, npl.fixed_indegree(5), weight=30.0, delay=1.5)
    net.connect(precise, cells, npl.fixed_indegree(2), weight=30.0, delay=0.3)
    net.connect(noise, relays, weight=1.0, delay=0.2)
    return net, {"cells": cells, "precise": precise, "relays": relays, "noise": noise, "some": noise[1:] + cells[::-7] + precise[3:9]}


def expected(steps, width, begin, end):
    """First bin and counts by numpy: whole bins (k * width, (k + 1) * width] in (begin, end] steps."""
    first, last = -(-begin // width), end // width
    edges = np.arange(first, max(first, last) + 1) * width + 0.5
    return first, np.histogram(steps, edges)[0] if last > first else np.zeros(0, np.int64)


def same_bins(found, steps, begin, resolution=0.1):
    """`found` has what spikes of these steps, recorded since step `begin`, have."""
    width, end = round(found.bin / resolution), found.nodes.network._kernel.step
    first, counts = expected(steps, width, begin, end)
    assert found.counts.dtype == np.int64 and np.array_equal(found.counts, counts)
    assert np.allclose(found.times, (first + np.arange(len(counts))) * found.bin, rtol=1e-12, atol=1e-12)
    assert np.allclose(found.rate, counts / len(found.nodes) / (1e-3 * found.bin))


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10**6),
    threads=st.integers(1, 3),
    who=st.sampled_from(["cells", "precise", "relays", "noise", "some"]),
    widths=st.lists(st.integers(1, 300), min_size=1, max_size=3),
    pieces=st.lists(st.integers(0, 400), min_size=1, max_size=4),
    late=st.integers(0, 3),
)
def test_counts_are_those_of_the_recorded_spikes(seed, threads, who, widths, pieces, late):
    net, sets = network(seed, threads=threads)
    nodes = sets[who]
    spikes = net.record(nodes)
    begins, bins = {}, []
    for k, piece in enumerate(pieces):
        if k == min(late, len(pieces) - 1):
            for width in widths:
                bins.append(net.record(nodes, "rate", bin=width / 10))
                begins[len(bins) - 1] = round(net.time * 10)
        net.run(piece / 10)
    for k, found in enumerate(bins):
        same_bins(found, spikes.steps, begins[k])
        if begins[k] == 0:
            edges, per_node = npl.analysis.bin_counts(spikes, found.bin)
            assert np.allclose(edges, found.times) and np.array_equal(per_node.sum(axis=1), found.counts)


def test_spikes_between_grid_points_are_in_the_bin_of_their_time():
    net, sets = network()
    spikes, bins = net.record(sets["precise"]), net.record(sets["precise"], "rate", bin=0.3)
    net.run(300.0)
    assert spikes.off_grid and len(spikes) > 300
    in_bins = np.ceil(spikes.times / 0.3 - 1e-9).astype(int) - 1
    assert np.array_equal(np.bincount(in_bins, minlength=1000), bins.counts)


def test_a_spike_at_the_end_of_a_bin_belongs_to_it():
    net = npl.Network(0.1)
    relay = net.create("parrot_neuron", 1)
    net.stimulate(relay, npl.spike_train([0.9, 1.0]), weight=1.0, delay=0.1)
    bins = net.record(relay, "rate", bin=1.0)
    net.run(3.0)
    assert net.record(relay).times.size == 0
    assert bins.counts.tolist() == [1, 1, 0]  # at 1.0 and 1.1 ms
    assert bins.times.tolist() == [0.0, 1.0, 2.0]
    assert bins.rate.tolist() == [1000.0, 1000.0, 0.0]


def overlapping(net, nodes, n, seed=1):
    """Many records of random sets of the nodes, and the gids of each."""
    rng = np.random.default_rng(seed)
    chosen = [np.sort(rng.choice(len(nodes), rng.integers(0, len(nodes) + 1), replace=False)) for _ in range(n)]
    widths = rng.integers(1, 50, n)
    return [(net.record(nodes[some], "rate", bin=width / 10), nodes.gids[some]) for some, width in zip(chosen, widths, strict=True)]


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_sets_that_overlap(threads):
    net, sets = network(threads=threads)
    spikes = net.record(sets["cells"])
    records = overlapping(net, sets["cells"], 40)
    net.run(30.0)
    records += overlapping(net, sets["cells"], 40, seed=2)  # these neurons are recorded already
    net.run(30.0)
    for k, (found, gids) in enumerate(records):
        if len(gids):
            same_bins(found, spikes.steps[np.isin(spikes.gids, gids)], 0 if k < 40 else 300)
        else:
            assert not found.counts.any() and not found.rate.any()


def test_clear_forgets_bins_that_have_ended_and_no_spike():
    net, sets = network()
    spikes, bins = net.record(sets["cells"]), net.record(sets["cells"], "rate", bin=2.5)
    times, counts = [], []
    for piece in (7.1, 0.0, 0.4, 30.0, 1.1, 1.0, 12.9):
        net.run(piece)
        times.append(bins.times), counts.append(bins.counts)
        bins.clear()
        assert len(bins) == 0
    net.run(20.0 - net.time % 2.5)
    times.append(bins.times), counts.append(bins.counts)
    assert np.array_equal(np.concatenate(counts), expected(spikes.steps, 25, 0, round(net.time * 10))[1])
    assert np.allclose(np.concatenate(times), 2.5 * np.arange(len(np.concatenate(counts))))
    assert net.memory["recordings"] > 0


# --- ranks and threads


def counted(comm=None, threads=1):
    net, sets = network(threads=threads, ranks=comm)
    net.run(1.7)
    records = [net.record(nodes, "rate", bin=0.5) for nodes in sets.values()]
    net.run(20.0)
    records[0].clear()
    net.run(20.2)
    return [(r.times.tolist(), r.counts.tolist(), r.rate.tolist()) for r in records]


@pytest.mark.parametrize(("ranks", "threads"), [(1, 2), (1, 4), (2, 1), (3, 2)])
def test_any_ranks_and_threads(ranks, threads):
    assert the_same(on_ranks(ranks, lambda comm: counted(comm, threads))) == counted()


def test_ranks_that_differ_are_told():
    def program(comm):
        net, sets = network(ranks=comm)
        bins = net.record(sets["cells"], "rate", bin=1.0 if comm.rank else 2.0)
        with pytest.raises(npl.errors.RankError):
            net.run(2.0)
        with pytest.raises(npl.errors.RankError):
            bins.counts  # noqa: B018
        return 0

    the_same(on_ranks(2, program))


def test_a_dry_run_counts_the_spikes_of_the_rank_that_is_played():
    net, sets = network(threads=1, dry_run=npl.dry_run(4, 1))
    spikes, bins = net.record(sets["cells"]), net.record(sets["cells"], "rate", bin=2.0)
    net.run(50.0)
    assert len(spikes) > 20
    same_bins(bins, spikes.steps, 0)


# --- checkpoints, copies, reset


class Recording(Program):
    """Records of nodes of several kinds; one more at step 137, within a bin; nodes created at step 200, which no record has."""

    steps, changes = 500, (137, 200, 333)

    def __init__(self, seed=3, **settings):
        net = self.net = kernel(0.1, seed=seed, **settings)
        self.cells = net.create("iaf_psc_exp", 40, {"I_e": np.linspace(400.0, 900.0, 40)})
        self.precise = net.create("iaf_psc_exp_ps", 10, floats(I_e=500.0))
        self.spikes = [net.record_spikes(rows(self.cells, 50), 0, 10**9)]
        self.records = [(rows(self.cells, 50), 25, net.record_binned(rows(self.cells, 50), "rate", 25), 0)]
        connect(
            net, rows(self.cells, 50), rows(self.cells, 40), "fixed_indegree", indegree=4, weight=40.0, delay=drawn("uniform", 0.5, 3.0)
        )

    def change(self, step):
        net = self.net
        if step == 137:
            some = rows(self.cells + 3, 15, 3)
            self.records = [*self.records, (some, 10, net.record_binned(some, "rate", 10), 140)]  # a list of each rank
        if step == 200:
            more = net.create("iaf_psc_exp", 30, floats(I_e=500.0))
            connect(net, rows(more, 30), rows(self.cells, 40), "fixed_indegree", indegree=3, weight=40.0, delay=0.7)
        if step == 333:
            net.clear_binned(self.records[1][2])

    def results(self):
        found = []
        stamps, senders, _ = self.net.spikes(self.spikes[0])
        for nodes, width, record, begin in self.records:
            first, counts = self.net.binned(record)
            begin = 330 if record == 1 else begin
            mine = np.isin(senders, nodes[0, 0] + nodes[0, 2] * np.arange(nodes[0, 1]))
            wanted = expected(np.asarray(stamps)[mine], width, begin, self.net.step)
            assert (first, np.asarray(counts).tolist()) == (wanted[0], wanted[1].tolist())
            found.append((first, np.asarray(counts).tolist()))
        assert sum(found[0][1]) > 100 and sum(found[1][1]) > 20
        return found


@pytest.fixture(scope="module")
def uncut():
    return Recording().run().results()


@pytest.mark.parametrize("settings", [{}, {"threads": 3}, {"block_size": 8}, {"threads": 2, "block_size": 5}])
def test_nodes_made_later_and_slices_change_nothing(uncut, settings):
    assert Recording(**settings).run().results() == uncut


@pytest.mark.parametrize("step", [60, 200, 337])
@pytest.mark.parametrize("settings", [{}, {"threads": 3}, {"block_size": 7}])
def test_goes_on_from_a_checkpoint(uncut, step, settings):
    assert Recording(threads=2).run(cuts={step: restored(**settings)}).results() == uncut


@pytest.mark.parametrize(("ranks", "to_ranks"), [(1, 3), (2, 3), (3, 2), (3, 1), (2, 2)])
@pytest.mark.parametrize("step", [64, 345])
def test_goes_on_from_a_checkpoint_on_other_ranks(uncut, ranks, to_ranks, step):
    assert on_other_ranks(Recording, Recording.results, step, ranks, to_ranks, threads=2) == uncut


def test_saved_and_loaded_network_and_record(tmp_path):
    net, sets = network(threads=2)
    bins = net.record(sets["some"], "rate", bin=1.5)
    net.run(31.0)
    net.extra = {"bins": bins}
    net.save(tmp_path / "saved")
    net.run(40.0)
    loaded = npl.load(tmp_path / "saved")
    loaded.run(40.0)
    found = loaded.extra["bins"]
    assert np.array_equal(found.counts, bins.counts) and found.counts.sum() > 0
    assert np.array_equal(found.times, bins.times) and found.watched.tolist() == bins.watched.tolist()


def test_reset_copy_clone_store():
    net, sets = network()
    bins = net.record(sets["some"], "rate", bin=2.0)
    net.run(11.0)
    late = net.record(sets["cells"], "rate", bin=1.0)
    net.run(20.0)
    net.store()
    for other in (net.copy(), net.copy()):
        other.run(10.0)
        net.restore()
        net.run(10.0)
        for record in (bins, late):
            twin = other.counterpart(record)
            assert np.array_equal(twin.counts, record.counts) and np.array_equal(twin.times, record.times)
            assert twin.nodes.network is other
    first = bins.counts
    net.reset()
    assert len(bins) == len(late) == 0
    spikes = net.record(sets["cells"])
    net.run(41.0)
    assert np.array_equal(bins.counts, first)
    same_bins(late, spikes.steps, 0)  # as all records: from time 0 on


def test_data_apart_from_the_network():
    net, sets = network()
    bins = net.record(sets["some"], "rate", bin=2.0)
    net.run(20.0)
    kept = [bins.copy(), copy.deepcopy(bins), pickle.loads(pickle.dumps(bins))]
    times, counts = bins.times, bins.counts
    net.run(20.0)
    for data in [*kept, pickle.loads(pickle.dumps(kept[0]))]:
        assert type(data) is npl.results.BinnedData
        assert np.array_equal(data.times, times) and np.array_equal(data.counts, counts)
        assert (data.bin, data.kind, data.resolution, data.seed) == (2.0, "rate", 0.1, 5)
        assert np.array_equal(data.watched, bins.watched) and np.array_equal(data.rate, bins.rate[:10])
    assert repr(kept[0]) == f"BinnedData(rate of {len(sets['some'])} nodes, 10 bins of 2 ms)"
    assert repr(bins) == f"BinnedRecord(rate of {len(sets['some'])} nodes, 20 bins of 2 ms)"
    assert not times.flags.writeable and not counts.flags.writeable
    table = bins.to_pandas()
    assert table.index.name == "time_ms" and np.array_equal(table["counts"], bins.counts)


def test_plot():
    pytest.importorskip("matplotlib").use("Agg")
    net, sets = network()
    bins = net.record(sets["cells"], "rate", bin=2.0)
    assert bins.plot().get_ylabel() == "rate (spikes/s)"
    net.run(20.0)
    values, edges, _ = bins.plot().patches[-1].get_data()
    assert np.array_equal(values, bins.rate) and np.allclose(edges, np.arange(0.0, 21.0, 2.0))


# --- memory


def recorded_bytes(rate, ms, width=1.0, n=1):
    net = npl.Network(0.1, threads=1)
    cells = net.create("parrot_neuron", 200)
    net.stimulate(cells, npl.poisson(rate=rate), weight=1.0)
    records = [net.record(cells, "rate", bin=width) for _ in range(n)]
    net.run(ms)
    assert records[0].counts.sum() == pytest.approx(200 * rate * ms * 1e-3, rel=0.3)
    return net.memory["recordings"], net, records


def test_memory_grows_with_bins_not_with_spikes():
    slow, *_ = recorded_bytes(50.0, 1000.0)
    fast, *_ = recorded_bytes(1000.0, 1000.0)
    assert slow == fast
    long, _, records = recorded_bytes(50.0, 4000.0)
    assert 8 * 3000 <= long - slow <= 2 * 8 * 4000
    records[0].clear()
    assert records[0].nodes.network.memory["recordings"] < slow


def test_memory_of_many_records_of_the_same_nodes():
    one, *_ = recorded_bytes(50.0, 10.0)
    many, *_ = recorded_bytes(50.0, 10.0, n=1000)
    assert (many - one) / 1000 < 400  # counts of ten bins and what describes them, however many others there are


def test_the_plan_expects_the_memory():
    found, net, _ = recorded_bytes(50.0, 3000.0, width=0.1)
    assert net.plan(time=3000.0).bytes["recordings"] == pytest.approx(found, rel=0.01)


def test_bins_that_fill_the_memory_end_the_run():
    net = npl.Network(0.1, threads=1, memory_limit="2 MB")
    relay = net.create("parrot_neuron", 1)
    net.stimulate(relay, npl.poisson(rate=100.0), weight=1.0)
    bins = net.record(relay, "rate", bin=0.1)
    with pytest.raises(npl.errors.TooLarge, match=r"recorded bins have grown to \d+\.\d MB"):
        net.run(1e8)
    assert len(bins) == round(net.time * 10)
    bins.clear()
    net.run(5.0)


# --- refused


@pytest.mark.parametrize("width", [0.0, -1.0, 0.25, 0.05, np.nan, np.inf])
def test_bins_off_the_grid(width):
    net, sets = network()
    with pytest.raises(npl.errors.BadParameter, match=r"bin.*positive multiple of the resolution \(0\.1 ms\)"):
        net.record(sets["cells"], "rate", bin=width)
    net.run(1.0)


def test_other_arguments():
    net, sets = network()
    cells = sets["cells"]
    with pytest.raises(npl.errors.UnknownName, match="rate"):
        net.record(cells, "rates", bin=1.0)
    with pytest.raises(npl.errors.UnknownName, match="V_m"):
        net.record(cells, "V_m", bin=1.0)
    for wrong in (None, ["rate"], 3):
        with pytest.raises(npl.errors.BadType, match="quantities"):
            net.record(cells, wrong, bin=1.0)
    with pytest.raises(npl.errors.BadType, match="bin"):
        net.record(cells, "rate", bin="wide")
    for more in ({"interval": 1.0}, {"offset": 0.0}, {"start": 1.0}, {"stop": 5.0}, {"to": "somewhere"}, {"every": 10.0}):
        with pytest.raises(npl.errors.BadParameter, match=next(iter(more))):
            net.record(cells, "rate", bin=1.0, **more)
    with pytest.raises(npl.errors.BadParameter, match="bin"):
        net.record(net.connect(cells, cells, npl.one_to_one(), weight=1.0), "weight", bin=1.0)
    with pytest.raises(npl.errors.IllegalConnection, match="dc_generator sends no spikes"):
        net.record(net.create("dc_generator", 1), "rate", bin=1.0)
    with pytest.raises(npl.errors.ForeignNodes):
        network()[0].record(cells, "rate", bin=1.0)
    net.run(1.0)


def test_a_rate_without_bins_is_told_about_them():
    net = npl.Network(seed=1)
    with pytest.raises(npl.errors.UnknownName, match=r"recordable 'rate' of iaf_psc_exp: record\(nodes, \"rate\", bin=1.0\) counts"):
        net.record(net.create("iaf_psc_exp", 3), "rate")
    with pytest.raises(npl.errors.UnknownName, match="recordable 'V_n' of iaf_psc_exp"):
        net.record(net.create("iaf_psc_exp", 3), "V_n")
