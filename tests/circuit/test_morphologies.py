# SPDX-License-Identifier: Apache-2.0
"""Morphologies of three formats: the same as morphio reads, and what is wrong with broken ones."""

from pathlib import Path

import h5py
import morphio
import numpy as np
import pytest

from circuit.small import BALL
from neuropil.circuit import BadFile, read_config, read_morphology
from neuropil.circuit.morphologies import AXON, BASAL, Morphology, Shelf, find_file, tables
from neuropil.circuit.morphology_files import write_h5, write_swc
from neuropil.circuit.notes import Notes

ASC = """("CellBody" (Color Red) (CellBody) (1 0 0 0) (0 1 0 0) (-1 0 0 0) (0 -1 0 0))
((Color Cyan) (Axon) (0 0 5 1) (0 0 10 1) ((3 0 12 1) (6 0 14 1) | (-3 0 12 1) (-6 0 14 1)))
((Color Red) (Dendrite) (0 5 0 2) (0 10 0 2))
"""


def assert_as_morphio(path: Path, tolerance: float = 1e-3) -> None:
    ours, theirs = read_morphology(path), morphio.Morphology(str(path))
    assert np.allclose(ours.points, theirs.points, atol=tolerance)
    assert np.allclose(2.0 * ours.radii, theirs.diameters, atol=tolerance)
    assert ours.begin.tolist() == theirs.section_offsets.tolist()
    assert ours.kind.tolist() == theirs.section_types.tolist()
    assert ours.parent.tolist() == [-1 if section.is_root else section.parent.id for section in theirs.sections]
    assert np.allclose(ours.soma_centre, theirs.soma.center, atol=tolerance)


def test_files_of_all_formats_are_read_as_morphio_does(column, tmp_path):
    for path in sorted(column.parent.glob("morphologies/*.h5"))[:4]:
        assert_as_morphio(path)
        write_swc(tmp_path / "a.swc", read_morphology(path))
        assert_as_morphio(tmp_path / "a.swc")
    (tmp_path / "a.asc").write_text(ASC)
    assert_as_morphio(tmp_path / "a.asc")


def test_real_files_are_read_as_morphio_does(real):
    for path in sorted(real.glob("morphologies/h5/*.h5")):
        assert_as_morphio(path)


def test_written_files_are_read_back(column, tmp_path):
    path = sorted(column.parent.glob("morphologies/*.h5"))[-1]
    first = read_morphology(path)
    for write, name, tolerance in ((write_h5, "b.h5", 0.0), (write_swc, "b.swc", 1e-3)):
        write(tmp_path / name, first)
        again = read_morphology(tmp_path / name)
        assert np.allclose(first.points, again.points, atol=tolerance, rtol=0.0)
        assert np.allclose(first.radii, again.radii, atol=tolerance, rtol=0.0)
        for key in ("begin", "parent", "kind"):
            assert getattr(first, key).tolist() == getattr(again, key).tolist()
        assert again.soma_radius == pytest.approx(first.soma_radius, abs=1e-3)


def test_lengths_and_tables(tmp_path):
    (tmp_path / "ball.swc").write_text(BALL)
    m = read_morphology(tmp_path / "ball.swc")
    assert (m.n_sections, m.n_segments) == (2, 2)
    assert m.segment_lengths().tolist() == m.section_lengths().tolist() == [55.0, 55.0]
    assert (m.kind.tolist(), m.soma_radius) == ([AXON, BASAL], 5.0)
    both = tables([m, m])
    assert both.point_begin.tolist() == [0, 2, 4, 6, 8]
    assert both.section_begin.tolist() == [0, 2, 4]
    assert both.points.shape == (8, 3)
    none = tables([])
    assert (none.point_begin.tolist(), none.section_begin.tolist(), none.points.shape, none.soma_centre.shape) == ([0], [0], (0, 3), (0, 3))


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        (BALL.replace("0 60 0 0.5 4", "0 x 0 0.5 4"), "line 5", "parse"),
        (BALL.replace("60 0 0.5 4", "60 0 0.5 9"), "line 5", "parent"),
        (BALL.replace("0.5", "-0.5"), "section 1, point 0", "negative radius"),
        (BALL + "5 3 0 70 0 0.5 4\n", "line", ""),
        (BALL + "6 1 9 0 0 1 -1\n", "", ""),
        ("", "", "neither a soma nor sections"),
        ("# nothing\n", "", "neither a soma nor sections"),
        ("\x00\x01", "", ""),
    ],
)
def test_broken_swc_files_are_told(tmp_path, text, place, problem):
    path = tmp_path / "broken.swc"
    path.write_text(text)
    with pytest.raises(BadFile) as error:
        read_morphology(path)
    assert str(error.value).startswith(str(path))
    assert place in str(error.value)
    assert problem in str(error.value)
    assert "\x1b" not in str(error.value)


def test_broken_asc_files_are_told(tmp_path):
    path = tmp_path / "broken.asc"
    path.write_text(ASC.replace("|", ""))
    read_morphology_or_error(path)
    path.write_text(ASC[:90])
    with pytest.raises(BadFile, match=r"broken\.asc"):
        read_morphology(path)


def read_morphology_or_error(path: Path) -> None:
    try:
        read_morphology(path)
    except BadFile as error:
        assert path.name in str(error)


def good_h5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["points"] = np.array([[0, 0, 0, 2.0], [0, 0, 1, 1], [0, 0, 9, 1], [0, 0, 9, 1], [5, 0, 9, 1], [0, 0, 9, 1], [-5, 0, 9, 1]])
        file["structure"] = np.array([[0, 1, -1], [1, 2, 0], [3, 2, 1], [5, 2, 1]])


