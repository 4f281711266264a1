# SPDX-License-Identifier: Apache-2.0
"""Where nodes are, and what collections tell of it. Expected positions and errors: as NEST 3.10 gives them."""

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest.spatial import free, grid, layers, pos


@pytest.fixture(autouse=True)
def _fresh():
    nest.ResetKernel()


def make(positions, n=1):
    return layers.make(positions, n, seed=3, draw=1)


def test_grid_runs_down_columns_from_the_upper_left():
    layer = make(grid([3, 2]))
    expected = [[-1 / 3, 0.25], [-1 / 3, -0.25], [0.0, 0.25], [0.0, -0.25], [1 / 3, 0.25], [1 / 3, -0.25]]
    assert np.allclose(layer.positions, expected, atol=1e-15)
    # rounded as in NEST, so that masks see the same nodes on their edge
    assert layer.positions[0, 0] == -0.33333333333333337
    assert layer.positions[2, 0] == -2.7755575615628914e-17


def test_grid_in_three_dimensions_runs_up_z_first():
    assert make(grid([2, 1, 2], extent=[2.0, 1.0, 4.0], center=[1.0, 0.0, 0.0])).positions.tolist() == [
        [0.5, 0.0, -1.0],
        [0.5, 0.0, 1.0],
        [1.5, 0.0, -1.0],
        [1.5, 0.0, 1.0],
    ]


def test_metadata():
    nodes = nest.Create("iaf_psc_alpha", positions=grid([3, 2], extent=[3, 2], center=[1, 2], edge_wrap=True))
    found = nodes.spatial
    assert {k: np.asarray(v).tolist() for k, v in found.items()} == {
        "center": [1.0, 2.0],
        "edge_wrap": True,
        "extent": [3.0, 2.0],
        "network_size": 6,
        "shape": [3, 2],
    }
    assert nodes[::2].spatial["network_size"] == 3
    assert nodes.spatial is found
    assert nest.Create("iaf_psc_alpha", 3).spatial is None


@pytest.mark.parametrize(
    ("pos", "center", "extent"),
    [
        ([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]], [1.5, 0.5], [3.0, 3.0]),
        ([[0.1, 0.1], [1.3, 7.5]], [0.7, 3.8], [2.0, 8.0]),  # whole numbers that hold all
        ([[1.0, 2.0], [1.0, 3.0]], [1.0, 2.5], [0.0, 1.0]),
        (np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]), [0.5] * 3, [1.0] * 3),
    ],
)
def test_extent_of_free_positions(pos, center, extent):
    layer = make(free(pos))
    assert np.allclose(layer.center, center)
    assert layer.extent.tolist() == extent


def test_drawn_positions():
    p = nest.random.uniform(-0.5, 0.5)
    one, each = make(free(p, num_dimensions=3), 500), make(free([p, p + 1.0]), 500)
    assert one.positions.shape == (500, 3)
    assert abs(np.corrcoef(one.positions.T) - np.eye(3)).max() < 0.15
    assert np.allclose(each.positions.mean(axis=0), [0.0, 1.0], atol=0.06)
    assert (make(free(p, num_dimensions=3), 500).positions == one.positions).all()


def test_slices_keep_their_positions():
    nodes = nest.Create("iaf_psc_alpha", positions=free([[0.0, 0.0], [1.0, 2.0], [0.3, 0.4]]))
    assert nodes[1:].spatial["positions"].tolist() == [[1.0, 2.0], [0.3, 0.4]]
    assert nest.GetPosition(nodes[2]) == [0.3, 0.4]
    assert nest.GetPosition(nodes) == [[0.0, 0.0], [1.0, 2.0], [0.3, 0.4]]


def test_parameters_of_nodes_see_positions():
    nodes = nest.Create("iaf_psc_alpha", positions=grid([2, 2]), params={"V_m": pos.x})
    assert nodes.V_m == (-0.25, -0.25, 0.25, 0.25)
    nodes[1:3].V_m = pos.y
    assert nodes.V_m == (-0.25, -0.25, 0.25, 0.25)
    assert pos.x.apply(nodes[1:3]) == (-0.25, 0.25)


def test_apply_to_positions():
    node = nest.Create("iaf_psc_alpha", positions=grid([5, 5], extent=[5.0, 5.0], edge_wrap=True))[24]
    assert nest.spatial.distance.apply(node, [[0.0, 0.0], [10.0, 0.0], [-3.0, 0.0]]) == (8.0**0.5, 8.0**0.5, 2.0)
    for arguments, error in [
        ((node, [0.0, 0.0]), TypeError),
        ((node, {"a": 1}), TypeError),
        ((node, [[0.0, 0.0, 0.0]]), nest.NESTErrors.BadProperty),
        ((3,), TypeError),
    ]:
        with pytest.raises(error):
            nest.spatial.distance.apply(*arguments)
    assert len(nest.random.normal().apply(nest.Create("iaf_psc_alpha", 4))) == 4
    assert isinstance(nest.random.normal().GetValue(), float)


ERRORS = nest.NESTErrors


@pytest.mark.parametrize(
    ("positions", "error"),
    [
        (lambda: grid([2, 0]), ERRORS.BadProperty),
        (lambda: grid([2]), ERRORS.BadProperty),
        (lambda: grid([2.0, 2.0]), ERRORS.TypeMismatch),
        (lambda: grid(4), ERRORS.TypeMismatch),
        (lambda: grid([2, 2], extent=[1.0]), ERRORS.BadProperty),
        (lambda: grid([2, 2], center=[1.0]), ERRORS.BadProperty),
        (lambda: grid([2, 2], edge_wrap=1), ERRORS.TypeMismatch),
        (lambda: free([[0.0, 0.0]]), ERRORS.KernelException),
        (lambda: free([1.0, 1.0]), ERRORS.KernelException),
        (lambda: free([[0.0, 0.0], [1.0, 2.0, 3.0]]), ERRORS.BadProperty),
        (lambda: free([[0.0], [1.0]]), ERRORS.BadProperty),
        (lambda: free([[0.0, 0.0], [1.0, 2.0]], extent=[0.5, 2]), ERRORS.BadProperty),
        (lambda: free([[0.0, 0.0], [1.0, 2.0]], extent=[1.0, 2.0, 3.0]), ERRORS.BadProperty),
        (lambda: free(nest.random.uniform()), TypeError),
        (lambda: free(nest.random.uniform(), extent=[1.0, 1.0], num_dimensions=2), TypeError),
        (lambda: free(nest.random.uniform(), num_dimensions=4), ValueError),
        (lambda: free([nest.random.uniform()]), ValueError),
        (lambda: free([nest.random.uniform(), 1.0]), TypeError),
        (lambda: free([[0.0, 0.0], [1.0, 2.0]], num_dimensions=3), TypeError),
        (lambda: free([]), ValueError),
        (lambda: free(3.0), TypeError),
        (lambda: [[0.0, 0.0]], TypeError),
    ],
)
def test_errors(positions, error):
    with pytest.raises(error) as raised:
        nest.Create("iaf_psc_alpha", positions=positions())
    assert raised.type is error


def test_positions_that_need_positions():
    with pytest.raises(ERRORS.KernelException):
        make(free(pos.x, num_dimensions=2), 2)
    with pytest.raises(ValueError, match="grid"):
        make(grid([2, 2]), 4)
