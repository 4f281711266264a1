# SPDX-License-Identifier: Apache-2.0
"""Weights and state of synapses at intervals: those that reading between short runs gives, and the run's bits are the same."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from thread_ranks import on_ranks, the_same


def made(threads=2, comm=None, seed=3):
    net = npl.Network(seed=seed, threads=threads, ranks=comm)
    cells = net.create("iaf_psc_exp", 20, I_e=npl.uniform(300.0, 500.0), name="cells")
    gen = net.create("poisson_generator", 10, rate=60.0, name="gen")
    net.connect(
        gen, cells, npl.fixed_indegree(6), synapse=npl.stdp(), weight=npl.uniform(20.0, 60.0), delay=npl.uniform(0.3, 3.0), name="stdp"
    )
    short = npl.synapse.tsodyks2_synapse(U=npl.uniform(0.2, 0.8))
    net.connect(cells, cells, npl.fixed_indegree(4), synapse=short, weight=npl.normal(0.0, 30.0), name="short")
    return net


def recorded(net, **options):
    return (
        net.record(net.projections["stdp"], "weight", **options),
        net.record(net.projections["stdp"], ["Kplus", "weight"], **options),
        net.record(net.projections["short"], ["u", "x", "U", "weight"], **options),
    )


def read(net):
    return (
        [np.array(net.projections["stdp"].weight)],
        [np.array(net.projections["stdp"]["Kplus"]), np.array(net.projections["stdp"].weight)],
        [np.array(net.projections["short"][name]) for name in ("u", "x", "U")] + [np.array(net.projections["short"].weight)],
    )


def bits(trace):
    ends = trace.source.tobytes(), trace.target.tobytes()
    return trace.times.tobytes(), *(trace[name].tobytes() for name in trace.names), *ends


STEP = 0.1


@settings(max_examples=20, deadline=None)
@given(
    every=st.integers(1, 200),
    offset=st.integers(0, 150),
    pieces=st.lists(st.integers(0, 200), min_size=1, max_size=4),
)
def test_a_sample_is_what_reading_shows_then(every, offset, pieces):
    net = made()
    traces = recorded(net, interval=every * STEP, offset=offset * STEP)
    spikes = net.record(net["cells"])
    for piece in pieces:
        net.run(piece * STEP)
    end = sum(pieces)
    wanted = [t for t in range(max(offset, 1), end + 1) if (t - offset) % every == 0]

    other = made()
    others = other.record(other["cells"])
    expected = []
    for begin, until in zip([0, *wanted], [*wanted, end], strict=True):
        other.run((until - begin) * STEP)
        expected.append(read(other))
    expected = expected[: len(wanted)]
    assert (spikes.times == others.times).all() and (spikes.gids == others.gids).all()
    for k, trace in enumerate(traces):
        np.testing.assert_allclose(trace.times, np.array(wanted) * STEP)
        for i, name in enumerate(trace.names):
            values = np.array([e[k][i] for e in expected]).reshape(len(wanted), -1 if wanted else len(trace.source))
            assert trace[name].tobytes() == values.tobytes(), name
        connections = trace.projection.connections()
        assert (trace.source == connections.source).all() and (trace.target == connections.target).all()


def test_sampling_changes_nothing():
    found = []
    for sampled in (False, True):
        net = made()
        spikes = net.record(net["cells"])
        if sampled:
            recorded(net, interval=0.3)
        net.run(80.0)
        found.append((spikes.times.tobytes(), spikes.gids.tobytes(), np.array(net.projections["stdp"].weight).tobytes()))
    assert found[0] == found[1]


def test_the_weight_is_that_after_the_last_spike_that_has_arrived():
    """One synapse, teacher-driven: potentiation by a pair shows when the next spike of the source arrives, not before."""
    net = npl.Network(threads=1)
    pre = net.create("spike_generator", 1, spike_times=[10.0, 40.0])
    post = net.create("parrot_neuron")
    teacher = net.create("spike_generator", 1, spike_times=[20.0])
    net.connect(teacher, post, delay=1.0)  # spikes at 21
    drive = net.connect(pre, post, synapse=npl.stdp(mu_plus=0.0, mu_minus=0.0, lambda_=0.1, alpha=1.0), weight=50.0, delay=2.0)
    trace = net.record(drive, interval=0.1)
    net.run(60.0)
    w = trace.values[:, 0]
    changes = trace.times[1:][np.diff(w) != 0.0]
    # The parrot repeats the first spike, at 12, which reaches the synapse at 14; the teacher's at 21 reaches it at 23.
    up = 50.0 + 100.0 * 0.1 * (np.exp(-(14.0 - 10.0) / 20.0) + np.exp(-(23.0 - 10.0) / 20.0))
    down = 100.0 * 0.1 * (np.exp(-(40.0 - 14.0) / 20.0) + np.exp(-(40.0 - 23.0) / 20.0))
    assert (w[: round(changes[0] * 10) - 1] == 50.0).all() and len(changes) == 1
    assert 40.0 < changes[0] <= 42.0
    np.testing.assert_allclose(w[-1], up - down, rtol=1e-6)


def program(comm=None, threads=1):
    net = made(threads, comm)
    traces = recorded(net, interval=2.5, offset=0.5)
    net.run(30.0)
    net.run(12.3)
    return [bits(t) for t in traces]


def test_the_same_for_any_threads_and_ranks():
    one = program()
    assert program(threads=3) == one
    for ranks in (2, 3):
        assert the_same(on_ranks(ranks, lambda comm: program(comm))) == one


def test_parts_of_ranks():
    def run(comm):
        net = made(1, comm)
        trace = net.record(net.projections["short"], "weight", interval=5.0)
        net.run(20.0)
        own = trace.view(gather=False)
        assert (net.ranks_of(net.nodes(gids=np.unique(own.target))) == net.rank).all()
        return len(own.source), len(trace.source), own.values.shape

    found = on_ranks(2, run)
    assert sum(own for own, _, _ in found) == found[0][1] == 80 and found[0][2][0] == 4


def streamed(folder, comm=None, threads=1):
    net = made(threads, comm)
    stream = net.record(net.projections["short"], ["u", "weight"], interval=2.5, offset=0.5, to=folder, every=7.0)
    trace = net.record(net.projections["short"], ["u", "weight"], interval=2.5, offset=0.5)
    net.run(30.0)
    net.run(12.3)
    return bits(trace), stream.most_held, bits(stream.load())


def test_streams_are_records(tmp_path):
    one, held, loaded = streamed(tmp_path / "one")
    assert loaded == one and held <= 3
    assert bits(npl.results.load_synapse_trace(tmp_path / "one")) == one
    found = on_ranks(2, lambda comm: streamed(tmp_path / "two", comm)[0])
    assert the_same(found) == one
    assert bits(npl.results.load_synapse_trace(tmp_path / "two")) == one
    parts = [npl.results.load_synapse_trace(tmp_path / "two", rank=r) for r in range(2)]
    assert sum(len(p.source) for p in parts) == 80
    with pytest.raises(npl.errors.BadParameter, match="directory"):
        net = made()
        net.record(net.projections["short"], to=tmp_path / "one")
    with pytest.raises(npl.errors.BadFile, match="spikes"):
        npl.results.load_spikes(tmp_path / "one")


@pytest.mark.parametrize("ending", [".npz", ".h5", ".parquet"])
def test_files(tmp_path, ending):
    net = made()
    for trace in recorded(net, interval=5.0):
        for run in (0.0, 20.0):
            net.run(run)
            trace.save(tmp_path / f"w{ending}")
            back = npl.results.load_synapse_trace(tmp_path / f"w{ending}")
            assert type(back) is npl.results.SynapseTraceData and bits(back) == bits(trace)
            assert (back.names, back.interval, back.resolution, back.seed) == (trace.names, 5.0, 0.1, 3)
    with pytest.raises(npl.errors.BadFile, match="synapses"):
        npl.results.load_trace(tmp_path / f"w{ending}")


def test_copies_pickles_selections_tables_and_plots():
    net = made()
    trace = net.record(net.projections["stdp"], ["weight", "Kplus"], interval=2.0)
    net.run(20.0)
    for data in (pickle.loads(pickle.dumps(trace)), copy.deepcopy(trace), trace.copy()):
        assert type(data) is npl.results.SynapseTraceData and bits(data) == bits(trace)
    some = trace.select(start=4.0, stop=10.0, connections=trace.source == trace.source[0])
    assert some.times.tolist() == [6.0, 8.0, 10.0] and set(some.source) == {trace.source[0]}
    assert (some["Kplus"] == trace["Kplus"][2:5][:, trace.source == trace.source[0]]).all()
    table = trace.to_pandas()
    assert table.shape == (10, 240) and table.columns.names == ["quantity", "source", "target", "k"]
    assert (table["weight"].to_numpy() == trace["weight"]).all()
    with pytest.raises(npl.errors.BadParameter):
        trace.values  # noqa: B018
    with pytest.raises(npl.errors.UnknownName):
        trace["wieght"]
    with pytest.raises(ValueError):
        trace["weight"][0] = 1.0
    assert len(trace.plot(name="weight").lines) > 2
    assert repr(trace) == "SynapseTrace(weight, Kplus of 120 connections, 10 samples, every 2 ms)"
    trace.clear()
    assert len(trace) == 0
    net.run(4.0)
    assert trace.times.tolist() == [22.0, 24.0]


def test_connections_that_change_on_the_way():
    net = made()
    drive = net.projections["stdp"]
    trace = net.record(drive, interval=1.0)
    net.run(3.0)
    first = trace.source.copy()
    gone = np.zeros(len(drive), bool)
    gone[[3, 50]] = True
    drive.disconnect(gone)
    drive.set(delay=1.0)
    net.connect(net["cells"], net["cells"], npl.fixed_indegree(1), weight=1.0, name="new")
    net.run(3.0)
    assert (trace.source == first).all() and trace.values.shape == (6, 120)
    assert np.isnan(trace.values[3:, gone]).all() and not np.isnan(trace.values[:3]).any() and not np.isnan(trace.values[:, ~gone]).any()
    assert (trace.values[-1, ~gone] == np.asarray(drive.weight)).all()
    assert trace.plot() is not None


def test_functions_of_every_change_after_the_sample():
    net = made()
    drive = net.projections["stdp"]
    trace = net.record(drive, interval=5.0)
    net.every(5.0, lambda n: drive.set(weight=7.0 + n.time))
    net.run(10.0)
    assert (trace.values[0] != 12.0).any() and trace.values[1].max() < 30.0


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (npl.errors.UnknownName, lambda net: net.record(net.projections["stdp"], "wieght")),
        (npl.errors.UnknownName, lambda net: net.record(net.projections["stdp"], "u")),
        (npl.errors.BadParameter, lambda net: net.record(net.projections["stdp"], "weight", interval=0.0)),
        (npl.errors.BadParameter, lambda net: net.record(net.projections["stdp"], "weight", interval=0.25)),
        (npl.errors.BadParameter, lambda net: net.record(net.projections["stdp"], "weight", offset=-1.0)),
        (npl.errors.BadParameter, lambda net: net.record(net.projections["stdp"], "weight", start=1.0)),
        (npl.errors.BadParameter, lambda net: net.record(net.projections["stdp"], ["weight", "weight"])),
        (npl.errors.BadType, lambda net: net.record(net.projections["stdp"], 3)),
        (npl.errors.BadType, lambda net: net.record(net.projections["stdp"], [])),
        (npl.errors.ForeignNodes, lambda net: net.record(made().projections["stdp"])),
        (npl.errors.BadType, lambda net: net.record("stdp")),
        (npl.errors.IllegalConnection, lambda net: net.record(net.connect(net["gen"], net["cells"]))),
    ],
)
def test_refused(error, call):
    net = made()
    with pytest.raises(error):
        call(net)
    assert not net._streams.samplers
    net.run(1.0)
