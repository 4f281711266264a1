# SPDX-License-Identifier: Apache-2.0
"""Positions, masks and expressions of the native API, against numpy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import neuropil as npl
from neuropil.errors import BadLength, BadParameter, BadType, ForeignNodes, IllegalConnection, NoPositions, NothingDrawn, OutOfRange

space = npl.space


@pytest.fixture
def net():
    return npl.Network(seed=3, threads=2)


# --- positions


def test_grid(net):
    nodes = net.create("iaf_psc_alpha", positions=npl.grid((3, 2), extent=(3.0, 2.0), center=(1.0, 0.0)), name="sheet")
    expected = [[0.0, 0.5], [0.0, -0.5], [1.0, 0.5], [1.0, -0.5], [2.0, 0.5], [2.0, -0.5]]
    assert np.allclose(nodes.positions, expected, atol=1e-15)
    assert (net["sheet"].positions == nodes.positions).all()
    assert np.allclose(nodes[[4, 1]].positions, [expected[4], expected[1]], atol=1e-15)
    assert np.allclose(nodes[::-2].positions, expected[::-2], atol=1e-15)
    assert len(net.create("iaf_psc_alpha", positions=npl.grid((2, 3, 4)))) == 24
    assert "2-D" in repr(nodes) and "2-D" in repr(net.summary())


def test_given_positions(net):
    where = np.random.default_rng(1).random((20, 3))
    a, b = net.create("iaf_psc_alpha", positions=where[:12]), net.create("iaf_psc_exp", 8, positions=npl.free(where[12:]))
    assert a.positions.dtype == np.float64 and (a.positions == where[:12]).all()
    assert ((a + b).positions == where).all() and ((b + a[3:5]).positions == where[[*range(12, 20), 3, 4]]).all()
    a.positions[:] = 0.0  # a copy
    where[:] = 0.0
    assert a.positions.any()


def test_drawn_positions(net):
    nodes = net.create("iaf_psc_alpha", 4000, positions=npl.free(npl.uniform(-0.5, 0.5), dims=3))
    found = nodes.positions
    assert found.shape == (4000, 3) and (np.abs(found) <= 0.5).all()
    assert np.abs(np.corrcoef(found.T) - np.eye(3)).max() < 0.06 and np.allclose(found.var(axis=0), 1 / 12, rtol=0.05)
    again = net.create("iaf_psc_alpha", 4000, positions=npl.free(npl.uniform(-0.5, 0.5), dims=3)).positions
    assert not (again == found).any()
    ring = net.create("iaf_psc_alpha", 500, positions=npl.free([npl.normal(0.0, 2.0), 1.0])).positions
    assert (ring[:, 1] == 1.0).all() and 1.8 < ring[:, 0].std() < 2.2
    other = npl.Network(seed=3).create("iaf_psc_alpha", 4000, positions=npl.free(npl.uniform(-0.5, 0.5), dims=3))
    assert (other.positions == found).all()


def test_parameters_by_position(net):
    nodes = net.create(
        "iaf_psc_alpha", positions=npl.grid((5, 4)), V_m=-70.0 + 5.0 * npl.position.x, I_e=npl.normal(0.0, 1.0) * npl.position.y
    )
    x, y = nodes.positions.T
    assert (nodes.V_m == -70.0 + 5.0 * x).all()
    assert (np.sign(nodes.I_e) != 0).all() and len(set((nodes.I_e / y).tolist())) == 20
    nodes.set(V_m=space.where(npl.position.x > 0.0, -60.0, -65.0))
    assert (nodes.V_m == np.where(x > 0.0, -60.0, -65.0)).all()
    nodes.V_m[3:6] = npl.position[1]
    assert (nodes.V_m[3:6] == y[3:6]).all() and (nodes.V_m[6:] == np.where(x > 0.0, -60.0, -65.0)[6:]).all()
    plain = net.create("iaf_psc_alpha", 1000, V_m=npl.uniform(-1.0, 0.0) + npl.uniform(-1.0, 0.0))
    assert np.isclose(plain.V_m.var(), 1 / 6, rtol=0.15)


REFUSED = [
    (BadLength, lambda n: n.create("iaf_psc_alpha", 5, positions=npl.grid((2, 2)))),
    (BadType, lambda n: npl.grid(4)),
    (BadType, lambda n: npl.grid((2.0, 2.0))),
    (BadParameter, lambda n: npl.grid((2, 0))),
    (BadLength, lambda n: npl.grid((2, 2), extent=(1.0,))),
    (BadType, lambda n: npl.grid((2, 2), periodic=1)),
    (BadParameter, lambda n: npl.grid((2, 2), extent=(math.inf, 1.0))),
    (npl.errors.UnknownArgument, lambda n: npl.grid((2, 2), center_=3)),
    (BadParameter, lambda n: npl.free(npl.uniform(0.0, 1.0))),
    (BadParameter, lambda n: npl.free(npl.uniform(0.0, 1.0), dims=4)),
    (NoPositions, lambda n: npl.free(npl.position.x, dims=2)),
    (BadLength, lambda n: n.create("iaf_psc_alpha", positions=np.zeros((3, 4)))),
    (BadType, lambda n: n.create("iaf_psc_alpha", positions="here")),
    (BadParameter, lambda n: n.create("iaf_psc_alpha", positions=[[0.0, math.nan]])),
    (BadParameter, lambda n: n.create("iaf_psc_alpha", 0, positions=npl.free(npl.uniform(), dims=2))),
    (BadParameter, lambda n: n.create("iaf_psc_alpha", positions=npl.free([[0.0, 0.0], [2.0, 2.0]], extent=(1.0, 1.0)))),
    (NoPositions, lambda n: n.create("iaf_psc_alpha", 3, V_m=npl.position.x)),
    (NoPositions, lambda n: n.create("iaf_psc_alpha", positions=npl.grid((2, 2)), V_m=npl.position.z)),
    (NoPositions, lambda n: n.create("iaf_psc_alpha", positions=npl.grid((2, 2)), V_m=npl.distance)),
    (BadParameter, lambda n: n.create("iaf_psc_alpha", positions=npl.grid((2, 2)), V_m=1.0 / (npl.position.x * 0.0))),
    (BadParameter, lambda n: n.create("iaf_psc_alpha", positions=npl.grid((2, 2)), tau_m=npl.position.x)),
    (NothingDrawn, lambda n: n.create("iaf_psc_alpha", 3, V_m=space.redraw(npl.uniform() + npl.uniform(), 3.0, 4.0))),
    (OutOfRange, lambda n: npl.position[3]),
    (BadType, lambda n: bool(npl.distance < 1.0)),
    (TypeError, lambda n: npl.distance + "a"),
    (TypeError, lambda n: npl.distance**npl.distance),
]


@pytest.mark.parametrize(("error", "call"), REFUSED)
def test_refused(net, error, call):
    with pytest.raises(error):
        call(net)
    assert net.n_nodes == 0 and net._draws == 0


def test_nodes_without_positions(net):
    a, b = net.create("iaf_psc_alpha", 3), net.create("iaf_psc_alpha", positions=npl.grid((2, 2)))
    c = net.create("iaf_psc_alpha", positions=npl.grid((2, 2), periodic=True))
    for nodes, error in ((a, NoPositions), (a + b, NoPositions), (b + c, IllegalConnection)):
        with pytest.raises(error):
            nodes.positions  # noqa: B018
    assert repr(a) == "Nodes(3 iaf_psc_alpha; gids 1..3)"
    with pytest.raises(npl.errors.ReadOnly):
        b.positions = np.zeros((4, 2))
    with pytest.raises(ForeignNodes):
        net.connect(b, npl.Network().create("iaf_psc_alpha", positions=npl.grid((2, 2))), weight=npl.distance)


# --- masks

POINTS = {dims: np.random.default_rng(dims).uniform(-1.0, 1.0, (3000, dims)) for dims in (2, 3)}
MASKS = [
    (space.circle(0.5), lambda x, y: np.hypot(x, y) <= 0.5),
    (space.doughnut(0.2, 0.7), lambda x, y: (np.hypot(x, y) <= 0.7) & (np.hypot(x, y) > 0.2)),
    (space.box((-0.5, 0.0), (0.5, 0.3)), lambda x, y: (np.abs(x) <= 0.5) & (y >= 0.0) & (y <= 0.3)),
    (space.box((-0.5, -0.1), (0.5, 0.1), azimuth=90.0), lambda x, y: (np.abs(y) <= 0.5) & (np.abs(x) <= 0.1)),
    (space.ellipse(1.0, 0.5), lambda x, y: (x / 0.5) ** 2 + (y / 0.25) ** 2 <= 1.0),
    (space.circle(0.5).shifted((0.3, -0.2)), lambda x, y: np.hypot(x - 0.3, y + 0.2) <= 0.5),
    (space.circle(0.5) | space.box((0.0, 0.0), (1.0, 1.0)), lambda x, y: (np.hypot(x, y) <= 0.5) | ((x >= 0.0) & (y >= 0.0))),
    (space.circle(0.5) & space.box((0.0, 0.0), (1.0, 1.0)), lambda x, y: (np.hypot(x, y) <= 0.5) & ((x >= 0.0) & (y >= 0.0))),
    (space.circle(0.5) - space.box((0.0, 0.0), (1.0, 1.0)), lambda x, y: (np.hypot(x, y) <= 0.5) & ~((x >= 0.0) & (y >= 0.0))),
    (space.sphere(0.6), lambda x, y, z: x * x + y * y + z * z <= 0.36),
    (space.box((-0.5, -0.4, -0.3), (0.5, 0.4, 0.3)), lambda x, y, z: (np.abs(x) <= 0.5) & (np.abs(y) <= 0.4) & (np.abs(z) <= 0.3)),
    (space.ellipsoid(1.0, 0.5, 1.5), lambda x, y, z: (x / 0.5) ** 2 + (y / 0.25) ** 2 + (z / 0.75) ** 2 <= 1.0),
]


@pytest.mark.parametrize("number", range(len(MASKS)))
def test_masks(number):
    mask, inside = MASKS[number]
    points = POINTS[mask.dims]
    found = mask.contains(points)
    assert (found == inside(*points.T)).all() and found.any() and not found.all()
    assert mask.contains(points[0]) is bool(found[0])


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (BadParameter, lambda: space.circle(0.0)),
        (BadType, lambda: space.circle("a")),
        (BadParameter, lambda: space.doughnut(0.5, 0.4)),
        (BadParameter, lambda: space.box((0.0, 0.0), (0.0, 1.0))),
        (BadLength, lambda: space.box((0.0, 0.0), (1.0, 1.0, 1.0))),
        (BadLength, lambda: space.box((0.0,), (1.0,))),
        (BadParameter, lambda: space.ellipse(0.5, 1.0)),
        (BadLength, lambda: space.circle(1.0) | space.sphere(1.0)),
        (TypeError, lambda: space.circle(1.0) | 3),
        (BadLength, lambda: space.circle(1.0).shifted((1.0, 1.0, 1.0))),
        (BadLength, lambda: space.circle(1.0).contains((1.0, 1.0, 1.0))),
        (BadParameter, lambda: space.grid_mask((2, 2)) | space.circle(1.0)),
        (BadParameter, lambda: space.grid_mask((2, 2)).contains((0.0, 0.0))),
        (BadType, lambda: npl.pairwise_bernoulli(0.5, mask=0.3)),
    ],
)
def test_masks_that_are_refused(error, call):
    with pytest.raises(error):
        call()


# --- expressions: values of connections between two layers equal those of numpy

LEAVES = st.sampled_from(["distance", "displacement.x", "displacement.y", "source.x", "target.y"])
NUMBERS = st.floats(-3.0, 3.0).map(lambda x: round(x, 2))
TREES = st.recursive(
    st.one_of(LEAVES, NUMBERS),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from("+-*<>"), inner, inner),
        st.tuples(st.sampled_from(["abs", "square", "minimum", "maximum", "where", "gaussian"]), inner, inner),
    ),
    max_leaves=8,
)


def built(tree, leaves, functions):
    """A tree as an expression or as arrays, by the leaves and functions given."""
    if isinstance(tree, str):
        return leaves[tree]
    if isinstance(tree, float):
        return tree + leaves["zero"]
    a, b = (built(part, leaves, functions) for part in tree[1:])
    return functions[tree[0]](a, b)


NATIVE = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "abs": lambda a, b: abs(a), "square": lambda a, b: a**2, "minimum": space.minimum, "maximum": space.maximum,
    "where": lambda a, b: space.where(a > b, a, b * 2.0), "gaussian": lambda a, b: space.gaussian(a, std=0.5),
}  # fmt: skip
NUMPY = NATIVE | {
    "abs": lambda a, b: np.abs(a), "square": lambda a, b: a * a, "minimum": np.minimum, "maximum": np.maximum,
    "where": lambda a, b: np.where(a > b, a, b * 2.0), "gaussian": lambda a, b: np.exp(-0.5 / 0.5**2 * a**2),
    "<": lambda a, b: (a < b) * 1.0, ">": lambda a, b: (a > b) * 1.0,
}  # fmt: skip


@settings(deadline=None, max_examples=50)
@given(TREES)
def test_expressions_are_their_formulas(tree):
    net = npl.Network(seed=1, threads=1)
    a, b = (net.create("iaf_psc_alpha", positions=np.random.default_rng(k).uniform(-1.0, 1.0, (6, 2))) for k in (1, 2))
    leaves = {"distance": npl.distance, "displacement.x": space.displacement.x, "displacement.y": space.displacement.y}
    leaves |= {"source.x": space.source.x, "target.y": space.target.y, "zero": 0.0 * npl.distance}
    p = net.connect(a, b, weight=built(tree, leaves, NATIVE), double_weights=True).connections()
    from_, to = (nodes.positions[gids - nodes.gids[0]] for nodes, gids in ((a, p.source), (b, p.target)))
    move = to - from_
    arrays = {"distance": np.sqrt((move**2).sum(axis=1)), "displacement.x": move[:, 0], "displacement.y": move[:, 1]}
    arrays |= {"source.x": from_[:, 0], "target.y": to[:, 1], "zero": np.zeros(36)}
    assert np.allclose(p.weight, built(tree, arrays, NUMPY), rtol=1e-12, atol=1e-12)


def test_what_is_drawn_in_expressions():
    net = npl.Network(seed=1, threads=1)
    a = net.create("iaf_psc_alpha", positions=npl.grid((40, 40)))
    p = net.connect(a, a, npl.fixed_indegree(10), weight=npl.distance + npl.uniform(10.0, 11.0))
    noise = p.weight - p.distances() - 10.0
    assert abs(noise.mean() - 0.5) < 0.01 and abs(noise.var() - 1 / 12) < 0.002 and len(np.unique(noise)) > 15_000
    assert (npl.normal() + npl.normal()).native() is None and repr(npl.uniform(0.0, 1.0) + npl.distance).endswith("+ distance)")
    assert isinstance(npl.normal() + 1.0, npl.classes.Distribution) and isinstance(2.0 * npl.normal(), npl.classes.Distribution)
    assert isinstance(npl.normal() * npl.distance, npl.classes.Expression) and isinstance(
        npl.distance - npl.normal(), npl.classes.Expression
    )


def test_functions_that_numpy_computes():
    net = npl.Network(seed=1, threads=1)
    a = net.create("iaf_psc_alpha", positions=npl.grid((5, 5)))
    for made, expected in [
        (space.sin(npl.distance), np.sin),
        (space.cos(3.0 * npl.distance), lambda d: np.cos(3.0 * d)),
        (space.log(1.0 + npl.distance), np.log1p),
        (space.sqrt(npl.distance), np.sqrt),
        (space.exp(-npl.distance), lambda d: np.exp(-d)),
        (space.exponential_decay(npl.distance, 0.3), lambda d: np.exp(-d / 0.3)),
        (space.gamma(npl.distance, 2.0, 0.5), lambda d: d * np.exp(-2.0 * d) * 4.0),
        (space.clip(npl.distance, 0.2, 0.4), lambda d: np.clip(d, 0.2, 0.4)),
        ((npl.distance > 0.2) & (npl.distance < 0.5), lambda d: ((d > 0.2) & (d < 0.5)) * 1.0),
        ((npl.distance < 0.2) | (npl.distance > 0.5), lambda d: ((d < 0.2) | (d > 0.5)) * 1.0),
        (npl.distance**1.5 / 2.0, lambda d: d**1.5 / 2.0),
    ]:
        net = npl.Network(seed=1, threads=1)
        a = net.create("iaf_psc_alpha", positions=npl.grid((5, 5)))
        p = net.connect(a, a, weight=made, double_weights=True)
        assert np.allclose(p.weight, expected(p.distances()), rtol=1e-13, atol=1e-14), made
