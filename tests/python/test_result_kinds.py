# SPDX-License-Identifier: Apache-2.0
"""All kinds of results have the same verbs, and these agree with each other: select, save, open, copy, pickle, convert, plot."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot

import neuropil as npl
from neuropil.results import files
from neuropil.results.saving import KINDS
from neuropil.results.synapse_trace import SynapseTraceData
from thread_ranks import on_ranks

ENDINGS = [".npz", ".h5", ".parquet"]
DATA = {
    "spikes": npl.results.Spikes,
    "off_grid": npl.results.Spikes,
    "trace": npl.results.TraceData,
    "bins": npl.results.BinnedData,
    "weights": npl.results.WeightData,
    "synapses": npl.results.SynapseTraceData,
    "synapses_several": npl.results.SynapseTraceData,
}
LOADS = {
    npl.results.Spikes: npl.results.load_spikes,
    npl.results.TraceData: npl.results.load_trace,
    npl.results.WeightData: npl.results.load_weights,
}
LOADS[npl.results.SynapseTraceData] = npl.results.load_synapse_trace


def recorded(comm=None, to=None):
    """A network and a record of each kind; with `to` also streams of those that have them."""
    net = npl.Network(resolution=0.1, seed=11, threads=1, ranks=comm)
    cells = net.create("iaf_psc_exp", 30, I_e=npl.uniform(300.0, 600.0))
    precise = net.create("iaf_psc_exp_ps", 10, I_e=npl.uniform(400.0, 600.0))
    weights = net.record_weights()
    drive = net.connect(cells, cells, npl.fixed_indegree(3), weight=20.0, delay=1.5, synapse="tsodyks2_synapse", weight_recorder=weights)
    made = {
        "spikes": net.record(cells),
        "off_grid": net.record(precise[::-1] + cells[::3]),
        "trace": net.record(cells[[5, 1, 2]], ["V_m", "I_syn_ex"], interval=0.5),
        "bins": net.record(cells[3:20], "rate", bin=2.0),
        "weights": weights,
        "synapses": net.record(drive, interval=5.0),
        "synapses_several": net.record(drive, ["weight", "u"], interval=2.5),
    }
    if to is not None:
        streams = {
            "spikes": net.record(cells, to=to / "spikes"),
            "trace": net.record(cells[[5, 1, 2]], ["V_m", "I_syn_ex"], interval=0.5, to=to / "trace", every=7.0),
            "synapses": net.record(drive, interval=5.0, to=to / "synapses"),
        }
        return net, made, streams
    return net, made


@pytest.fixture(scope="module")
def full():
    net, made = recorded()
    net.run(100.0)
    assert made["off_grid"].off_grid and not made["spikes"].off_grid
    assert all(len(each) > 15 for each in made.values())
    return made


@pytest.fixture(scope="module")
def empty():
    return recorded()[1]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def bits(part):
    if isinstance(part, np.ndarray):
        return part.dtype.str, part.shape, part.tobytes()
    return {name: bits(each) for name, each in part.items()} if isinstance(part, dict) else part


def parts(data):
    """The class of the data and everything that a pickle has, to the bit."""
    kind, content = data.__reduce__()
    return kind.__self__, [bits(part) for part in content]


kinds = pytest.mark.parametrize("kind", DATA)


@kinds
def test_every_kind_has_the_same_verbs(full, kind):
    record, data = full[kind], full[kind].copy()
    for verb in ("select", "save", "to_pandas", "to_xarray", "to_arrow", "to_neo", "plot", "copy", "data", "times", "resolution", "seed"):
        assert hasattr(record, verb) and hasattr(data, verb)
    for verb in ("view", "clear", "nodes")[: 3 if kind in ("spikes", "off_grid", "trace", "bins") else 2]:
        assert hasattr(record, verb) and not hasattr(data, verb)
    assert isinstance(record, npl.Record) and isinstance(record, DATA[kind]) and type(data) is DATA[kind]
    assert isinstance(data, npl.Data) and not isinstance(data, npl.Record)
    assert {*DATA.values()} == {*KINDS.values()}


@kinds
def test_copies_and_pickles_are_the_data_of_now(full, empty, kind):
    for record in (full[kind], empty[kind]):
        for made in (lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy, lambda x: x.copy()):
            found = made(record)
            assert type(found) is DATA[kind]
            assert parts(found) == parts(record) == parts(made(found))
        assert parts(record.data()) == parts(record)
        assert (found.resolution, found.seed, len(found)) == (0.1, 11, len(record))
        assert repr(found) == repr(record).replace(type(record).__name__, DATA[kind].__name__)


@kinds
@pytest.mark.parametrize("ending", ENDINGS)
def test_saved_and_opened(full, empty, kind, ending, tmp_path):
    path = tmp_path / f"results{ending}"
    for data in (full[kind], full[kind].copy(), full[kind].select(start=20.0, stop=60.0), empty[kind]):
        data.save(path)
        assert parts(npl.open_results(path)) == parts(data)
        for known, load in LOADS.items():
            if known is DATA[kind]:
                assert parts(load(str(path))) == parts(data)
            else:
                with pytest.raises(npl.errors.BadFile, match=f"holds {data._KIND}, not {known._KIND}"):
                    load(path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


times = st.none() | st.integers(-20, 1100).map(lambda tenths: tenths / 10)


def later(a, b):
    return max((x for x in (a, b) if x is not None), default=None)


def earlier(a, b):
    return min((x for x in (a, b) if x is not None), default=None)


@kinds
@settings(max_examples=30)
@given(a=times, b=times, c=times, d=times)
def test_selecting_twice_is_selecting_once(full, kind, a, b, c, d):
    data = full[kind]
    twice = data.select(start=a, stop=b).select(start=c, stop=d)
    once = data.select(start=later(a, c), stop=earlier(b, d))
    assert type(once) is DATA[kind] and parts(twice) == parts(once)
    begins = data.times - (0.0 if kind != "bins" else -1e-9)  # bins that begin at the start are in
    ends = data.times + (2.0 - 1e-9 if kind == "bins" else 0.0)
    begin, end = later(a, c), earlier(b, d)
    keep = (begins > (-np.inf if begin is None else begin)) & (ends <= (np.inf if end is None else end))
    assert np.array_equal(once.times, data.times[keep])


@kinds
def test_selecting_nothing_in_particular_is_all(full, empty, kind):
    assert parts(full[kind].select()) == parts(full[kind]) and parts(empty[kind].select()) == parts(empty[kind])


@kinds
def test_limits_are_times(full, kind):
    for name in ("start", "stop"):
        for wrong, error in (("10 ms", npl.errors.BadType), (np.nan, npl.errors.BadParameter), ([1.0, 2.0], npl.errors.BadType)):
            with pytest.raises(error, match=f"{name} = "):
                full[kind].select(**{name: wrong})


@pytest.mark.parametrize("kind", ["spikes", "off_grid", "trace"])
@settings(max_examples=20)
@given(data=st.data())
def test_nodes_are_selected_in_their_order(full, kind, data):
    record = full[kind]
    nodes = data.draw(st.lists(st.sampled_from(record.watched.tolist()), unique=True))
    fewer = data.draw(st.lists(st.sampled_from(nodes), unique=True)) if nodes else []
    some = record.select(nodes)
    assert some.watched.tolist() == nodes
    assert parts(some.select(fewer, start=30.0)) == parts(record.select(fewer, start=30.0))
    if kind == "trace":
        at = [record.watched.tolist().index(gid) for gid in nodes]
        assert np.array_equal(some.values, record.values[:, at])
    else:
        assert np.array_equal(some.times, record.times[np.isin(record.gids, nodes)])
    with pytest.raises(npl.errors.BadParameter, match="nodes = 77: must be gids of nodes that were recorded"):
        record.select([*nodes, 77])


@pytest.mark.parametrize("kind", ["weights", "synapses", "synapses_several"])
def test_ends_of_synapses_are_selected(full, kind):
    data = full[kind]
    sources, targets = np.unique(data.source)[:8], np.unique(data.target)[2:20]
    some = data.select(source=sources, target=targets)
    keep = np.isin(data.source, sources) & np.isin(data.target, targets)
    assert 0 < keep.sum() < len(keep)
    assert np.array_equal(some.source, data.source[keep]) and np.array_equal(some.target, data.target[keep])
    assert parts(data.select(source=sources).select(target=targets)) == parts(some)
    if kind == "weights":
        assert np.array_equal(some.weight, data.weight[keep])
        return
    assert np.array_equal(some["weight"], data["weight"][:, keep])
    for connections in (keep, np.flatnonzero(keep), np.flatnonzero(keep).tolist()):
        assert parts(data.select(connections=connections)) == parts(some)
    assert data.select(connections=[])["weight"].shape == (len(data), 0)
    assert (
        data.select(connections=np.flatnonzero(keep), source=sources[:1]).source.tolist()
        == data.source[keep & (data.source == sources[0])].tolist()
    )
    for wrong, error in (([0.5], npl.errors.BadType), ([len(keep)], npl.errors.BadParameter), ([True], npl.errors.BadParameter)):
        with pytest.raises(error, match="connections = "):
            data.select(connections=wrong)


@kinds
def test_tables(full, empty, kind):
    pytest.importorskip("xarray")
    for data in (full[kind], empty[kind]):
        table = data.to_pandas()
        assert len(table) == len(data)
        shown = table.get("time_ms", table.index)
        assert np.array_equal(shown, data.times)
        array = data.to_xarray(width=5.0) if DATA[kind] is npl.results.Spikes else data.to_xarray()
        n = {"spikes": 20, "off_grid": 20}.get(kind, len(data))
        if "time" in array.dims:
            assert array.sizes["time"] == (n if len(data) else 0) and array.time.attrs["units"] == "ms"
        else:
            assert array.sizes == {"event": len(data)}


def test_what_tables_hold(full):
    pytest.importorskip("xarray")
    bins, weights, several = full["bins"], full["weights"], full["synapses_several"]
    assert np.array_equal(bins.to_xarray().counts, bins.counts) and np.array_equal(bins.to_pandas()["rate"], bins.rate)
    assert bins.to_xarray().rate.attrs == {"units": "spikes/s"} and bins.to_xarray().attrs == {"bin_ms": 2.0}
    assert {*weights.to_xarray().data_vars} == {*weights.to_pandas()}
    assert np.array_equal(weights.to_xarray().weight, weights.weight)
    array = several.to_xarray()
    assert array.u.dims == ("time", "connection") and np.array_equal(array.u, several["u"])
    assert np.array_equal(
        array.where(array.source == several.source[0], drop=True).target, several.target[several.source == several.source[0]]
    )


def test_bins_to_neo(full, empty):
    pytest.importorskip("neo")
    (signal,) = full["bins"].to_neo().analogsignals
    assert np.array_equal(signal.magnitude[:, 0], full["bins"].rate) and str(signal.units.dimensionality) == "Hz"
    assert np.allclose(signal.times.rescale("ms").magnitude, full["bins"].times)
    assert empty["bins"].to_neo().analogsignals[0].shape == (0, 1)


@kinds
@pytest.mark.filterwarnings("error")
def test_pictures(full, empty, kind):
    for data in (full[kind], full[kind].copy(), empty[kind]):
        axes = data.plot("V_m") if kind == "trace" else data.plot()
        axes.figure.canvas.draw()
        assert axes.get_xlabel() == "time (ms)" or kind in ("spikes", "off_grid")


def test_the_picture_of_transmitted_weights(full):
    weights = full["weights"]
    pairs = {*zip(weights.source.tolist(), weights.target.tolist(), strict=True)}
    axes = weights.plot(most=1000)
    assert len(axes.lines) == len(pairs) and axes.get_title(loc="left") == f"{len(weights)} transmissions of {len(pairs)} pairs"
    assert sum(len(line.get_xdata()) for line in axes.lines) == len(weights)
    assert len(weights.plot(most=5).lines) <= 5


@kinds
def test_results_cannot_be_changed(full, kind):
    for data in (full[kind], full[kind].copy()):
        arrays = [each for part in data.__reduce__()[1] for each in (part.values() if isinstance(part, dict) else [part])]
        assert not any(each.flags.writeable for each in arrays if isinstance(each, np.ndarray) and each.dtype == np.float64)
        with pytest.raises(npl.errors.ReadOnly, match=f"times of {type(data).__name__} is read-only"):
            data.times = 3.0
        with pytest.raises(npl.errors.UnknownAttribute, match="'time'"):
            data.time = 3.0
        with pytest.raises(npl.errors.UnknownAttribute, match=r"'selct'.*'select'"):
            data.selct()


def test_data_stay_as_they_are_and_records_go_on():
    net, made = recorded()
    net.run(40.0)
    kept = {kind: (record.copy(), parts(record)) for kind, record in made.items()}
    views = {kind: record.view() for kind, record in made.items()}
    net.run(20.0)
    for kind, (data, before) in kept.items():
        assert parts(data) == before and len(made[kind]) > len(data)
        arrived = 38.5 if kind == "weights" else 40.0
        assert np.array_equal(made[kind].select(stop=arrived).times, data.times)
        assert parts(views[kind]) == parts(made[kind])
    with pytest.raises(npl.errors.BadParameter, match="gather = False"):
        made["bins"].view(gather=False)
    for kind, record in made.items():
        record.clear()
        assert len(record) == 0, kind
    net.run(10.0)
    assert all(len(record) and record.times.min() >= (60.0 if kind != "weights" else 58.5) for kind, record in made.items())


def test_directories_of_streams_are_opened(tmp_path):
    net, made, streams = recorded(to=tmp_path)
    net.run(30.0)
    for kind, stream in streams.items():
        assert parts(npl.open_results(tmp_path / kind)) == parts(stream.load()) == parts(made[kind]), kind
        assert parts(npl.open_results(tmp_path / kind, rank=0)) == parts(made[kind])
    sent = made["weights"].stream(tmp_path / "weights")
    net.run(30.0)
    assert type(npl.open_results(tmp_path / "weights")) is npl.results.WeightData and len(sent.load()) > 10
    with pytest.raises(npl.errors.BadParameter, match="rank = 3: must be from 0 to 0"):
        npl.open_results(tmp_path / "spikes", rank=3)
    with pytest.raises(npl.errors.BadFile, match="holds no results: what can be opened are spikes, trace, bins, synapses, weights"):
        npl.open_results(tmp_path)
    about = tmp_path / "spikes" / "rank-00000-of-00001.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"neuropil": "phases stream"}))
    with pytest.raises(npl.errors.BadFile, match="holds phases: what can be opened are"):
        npl.open_results(tmp_path / "spikes")


def test_what_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(npl.errors.BadParameter, match=r"run\.npc'.*\.npz, \.h5, \.parquet"):
        npl.open_results(tmp_path / "run.npc")
    with pytest.raises(npl.errors.BadType, match="path = 3"):
        npl.open_results(3)
    with pytest.raises(FileNotFoundError):
        npl.open_results(tmp_path / "none.npz")
    path = tmp_path / "phases.npz"
    files.write(path, files.Table("phases", {"time_ms": np.ones(2)}, np.empty((0, 3), np.int64), {}))
    with pytest.raises(npl.errors.BadFile, match=r"phases\.npz: holds phases: what can be opened are spikes, trace"):
        npl.open_results(path)
    np.savez(path, time_ms=np.ones(2))
    with pytest.raises(npl.errors.BadFile, match=r"phases\.npz: no \.npz file of neuropil"):
        npl.open_results(path)
    with pytest.raises(npl.errors.BadParameter, match="rank = 0: must be left out"):
        npl.open_results(path, rank=0)


@pytest.mark.parametrize(
    ("kind", "lost"), [("bins", "counts"), ("weights", "delays"), ("synapses", "weight"), ("trace", "V_m"), ("spikes", "gid")]
)
def test_inconsistent_files_are_refused(full, kind, lost, tmp_path):
    path = tmp_path / "results.npz"
    full[kind].save(path)
    with np.load(path) as found:
        arrays = dict(found.items())
    for changed in ({lost: arrays[lost][:-1]}, {name: array for name, array in arrays.items() if name != lost}):
        np.savez(path, **(arrays | changed if len(changed) == 1 else changed))
        with pytest.raises(npl.errors.BadFile, match=f"no consistent {full[kind]._KIND}"):
            npl.open_results(path)


def test_spikes_of_jobs_are_opened(full, tmp_path):
    """Jobs before files said what they are wrote stamps, gids and the ranges of populations."""
    spikes = full["spikes"].select(range(3, 21))
    arrays = {"stamps": spikes.steps, "gids": spikes.gids, "resolution": 0.1, "populations": ["E", "I"]}
    np.savez_compressed(tmp_path / "spikes.npz", **arrays, first_gid_and_count=np.array([[3, 10], [13, 8]]))
    for path in (tmp_path, tmp_path / "spikes.npz"):
        for found in (npl.open_results(path), npl.results.load_spikes(path)):
            for name in ("times", "gids", "steps", "watched"):
                assert np.array_equal(getattr(found, name), getattr(spikes, name)), name
            assert (found.resolution, found.seed, found.start, found.stop) == (0.1, None, 0.0, spikes.times[-1])


def test_pickles_of_earlier_synapse_traces(full):
    data = full["synapses_several"].copy()
    times, values, sources, targets, *rest = data.__reduce__()[1]
    assert parts(SynapseTraceData._made((times, values, sources, targets), *rest)) == parts(data)


def test_ranks_save_what_one_rank_saves(full, tmp_path):
    def program(comm):
        net, made = recorded(comm)
        net.run(100.0)
        for kind, record in made.items():
            record.save(tmp_path / f"{kind}.npz")
        return {kind: parts(record) for kind, record in made.items()}

    for found in on_ranks(2, program):
        if isinstance(found, BaseException):
            raise found
        for kind in DATA:
            assert found[kind] == parts(full[kind]) == parts(npl.open_results(tmp_path / f"{kind}.npz")), kind
