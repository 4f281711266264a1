# SPDX-License-Identifier: Apache-2.0
"""Edge files: bytes that depend on the touches alone, indices as libsonata writes them, readable by libsonata; what is wrong with broken ones."""

import itertools
import shutil
from pathlib import Path

import h5py
import libsonata
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit import small
from neuropil import _core
from neuropil.circuit import BadFile, Connections, DiskFull, EdgeFile, edge_writer, edges
from neuropil.circuit.columns import COLUMNS, ROW_BYTES, SOURCE, TARGET
from neuropil.circuit.edge_index import index_of
from neuropil.circuit.spool import connections_of
from neuropil.errors import UnknownName
from thread_ranks import on_ranks, the_same

POPULATION = "All__All__chemical"
INDICES = [
    f"indices/{name}/{part}" for name in ("source_to_target", "target_to_source") for part in ("node_id_to_ranges", "range_to_edge_id")
]


def edge_columns(path: Path, population: str = POPULATION) -> dict[str, np.ndarray]:
    with h5py.File(path) as file:
        group = file["edges"][population]
        return {name: (group if name in (SOURCE, TARGET) else group["0"])[name][:] for name in COLUMNS}


def assert_same_touches(found: dict, expected: dict) -> None:
    for name in COLUMNS:
        assert found[name].dtype == expected[name].dtype, name
        assert (found[name] == expected[name]).all(), name


@pytest.mark.parametrize("n", [0, 1, 700])
def test_what_is_written_is_read_by_us_and_by_libsonata(tmp_path, n):
    touches = small.touches(small.random_pairs(np.random.default_rng(n), n, 20, 30))
    path = small.write_touches(tmp_path / "edges.h5", touches, 30)
    assert_same_touches(edge_columns(path), touches)
    ours = EdgeFile(path)
    assert (ours.n, ours.source_population, ours.target_population) == (n, "All", "All")
    assert_same_touches(ours.read(list(COLUMNS)), touches)
    theirs = libsonata.EdgePopulation(str(path), "", POPULATION)
    assert (theirs.size, theirs.source, theirs.target) == (n, "All", "All")
    if not n:
        return
    assert theirs.attribute_names == set(COLUMNS) - {SOURCE, TARGET}
    every = theirs.select_all()
    for name in COLUMNS:
        if name not in (SOURCE, TARGET):
            assert (theirs.get_attribute(name, every) == touches[name]).all()
    source, target = touches[SOURCE], touches[TARGET]
    for node in range(30):
        assert theirs.efferent_edges(node).flatten().tolist() == np.flatnonzero(source == node).tolist()
        assert theirs.afferent_edges(node).flatten().tolist() == np.flatnonzero(target == node).tolist()
    pair = theirs.connecting_edges([int(source[-1])], [int(target[-1])]).flatten()
    assert pair.tolist() == np.flatnonzero((source == source[-1]) & (target == target[-1])).tolist()


def test_indices_are_those_of_libsonata(tmp_path):
    touches = small.touches(small.random_pairs(np.random.default_rng(1), 900, 25, 12))
    path = small.write_touches(tmp_path / "edges.h5", touches, 25)
    shutil.copy(path, tmp_path / "other.h5")
    with h5py.File(tmp_path / "other.h5", "r+") as file:
        del file[f"edges/{POPULATION}/indices"]
    libsonata.EdgePopulation.write_indices(str(tmp_path / "other.h5"), POPULATION, 25, 25)
    with h5py.File(path) as ours, h5py.File(tmp_path / "other.h5") as theirs:
        for name in INDICES:
            a, b = (file[f"edges/{POPULATION}/{name}"][:] for file in (ours, theirs))
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            assert (a == b).all(), name


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_bytes_do_not_depend_on_cuts(tmp_path_factory, data):
    n = data.draw(st.integers(0, 60))
    pairs = sorted(data.draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=n, max_size=n)))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=5)))
    folder, touches = tmp_path_factory.mktemp("cuts"), small.touches(pairs)
    whole = small.write_touches(folder / "a.h5", touches, 7).read_bytes()
    assert small.write_touches(folder / "b.h5", touches, 7, cuts).read_bytes() == whole


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_bytes_do_not_depend_on_ranks(tmp_path, ranks):
    touches = small.touches(small.random_pairs(np.random.default_rng(2), 500, 40, 40))
    cuts = [3, 77, 77, 200, 431]
    whole = small.write_touches(tmp_path / "one.h5", touches, 40).read_bytes()
    path = tmp_path / "many.h5"
    the_same(on_ranks(ranks, lambda comm: small.write_touches(path, touches, 40, cuts, comm)))
    assert path.read_bytes() == whole


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=80),
    st.lists(st.integers(0, 80), max_size=4),
    st.integers(0, 10),
    st.integers(0, 1),
)
def test_an_index_finds_the_edges_of_every_node(pairs, cuts, middle, column):
    pairs = sorted(pairs)
    touches = {SOURCE: np.array([a for a, _ in pairs], int), TARGET: np.array([b for _, b in pairs], int)}
    bounds = [0, *sorted(min(cut, len(pairs)) for cut in cuts), len(pairs)]
    parts = [connections_of({k: v[a:b] for k, v in touches.items()}) for a, b in itertools.pairwise(bounds)]
    for nodes in (range(middle), range(middle, 10)):
        index = index_of(parts, nodes, column)
        rows = index.rows(0).astype(int)
        assert len(rows) == len(nodes)
        for node, (first, last) in zip(nodes, rows, strict=True):
            edges = [edge for begin, end in index.ranges[first:last] for edge in range(begin, end)]
            assert edges == [k for k, pair in enumerate(pairs) if pair[column] == node]
            assert (index.ranges[first:last][1:, 0] > index.ranges[first:last][:-1, 1]).all()  # no two that touch


