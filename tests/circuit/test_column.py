# SPDX-License-Identifier: Apache-2.0
"""The synthetic column: seeded, in its layers, with trees that are trees."""

import numpy as np
import pytest

from neuropil.circuit import NodeFile, grow_column, read_config, read_morphology
from neuropil.circuit.column import LAYERS, MTYPES
from neuropil.circuit.growth import Arbor, grow
from neuropil.circuit.morphologies import APICAL, AXON, BASAL
from neuropil.errors import BadParameter, BadType, UnknownName


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.suffix in {".swc", ".json"}}


def test_the_same_seed_grows_the_same_column(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        grow_column(tmp_path / name, 12, seed=seed, shapes=1, format="swc")
    a, b, c = (contents(tmp_path / name) for name in "abc")
    assert a == b
    assert a != c
    tables = [NodeFile(read_config(tmp_path / name).population()).read(range(12)) for name in "abc"]
    assert (tables[0].position == tables[1].position).all()
    assert not (tables[0].position == tables[2].position).any(axis=1).all()


def test_cells_are_in_their_layers(column):
    file = NodeFile(read_config(column).population())
    cells = file.read(range(file.n))
    assert len(cells) == 60
    shares = np.bincount(cells.mtype, minlength=len(MTYPES)) / 60
    assert np.abs(shares - [m.share for m in MTYPES]).max() < 1 / 60 + 1e-9
    for k, mtype in enumerate(MTYPES):
        bottom, top = LAYERS[mtype.layer]
        y = cells.position[cells.mtype == k, 1]
        assert ((y >= bottom) & (y <= top)).all()
    classes, names = file.labels("synapse_class")
    assert [names[k] for k in classes] == ["EXC" if MTYPES[m].excites else "INH" for m in cells.mtype]
    assert file.of_node_set(read_config(column).node_sets, "Layer4").tolist() == file.of_mtypes(["L4_SS", "L4_BC"]).tolist()


def test_morphologies_are_trees_with_stated_lengths(column):
    for path in column.parent.glob("morphologies/*.h5"):
        m = read_morphology(path)
        assert (m.parent < np.arange(m.n_sections)).all()
        assert (np.diff(m.kind.astype(int)) >= 0).all()
        child = np.flatnonzero(m.parent >= 0)
        assert (m.points[m.begin[child]] == m.points[m.begin[m.parent[child] + 1] - 1]).all()
        assert np.bincount(m.parent[child], minlength=m.n_sections)[np.unique(m.parent[child])].tolist() == [2] * len(
            np.unique(m.parent[child])
        )
        assert (m.segment_lengths() > 0.5).all()
        assert 1000.0 < m.section_lengths()[m.kind == AXON].sum() < 50_000.0


def test_growth_follows_its_parameters():
    still = [
        Arbor(AXON, 2, 50.0, 0, step=5.0),
        Arbor(APICAL, 1, 100.0, 3, 1.0, (0.0, 1.0, 0.0), 0.05, 0.01, 0.1),
        Arbor(BASAL, 3, 20.0, 1, 1.0),
    ]
    m = grow(still, seed=5, stream=7)
    assert [int((m.kind == kind).sum()) for kind in (AXON, BASAL, APICAL)] == [2, 9, 15]
    assert m.points[:, 1].max() > 150.0  # the apical tree climbs
    lengths = m.section_lengths()
    assert ((lengths[m.kind == AXON] >= 25.0) & (lengths[m.kind == AXON] <= 75.0)).all()
    assert np.linalg.norm(m.points[m.begin[:-1][m.parent < 0]], axis=1) == pytest.approx(7.0)
    other = grow(still, seed=5, stream=8)
    assert other.points.shape != m.points.shape or not np.allclose(other.points, m.points)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"cells": 0}, BadParameter),
        ({"cells": 1.5}, BadType),
        ({"shapes": 0}, BadParameter),
        ({"seed": -1}, BadParameter),
        ({"format": "xml"}, UnknownName),
    ],
)
def test_bad_parameters_are_told_before_anything_is_written(tmp_path, given, kind):
    with pytest.raises(kind):
        grow_column(tmp_path / "x", **given)
    assert not (tmp_path / "x").exists()