def test_sections_of_h5(tmp_path):
    good_h5(tmp_path / "a.h5")
    m = read_morphology(tmp_path / "a.h5")
    assert m.parent.tolist() == [-1, 0, 0]
    assert m.begin.tolist() == [0, 2, 4, 6]
    assert m.soma_radius == 1.0
    assert m.section_lengths().tolist() == [8.0, 5.0, 5.0]


@pytest.mark.parametrize(
    ("key", "where", "value", "place", "problem"),
    [
        ("structure", (2, 0), 1, "/structure, row 1", "has no points"),
        ("structure", (3, 0), 2, "/structure, row 2", "sections out of order"),
        ("structure", (3, 0), 99, "/structure, row 3", "not among the 7 points"),
        ("structure", (1, 0), -4, "/structure, row 1", "not among"),
        ("structure", (0, 0), 1, "/structure, row 0", "must begin at point 0"),
        ("structure", (2, 2), 3, "/structure, row 2", "sections out of order"),
        ("structure", (2, 2), -7, "/structure, row 2", "below -1"),
        ("structure", (2, 1), 1, "/structure, row 2", "a second soma"),
        ("structure", (2, 1), 1000, "/structure, row 2", "type"),
        ("points", (4, 0), np.nan, "section 2, point 1", "coordinates that are not finite"),
        ("points", (2, 3), np.inf, "section 1, point 1", "radii that are not finite"),
        ("points", (2, 3), -1.0, "section 1, point 1", "negative radius"),
        ("points", (0, 0), np.nan, "soma", "finite"),
        ("points", None, np.zeros((3, 2)), "/points", "4 columns"),
        ("points", None, np.zeros((0, 4)), "/points", "is empty"),
        ("points", None, None, "/points", "is missing"),
        ("structure", None, None, "/structure", "is missing"),
        ("structure", None, np.zeros(3), "/structure", "needs"),
        ("structure", None, np.zeros((0, 3), int), "/structure", "is empty"),
    ],
)
def test_broken_h5_files_are_told(tmp_path, key, where, value, place, problem):
    path = tmp_path / "broken.h5"
    good_h5(path)
    with h5py.File(path, "r+") as file:
        if where is not None:
            file[key][where] = value
        else:
            del file[key]
            if value is not None:
                file[key] = value
    with pytest.raises(BadFile) as error:
        read_morphology(path)
    assert error.value.file == str(path)
    assert error.value.place == place
    assert problem in str(error.value)


def noted(tmp_path, text, name="odd.swc") -> list[str]:
    (tmp_path / name).write_text(text)
    notes = Notes()
    read_morphology(tmp_path / name, notes)
    if notes:
        with pytest.raises(BadFile, match="strict"):
            read_morphology(tmp_path / name, Notes(strict=True))
    return notes.lines()


def test_odd_morphologies_are_counted(tmp_path):
    assert noted(tmp_path, BALL) == []
    assert noted(tmp_path, BALL + "6 3 0 60 0 0.5 5\n") == ["1 segments of zero length in odd.swc, first in section 2"]
    assert noted(tmp_path, BALL.replace("60 0 0.5", "60 0 0")) == ["1 points of zero radius in odd.swc, first in section 2, point 1"]
    assert noted(tmp_path, "1 1 0 0 0 5 -1\n") == ["1 morphology without sections in odd.swc"]
    assert noted(tmp_path, "1 1 0 0 0 5 -1\n2 3 0 5 0 1 1\n3 3 0 9 0 1 2\n") == ["1 morphology without axon in odd.swc"]
    unordered = "1 1 0 0 0 5 -1\n2 3 0 5 0 1 1\n3 3 0 9 0 1 2\n4 2 0 0 5 1 1\n5 2 0 0 9 1 4\n"
    assert noted(tmp_path, unordered)[0].startswith("1 morphology with sections not ordered by type")
    strange = BALL + "6 7 5 0 0 1 1\n7 7 9 0 0 1 6\n"
    assert noted(tmp_path, strange)[0].startswith("1 sections that are neither axon nor dendrite (left out) in odd.swc, section 3")
    rootless = "1 2 0 0 5 1 -1\n2 2 0 0 9 1 1\n"
    assert noted(tmp_path, rootless) == ["1 morphology without soma in odd.swc"]


def test_missing_files_are_told(tmp_path):
    with pytest.raises(BadFile, match="there is no such morphology; also looked for"):
        find_file("none", {".h5": tmp_path / "a", ".swc": tmp_path / "b"}, tmp_path / "c.json")
    with pytest.raises(BadFile, match="morphologies_dir: is missing"):
        find_file("none", {}, tmp_path / "c.json")
    with pytest.raises(BadFile, match="no such"):
        read_morphology(tmp_path / "none.swc")


def test_a_shelf_reads_once_and_keeps_to_its_limit(column):
    nodes = read_config(column).population()
    names = sorted(path.stem for path in column.parent.glob("morphologies/*.h5"))
    shelf = Shelf(nodes.morphologies, Notes())
    first = shelf.get(names)
    assert [a is b for a, b in zip(shelf.get(names), first, strict=True)] == [True] * len(names)
    assert shelf.n_read == len(names)
    small = Shelf(nodes.morphologies, Notes(), limit=2.5 * max(m.nbytes for m in first))
    assert [m.nbytes for m in small.get(names)] == [m.nbytes for m in first]
    small.get(names[-1:])
    assert small.n_read == len(names)  # the last ones were kept
    small.get(names[:1])
    assert small.n_read == len(names) + 1


def test_a_morphology_counts_its_bytes():
    m = Morphology(np.zeros((2, 3)), np.zeros(2), np.array([0, 2]), np.array([-1], np.int32), np.array([2], np.uint8), np.zeros(3), 1.0)
    assert m.nbytes == 2 * 24 + 2 * 8 + 2 * 8 + 4 + 1
