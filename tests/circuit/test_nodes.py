# SPDX-License-Identifier: Apache-2.0
"""Node files: what is read, and what is wrong with broken ones."""

import json

import h5py
import numpy as np
import pytest

from circuit import small
from neuropil.circuit import BadFile, NodeFile, Selection, read_config
from neuropil.circuit.notes import Notes
from neuropil.errors import BadParameter, BadType, UnknownName


def opened(tmp_path, columns=None, strict=False) -> NodeFile:
    return NodeFile(read_config(small.circuit(tmp_path, columns)).population(), Notes(strict))


def test_parts_are_read(tmp_path):
    names = ["a", "b", "a", "c"]
    file = opened(tmp_path, small.nodes(4, morphology=names, mtype=["M1", "M2", "M1", "M1"]))
    assert (file.n, file.mtypes) == (4, ("M1", "M2"))
    cells = file.read(range(1, 4))
    assert cells.gid.tolist() == [1, 2, 3]
    assert cells.position[:, 0].tolist() == [10.0, 20.0, 30.0]
    assert [cells.morphologies[k] for k in cells.morphology] == names[1:]
    assert [cells.mtypes[k] for k in cells.mtype] == ["M2", "M1", "M1"]
    some = file.read(np.array([0, 3]))
    assert some.gid.tolist() == [0, 3]
    assert some.morphologies == ("a", "c")
    assert len(file.read(range(2, 2))) == 0
    assert file.positions().tolist() == [[0, 0, 0], [10, 0, 0], [20, 0, 0], [30, 0, 0]]


def test_libraries_of_names(tmp_path):
    columns = small.nodes(3, morphology=None, mtype=None)
    config = small.circuit(tmp_path, columns | {"morphology": np.array([2, 0, 2]), "mtype": np.array([1, 1, 0])})
    with h5py.File(tmp_path / "nodes.h5", "r+") as handle:
        handle["nodes/All/0/@library/morphology"] = np.array(["a", "b", "c"], h5py.string_dtype())
        handle["nodes/All/0/@library/mtype"] = np.array(["M1", "M2", "M3"], h5py.string_dtype())
    file = NodeFile(read_config(config).population())
    assert file.mtypes == ("M1", "M2", "M3")
    cells = file.read(range(3))
    assert cells.morphologies == ("a", "c")  # only those that are used
    assert cells.morphology.tolist() == [1, 0, 1]
    assert file.of_mtypes(["M2"]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("changes", "place", "problem"),
    [
        ({"x": None}, "/nodes/All/0/x", "is missing"),
        ({"morphology": None}, "/nodes/All/0/morphology", "is missing"),
        ({"orientation_x": None}, "/nodes/All/0/orientation_x", "is missing"),
        ({"y": np.zeros(3)}, "/nodes/All/0/y", "has 3 values, x has 2"),
        ({"mtype": ["a"] * 5}, "/nodes/All/0/mtype", "has 5 values"),
        ({"z": np.array([0.0, np.nan])}, "/nodes/All/0/z", "node 1 is at nan"),
        ({"x": np.array([np.inf, 0.0])}, "/nodes/All/0/x", "node 0 is at inf"),
        ({"orientation_w": np.zeros(2)}, "/nodes/All/0/orientation_w", "node 0 has the quaternion"),
        ({"orientation_y": np.array([0.0, np.nan])}, "/nodes/All/0/orientation_w", "node 1 has the quaternion"),
        ({"x": np.zeros((2, 2))}, "/nodes/All/0/x", "needs 1 dimension"),
        ({"x": ["a", "b"]}, "/nodes/All/0/x", "needs numbers"),
        ({"morphology": np.zeros(2)}, "/nodes/All/0/morphology", "needs"),
        ({"morphology": np.array([0, 1])}, "/nodes/All/0/morphology", "@library has no names"),
    ],
)
def test_broken_columns_are_told(tmp_path, changes, place, problem):
    with pytest.raises(BadFile) as error:
        opened(tmp_path, small.nodes(2, **changes)).read(range(2))
    assert error.value.place == place
    assert error.value.file == str(tmp_path / "nodes.h5")
    assert problem in str(error.value)


