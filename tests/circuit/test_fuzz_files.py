# SPDX-License-Identifier: Apache-2.0
"""Files with flipped and missing bytes: a typed error, or a result of the right kind; never anything else."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from circuit import small
from neuropil import NeuropilError
from neuropil.circuit import BadFile, Connections, EdgeFile, NodeFile, read_config, read_morphology
from neuropil.circuit.morphologies import Morphology
from neuropil.circuit.morphology_files import write_h5

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ASC = '("CellBody" (CellBody) (1 0 0 0) (0 1 0 0) (-1 0 0 0))\n((Axon) (0 0 5 1) (0 0 10 1) ((3 0 12 1) (6 0 14 1) | (-3 0 12 1) (-6 0 14 1)))\n'

damage = st.lists(
    st.tuples(st.sampled_from(["flip", "cut", "drop", "repeat"]), st.floats(0.0, 1.0, exclude_max=True), st.integers(1, 255)),
    min_size=1,
    max_size=4,
)


def damaged(data: bytes, changes) -> bytes:
    hurt = bytearray(data)
    for kind, place, amount in changes:
        at = int(place * len(hurt))
        if not hurt:
            break
        if kind == "flip":
            hurt[at] ^= amount
        elif kind == "cut":
            del hurt[at:]
        elif kind == "drop":
            del hurt[at : at + amount]
        else:
            hurt[at:at] = hurt[at : at + amount]
    return bytes(hurt)


def assert_sound(m: Morphology) -> None:
    assert np.isfinite(m.points).all()
    assert (m.radii >= 0.0).all()
    assert m.begin[0] == 0
    assert m.begin[-1] == len(m.points) == len(m.radii)
    assert (np.diff(m.begin) >= 1).all()
    assert ((m.parent >= -1) & (m.parent < np.arange(m.n_sections))).all()


def read_all_of_a_morphology(path) -> None:
    try:
        assert_sound(read_morphology(path))
    except BadFile as error:
        assert path.name in str(error)


@QUICK
@given(damage)
def test_swc(tmp_path, changes):
    path = tmp_path / "a.swc"
    path.write_bytes(damaged((small.BALL + "6 3 9 60 0 0.4 5\n7 3 -9 60 0 0.4 5\n").encode(), changes))
    read_all_of_a_morphology(path)


@QUICK
@given(damage)
def test_asc(tmp_path, changes):
    path = tmp_path / "a.asc"
    path.write_bytes(damaged(ASC.encode(), changes))
    read_all_of_a_morphology(path)


@pytest.fixture(scope="module")
def h5_bytes(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("h5")
    (folder / "a.swc").write_text(small.BALL)
    write_h5(folder / "a.h5", read_morphology(folder / "a.swc"))
    return (folder / "a.h5").read_bytes()


@QUICK
@given(damage)
def test_h5(tmp_path, h5_bytes, changes):
    path = tmp_path / "a.h5"
    path.write_bytes(damaged(h5_bytes, changes))
    read_all_of_a_morphology(path)


@pytest.fixture(scope="module")
def node_bytes(tmp_path_factory) -> bytes:
    return small.write_nodes(tmp_path_factory.mktemp("nodes") / "nodes.h5", small.nodes(6)).read_bytes()


@QUICK
@given(damage)
@example([("flip", 0.4609375, 1)])  # a group that opens, but cannot be asked what is in it
def test_nodes(tmp_path, node_bytes, changes):
    config = small.circuit(tmp_path)
    (tmp_path / "nodes.h5").write_bytes(damaged(node_bytes, changes))
    try:
        file = NodeFile(read_config(config).population())
        cells = file.read(range(min(file.n, 1000)))
    except BadFile:
        return
    assert np.isfinite(cells.position).all()
    assert np.allclose(np.linalg.norm(cells.rotation, axis=1), 1.0)
    assert all(0 <= k < len(cells.morphologies) for k in cells.morphology)


@QUICK
@given(damage)
def test_configurations(tmp_path, changes):
    config = small.circuit(tmp_path, node_sets_file="sets.json")
    config.write_bytes(damaged(config.read_bytes(), changes))
    try:
        assert read_config(config).nodes
    except NeuropilError as error:
        assert isinstance(error, BadFile)


@QUICK
@given(damage)
def test_node_sets(tmp_path, changes):
    from neuropil.circuit.node_sets import select

    config = small.circuit(tmp_path)
    sets = tmp_path / "sets.json"
    sets.write_bytes(
        damaged(json.dumps({"A": {"node_id": [0, 1]}, "B": ["A"], "C": {"mtype": "L1_BALL", "x": {"$gt": 1}}}).encode(), changes)
    )
    for name in "ABC":
        with contextlib.suppress(NeuropilError):
            assert set(select(sets, name, read_config(config).population())) <= {0, 1}


@pytest.fixture(scope="module")
def edge_bytes(tmp_path_factory) -> bytes:
    pairs = small.random_pairs(np.random.default_rng(1), 60, 5, 5)
    return small.write_touches(tmp_path_factory.mktemp("edges") / "edges.h5", small.touches(pairs), 5).read_bytes()


@QUICK
@given(damage)
def test_edges(tmp_path, edge_bytes, changes):
    path = tmp_path / "edges.h5"
    path.write_bytes(damaged(edge_bytes, changes))
    try:
        file = EdgeFile(path)
        file.check_nodes(5, 5)
        connections = Connections(file)
        columns = file.read(file.names)
    except NeuropilError:
        return
    assert (connections.count > 0).all()
    assert connections.count.sum() == file.n
    assert {len(values) for values in columns.values()} <= {file.n}
