# SPDX-License-Identifier: Apache-2.0
"""Circuit configurations: variables, folders, and what is wrong with broken ones."""

import json
from pathlib import Path

import pytest

from circuit import small
from neuropil.circuit import BadFile, read_config
from neuropil.errors import UnknownName

GOOD = {"networks": {"nodes": [{"nodes_file": "nodes.h5", "populations": {"All": {"morphologies_dir": "m"}}}]}}


def written(folder: Path, data) -> Path:
    path = folder / "circuit_config.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_variables_and_formats(tmp_path):
    config = {
        "manifest": {"$BASE": "./data", "$NET": "$BASE/net"},
        "components": {"morphologies_dir": "$BASE/swc"},
        "node_sets_file": "${BASE}/sets.json",
        "networks": {
            "nodes": [
                {
                    "nodes_file": "$NET/nodes.h5",
                    "populations": {"A": {}, "B": {"alternate_morphologies": {"h5v1": "$NET/h5", "neurolucida-asc": "asc"}}},
                }
            ],
            "edges": [{"edges_file": "$NET/edges.h5", "populations": {"A__A__chemical": {}}}],
        },
    }
    found = read_config(written(tmp_path, config))
    assert found.population("A").file == tmp_path / "data/net/nodes.h5"
    assert found.population("A").morphologies == {".swc": tmp_path / "data/swc"}
    both = found.population("B").morphologies
    assert both == {".swc": tmp_path / "data/swc", ".h5": tmp_path / "data/net/h5", ".asc": tmp_path / "asc"}
    assert found.edges == {"A__A__chemical": tmp_path / "data/net/edges.h5"}
    assert found.node_sets == tmp_path / "data/sets.json"
    with pytest.raises(BadFile, match="several populations"):
        found.population()
    with pytest.raises(UnknownName, match="'C'"):
        found.population("C")


def test_a_folder_is_its_configuration(tmp_path):
    path = small.circuit(tmp_path)
    assert read_config(tmp_path) == read_config(path)


def test_populations_may_be_left_out(tmp_path):
    small.write_nodes(tmp_path / "nodes.h5", small.nodes(), "X")
    found = read_config(written(tmp_path, {"components": {"morphologies_dir": "m"}, "networks": {"nodes": [{"nodes_file": "nodes.h5"}]}}))
    assert list(found.nodes) == ["X"]


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ('{\n"networks": {\n', "line 3"),
        ("[]", "JSON object"),
        ({}, "networks"),
        ({"networks": {}}, "networks/nodes"),
        ({"networks": {"nodes": {}}}, "networks/nodes"),
        ({"networks": {"nodes": []}}, "networks/nodes"),
        ({"networks": {"nodes": [3]}}, "networks/nodes[0]"),
        ({"networks": {"nodes": [{}]}}, "networks/nodes[0]/nodes_file"),
        ({"networks": {"nodes": [{"nodes_file": "n.h5", "populations": {"All": 3}}]}}, "populations/All"),
        ({"networks": {"nodes": [{"nodes_file": "n.h5", "populations": {"All": {"morphologies_dir": 3}}}]}}, "is no path"),
        ({"networks": {"nodes": [{"nodes_file": "n.h5", "populations": {"All": {"alternate_morphologies": []}}}]}} | {}, None),
        (GOOD | {"manifest": {"$A": "$A/b"}, "node_sets_file": "$A"}, "manifest"),
    ],
)
def test_broken_configurations_are_told(tmp_path, data, place):
    path = written(tmp_path, data)
    if place is None:
        assert read_config(path).population().morphologies == {}
        return
    with pytest.raises(BadFile) as error:
        read_config(path)
    assert str(path) in str(error.value)
    assert place in str(error.value)


def test_a_missing_configuration_is_told(tmp_path):
    with pytest.raises(BadFile, match="No such file"):
        read_config(tmp_path / "none.json")
    with pytest.raises(BadFile, match="is not JSON"):
        (tmp_path / "x.json").write_bytes(b"\xff\xfe\x00")
        read_config(tmp_path / "x.json")
