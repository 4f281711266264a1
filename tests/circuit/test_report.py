# SPDX-License-Identifier: Apache-2.0
"""The report: its numbers, its pictures, its 3-D view."""

import base64
import re
from types import SimpleNamespace

import numpy as np
import pytest

from circuit import small
from neuropil.circuit import BadFile, Connections, EdgeFile, NodeFile, any_pair, figures, read_config, write_report
from neuropil.circuit.morphologies import Shelf
from neuropil.circuit.notes import Notes
from neuropil.circuit.pair import choose_pair, load_pair
from neuropil.circuit.placing import rotated
from neuropil.circuit.statistics import axon_lengths, connection_probability, summarise
from neuropil.errors import BadParameter


@pytest.fixture
def edges(tmp_path):
    columns = small.nodes(4, mtype=["A", "B", "A", "B"])
    small.circuit(tmp_path, columns)
    pairs = [(0, 1)] * 5 + [(0, 2)] + [(1, 1)] * 9 + [(3, 0)] * 2
    touches = small.touches(pairs, afferent_section_type=[1] * 5 + [3] * 12, efferent_distance_soma=np.arange(17.0))
    small.write_touches(tmp_path / "edges.h5", touches, 4)
    return tmp_path / "edges.h5"


def parts(edges):
    file, nodes = EdgeFile(edges), read_config(edges.parent).population()
    return file, Connections(file), NodeFile(nodes), Shelf(nodes.morphologies, Notes())


def test_numbers(edges):
    summary = summarise(*parts(edges))
    assert (summary.touches, summary.connections, summary.cells) == (17, 4, 4)
    assert summary.counts.tolist() == [5, 1, 9, 2]
    assert summary.out_degree.tolist() == [2, 1, 0, 1]
    assert summary.in_degree.tolist() == [1, 2, 1, 0]
    assert summary.density == pytest.approx(np.array([6, 9, 2]) / 55.0)  # the axon of small.BALL has 55 um
    assert summary.types == {"soma": 5, "basal dendrite": 12}
    assert summary.path.tolist() == list(range(17))
    names, touches, probability = summary.pathways
    assert names == ("A", "B")
    assert np.allclose(touches, [[1.0, 5.0], [2.0, 9.0]])
    assert np.allclose(probability, [[1 / 2, 1 / 4], [1 / 4, 1 / 2]])


def test_probability_over_distance_counts_pairs():
    positions = np.array([[0.0, 0, 0], [10.0, 0, 0], [100.0, 0, 0]])
    joined = SimpleNamespace(source=np.array([0, 1, 2, 2]), target=np.array([1, 0, 0, 2]))  # the last is of a cell with itself
    edges, probability = connection_probability(joined, positions)
    assert edges[[0, -1]].tolist() == [0.0, 100.0]
    found = {int(0.5 * (a + b)): p for a, b, p in zip(edges[:-1], edges[1:], probability, strict=True) if p == p}
    # Ordered pairs: 0-1 twice (both joined), 1-2 twice at 90 um (none), 0-2 twice at 100 um (one).
    assert sorted(found.values()) == [0.0, 0.5, 1.0]


def test_many_cells_are_sampled_fairly(monkeypatch):
    from neuropil.circuit import statistics

    dice = np.random.default_rng(2)
    positions = dice.random((80, 3)) * 100.0
    source, target = np.divmod(np.arange(6400), 80)
    keep = (source != target) & (dice.random(6400) < 0.25)
    joined = SimpleNamespace(source=source[keep], target=target[keep])
    every = np.linalg.norm(positions[:, None] - positions, axis=-1)[~np.eye(80, dtype=bool)]
    connected = np.linalg.norm(positions[source[keep]] - positions[target[keep]], axis=1)
    edges, exact = connection_probability(joined, positions)
    np.testing.assert_allclose(exact, np.histogram(connected, edges)[0] / np.histogram(every, edges)[0])
    monkeypatch.setattr(statistics, "_MOST_PAIRS", 5000)

    def deviations(seed):
        """Of the number of sampled pairs in each bin from its mean, in standard deviations of the binomial distribution."""
        edges, rough = connection_probability(joined, positions, seed)
        expected = np.histogram(every, edges)[0][5:20] * 5000 / 6400
        found = np.histogram(connected, edges)[0][5:20] / rough[5:20] * 5000 / 6400
        return (found - expected) / np.sqrt(expected * (1.0 - expected / 5000))

    found = np.array([deviations(seed) for seed in range(200)])
    assert abs(found.mean(axis=0)).max() < 4.0 / np.sqrt(200)
    assert abs(found.mean()) < 4.0 / np.sqrt(200 * 15)
    assert found.std() == pytest.approx(1.0, abs=0.1)