def test_connections_are_runs_of_pairs(tmp_path, monkeypatch):
    pairs = small.random_pairs(np.random.default_rng(3), 400, 9, 9)
    path = small.write_touches(tmp_path / "edges.h5", small.touches(pairs), 9)
    for block in (7, 1000):
        monkeypatch.setattr(EdgeFile.blocks, "__defaults__", (block, None))
        found = Connections(EdgeFile(path))
        assert list(zip(found.source.tolist(), found.target.tolist(), strict=True)) == sorted(set(pairs))
        assert found.count.tolist() == [pairs.count(pair) for pair in sorted(set(pairs))]
        assert found.first.tolist() == [pairs.index(pair) for pair in sorted(set(pairs))]


def test_full_disks_are_told_before_and_the_old_file_stays(tmp_path, monkeypatch):
    path = small.write_touches(tmp_path / "edges.h5", small.touches([(0, 1)]), 2)
    before = path.read_bytes()
    monkeypatch.setattr(edge_writer.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(0, 0, ROW_BYTES))
    with pytest.raises(DiskFull, match="needs"):
        small.write_touches(path, small.touches([(0, 1), (1, 0)]), 2)
    assert path.read_bytes() == before
    assert not path.with_name("edges.h5.part").exists()


def test_a_write_that_fails_on_one_rank_fails_on_all(tmp_path, monkeypatch):
    touches = small.touches([(0, 1), (1, 0), (1, 1)])

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(edge_writer, "_write_piece", full)
    results = on_ranks(3, lambda comm: small.write_touches(tmp_path / "edges.h5", touches, 2, [1, 2], comm))
    assert [type(result) for result in results] == [DiskFull] * 3
    assert not (tmp_path / "edges.h5").exists()


def broken(tmp_path, change) -> Path:
    path = small.write_touches(tmp_path / "edges.h5", small.touches(small.random_pairs(np.random.default_rng(4), 50, 5, 5)), 5)
    with h5py.File(path, "r+") as file:
        change(file[f"edges/{POPULATION}"], file)
    return path


