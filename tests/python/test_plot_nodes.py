# SPDX-License-Identifier: Apache-2.0
"""Pictures of nodes in space and of who is connected to whom: what is drawn where."""

import matplotlib as mpl
import numpy as np
import pytest

import neuropil as npl

mpl.use("Agg")
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


@pytest.fixture
def net():
    return npl.Network(seed=1)


def grid(net, shape=(4, 3)):
    return net.create("parrot_neuron", positions=npl.space.grid(shape, extent=[float(n) for n in shape]))


def test_positions_are_dots_in_a_frame(net):
    cells = grid(net)
    ax = npl.plot.positions(cells, colour="red")
    assert np.allclose(ax.collections[0].get_offsets(), cells.positions)
    assert ax.get_xlim() == pytest.approx((-2.2, 2.2))
    assert len(ax.patches) == 1
    npl.plot.positions(cells[:2], ax=ax)
    assert len(ax.figure.axes) == 1
    assert len(ax.collections[1].get_offsets()) == 2
    assert npl.plot.positions(grid(net, (2, 2, 2))).name == "3d"
    with pytest.raises(npl.errors.NoPositions):
        npl.plot.positions(net.create("parrot_neuron", 3))


def test_a_value_and_a_mask_around_a_node(net):
    cells = grid(net)
    ax = npl.plot.around(cells[5], npl.space.gaussian(npl.distance, std=0.5), npl.space.circle(1.0), shape=(5, 7))
    table = np.asarray(ax.images[0].get_array())
    assert table.shape == (7, 5)
    x, y = np.meshgrid(np.linspace(-2.0, 2.0, 5), np.linspace(-1.5, 1.5, 7))
    square = (x - cells.positions[5, 0]) ** 2 + (y - cells.positions[5, 1]) ** 2
    assert np.allclose(table, np.exp(-square / (2.0 * 0.5**2)))
    assert len(ax.collections) == 2
    for wrong in (cells, grid(net, (2, 2, 2))[0]):
        with pytest.raises(npl.errors.BadParameter, match="one node in two dimensions"):
            npl.plot.around(wrong, npl.distance)


def test_graph_has_an_arrow_for_each_pair(net):
    cells = net.create("parrot_neuron", 4)
    net.connect_gids([1, 1, 2, 3], [2, 2, 2, 4])
    ax = npl.plot.graph(net.connections())
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["1", "2", "3", "4"]
    assert sum(not text.get_text() for text in ax.texts) == 3
    ax = npl.plot.graph([(1, 2), (3, 4)], cells[:3], names={1: "one"})
    shown = {text.get_text(): np.hypot(*text.get_position()) for text in ax.texts if text.get_text()}
    assert shown == {"one": pytest.approx(1.0), "2": pytest.approx(1.0), "3": pytest.approx(1.0), "4": pytest.approx(1.5)}
    with pytest.raises(npl.errors.BadParameter, match="drawn one by one"):
        npl.plot.graph([], range(1, 300))


@pytest.mark.parametrize("shift", [None, [0.1, -0.2]])
@pytest.mark.parametrize(
    ("mask", "kind"),
    [
        (npl.space.circle(0.3), "Circle"),
        (npl.space.doughnut(0.15, 0.4), "PathPatch"),
        (npl.space.ellipse(0.8, 0.3, azimuth=30.0), "Ellipse"),
        (npl.space.box([-0.2, -0.3], [0.4, 0.1], azimuth=25.0), "Rectangle"),
        (npl.space.box([-0.2, -0.3], [0.4, 0.1]), "Rectangle"),
    ],
)
def test_a_mask_is_a_shape_with_the_points_that_are_inside(mask, kind, shift):
    from matplotlib.path import Path

    moved = mask if shift is None else mask.shifted(shift)
    shape = npl.plot.mask_patch(moved, [2.0, 1.0], facecolor="red")
    assert type(shape).__name__ == kind
    points = np.random.default_rng(1).uniform(-0.6, 0.6, (500, 2))
    rings = shape.get_path().transformed(shape.get_patch_transform()).to_polygons()
    drawn = np.bitwise_xor.reduce([Path(ring).contains_points(points + np.array([2.0, 1.0])) for ring in rings])
    assert np.mean(drawn == moved.contains(points)) > 0.99  # curves are close to circles


def test_masks_without_a_single_shape():
    circle = npl.space.circle(0.3)
    assert npl.plot.mask_patch(circle | circle.shifted([1.0, 0.0]), [0.0, 0.0]) is None
    assert npl.plot.mask_patch(npl.space.sphere(0.3), [0.0, 0.0, 0.0]) is None