def test_numbers_outside_of_the_library_are_told(tmp_path):
    config = small.circuit(tmp_path, small.nodes(2, morphology=np.array([0, 7])))
    with h5py.File(tmp_path / "nodes.h5", "r+") as handle:
        handle["nodes/All/0/@library/morphology"] = np.array(["a"], h5py.string_dtype())
    with pytest.raises(BadFile, match="has number 7, @library has 1 names"):
        NodeFile(read_config(config).population()).read(range(2))


def test_empty_populations_and_wrong_names_are_told(tmp_path):
    with pytest.raises(BadFile, match="the population is empty"):
        opened(tmp_path / "a", {"x": np.empty(0), "y": np.empty(0), "z": np.empty(0), "morphology": np.array([], h5py.string_dtype())})
    small.circuit(tmp_path / "b")
    small.write_nodes(tmp_path / "b" / "nodes.h5", small.nodes(), "Other")
    with pytest.raises(BadFile, match="/nodes/All: is missing; the file has Other"):
        NodeFile(read_config(tmp_path / "b").population())
    (tmp_path / "b" / "nodes.h5").write_bytes(b"not HDF5")
    with pytest.raises(BadFile, match="cannot be read"):
        NodeFile(read_config(tmp_path / "b").population())
    (tmp_path / "b" / "nodes.h5").unlink()
    with pytest.raises(BadFile, match="no such file"):
        NodeFile(read_config(tmp_path / "b").population())


def test_quaternions_are_normalised_and_noted(tmp_path):
    changes = {"orientation_w": np.array([2.0, 1.0]), "orientation_y": np.array([0.0, 0.0])}
    file = opened(tmp_path, small.nodes(2, **changes))
    assert file.read(range(2)).rotation.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0]]
    for part in (range(1), range(1, 2), range(1)):  # what is checked twice counts once
        file.check(part)
    assert file.notes.lines() == ["1 quaternions that are not of length 1 (normalised) in nodes.h5, /nodes/All/0/orientation_w, node 0"]
    with pytest.raises(BadFile, match="strict"):
        opened(tmp_path, small.nodes(2, **changes), strict=True).check(range(2))


def test_without_orientation_nothing_is_rotated(tmp_path):
    file = opened(tmp_path, small.nodes(2, **dict.fromkeys([f"orientation_{axis}" for axis in "wxyz"])))
    assert file.read(range(2)).rotation.tolist() == [[1, 0, 0, 0]] * 2
    file.check(range(2))
    assert "2 cells without orientation" in file.notes.lines()[0]


def test_selections(tmp_path):
    sets = {"Two": {"node_id": [1, 2]}, "M": {"mtype": "M2"}, "Both": ["Two", "M"]}
    (tmp_path / "sets.json").write_text(json.dumps(sets))
    config = read_config(small.circuit(tmp_path, small.nodes(4, mtype=["M1", "M2", "M1", "M2"]), node_sets_file="sets.json"))
    file = NodeFile(config.population())

    def chosen(**wanted):
        return list(Selection(**wanted).of(file, config.node_sets, "pre").ids)

    assert chosen() == [0, 1, 2, 3]
    assert chosen(node_set="Two") == [1, 2]
    assert chosen(node_set="Both") == [1, 2, 3]
    assert chosen(mtypes=["M2"], ids=[3, 0]) == [3]
    assert chosen(ids=[2, 1, 2]) == [1, 2]
    for wanted, kind in (
        ({"node_set": "None"}, UnknownName),
        ({"mtypes": ["M3"]}, UnknownName),
        ({"ids": [4]}, BadParameter),
        ({"ids": [-1]}, BadParameter),
        ({"ids": ["a"]}, BadType),
        ({"ids": [0], "mtypes": ["M2"]}, BadParameter),
    ):
        with pytest.raises(kind):
            chosen(**wanted)
    with pytest.raises(BadFile, match="node_sets_file"):
        Selection(node_set="Two").of(file, None, "pre")
    (tmp_path / "sets.json").write_text('{"a": \n')
    with pytest.raises(BadFile, match="line 2"):
        chosen(node_set="a")
