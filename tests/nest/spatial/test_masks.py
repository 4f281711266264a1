# SPDX-License-Identifier: Apache-2.0
"""Masks: which points are inside, boxes that hold them, algebra as that of sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil.nest as nest
from neuropil.nest.spatial.masks import Mask

POINTS = {dims: np.random.default_rng(dims).uniform(-2.6, 2.6, (dims, 5000)) for dims in (2, 3)}
ERRORS = nest.NESTErrors


def turned(points, azimuth, polar=0.0):
    """Points as seen from axes turned by azimuth (x to y) after polar (z to x)."""
    a, p = np.deg2rad(azimuth), np.deg2rad(polar)
    x, y = np.cos(a) * points[0] + np.sin(a) * points[1], np.cos(a) * points[1] - np.sin(a) * points[0]
    if len(points) == 2:
        return np.stack([x, y])
    return np.stack([np.cos(p) * x - np.sin(p) * points[2], y, np.sin(p) * x + np.cos(p) * points[2]])


def box(points, low, high, azimuth=0.0, polar=0.0):
    low, high = np.array(low), np.array(high)
    centre = (low + high) / 2
    seen = turned(points - centre[:, None], azimuth, polar)
    return (np.abs(seen) <= (high - low)[:, None] / 2).all(axis=0)


def ellipsoid(points, axes, azimuth=0.0, polar=0.0):
    return ((turned(points, azimuth, polar) / (np.array(axes)[:, None] / 2)) ** 2).sum(axis=0) <= 1.0


LOW, HIGH = [-2.0, -0.7, -0.3], [1.0, 1.3, 0.9]
ANGLES = {"azimuth_angle": 25.0, "polar_angle": 140.0}
KINDS = [
    ("circular", {"radius": 0.7}, lambda p: np.hypot(*p) <= 0.7),
    ("rectangular", {"lower_left": LOW[:2], "upper_right": HIGH[:2]}, lambda p: box(p, LOW[:2], HIGH[:2])),
    ("rectangular", {"lower_left": LOW[:2], "upper_right": HIGH[:2], "azimuth_angle": 37.0}, lambda p: box(p, LOW[:2], HIGH[:2], 37.0)),
    ("doughnut", {"inner_radius": 0.3, "outer_radius": 1.4}, lambda p: (np.hypot(*p) > 0.3) & (np.hypot(*p) <= 1.4)),
    ("elliptical", {"major_axis": 3.0, "minor_axis": 1.2, "azimuth_angle": -20.0}, lambda p: ellipsoid(p, [3.0, 1.2], -20.0)),
    ("spherical", {"radius": 1.3}, lambda p: (p**2).sum(axis=0) <= 1.69),
    ("box", {"lower_left": LOW, "upper_right": HIGH, **ANGLES}, lambda p: box(p, LOW, HIGH, 25.0, 140.0)),
    (
        "ellipsoidal",
        {"major_axis": 4.0, "minor_axis": 2.0, "polar_axis": 1.0, **ANGLES},
        lambda p: ellipsoid(p, [4.0, 2.0, 1.0], 25.0, 140.0),
    ),
    ("ellipsoidal", {"major_axis": 4.0, "minor_axis": 2.0}, lambda p: ellipsoid(p, [4.0, 2.0, np.inf])),
]


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize(("name", "specs", "expected"), KINDS)
def test_kinds(name, specs, expected, anchored):
    mask = nest.CreateMask(name, specs)
    anchor = np.array([0.3, -0.2, 0.1])[: mask.native.dims] if anchored else np.zeros(mask.native.dims)
    if anchored:
        mask = nest.CreateMask(name, specs, anchor=anchor.tolist())
    points = POINTS[mask.native.dims]
    inside = mask.native.inside(points)
    assert (inside == expected(points - anchor[:, None])).all()
    assert 0 < inside.sum() < inside.size
    held = ((points >= mask.native.low[:, None] - 1e-12) & (points <= mask.native.high[:, None] + 1e-12)).all(axis=0)
    assert not (inside & ~held).any()
    assert mask.Inside(points[:, 0].tolist()) == inside[0]


@pytest.mark.parametrize(("name", "specs", "expected"), KINDS)
def test_ellipsoid_holds_what_is_inside(name, specs, expected):
    mask = nest.CreateMask(
        name, specs, anchor=[0.3, -0.2, 0.1][: 2 if name in ("circular", "rectangular", "doughnut", "elliptical") else 3]
    )
    middle, half = mask.native.ellipsoid
    points = POINTS[mask.native.dims][:, mask.native.inside(POINTS[mask.native.dims])]
    assert ((((points - middle[:, None]) / half[:, None]) ** 2).sum(axis=0) <= 1.0 + 1e-12).all()


def test_edges_are_inside():
    assert nest.CreateMask("circular", {"radius": float(np.sqrt(0.1**2 + 0.7**2))}).Inside([0.1, 0.7])
    assert nest.CreateMask("rectangular", {"lower_left": [-1, -1], "upper_right": [1, 1]}).Inside([1.0, -1.0])
    assert not nest.CreateMask("doughnut", {"inner_radius": 1.0, "outer_radius": 2.0}).Inside([1.0, 0.0])
    assert nest.CreateMask("doughnut", {"inner_radius": 1.0, "outer_radius": 2.0}).Inside([2.0, 0.0])


# --- algebra

DISCS = st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.1, 2.0)).map(
    lambda v: nest.CreateMask("circular", {"radius": v[2]}, anchor=[v[0], v[1]])
)
TREES = st.recursive(DISCS, lambda inner: st.tuples(inner, st.sampled_from("|&-"), inner), max_leaves=6)


def built(tree):
    """A mask of an expression tree, and which points are inside by sets of positions."""
    if isinstance(tree, Mask):
        return tree, set(np.flatnonzero(tree.native.inside(POINTS[2][:, :500])).tolist())
    (a, inside_a), (b, inside_b) = built(tree[0]), built(tree[2])
    if tree[1] == "|":
        return a | b, inside_a | inside_b
    return (a & b, inside_a & inside_b) if tree[1] == "&" else (a - b, inside_a - inside_b)


@settings(deadline=None, max_examples=60)
@given(TREES)
def test_algebra_is_that_of_sets(tree):
    mask, expected = built(tree)
    points = POINTS[2][:, :500]
    inside = set(np.flatnonzero(mask.native.inside(points)).tolist())
    assert inside == expected
    assert all((mask.native.low <= points[:, k]).all() and (points[:, k] <= mask.native.high).all() for k in inside)


def test_what_cannot_be_combined():
    disc, ball, cells = (
        nest.CreateMask("circular", {"radius": 1.0}),
        nest.CreateMask("spherical", {"radius": 1.0}),
        nest.CreateMask("grid", {"shape": [2, 3]}),
    )
    for combine, error in [
        (lambda: disc | 3, NotImplementedError),
        (lambda: disc | ball, ERRORS.BadProperty),
        (lambda: cells | disc, ERRORS.KernelException),
        (lambda: disc + disc, TypeError),
        (lambda: cells.Inside([0.0, 0.0]), ERRORS.KernelException),
        (lambda: disc.Inside([0.0, 0.0, 0.0]), ERRORS.BadProperty),
    ]:
        with pytest.raises(error) as raised:
            combine()
        assert raised.type is error


CORNERS = {"lower_left": [0.0, 0.0], "upper_right": [2.0, 1.0]}


@pytest.mark.parametrize(
    ("name", "specs", "error"),
    [
        ("foo", {}, ERRORS.UndefinedName),
        ("circular", {}, IndexError),
        ("circular", {"radius": 0.0}, ERRORS.BadProperty),
        ("circular", {"radius": "a"}, ERRORS.TypeMismatch),
        ("circular", {"radius": 1.0, "foo": 2.0}, ERRORS.UnaccessedDictionaryEntry),
        ("circular", 3, ERRORS.TypeMismatch),
        ("rectangular", {"lower_left": [1.0, -1.0], "upper_right": [1.0, 1.0]}, ERRORS.BadProperty),
        ("rectangular", {"lower_left": [-1.0, -1.0, 0.0], "upper_right": [1.0, 1.0, 1.0]}, ERRORS.BadProperty),
        ("rectangular", {**CORNERS, "polar_angle": 90.0}, ERRORS.BadProperty),
        ("doughnut", {"inner_radius": 2.0, "outer_radius": 1.0}, ERRORS.BadProperty),
        ("elliptical", {"major_axis": 2.0, "minor_axis": 4.0}, ERRORS.BadProperty),
        ("elliptical", {"major_axis": 2.0, "minor_axis": 0.0}, ERRORS.BadProperty),
        ("elliptical", {"major_axis": 4.0, "minor_axis": 2.0, "polar_axis": 3.0}, ERRORS.BadProperty),
        ("grid", {"rows": 2, "columns": 3}, IndexError),
        ("grid", {"shape": [2, 3], "anchor": {"row": 1}}, ERRORS.TypeMismatch),
    ],
)
def test_errors(name, specs, error):
    with pytest.raises(error) as raised:
        nest.CreateMask(name, specs)
    assert raised.type is error


@pytest.mark.parametrize("radius", [1.2, 2.1, 3.1])
def test_an_oversized_mask_finds_a_partner_in_each_of_its_images(radius):
    nest.ResetKernel()
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([4, 3], extent=[4.0, 3.0], edge_wrap=True))
    mask = {"circular": {"radius": radius}}
    nest.Connect(nodes, nodes, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": mask, "allow_oversized_mask": True})
    found = nest.GetConnections()
    numbers = np.zeros((12, 12), int)
    np.add.at(numbers, (np.array([*found.sources()]) - 1, np.array([*found.targets()]) - 1), 1)
    places = np.array(nest.GetPosition(nodes))
    images = np.array([(4.0 * i, 3.0 * j) for i in range(-3, 4) for j in range(-3, 4)])
    away = np.linalg.norm(places[None, :, None] + images - places[:, None, None], axis=3)
    assert np.array_equal(numbers, (away <= radius).sum(axis=2))
    nest.ResetKernel()
