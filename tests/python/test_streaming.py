# SPDX-License-Identifier: Apache-2.0
"""Results streamed to disk are those recorded in memory, bit for bit, and memory does not grow with what was recorded."""

import errno

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from neuropil.results import stream_files
from same_results import same_spikes, same_trace, same_weights
from thread_ranks import on_ranks


def network(threads=1, comm=None, precise=True):
    net = npl.Network(0.1, seed=5, threads=threads, ranks=comm)
    cells = net.create("iaf_psc_exp", 60, I_e=npl.uniform(300.0, 700.0), V_m=npl.uniform(-70.0, -56.0))
    others = net.create("iaf_psc_exp_ps", 20, I_e=npl.uniform(400.0, 700.0)) if precise else cells[:0]
    net.connect(cells, cells, npl.fixed_indegree(5), weight=30.0, delay=1.5, synapse="stdp_synapse")
    net.stimulate(cells, npl.poisson(rate=4000.0), weight=30.0)
    return net, others + cells[::-2], cells[[7, 3, 11, 40]]


def run_both(folder, threads, pieces, every, window=(0.0, np.inf), comm=None, precise=True):
    """(streams, records) of two equal networks, one with streams and one without, that run the same pieces."""
    net, who, some = network(threads, comm, precise)
    start, stop = window
    streams = (
        net.record(who, start=start, stop=stop, to=folder / "spikes", every=every),
        net.record(some, ["V_m", "I_syn_ex"], interval=0.5, offset=0.2, to=folder / "trace", every=2 * every),
    )
    alone, who, some = network(threads, comm, precise)
    records = alone.record(who, start=start, stop=stop), alone.record(some, ["V_m", "I_syn_ex"], interval=0.5, offset=0.2)
    for piece in pieces:
        net.run(piece)
        alone.run(piece)
    assert net.counters["spikes"] == alone.counters["spikes"]
    return streams, records


tenths = st.integers(0, 600).map(lambda n: n / 10)


@pytest.mark.parametrize("threads", [1, 2])
@settings(max_examples=15)
@given(
    pieces=st.lists(tenths, min_size=1, max_size=4),
    every=st.sampled_from([0.1, 1.7, 5.0, 100.0]),
    window=st.tuples(tenths, tenths),
    precise=st.booleans(),
)
def test_streamed_is_recorded(tmp_path_factory, threads, pieces, every, window, precise):
    start, stop = min(window), max(window)
    window = (start, stop) if start < stop else (start, np.inf)
    streams, records = run_both(tmp_path_factory.mktemp("run"), threads, pieces, every, window, precise=precise)
    same_spikes(streams[0].load(), records[0])
    same_trace(streams[1].load(), records[1])
    assert (streams[0].rows, streams[1].rows) == (len(records[0]), len(records[1]))
    same_spikes(npl.results.load_spikes(streams[0].path), records[0])
    same_trace(npl.results.load_trace(str(streams[1].path)), records[1])


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_is_that_of_a_piece(tmp_path, threads):
    streams, records = run_both(tmp_path, threads, [600.0], every=10.0)
    counts = np.histogram(records[0].steps, np.arange(0, 6001, 100) + 0.5)[0]
    assert streams[0].most_held == counts.max() < len(records[0]) / 10
    assert streams[1].most_held == 2 * 10.0 / 0.5
    assert streams[0]._network.memory["recordings"] < records[0].nodes.network.memory["recordings"] / 10


