# SPDX-License-Identifier: Apache-2.0
"""Parameters against numpy: operators, functions, positions, and what the kernel can draw itself."""

import math as m

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import neuropil as npl
import neuropil.nest as nest
from neuropil import _core
from neuropil.nest.parameters import Constant, Context, CreateParameter, Parameter, logic, math, random
from neuropil.nest.spatial import distance, pos, source_pos, target_pos

KEYS = np.arange(1, 20_001)


def evaluate(parameter, keys=KEYS, draw=3, **positions):
    return parameter.evaluate(Context(7, draw, keys, **positions))


def of(value):
    """The value of a Parameter that is always the same."""
    return float(evaluate(value, KEYS[:1])[0])


# --- operators

NUMBERS = st.floats(-100.0, 100.0).map(lambda x: round(x, 3))


@settings(deadline=None)
@given(NUMBERS, NUMBERS)
def test_operators_are_those_of_numbers(a, b):
    p, q = Constant(a), Constant(b)
    for made, expected in [
        (p + b, a + b),
        (a + q, a + b),
        (p - b, a - b),
        (a - q, a - b),
        (p * q, a * b),
        (a * q, a * b),
        (-p, -a),
        (+p, a),
    ]:
        assert of(made) == expected
    for made, expected in [
        (p < b, a < b),
        (p <= q, a <= b),
        (p > b, a > b),
        (p >= q, a >= b),
        (p == b, a == b),
        (p != q, a != b),
        (a < q, a < b),
    ]:
        assert of(made) == float(expected)
    if b:
        assert of(p / b) == a / b
        assert of(a / q) == a / b


def test_division_by_zero_and_roots_of_negative_numbers_are_values():
    assert of(Constant(1.0) / 0) == m.inf
    assert m.isnan(of(Constant(-3.0) ** 0.5))
    assert of(Constant(2.0) ** -1) == 0.5


def test_numbers_of_numpy_on_either_side():
    p = random.uniform()
    for made in (np.float64(1.0) + p, p + np.float64(1.0), np.int64(2) * p, p * np.int64(2), p + np.float32(1.0)):
        assert isinstance(made, Parameter)


@pytest.mark.parametrize("other", ["a", None, [1.0]])
def test_other_operands_are_refused(other):
    p = random.uniform()
    for operation in (
        lambda: p + other,
        lambda: other * p if not isinstance(other, list) else p * other,
        lambda: p < other,
        lambda: p == other,
    ):
        with pytest.raises(NotImplementedError):
            operation()


