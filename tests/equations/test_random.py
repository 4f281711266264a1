# SPDX-License-Identifier: Apache-2.0
"""Random equations: the compiled model computes what numpy computes, and random linear ones what expm gives."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from equations.compiled import COMPILER, compiled
from neuropil.equations import neuron

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs g++")
NONLINEAR, LINEAR, SOLVED, STATES = 30, 10, 6, 50
ONE = ("exp(-abs({}))", "sin({})", "cos({})", "tanh({})", "exprel(-abs({}))", "expm1(min({}, 1))", "log1p(abs({}))", "sqrt(abs({}))", "log(1 + abs({}))",
       "-{}", "({})**2", "({})**3", "(1 + abs({}))**-1", "(1 + abs({}))**0.5", "({})**4")  # fmt: skip
TWO = ("({} + {})", "({} - {})", "{} * {}", "({})/(1 + abs({}))", "max({}, {})", "min({}, {})", "pow(1 + abs({}), tanh({}))")
CHOICE = ("where({} > {}, {}, {})", "where({} <= {} or x > 0 and not y < 1, {}, {})")


def term(rng, depth):
    """A random expression of x, y, z, parameters and numbers, none of whose values are large."""
    if depth == 0:
        return str(rng.choice(["x", "y", "z", "a", "b", "u", "1.5", "0.25", "I_stim/pA"]))
    kind = rng.random()
    templates = ONE if kind < 0.4 else TWO if kind < 0.9 else CHOICE
    template = str(rng.choice(templates))
    return "(" + template.format(*(term(rng, int(rng.integers(0, depth))) for _ in range(template.count("{}")))) + ")"


def nonlinear_model(seed):
    rng = np.random.default_rng(seed)
    lines = ["u = a*b + 0.5*x : 1"]
    lines += [
        f"d{name}/dt = ({term(rng, 4)} + 0*({term(rng, 2)}*a*b*x*y*z))/ms : 1 {flag}"
        for name, flag in (("x", "(receptor)"), ("y", ""), ("z", ""))
    ]
    return neuron(f"random_{seed}", "\n".join(lines), parameters={"a": "0.7 1", "b": "-0.3 1"}, integrator="rkf45")


def linear_model(seed):
    """Of 2 to 5 variables; some entries of the matrix are missing, so that it has many structures."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    present = (rng.random((n, n)) < 0.4) | np.eye(n, dtype=bool)
    lines, parameters = [], {}
    for i in range(n):
        terms = [f"m{i}{j}*v{j}" for j in range(n) if present[i, j]] + [f"c{i}"] * (i % 2)
        parameters |= {f"m{i}{j}": 0.0 for j in range(n) if present[i, j]} | ({f"c{i}": 0.0} if i % 2 else {})
        current = " + 0.01*I_stim/(pA*ms)" if i == 0 else ""
        lines.append(f"dv{i}/dt = {' + '.join(terms)}{current} : 1 {'(receptor)' if i == n - 1 else ''}")
    return neuron(f"linear_{seed}", "\n".join(lines), parameters=parameters, integrator="exact")


SMOOTH = (
    "sin({0})",
    "cos({0})",
    "tanh({0})",
    "exp(-({0})**2)",
    "({0} + {1})",
    "({0} - {1})",
    "({0})*({1})/(1 + ({1})**2)",
    "{0}/(2 + cos({1}))",
)


def smooth(rng, depth):
    """A random expression of x, y and z with continuous derivatives."""
    if depth == 0:
        return str(rng.choice(["x", "y", "z", "0.7", "1.3"]))
    return "(" + str(rng.choice(SMOOTH)).format(*(smooth(rng, int(rng.integers(0, depth))) for _ in range(2))) + ")"


def smooth_models():
    """Lines that follow each other within a ball, with three integrators."""
    found = {}
    for seed in range(SOLVED):
        rng = np.random.default_rng(5000 + seed)
        lines = [f"d{name}/dt = ({smooth(rng, 4)} - 0.5*{name})/ms : 1" for name in "xyz"]
        lines[0] += " (receptor)"
        for integrator in ("rkf45", "rk4"):
            model = neuron(f"smooth_{seed}_{integrator}", "\n".join(lines), integrator=integrator)
            found[model.name] = model
    return found


@pytest.fixture(scope="module")
def models():
    return {m.name: m for m in [nonlinear_model(seed) for seed in range(NONLINEAR)] + [linear_model(seed) for seed in range(LINEAR)]}


@pytest.fixture(scope="module")
def programs(models, tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("random"), {name: model.source for name, model in models.items()}, "-DHARNESS_SLOPES_ONLY")


@pytest.mark.parametrize("seed", range(NONLINEAR))
def test_random_equations_have_the_slopes_of_numpy(models, programs, seed):
    rng = np.random.default_rng(1000 + seed)
    model, program = models[f"random_{seed}"], programs[f"random_{seed}"]
    moved = 0
    for _ in range(STATES):
        state = dict(zip("xyz", rng.normal(0, 1.5, 3), strict=True))
        a, b, current = rng.normal(0, 1, 3)
        expected = model.slopes(state, current=current, parameters={"a": a, "b": b})
        found = program.slopes(state, current, a=a, b=b)[:3]
        np.testing.assert_allclose(found, [expected[name] for name in "xyz"], rtol=1e-9, atol=1e-9)
        moved += np.any(found != 0.0)
    assert moved > 0


@pytest.mark.parametrize("seed", range(LINEAR))
def test_random_linear_equations_follow_the_matrix_exponential(models, programs, seed):
    rng = np.random.default_rng(2000 + seed)
    program, h, steps = programs[f"linear_{seed}"], 0.3, 40
    n = len(models[f"linear_{seed}"].description.variables)
    values = {name: rng.normal(0, 0.4) - (0.5 if name[1] == name[2:] else 0.0) for name in program.parameters}
    spikes, currents = rng.normal(0, 1, (steps, 1)) * (rng.random((steps, 1)) < 0.3), rng.normal(0, 50, steps)
    found = program.run(steps, h=h, spikes=spikes, currents=currents, **values)
    full = np.zeros((n + 2, n + 2))
    for name, value in values.items():
        i, j = (int(name[1]), n if name[0] == "c" else int(name[2]))
        full[i, j] = value
    full[0, n + 1] = 0.01
    step, state = expm(full * h), np.zeros(n)
    for k in range(steps):
        state = (step @ [*state, 1.0, currents[k]])[:n]
        state[n - 1] += spikes[k, 0]
        np.testing.assert_allclose([found[f"v{i}"][k] for i in range(n)], state, rtol=1e-10, atol=1e-10)


@pytest.mark.slow
def test_random_nonlinear_equations_follow_solve_ivp(tmp_path):
    models = smooth_models()
    programs, h, steps = compiled(tmp_path, {name: model.source for name, model in models.items()}), 0.05, 100
    for name, model in models.items():
        start = np.random.default_rng(7).normal(0, 1, 3)
        expected = solve_ivp(
            lambda _, y, model=model: [model.slopes(dict(zip("xyz", y, strict=True)))[v] for v in "xyz"],
            (0.0, h * steps), start, method="DOP853", rtol=1e-10, atol=1e-10, t_eval=h * np.arange(1, steps + 1),
        )  # fmt: skip
        found = programs[name].run(steps, h=h, initial=dict(zip("xyz", start, strict=True)))
        np.testing.assert_allclose([found[v] for v in "xyz"], expected.y, rtol=0, atol=2e-5, err_msg=name)
        assert np.ptp(expected.y) > 0.1