def test_what_is_on_disk_is_whole_while_it_runs(tmp_path):
    net, who, some = network(2)
    spikes, trace = net.record(who, to=tmp_path / "s", every=5.0), net.record(some, "V_m", to=tmp_path / "t", every=5.0)
    seen = []

    def look(phase, done, total):
        if phase == "simulating":
            seen.append((spikes.load(), trace.load(), done))

    watched = []
    flush = type(spikes).flush
    for each in (spikes, trace):
        each.flush = lambda each=each: (flush(each), watched.append(each.load()))
    net.run(100.0, progress=look)
    alone, who, some = network(1)
    whole, samples = alone.record(who), alone.record(some, "V_m")
    alone.run(100.0)
    assert len(watched) == 40
    for k, found in enumerate(watched):
        end = 5.0 * (k // 2 + 1)
        if k % 2:
            same_trace(found, samples.select(stop=end))
        else:
            same_spikes(found, whole.select(stop=end))
    for found, _, done in seen:
        assert found.stop <= 0.1 * done + 1e-9
        same_spikes(found, whole.select(stop=found.stop))


def test_plain_arrays(tmp_path):
    streams, records = run_both(tmp_path, 1, [50.0], every=5.0)
    assert np.array_equal(np.load(tmp_path / "spikes" / "rank-00000-of-00001.gid.npy"), records[0].gids)
    assert np.array_equal(np.load(tmp_path / "spikes" / "rank-00000-of-00001.step.npy"), records[0].steps)
    assert np.array_equal(np.load(tmp_path / "trace" / "rank-00000-of-00001.values.npy", mmap_mode="r"), records[1].values)
    assert repr(streams[0]) == f"SpikeStream({str(tmp_path / 'spikes')!r}, {len(records[0])} rows written)"


@pytest.mark.parametrize("n_ranks", [2, 3])
def test_ranks_write_their_own_and_are_read_together(tmp_path, n_ranks):
    def program(comm):
        streams, records = run_both(tmp_path, 1, [30.0, 12.3], every=4.0, comm=comm)
        own = records[0].view(gather=False), records[1].view(gather=False)
        rank = records[0].nodes.network.rank
        same_spikes(streams[0].load(rank), own[0])
        same_trace(streams[1].load(rank), own[1])
        assert (streams[0].rows, streams[1].rows) == (len(own[0]), len(own[1]))
        return streams, records[0].copy(), records[1].copy()

    found = on_ranks(n_ranks, program)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    for streams, spikes, trace in found:
        same_spikes(streams[0].load(), spikes)
        same_trace(streams[1].load(), trace)
    with pytest.raises(npl.errors.BadParameter, match=f"rank = {n_ranks}"):
        npl.results.load_spikes(tmp_path / "spikes", rank=n_ranks)


def test_ranks_that_are_behind_end_the_window(tmp_path):
    def program(comm):
        net, who, some = network(1, comm)
        spikes, trace = net.record(who, to=tmp_path / "s"), net.record(some, "V_m", to=tmp_path / "t")
        net.run(20.0)
        if net.rank == 1:  # as if it had not come so far yet
            spikes.open().add = trace.open().add = lambda *_: None
        net.run(10.0)
        return spikes, trace

    found = on_ranks(2, program)
    spikes, trace = found[0]
    both, one = spikes.load(), spikes.load(rank=0)
    assert (both.stop, one.stop) == (20.0, 30.0) and both.times.max() <= 20.0 < one.times.max()
    assert trace.load().times.tolist() == list(range(1, 21))


def test_stopped_runs_are_written_and_go_on(tmp_path):
    def stop(phase, done, total):
        if phase == "simulating" and done > 300:
            raise ArithmeticError

    net, who, _ = network(2)
    stream = net.record(who, to=tmp_path / "s", every=7.0)
    with pytest.raises(ArithmeticError):
        net.run(1e6, progress=stop)
    assert stream.load().stop == net.time > 30.0
    net.run(5.0)
    alone, who, _ = network(1)
    record = alone.record(who)
    alone.run(net.time)
    same_spikes(stream.load(), record)


def test_progress_is_that_of_the_whole_run(tmp_path):
    net, who, _ = network(1)
    net.record(who, to=tmp_path / "s", every=1.0)
    told = []
    net.run(2000.0, progress=lambda *now: told.append(now))
    done = [now[1] for now in told if now[0] == "simulating"]
    assert {now[2] for now in told if now[0] == "simulating"} == {20_000}
    assert done == sorted(done) and done[-1] > 10  # steps of a piece


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    net, who, _ = network(1)
    stream = net.record(who, to=tmp_path / "s", every=5.0)
    net.run(20.0)
    before = stream.load()
    put = stream_files.Columns._put

    def full(self, name, at, rows):
        if name == "gid":
            put(self, name, at, rows[: len(rows) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        put(self, name, at, rows)

    monkeypatch.setattr(stream_files.Columns, "_put", full)
    with pytest.raises(OSError, match="No space left"):
        net.run(20.0)
    assert net.time == 25.0  # ends after the piece that could not be written
    same_spikes(stream.load(), before)
    monkeypatch.undo()
    stream.flush()
    net.run(15.0)
    alone, who, _ = network(1)
    record = alone.record(who)
    alone.run(40.0)
    same_spikes(stream.load(), record)


def test_a_rank_that_cannot_write_ends_the_run_of_all(tmp_path):
    def program(comm):
        net, who, _ = network(1, comm)
        stream = net.record(who, to=tmp_path / "s", every=5.0)
        if net.rank == 1:
            stream.flush = lambda: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left"))
        with pytest.raises(OSError if net.rank == 1 else npl.errors.RankError):
            net.run(50.0)
        return net.time

    assert on_ranks(3, program) == [5.0, 5.0, 5.0]


def test_other_results_are_not_written_over(tmp_path):
    net, mine, some = network()
    net.record(mine, to=tmp_path / "s")
    for again in (lambda: net.record(mine, to=tmp_path / "s"), lambda: net.record(some, "V_m", to=str(tmp_path / "s"))):
        with pytest.raises(npl.errors.BadParameter, match="without results of another recorder"):
            again()
    assert not (tmp_path / "s").exists()
    net.run(1.0)
    other, who, _ = network()
    with pytest.raises(npl.errors.BadParameter, match="without results of another run"):
        other.record(who, to=tmp_path / "s")
    with pytest.raises(npl.errors.BadType, match="to = 5"):
        net.record(mine, to=5)
    with pytest.raises(npl.errors.BadType, match="path = 5"):
        npl.results.load_spikes(5)
    (tmp_path / "file").write_text("")
    with pytest.raises(npl.errors.BadParameter, match="must be the name of a directory"):
        net.record(mine, to=tmp_path / "file")
    with pytest.raises(npl.errors.BadParameter, match="every = 0"):
        net.record(mine, to=tmp_path / "t", every=0.0)
    with pytest.raises(npl.errors.BadParameter, match=r"every = 5\.0: must be left out"):
        net.record(mine, every=5.0)
    assert not (tmp_path / "t").exists()


def test_data_of_a_stream_are_loaded_first(net, tmp_path):
    stream = net.record(net.create("iaf_psc_exp", 2), to=tmp_path / "spikes")
    with pytest.raises(npl.errors.UnknownAttribute, match=r"'times' of SpikeStream: load\(\).times has it"):
        stream.times  # noqa: B018
    assert not hasattr(stream, "nothing") and not hasattr(stream, "plot")


def test_broken_directories_say_what_is_wrong(tmp_path):
    run_both(tmp_path, 1, [20.0], every=5.0)
    folder = tmp_path / "spikes"
    with pytest.raises(npl.errors.BadFile, match="holds spikes stream, not trace stream"):
        npl.results.load_trace(folder)
    gids = folder / "rank-00000-of-00001.gid.npy"
    whole = gids.read_bytes()
    for content in (b"", whole[:200], whole[:-8]):
        gids.write_bytes(content)
        with pytest.raises(npl.errors.BadFile, match=r"gid\.npy: missing or broken"):
            npl.results.load_spikes(folder)
    gids.unlink()
    with pytest.raises(npl.errors.BadFile, match=r"gid\.npy.*missing"):
        npl.results.load_spikes(folder)
    gids.write_bytes(whole)
    about = folder / "rank-00000-of-00001.json"
    about.rename(folder / "rank-00000-of-00002.json")
    with pytest.raises(npl.errors.BadFile, match="rank 1 of 2"):
        list(stream_files._parts(folder, "spikes", 1))
    (folder / "rank-00000-of-00002.json").unlink()
    with pytest.raises(npl.errors.BadFile, match="no results"):
        npl.results.load_spikes(folder)


def weighted(threads=1, comm=None):
    """A network and its recorder of weights. Some pairs have several synapses, of different delays and models."""
    net = npl.Network(0.1, seed=8, threads=threads, ranks=comm)
    cells = net.create("iaf_psc_exp", 30, I_e=npl.uniform(300.0, 700.0), V_m=npl.uniform(-70.0, -56.0))
    record = net.record_weights()
    for k, synapse in enumerate(("tsodyks2_synapse", "stdp_synapse", "stdp_synapse")):
        delay = 0.3 + 1.7 * (2 - k) + 0.1 * npl.uniform_int(20)
        net.connect(cells, cells, npl.fixed_indegree(20), weight=20.0 + k, delay=delay, synapse=synapse, weight_recorder=record)
    return net, record


@pytest.mark.parametrize("threads", [1, 2])
@settings(max_examples=10)
@given(pieces=st.lists(tenths, min_size=1, max_size=4), every=st.sampled_from([0.7, 5.0, 100.0]))
def test_streamed_weights_are_recorded(tmp_path_factory, threads, pieces, every):
    net, record = weighted(threads)
    stream = record.stream(tmp_path_factory.mktemp("run") / "w", every=every)
    alone, whole = weighted()
    for piece in pieces:
        net.run(piece)
        alone.run(piece)
    same_weights(stream.load(), whole)
    same_weights(npl.results.load_weights(stream.path), whole)
    assert stream.rows == len(whole) and len(record) == 0


def test_memory_of_weights_is_that_of_a_piece(tmp_path):
    net, record = weighted()
    stream = record.stream(tmp_path / "w", every=10.0)
    net.run(300.0)
    assert 0 < stream.most_held < stream.rows / 5


def test_weights_of_ranks(tmp_path):
    def program(comm):
        net, record = weighted(1, comm)
        stream = record.stream(tmp_path / "w", every=5.0)
        alone, whole = weighted(1, comm)
        for k, piece in enumerate((20.0, 17.3)):
            if k == 1 and net.rank == 1:  # as if it had not come so far yet
                stream._columns.add = lambda *_: None
            net.run(piece)
            alone.run(piece)
            if k == 0:
                before = whole.copy()
        same_weights(stream.load(rank=0), whole.view(gather=False)) if net.rank == 0 else None
        return stream, before

    for found in on_ranks(2, program):
        if isinstance(found, BaseException):
            raise found
        stream, before = found
        same_weights(stream.load(), before)
        assert len(before) > 100


def test_streams_of_weights_are_refused_where_others_are(tmp_path):
    net, record = weighted()
    record.stream(tmp_path / "w")
    with pytest.raises(npl.errors.BadParameter, match="without results of another recorder"):
        record.stream(tmp_path / "w")
    net.run(0.0)
    with pytest.raises(npl.errors.BadFile, match="holds weights stream, not spikes stream"):
        npl.results.load_spikes(tmp_path / "w")
    assert len(npl.results.load_weights(tmp_path / "w")) == 0 and net.time == 0.0


def test_plans_and_dry_runs_write_nothing(tmp_path):
    net, who, _ = network()
    net.record(who, to=tmp_path / "s")
    net.build()
    assert net.plan().bytes and not (tmp_path / "s").exists()
    net = npl.Network(0.1, seed=5, dry_run=npl.dry_run(ranks=100, rank=7))
    cells = net.create("iaf_psc_exp", 1000, I_e=600.0)
    stream = net.record(cells, to=tmp_path / "s", every=5.0)
    net.run(50.0)
    assert stream.most_held > 0 and not (tmp_path / "s").exists()


def test_a_directory_that_was_taken_meanwhile_ends_the_run_of_all(tmp_path):
    def program(comm):
        net, who, _ = network(1, comm)
        net.record(who, to=tmp_path / "s")
        net.build()
        if net.rank == 1:
            (tmp_path / "s").mkdir()
            (tmp_path / "s" / "rank-00001-of-00002.json").write_text("{}")
        with pytest.raises(npl.errors.BadParameter if net.rank == 1 else npl.errors.RankError):
            net.run(50.0)
        return net.time

    assert on_ranks(2, program) == [0.0, 0.0]