def test_what_python_has_no_operator_for():
    p = random.uniform()
    for operation in (lambda: p % 2, lambda: p // 2, lambda: abs(p), lambda: 2**p, lambda: p**p, lambda: hash(p)):
        with pytest.raises(TypeError):
            operation()
    assert bool(p == p)


def test_functions():
    p = Constant(0.3)
    assert of(math.exp(p)) == np.exp(0.3)
    assert of(math.sin(p)) == np.sin(0.3)
    assert of(math.cos(p)) == np.cos(0.3)
    assert (of(math.min(p, 0.2)), of(math.max(p, 0.2))) == (0.2, 0.3)
    assert (of(logic.conditional(p, 1, 2.0)), of(logic.conditional(p > 1, 1, p))) == (1.0, 0.3)
    for wrong in (
        lambda: math.exp(1.0),
        lambda: math.min(p, p),
        lambda: logic.conditional(True, 1, 2),
        lambda: logic.conditional(p, "a", 2),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()


# --- random numbers

DRAWN = [
    (random.uniform(2.0, 3.0), stats.uniform(2.0, 1.0)),
    (random.normal(-60.0, 2.0), stats.norm(-60.0, 2.0)),
    (random.lognormal(0.5, 0.3), stats.lognorm(0.3, scale=np.exp(0.5))),
    (random.exponential(4.0), stats.expon(scale=4.0)),
    (3.0 - 2.0 * random.uniform(), stats.uniform(1.0, 2.0)),
    (random.normal() / 2 + 1, stats.norm(1.0, 0.5)),
    (random.lognormal(10.0, 20.0), stats.lognorm(20.0, scale=np.exp(10.0))),
    (2.0 * random.lognormal(), stats.lognorm(1.0, scale=2.0)),
    (random.exponential() * 0.5, stats.expon(scale=0.5)),
    (math.redraw(random.normal(), 0.5, 2.0), stats.truncnorm(0.5, 2.0)),
    (5.0 - math.redraw(random.normal(), 0.5, 2.0), stats.truncnorm(-2.0, -0.5, loc=5.0)),
    (math.redraw(random.exponential(), 0.0, 1.0), stats.truncexpon(1.0)),
    (math.redraw(random.normal(0.0, 1.0) + random.uniform(0.0, 1e-9), 0.0, 1.0), stats.truncnorm(0.0, 1.0)),
]


@pytest.mark.parametrize(("parameter", "expected"), DRAWN)
def test_distributions(parameter, expected):
    assert stats.kstest(evaluate(parameter), expected.cdf).pvalue > 1e-3
    found = parameter.native()
    if found is not None:  # what the kernel draws has the same distribution
        assert stats.kstest(_core.draw_values(found.spec(), 11, 0, KEYS), expected.cdf).pvalue > 1e-3


def test_potentials_of_a_wide_distribution():
    nest.ResetKernel()
    log, least = stats.norm(10.0, 20.0), np.log(1e3)
    for nodes in (nest.Create("iaf_psc_alpha", 5000, {"V_m": random.lognormal(10.0, 20.0)}), nest.Create("iaf_psc_alpha", 5000)):
        nodes.V_m = random.lognormal(10.0, 20.0)
        large = np.array([v for v in nodes.V_m if v > 1e3])  # of smaller ones, V_m - E_L has lost digits
        assert abs(len(large) / 5000 - log.sf(least)) < 0.03
        assert stats.kstest(np.log(large), lambda x: 1.0 - log.sf(x) / log.sf(least)).pvalue > 1e-3
    nest.Simulate(1.0)
    assert max(nodes.V_m) <= -55.0


def test_negative_scale_of_an_exponential():
    values = evaluate(random.exponential(-2.0))
    assert stats.kstest(-values, stats.expon(scale=2.0).cdf).pvalue > 1e-3


def test_what_the_kernel_can_draw():
    assert random.normal(1.0, 2.0).native() == npl.normal(1.0, 2.0)
    assert (2.0 * random.uniform() - 1.0).native() == npl.uniform(-1.0, 1.0)
    assert math.redraw(random.normal(), -1.0, 1.0).native() == npl.normal().redraw(-1.0, 1.0)
    assert math.max(random.normal(), 0.0).native() == npl.normal().clip(min=0.0)
    assert (Constant(2.0) * 3.0 / 4.0).native() == 1.5
    assert (1.0 + 0.1 * random.uniform_int(3)).native() == 1.0 + 0.1 * npl.uniform_int(3)
    assert (2.0 - 3.0 * random.lognormal()).native() == 2.0 - 3.0 * npl.lognormal()
    assert random.exponential(-2.0).native() == -npl.exponential(2.0)
    assert math.min(math.max(random.normal(), 0.0), 2.0).native() == npl.normal().clip(0.0, 2.0)
    assert math.max(math.max(random.normal(), 0.0), 2.0).native() == npl.normal().clip(min=2.0)
    for parameter in (
        random.uniform_int(1 << 17),
        random.uniform() + random.uniform(),
        math.redraw(random.uniform_int(5), 1.2, 1.8),
        distance,
        0.0 * random.normal(),
    ):
        assert parameter.native() is None


@pytest.mark.parametrize("n", [1, 5, 70_000])
def test_whole_numbers_are_equally_likely(n):
    values = evaluate(random.uniform_int(n))
    assert set(np.unique(values)) <= set(range(n))
    if n == 5:
        assert stats.chisquare(np.bincount(values.astype(int), minlength=5)).pvalue > 1e-3
    if n > 5:
        assert stats.kstest((values + 0.5) / n, "uniform").pvalue > 1e-3


def test_every_leaf_draws_its_own():
    p = random.normal()
    assert stats.kstest(evaluate(p - p), stats.norm(0.0, np.sqrt(2.0)).cdf).pvalue > 1e-3
    a, b = evaluate(p), evaluate(p, draw=4)
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.03


def test_values_belong_to_keys():
    parameter = math.redraw(random.normal() + random.uniform_int(3), 0.0, 1.5) * logic.conditional(
        random.uniform() < 0.3, random.exponential(), 2.0
    )
    some = np.array([5, 17, 400, 3])
    assert (evaluate(parameter, some) == evaluate(parameter)[some - 1]).all()


def test_redraw_gives_up():
    with pytest.raises(nest.NESTErrors.KernelException):
        evaluate(math.redraw(random.uniform(), 2.0, 3.0), KEYS[:3])
    assert math.redraw(random.uniform(), 2.0, 3.0).native() is None
    assert of(math.redraw(Constant(0.5), 0.5, 0.5)) == 0.5


def test_only_the_taken_branch_is_evaluated():
    parameter = logic.conditional(Constant(1.0), 2.0, math.redraw(random.uniform(), 2.0, 3.0))
    assert of(parameter) == 2.0


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: random.uniform(1, 0), "BadProperty"),
        (lambda: random.uniform(1, 1), "BadProperty"),
        (lambda: random.normal(0, 0), "BadProperty"),
        (lambda: random.lognormal(0, -1), "BadProperty"),
        (lambda: random.uniform_int(0), "BadProperty"),
        (lambda: math.redraw(random.uniform(), 0.3, 0.2), "BadParameterValue"),
        (lambda: pos.n(-1), "BadParameterValue"),
        (lambda: CreateParameter("foo", {}), "UndefinedName"),
        (lambda: CreateParameter("uniform", {"min": 0.0, "foo": 1.0}), "UnaccessedDictionaryEntry"),
        (lambda: CreateParameter("position", {"dimension": 0, "synaptic_endpoint": 3}), "BadParameterValue"),
    ],
)
def test_errors(make, error):
    with pytest.raises(getattr(nest.NESTErrors, error)):
        make()


