# SPDX-License-Identifier: Apache-2.0
"""Pictures of masks and kernels: what is drawn is what Connect goes by."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.path import Path

import neuropil.nest as nest


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()
    plt.close("all")


def layer(**how):
    return nest.Create("parrot_neuron", positions=nest.spatial.grid([5, 5], extent=[2.0, 2.0], **how))


@pytest.mark.parametrize("anchor", [None, [0.1, -0.2]])
@pytest.mark.parametrize(
    ("mask", "kind"),
    [
        ({"circular": {"radius": 0.3}}, "Circle"),
        ({"doughnut": {"inner_radius": 0.15, "outer_radius": 0.4}}, "PathPatch"),
        ({"elliptical": {"major_axis": 0.8, "minor_axis": 0.3, "azimuth_angle": 30.0}}, "Ellipse"),
        ({"rectangular": {"lower_left": [-0.2, -0.3], "upper_right": [0.4, 0.1], "azimuth_angle": 25.0}}, "Rectangle"),
        ({"rectangular": {"lower_left": [-0.2, -0.3], "upper_right": [0.4, 0.1]}}, "Rectangle"),
    ],
)
def test_a_mask_is_a_shape_with_the_points_that_are_inside(mask, kind, anchor):
    node = layer()[7]
    nest.PlotProbabilityParameter(node, mask=mask if anchor is None else {**mask, "anchor": anchor}, mask_color="red")
    (shape,) = plt.gca().patches
    assert type(shape).__name__ == kind
    assert shape.get_facecolor() == (1.0, 0.0, 0.0, 0.2)
    ((name, spec),) = mask.items()
    native = nest.CreateMask(name, spec, anchor)
    points = np.random.default_rng(1).uniform(-0.6, 0.6, (500, 2))
    inside = [native.Inside(point.tolist()) for point in points]
    rings = shape.get_path().transformed(shape.get_patch_transform()).to_polygons()
    turns = [np.sign(np.cross(ring[:-1], ring[1:]).sum()) for ring in (ring - ring.mean(axis=0) for ring in rings)]
    assert turns == [1.0, -1.0][: len(rings)]  # a ring the other way round is a hole
    drawn = np.bitwise_xor.reduce([Path(ring).contains_points(points + nest.GetPosition(node)) for ring in rings])
    assert 10 < sum(inside) < 400
    assert np.mean(drawn == inside) > 0.99  # curves are close to circles


@pytest.mark.parametrize("wrap", [False, True])
def test_a_kernel_is_drawn_with_its_values(wrap):
    nodes = layer(edge_wrap=wrap)
    kernel = nest.spatial_distributions.gaussian(nest.spatial.distance, std=0.3)
    nest.PlotProbabilityParameter(nodes[0], kernel, edges=[-1.0, 1.0, -1.0, 1.0], shape=(20, 10))
    (image,) = plt.gcf().axes[0].images
    x, y = (np.linspace(-1.0, 1.0, n) for n in (20, 10))
    move = np.abs(np.stack(np.meshgrid(x, y), axis=2) - nest.GetPosition(nodes[0]))
    move = np.minimum(move, 2.0 - move) if wrap else move
    assert np.allclose(image.get_array(), np.exp(-(move**2).sum(axis=2) / 0.18))
    assert image.get_extent() == [-1.0, 1.0, -1.0, 1.0]


def test_targets_with_mask_and_kernel():
    nodes, kernel, mask = layer(), nest.spatial_distributions.gaussian(nest.spatial.distance, std=0.3), {"circular": {"radius": 0.5}}
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask})
    axes = nest.PlotTargets(nodes[12], nodes, mask=mask, probability_parameter=kernel).axes[0]
    assert len(axes.images) == 1
    assert len(axes.collections[0].get_offsets()) == 5
    assert [type(shape).__name__ for shape in axes.patches] == ["Rectangle", "Circle"]  # the layer's edge, the mask
