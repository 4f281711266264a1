# SPDX-License-Identifier: Apache-2.0
"""Results in files come back bit for bit; what is no such file, or only a part of one, is an error that says so."""

import copy
import json
import pickle
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuropil as npl
from neuropil.results import files
from same_results import same_spikes, same_trace, same_weights
from thread_ranks import on_ranks

ENDINGS = [".npz", ".h5", ".parquet"]


@pytest.fixture(scope="module")
def ran():
    """(network, spikes on and off the grid, trace, weights)."""
    net = npl.Network(resolution=0.1, seed=11, threads=2)
    cells = net.create("iaf_psc_exp", 30, I_e=npl.uniform(300.0, 600.0))
    precise = net.create("iaf_psc_exp_ps", 10, I_e=npl.uniform(400.0, 600.0))
    weights = net.record_weights()
    net.connect(cells, cells, npl.fixed_indegree(3), weight=20.0, delay=1.5, synapse="tsodyks2_synapse", weight_recorder=weights)
    spikes, trace = net.record(precise[::-1] + cells[::3]), net.record(cells[[5, 1, 2]], ["V_m", "I_syn_ex"], interval=0.5)
    net.run(100.0)
    assert spikes.off_grid and len(spikes) > 20 and len(weights) > 20
    return net, spikes, trace, weights


@pytest.mark.parametrize("ending", ENDINGS)
def test_all_of_it_comes_back(ran, ending, tmp_path):
    _, spikes, trace, weights = ran
    spikes.save(tmp_path / f"s{ending}")
    same_spikes(npl.results.load_spikes(tmp_path / f"s{ending}"), spikes)
    trace.save(str(tmp_path / f"t{ending}"))
    same_trace(npl.results.load_trace(str(tmp_path / f"t{ending}")), trace)
    weights.save(tmp_path / f"w{ending}")
    same_weights(npl.results.load_weights(tmp_path / f"w{ending}"), weights)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{kind}{ending}" for kind in "stw")


times = st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 50)), max_size=40)


@given(
    times,
    st.sampled_from(ENDINGS),
    st.sampled_from([None, 0.1, 0.3, 0.125]),
    st.none() | st.integers(0, 2**63 - 1),
    st.permutations(range(1, 51)),
)
def test_any_spikes_come_back(tmp_path_factory, pairs, ending, resolution, seed, nodes):
    steps, gids = (np.array(x, np.int64) for x in zip(*pairs, strict=True)) if pairs else (np.empty(0, np.int64),) * 2
    spikes = npl.results.Spikes(steps * (resolution or 0.1), gids, nodes, 0.0, 1e6, resolution=resolution, seed=seed)
    path = tmp_path_factory.mktemp("any") / f"spikes{ending}"
    spikes.save(path)
    same_spikes(npl.results.load_spikes(path), spikes)


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_comes_back_as_nothing(net, ending, tmp_path):
    a = net.create("iaf_psc_exp", 3)
    spikes, trace, weights = net.record(a), net.record(a, "V_m"), net.record_weights()
    net.connect(a, a, weight_recorder=weights)
    for kind, data, load, same in (
        ("s", spikes, npl.results.load_spikes, same_spikes),
        ("t", trace, npl.results.load_trace, same_trace),
        ("w", weights, npl.results.load_weights, same_weights),
    ):
        data.save(tmp_path / f"{kind}{ending}")
        same(load(tmp_path / f"{kind}{ending}"), data)


def test_files_are_plain(ran, tmp_path):
    """What other programs see."""
    h5py, pandas = pytest.importorskip("h5py"), pytest.importorskip("pandas")
    _, spikes, trace, _ = ran
    for name, data in (("s", spikes), ("t", trace)):
        for ending in ENDINGS:
            data.save(tmp_path / f"{name}{ending}")
    with np.load(tmp_path / "s.npz") as found:
        assert np.array_equal(found["time_ms"], spikes.times) and np.array_equal(found["gid"], spikes.gids)
    with h5py.File(tmp_path / "t.h5") as found:
        assert np.array_equal(found["V_m"], trace["V_m"])
        assert json.loads(found.attrs["about"])["units"] == {"V_m": "mV", "I_syn_ex": "pA"}
    table = pandas.read_parquet(tmp_path / "t.parquet")
    assert np.array_equal(table[f"I_syn_ex[{trace.watched[1]}]"], trace["I_syn_ex"][:, 1])
    assert np.array_equal(pandas.read_parquet(tmp_path / "s.parquet").gid, spikes.gids)