def test_axon_lengths(edges):
    *_, nodes, shelf = parts(edges)
    assert axon_lengths(nodes, shelf).tolist() == [55.0] * 4


def test_the_pair(edges):
    file, connections, nodes, shelf = parts(edges)
    assert choose_pair(connections, (0, 2)) == 1
    assert choose_pair(connections) in (0, 3)  # not the cell with itself
    for wanted, hint in (
        ((0, 3), r"those of 0 are with \[1, 2\]$"),
        ((2, 0), r"e\.g\. \(0, 1\): the axon of 2 touches no cell, the axon of 0 touches 2$"),
    ):
        with pytest.raises(BadParameter, match=hint):
            choose_pair(connections, wanted)
    pair = load_pair(file, connections, 0, nodes, shelf)
    assert (pair.pre.gid, pair.post.gid, len(pair.touches), len(pair.labels)) == (0, 1, 5, 5)
    assert pair.pre.axon[0].tolist() == [0.0, 0.0, 5.0]
    assert pair.post.dendrites[0].tolist() == [10.0, 5.0, 0.0]
    assert np.isnan(pair.post.dendrites[-1]).all()
    assert pair.post.soma.tolist() == [10.0, 0.0, 0.0]


def floats(text, columns=1):
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(-1, columns)


def test_any_pair_has_its_touches_and_cells_at_their_places(edges):
    file, connections, nodes, shelf = parts(edges)
    data = any_pair.choices(file, connections, nodes, shelf, 2)
    pairs, cells = data["pairs"], data["cells"]
    assert [(cells["gid"][a], cells["gid"][b]) for a, b in zip(pairs["source"], pairs["target"], strict=True)] == [
        (0, 1),
        (0, 2),
        (1, 1),
        (3, 0),
    ]
    assert (pairs["count"], data["shown"], data["all"]) == ([5, 1, 9, 2], 2, True)
    assert floats(data["touches"]["along"])[:, 0].tolist() == list(range(17))
    assert floats(data["touches"]["kind"])[:, 0].tolist() == [1.0] * 5 + [3.0] * 12
    assert floats(cells["position"], 3)[1].tolist() == [10.0, 0.0, 0.0]
    shape = data["shapes"][cells["shape"][1]]
    points = floats(shape["points"], 3)
    assert len(points) == shape["begin"][-1]
    assert set(shape["kind"]) == {2, 3}


def test_expected_touches_are_means_over_pairs_of_types(edges, monkeypatch):
    _, connections, nodes, _ = parts(edges)
    by_distance = any_pair.expected_touches(connections, nodes)  # cells 0 A, 1 B, 2 A, 3 B stand 10 um apart: one bin
    # A to B: 4 pairs, 5 touches; A to A: 2 pairs, 1 touch; B to B: 2 pairs, 0 touches (a cell with itself is no pair); B to A: 4 pairs, 2 touches.
    assert by_distance == pytest.approx([5 / 4, 1 / 2, 0.0, 2 / 4])
    monkeypatch.setattr(any_pair, "MOST_CELLS", 1)
    assert any_pair.expected_touches(connections, nodes) == pytest.approx(by_distance)
    monkeypatch.undo()
    monkeypatch.setattr(any_pair, "BIN", 15.0)  # now 0-1 (10 um) and 0-3 (30 um) are apart
    assert any_pair.expected_touches(connections, nodes)[0] == pytest.approx(5 / 3)  # A to B within 15 um: 0-1, 2-1, 2-3