def test_builtin_errors():
    for make, error in [
        (lambda: random.uniform("a"), ValueError),
        (lambda: random.uniform(random.uniform(), 1), TypeError),
        (lambda: random.uniform_int(10.0), TypeError),
        (lambda: CreateParameter("constant", {}), IndexError),
        (lambda: CreateParameter(3, {}), TypeError),
        (lambda: pos.w, AttributeError),
    ]:
        with pytest.raises(error):
            make()


def test_create_parameter():
    assert of(CreateParameter("constant", {"value": 3})) == 3.0
    assert CreateParameter("uniform", {"max": 2.0}).native() == npl.uniform(0.0, 2.0)
    assert of(CreateParameter("gaussian", {"x": Constant(1.0), "std": 2.0})) == np.exp(-0.125)


# --- positions

SOURCE = np.array([[0.0, 0.0], [1.0, 2.0], [-2.0, 2.0]])
TARGET = np.array([[3.0, 4.0], [1.0, 2.0], [2.0, -2.0]])
ENDS = {"source_pos": SOURCE, "target_pos": TARGET, "extent": np.array([5.0, 5.0])}


def test_distances_wrap_where_edges_are_joined():
    free, joined = ENDS | {"periodic": False}, ENDS | {"periodic": True}
    assert evaluate(distance, KEYS[:3], **free).tolist() == [5.0, 0.0, np.sqrt(32.0)]
    assert evaluate(distance.x, KEYS[:3], **free).tolist() == [3.0, 0.0, 4.0]
    assert evaluate(distance, KEYS[:3], **joined).tolist() == [np.sqrt(5.0), 0.0, np.sqrt(2.0)]
    assert evaluate(distance.y, KEYS[:3], **joined).tolist() == [1.0, 0.0, 1.0]
    assert (evaluate(distance.n(0), KEYS[:3], **free) == evaluate(distance, KEYS[:3], **free)).all()


def test_positions_of_nodes_and_ends():
    assert evaluate(pos.y + 1, KEYS[:3], node_pos=SOURCE).tolist() == [1.0, 3.0, 3.0]
    assert evaluate(source_pos.x - target_pos.n(1), KEYS[:3], **ENDS).tolist() == [-4.0, -1.0, 0.0]


def test_positions_where_there_are_none():
    errors = nest.NESTErrors
    for parameter, positions, error in [
        (pos.x, {}, errors.KernelException),
        (pos.z, {"node_pos": SOURCE}, errors.KernelException),
        (pos.x, ENDS, errors.BadParameterValue),
        (distance, {"node_pos": SOURCE}, errors.BadParameterValue),
        (source_pos.x, {}, errors.BadParameterValue),
        (distance.z, ENDS, errors.KernelException),
    ]:
        with pytest.raises(error) as raised:
            evaluate(parameter, KEYS[:3], **positions)
        assert raised.type is error


def test_what_is_spatial():
    p = random.uniform()
    spatial = [
        pos.x,
        distance,
        distance + p,
        p < distance,
        math.exp(distance),
        logic.conditional(p, 1, distance),
        math.redraw(distance, 0, 1),
    ]
    spatial += [nest.spatial_distributions.gaussian(p)]
    assert all(parameter.is_spatial() for parameter in spatial)
    assert not any(parameter.is_spatial() for parameter in (p, p + 1, math.exp(p), Constant(1.0)))