def test_unknown_endings(ran, tmp_path):
    for name in ("spikes.csv", "spikes", "spikes.npz.old"):
        with pytest.raises(npl.errors.BadParameter, match=r"\.npz, \.h5, \.parquet"):
            ran[1].save(tmp_path / name)
        (tmp_path / name).write_text("1.0 3")
        with pytest.raises(npl.errors.BadParameter, match=r"\.npz, \.h5, \.parquet"):
            npl.results.load_spikes(tmp_path / name)


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_of_a_file_and_others_are_refused(ran, ending, tmp_path):
    path = tmp_path / f"spikes{ending}"
    ran[1].save(path)
    whole = path.read_bytes()
    for content in (
        b"",
        whole[:10],
        whole[: len(whole) // 2],
        whole[:-20],
        b"something else altogether",
        np.random.default_rng(1).bytes(1000),
    ):
        path.write_bytes(content)
        with pytest.raises(npl.errors.BadFile, match=f"spikes{ending}: no {ending} file of neuropil, or broken: .") as caught:
            npl.results.load_spikes(path)
        assert caught.value.file == str(path)
    ran[2].save(path)
    with pytest.raises(npl.errors.BadFile, match="holds trace, not spikes"):
        npl.results.load_spikes(path)
    with pytest.raises(npl.errors.BadFile, match="holds trace, not weights"):
        npl.results.load_weights(path)
    with pytest.raises(FileNotFoundError):
        npl.results.load_spikes(tmp_path / f"none{ending}")
    with pytest.raises(npl.errors.BadParameter, match="rank = 0: must be left out"):
        npl.results.load_trace(path, rank=0)


@pytest.mark.parametrize("ending", ENDINGS)
def test_changed_bytes_are_noticed_or_change_nothing(ran, ending, tmp_path):
    path = tmp_path / f"spikes{ending}"
    rng = np.random.default_rng(2)
    spikes = npl.results.Spikes(np.sort(rng.uniform(0.0, 1.0, 500)), rng.integers(1, 9, 500))
    spikes.save(path)
    whole = path.read_bytes()
    for at in rng.integers(0, len(whole), 60):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        try:
            found = npl.results.load_spikes(path)
        except npl.errors.BadFile:
            continue
        assert found.times.tobytes() == spikes.times.tobytes() and found.gids.tobytes() == spikes.gids.tobytes()


@pytest.mark.parametrize("ending", ENDINGS)
def test_foreign_files_of_the_same_format(ending, tmp_path):
    path = tmp_path / f"other{ending}"
    if ending == ".npz":
        np.savez(path, time_ms=np.ones(3))
    elif ending == ".h5":
        with pytest.importorskip("h5py").File(path, "w") as file:
            file["time_ms"] = np.ones(3)
    else:
        pytest.importorskip("pandas").DataFrame({"time_ms": [1.0]}).to_parquet(path)
    with pytest.raises(npl.errors.BadFile, match=r"no .* file of neuropil"):
        npl.results.load_spikes(path)


def test_inconsistent_content_and_other_versions(tmp_path):
    path = tmp_path / "s.npz"
    about = {"start_ms": 0.0, "stop_ms": 5.0, "resolution_ms": None, "seed": None}
    columns = {"time_ms": np.array([1.0]), "gid": np.array([7])}
    files.write(path, files.Table("spikes", columns, np.array([[1, 3, 1]]), about))
    with pytest.raises(npl.errors.BadFile, match=r"s\.npz: no consistent spikes: gids = 7"):
        npl.results.load_spikes(path)
    files.write(path, files.Table("spikes", columns, np.array([[1, 9, 1]]), about | {"version": 2}))
    with pytest.raises(npl.errors.BadFile, match="version 2"):
        npl.results.load_spikes(path)


@pytest.mark.parametrize(("ending", "package"), [(".h5", "h5py"), (".parquet", "pyarrow")])
def test_a_missing_library_is_named_with_its_extra(ran, ending, package, tmp_path, monkeypatch):
    path = tmp_path / f"s{ending}"
    ran[1].save(path)
    before = path.read_bytes()
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    for call in (lambda: ran[1].save(path), lambda: npl.results.load_spikes(path)):
        with pytest.raises(npl.errors.MissingLibrary, match=rf'{package}.*pip install "neuropil\[results\]"') as caught:
            call()
        assert (caught.value.library, caught.value.extra) == (package, "results")
        assert isinstance(caught.value, ImportError)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def test_a_failed_write_leaves_what_was_there(ran, tmp_path, monkeypatch):
    path = tmp_path / "s.npz"
    ran[1].save(path)
    before = path.read_bytes()

    def full(stream, table, about):
        stream.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "_write_npz", full)
    with pytest.raises(OSError, match="No space left"):
        ran[1].save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["s.npz"]


def test_pickles_and_copies_are_data(ran):
    net, spikes, trace, weights = ran
    for made in (lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy, lambda x: x.copy()):
        for data, kind, same in (
            (spikes, npl.results.Spikes, same_spikes),
            (trace, npl.results.TraceData, same_trace),
            (weights, npl.results.WeightData, same_weights),
        ):
            found = made(data)
            assert type(found) is kind
            same(found, data)
            same(made(found), data)
    kept, n = spikes.copy(), len(spikes)
    net.run(20.0)
    assert len(kept) == n < len(spikes)


def test_rank_0_writes_what_all_read(tmp_path):
    def program(comm):
        net = npl.Network(0.1, seed=3, threads=1, ranks=comm)
        cells = net.create("iaf_psc_exp", 20, I_e=500.0, V_m=npl.uniform(-70.0, -56.0))
        spikes, trace = net.record(cells), net.record(cells, "V_m")
        net.run(50.0)
        spikes.save(tmp_path / "s.npz")
        trace.save(tmp_path / "t.npz")
        part = spikes.view(gather=False)
        part.save(tmp_path / f"s{net.rank}.npz")
        same_spikes(npl.results.load_spikes(tmp_path / f"s{net.rank}.npz"), part)
        return spikes.copy(), trace.copy()

    for found in on_ranks(3, program):
        if isinstance(found, BaseException):
            raise found
        same_spikes(npl.results.load_spikes(tmp_path / "s.npz"), found[0])
        same_trace(npl.results.load_trace(tmp_path / "t.npz"), found[1])