def test_of_large_circuits_the_strongest_connections_are_taken(edges, monkeypatch):
    monkeypatch.setattr(any_pair, "MOST_TOUCHES", 12)
    file, connections, nodes, shelf = parts(edges)
    data = any_pair.choices(file, connections, nodes, shelf, 1)
    assert (data["pairs"]["count"], data["all"]) == ([1, 9], False)
    assert floats(data["touches"]["along"])[:, 0].tolist() == [5.0, *range(6, 15)]
    monkeypatch.setattr(any_pair, "MOST_POINTS", 1)
    assert any_pair.choices(file, connections, nodes, shelf, 1)["pairs"]["count"] == [1]


def test_pictures_say_what_their_colours_are(edges, monkeypatch):
    drawn = []
    monkeypatch.setattr(figures, "_png", lambda figure: drawn.append(figure) or b"")
    file, connections, nodes, shelf = parts(edges)
    pair, summary = load_pair(file, connections, 0, nodes, shelf), summarise(file, connections, nodes, shelf)
    for draw, given in ((figures.connection, pair), (figures.space, pair), (figures.histograms, summary), (figures.pathways, summary)):
        draw(given)
    sides, space, touches, pathways = drawn
    words = [text.get_text() for text in sides.axes[0].get_legend().get_texts()]
    assert sorted(words) == ["5 touches", "post 1 B, axon", "post 1 B, dendrites", "pre 0 A, axon", "pre 0 A, dendrites"]
    assert [text.get_text() for text in space.axes[0].get_legend().get_texts()] == ["dendrites of 1 B", "axon of 0 A", "5 touches"]
    assert all(tick == round(tick) for axes in (touches.axes[0], touches.axes[3]) for tick in axes.get_xticks())
    assert [tick.get_text() for tick in pathways.axes[0].get_yticklabels()] == ["A", "B"]
    assert pathways.get_supxlabel() == "white: no connections"


def test_rotation_is_that_of_the_matrix():
    q = np.random.default_rng(1).normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    matrix = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    points = np.random.default_rng(2).normal(size=(9, 3))
    assert np.allclose(rotated(points, np.array([w, x, y, z])), points @ matrix.T)


def test_a_page_with_all_of_it(edges, tmp_path):
    (tmp_path / "raster.png").write_bytes(b"\x89PNG")
    page = tmp_path / "out" / "report.html"
    report = write_report(edges, page, edges.parent, facts={"mean rate": "<3>"}, pictures={"Spikes": tmp_path / "raster.png"})
    text = page.read_text()
    assert report.page == page
    assert sorted(path.name for path in report.pictures) == [
        f"report_{name}.png" for name in ("connection", "pathways", "space", "touches")
    ]
    for path in report.pictures:
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size > 5000
    assert len(set(re.findall("<img alt='([^']+)'", text))) == 4
    assert "Plotly.react(view" in text
    assert "&lt;3&gt;" in text
    assert not re.search(r"<script[^>]+src=", text)  # needs no network
    assert "17" in text


@pytest.mark.slow
def test_reports_in_one_folder_keep_their_pictures(edges, tmp_path):
    other = tmp_path / "other.h5"
    small.write_touches(other, small.touches([(0, 1)]), 4)
    first = write_report(edges, tmp_path / "edges.html", edges.parent)
    before = {path: path.read_bytes() for path in (first.page, *first.pictures)}
    second = write_report(other, tmp_path / "other.html", edges.parent)
    third = write_report(edges, tmp_path / "pair.html", edges.parent, pair=(0, 2))
    assert len({*first.pictures, *second.pictures, *third.pictures}) == 12
    assert {path: path.read_bytes() for path in before} == before


def test_without_touches_there_is_a_page(tmp_path):
    small.circuit(tmp_path)
    small.write_touches(tmp_path / "edges.h5", small.touches([]), 2)
    report = write_report(tmp_path / "edges.h5", tmp_path / "a.html", tmp_path)
    assert report.pair is None
    with pytest.raises(BadParameter, match="pair"):
        write_report(tmp_path / "edges.h5", tmp_path / "a.html", tmp_path, pair=(0, 1))
    with pytest.raises(BadFile, match="there is no circuit configuration"):
        write_report(tmp_path / "edges.h5", tmp_path / "a.html")