def replace(group, name, values):
    del group[name]
    group[name] = values


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        (lambda g, f: f.pop("edges"), "/edges", "no edge population"),
        (lambda g, f: f.copy(g, "edges/Other"), "/edges", "name one"),
        (lambda g, f: g.pop(SOURCE), f"/edges/{POPULATION}/{SOURCE}", "is missing"),
        (lambda g, f: g.pop("0"), f"/edges/{POPULATION}/0", "is missing"),
        (lambda g, f: replace(g, "0", np.zeros(3)), f"/edges/{POPULATION}/0", "is missing"),
        (lambda g, f: replace(g, TARGET, np.zeros(3, int)), f"/edges/{POPULATION}/{TARGET}", "has 3 values"),
        (lambda g, f: replace(g, TARGET, np.zeros(50)), f"/edges/{POPULATION}/{TARGET}", "needs whole numbers"),
        (lambda g, f: replace(g["0"], "spine_length", np.zeros(51)), f"/edges/{POPULATION}/0/spine_length", "has 51 values"),
        (lambda g, f: replace(g, SOURCE, np.arange(50) - 1), f"/edges/{POPULATION}/{SOURCE}", "node id -1"),
        (lambda g, f: replace(g, SOURCE, np.repeat([1, 0], 25)), f"/edges/{POPULATION}", "not sorted"),
        (lambda g, f: replace(g, TARGET, np.full(50, 5)), f"/edges/{POPULATION}/{TARGET}", "node id 5, there are 5 nodes"),
        (lambda g, f: replace(g, TARGET, np.full(50, 2**64 - 1, np.uint64)), f"/edges/{POPULATION}/{TARGET}", "there are 5 nodes"),
    ],
)
def test_broken_edge_files_are_told(tmp_path, change, place, problem):
    path = broken(tmp_path, change)
    with pytest.raises(BadFile) as error:
        file = EdgeFile(path)
        file.check_nodes(5, 5)
        Connections(file)
    assert error.value.file == str(path)
    assert place in str(error.value)
    assert problem in str(error.value)


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("gap", [0, 3, 1 << 12])
def test_touches_onto_some_nodes_are_found_by_the_index_and_without_it(tmp_path, monkeypatch, index, gap):
    dice = np.random.default_rng(2)
    rows = small.random_pairs(dice, 700, 40, 40)
    path = small.write_touches(tmp_path / "edges.h5", small.touches(rows), 40)
    if not index:
        with h5py.File(path, "r+") as file:
            del file[f"edges/{POPULATION}/indices"]
    monkeypatch.setattr(edges, "_GAP", gap)
    monkeypatch.setattr(edges, "_BLOCK", 100)
    file, of = EdgeFile(path), edge_columns(path)
    for chosen in ([7], [0, 39], range(0, 40, 3), range(40), []):
        mine = np.isin(np.arange(40), chosen)
        blocks = list(file.onto(mine, (SOURCE, "efferent_distance_soma")))
        expected = mine[of[TARGET]]
        for name in (SOURCE, "efferent_distance_soma"):
            found = np.concatenate([np.empty(0), *(block[name] for block in blocks)])
            assert (found == of[name][expected]).all()
            assert len(found) == expected.sum()


def test_what_lies_between_the_touches_of_a_node_is_not_read(tmp_path, monkeypatch):
    rows = [(source, target) for source in range(50) for target in range(40)]
    file = EdgeFile(small.write_touches(tmp_path / "edges.h5", small.touches(rows), 50))
    monkeypatch.setattr(edges, "_GAP", 0)
    read = []
    original = EdgeFile.read
    monkeypatch.setattr(
        EdgeFile, "read", lambda self, names, begin=0, end=None: read.append(end - begin) or original(self, names, begin, end)
    )
    assert sum(len(block[SOURCE]) for block in file.onto(np.arange(50) == 7, (SOURCE,))) == 50
    assert sum(read) == 50


@pytest.mark.parametrize("k", [0, 28, 29, 30, 58])
def test_the_order_is_checked_part_by_part(tmp_path, k):
    rows = [divmod(n, 8) for n in range(60)]
    rows[k], rows[k + 1] = rows[k + 1], rows[k]
    path = small.write_touches(tmp_path / "edges.h5", small.touches([divmod(n, 8) for n in range(60)]), 8)
    with h5py.File(path, "r+") as file:
        for name, column in zip((SOURCE, TARGET), zip(*rows, strict=True), strict=True):
            file[f"edges/{POPULATION}/{name}"][:] = column
    told = []
    for part in (range(30), range(30, 60), range(0)):
        try:
            EdgeFile(path).check_order(part)
        except BadFile as error:
            told.append(str(error))
    assert len(told) == 1
    assert told[0].endswith(f"is not sorted by source and target: touch {k + 1}")


def test_populations_are_chosen_by_name(tmp_path):
    path = small.write_touches(tmp_path / "edges.h5", small.touches([(0, 1)]), 2)
    assert EdgeFile(path, POPULATION).n == 1
    with pytest.raises(UnknownName, match="Al__All"):
        EdgeFile(path, "Al__All")
    with pytest.raises(BadFile, match="no such file"):
        EdgeFile(tmp_path / "none.h5")


def test_the_kernel_gathers_bytes():
    found = on_ranks(3, lambda comm: _core.gather_bytes(comm, bytes([comm.rank]) * (comm.rank * 2)))
    assert the_same(found) == [b"", b"\1\1", b"\2\2\2\2"]
