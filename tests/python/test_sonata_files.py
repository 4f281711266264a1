# SPDX-License-Identifier: Apache-2.0
"""Files of SONATA networks of point neurons: what is read is what was written."""

import json

import numpy as np
import pytest

from neuropil.engine import sonata

h5py = pytest.importorskip("h5py")


def test_variables_and_paths_of_a_configuration(tmp_path):
    given = {
        "manifest": {"$BASE": "net", "$MODELS": "$BASE/models", "$FAR": "/far"},
        "components": {"models": "$MODELS", "others": "${configdir}/others"},
        "networks": {"nodes": [{"nodes_file": "./nodes.h5", "node_types_file": "types.csv", "far": "$FAR/x"}]},
        "run": {"dt": 0.1, "name": "plain"},
    }
    (tmp_path / "c.json").write_text(json.dumps(given))
    found = sonata.read_config(tmp_path / "c.json")
    assert found["components"] == {"models": str(tmp_path / "net/models"), "others": str(tmp_path / "others")}
    files = {"nodes_file": str(tmp_path / "nodes.h5"), "node_types_file": str(tmp_path / "types.csv"), "far": "/far/x"}
    assert found["networks"]["nodes"] == [files]
    assert found["run"] == {"dt": 0.1, "name": "plain"}
    with pytest.raises(TypeError, match="path"):
        sonata.read_config(3)


def test_tables_of_types(tmp_path):
    (tmp_path / "t.csv").write_text("node_type_id model weight\n1 'iaf' 2.5\n\n2 NULL nan\n")
    assert sonata.read_types(str(tmp_path / "t.csv"), "node_type_id") == {
        1: {"node_type_id": "1", "model": "iaf", "weight": "2.5"},
        2: {"node_type_id": "2"},
    }
    assert sonata.read_types(None, "node_type_id") == {}


@pytest.mark.parametrize("part", [slice(0, 10), slice(2, 7), slice(9, 10)])
def test_values_of_edges(tmp_path, part):
    which, index = np.array([0, 1, 0, 0, 1, 2, 2, 0, 1, 0]), np.array([4, 0, 3, 0, 1, 0, 1, 1, 2, 2])
    values = {0: np.arange(5) + 0.5, 1: np.arange(3) + 10.5}
    with h5py.File(tmp_path / "e.h5", "w") as file:
        file["edge_group_id"], file["edge_group_index"] = which, index
        for k, column in values.items():
            file[f"{k}/delay"] = column
        file.create_group("2")
    expected = [values[w][i] if w in values else np.nan for w, i in zip(which, index, strict=True)]
    with sonata.opened(str(tmp_path / "e.h5")) as file:
        np.testing.assert_array_equal(sonata.edge_values(file, "delay", part), expected[part])
        assert sonata.edge_values(file, "syn_weight", part) is None
    with pytest.raises(FileNotFoundError, match="no such file"):
        sonata.opened(str(tmp_path / "other.h5"))


def test_spikes_are_by_node_and_time(tmp_path):
    with h5py.File(tmp_path / "s.h5", "w") as file:
        file["spikes/in/node_ids"], file["spikes/in/timestamps"] = [2, 0, 2, 1], [3.0, 5.0, 1.0, 0.5]
    ids, times = sonata.read_spikes(str(tmp_path / "s.h5"), "in")
    assert (ids.tolist(), times.tolist()) == ([0, 1, 2, 2], [5.0, 0.5, 1.0, 3.0])
    assert [sonata.population_of(entry) for entry in ({}, {"node_set": "a"}, {"node_set": {"population": "b"}})] == [None, "a", "b"]
