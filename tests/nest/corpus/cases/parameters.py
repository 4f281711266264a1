# SPDX-License-Identifier: Apache-2.0
"""Parameter objects: nest.random, nest.math, nest.logic, arithmetic, CreateParameter."""

import numpy as np
from tests.nest.corpus.values import counts, error, near, sample

N = 1000


def drawn(nest, parameter, n=N):
    """`n` draws of a Parameter, one per node."""
    return np.array(parameter.apply(nest.Create("parrot_neuron", n)))


def case_uniform(nest):
    return {"default": sample(drawn(nest, nest.random.uniform())), "range": sample(drawn(nest, nest.random.uniform(-3.0, 5.0)))}


def case_normal(nest):
    return {"default": sample(drawn(nest, nest.random.normal())), "moved": sample(drawn(nest, nest.random.normal(mean=4.0, std=0.5)))}


def case_exponential(nest):
    return {"default": sample(drawn(nest, nest.random.exponential())), "scaled": sample(drawn(nest, nest.random.exponential(beta=7.0)))}


def case_lognormal(nest):
    return {"default": sample(drawn(nest, nest.random.lognormal())), "set": sample(drawn(nest, nest.random.lognormal(mean=1.5, std=0.3)))}


def case_uniform_int(nest):
    values = drawn(nest, nest.random.uniform_int(6), 3000)
    return {"values": counts(values), "kinds": sorted({int(value) for value in values})}


def case_one_value_at_a_time(nest):
    parameter = nest.random.uniform(2.0, 3.0)
    return {"values": sample([parameter.GetValue() for _ in range(500)]), "type": type(parameter.GetValue()).__name__}


def case_arithmetic_with_numbers(nest):
    x = nest.CreateParameter("constant", {"value": 6.0})
    made = (x + 2.0, 2 + x, x - 1, 1.0 - x, x * 3.0, 3 * x, x / 4.0, 12.0 / x, -x, x**2, x**0.5)
    return {"values": near([parameter.GetValue() for parameter in made])}


def case_arithmetic_with_parameters(nest):
    x, y = nest.CreateParameter("constant", {"value": 6.0}), nest.CreateParameter("constant", {"value": 4.0})
    made = (x + y, x - y, x * y, x / y, (x + y) * (x - y) / 2.0)
    return {"values": near([parameter.GetValue() for parameter in made])}


def case_comparisons(nest):
    x = nest.CreateParameter("constant", {"value": 6.0})
    made = (x < 7.0, x < 6.0, x <= 6.0, x > 5.0, x >= 6.5, x == 6.0, x != 6.0)
    return {"values": [parameter.GetValue() for parameter in made], "type": isinstance(x == 6.0, nest.Parameter)}


def case_math(nest):
    x = nest.CreateParameter("constant", {"value": 0.75})
    made = (nest.math.exp(x), nest.math.sin(x), nest.math.cos(x), nest.math.min(x, 0.5), nest.math.max(x, 0.5), nest.math.exp(-x * x))
    return {"values": near([parameter.GetValue() for parameter in made])}


def case_minimum_and_maximum_of_draws(nest):
    x = nest.random.normal(0.0, 1.0)
    low, high = drawn(nest, nest.math.min(x, 0.3)), drawn(nest, nest.math.max(x, -0.3))
    return {"low": sample(low[low < 0.3]), "high": sample(high[high > -0.3]), "cut": counts(low == 0.3), "lifted": counts(high == -0.3)}


def case_redraw(nest):
    values = drawn(nest, nest.math.redraw(nest.random.normal(0.0, 1.0), min=-0.5, max=1.5))
    return {"values": sample(values), "inside": bool((values >= -0.5).all() and (values <= 1.5).all())}


def case_redraw_of_an_expression(nest):
    values = drawn(nest, nest.math.redraw(2.0 * nest.random.exponential(1.0) + 1.0, min=1.5, max=4.0))
    return {"values": sample(values)}


def case_conditional(nest):
    x = nest.random.uniform(0.0, 1.0)
    return {
        "constant": counts(drawn(nest, nest.logic.conditional(x < 0.3, 5.0, 7.0))),
        "drawn": sample(drawn(nest, nest.logic.conditional(x < 0.3, nest.random.normal(), 9.0))),
    }


def case_a_parameter_used_twice_is_drawn_twice(nest):
    x = nest.random.uniform(0.0, 1.0)
    return {"difference": sample(drawn(nest, x - x)), "product": sample(drawn(nest, x * x))}


def case_nested_expressions(nest):
    x = nest.math.exp(0.3 * nest.random.normal()) + nest.random.uniform(1.0, 2.0) ** 2
    return {"values": sample(drawn(nest, x / 2.0 - 1.0))}


def case_draws_are_independent(nest):
    values = drawn(nest, nest.random.normal(), 2000)
    again = drawn(nest, nest.random.normal(), 2000)
    return {
        "neighbours": bool(abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 0.1),
        "calls": bool(abs(np.corrcoef(values, again)[0, 1]) < 0.1),
    }


def case_same_seed_same_numbers(nest):
    nodes = nest.Create("parrot_neuron", 5)
    nest.rng_seed = 77
    first = nest.random.normal().apply(nodes)
    nest.ResetKernel()
    nest.rng_seed = 77
    again = nest.random.normal().apply(nest.Create("parrot_neuron", 5))
    nest.ResetKernel()
    nest.rng_seed = 78
    other = nest.random.normal().apply(nest.Create("parrot_neuron", 5))
    return {"same": first == again, "other": first != other}


def case_create_parameter(nest):
    made = {
        "constant": nest.CreateParameter("constant", {"value": 2.5}).GetValue(),
        "spatial": nest.CreateParameter("constant", {"value": 2.5}).is_spatial(),
    }
    uniform = drawn(nest, nest.CreateParameter("uniform", {"min": -1.0, "max": 1.0}))
    normal = drawn(nest, nest.CreateParameter("normal", {"mean": 3.0, "std": 2.0}))
    lognormal = drawn(nest, nest.CreateParameter("lognormal", {"mean": 0.5, "std": 0.2}))
    return made | {"uniform": sample(uniform), "normal": sample(normal), "lognormal": sample(lognormal)}


def case_create_exponential_parameter(nest):
    return {"values": sample(drawn(nest, nest.CreateParameter("exponential", {"beta": 0.4})))}


def case_bad_create_parameter(nest):
    return {"unknown": error(lambda: nest.CreateParameter("no_such", {"value": 1.0}))}


def case_spatial_or_not(nest):
    return {
        "random": nest.random.uniform().is_spatial(),
        "distance": nest.spatial.distance.is_spatial(),
        "sum": (nest.random.uniform() + nest.spatial.pos.x).is_spatial(),
    }


def case_bad_arithmetic(nest):
    x = nest.random.uniform()
    return {
        "modulo": error(lambda: x % 2.0),
        "floor": error(lambda: x // 2.0),
        "abs": error(lambda: abs(x)),
        "power": error(lambda: 2.0**x),
        "text": error(lambda: x + "a"),
        "numpy float": error(lambda: x * np.float64(2.0)),
    }


def case_bad_values(nest):
    return {
        "uniform": error(lambda: nest.random.uniform(2.0, 1.0)),
        "normal": error(lambda: nest.random.normal(0.0, -1.0)),
        "uniform_int": error(lambda: nest.random.uniform_int(0)),
        "lognormal": error(lambda: nest.random.lognormal(0.0, -1.0)),
    }


def case_positions_without_positions(nest):
    nodes = nest.Create("iaf_psc_exp", 3)
    return {
        "set": error(lambda: nodes.set(V_m=nest.spatial.pos.x)),
        "apply": error(lambda: nest.spatial.pos.x.apply(nodes)),
        "value": error(nest.spatial.pos.x.GetValue),
    }


def case_not_in_defaults(nest):
    return {"raises": error(lambda: nest.SetDefaults("iaf_psc_exp", {"V_m": nest.random.uniform()}))}


def case_apply_gives_a_tuple(nest):
    nodes = nest.Create("parrot_neuron", 3)
    values = nest.CreateParameter("constant", {"value": 1.5}).apply(nodes)
    return {"type": type(values).__name__, "values": values}


def case_parameter_in_a_list(nest):
    nodes = nest.Create("iaf_psc_exp", 1000, {"V_m": nest.math.redraw(nest.random.normal(-60.0, 5.0), -70.0, -55.0), "C_m": 250.0})
    return {"V_m": sample(nodes.V_m), "V_th": error(lambda: nodes.set(V_th=nest.random.uniform(-54.0, -50.0)))}


def case_positions_in_expressions(nest):
    nodes = nest.Create("iaf_psc_exp", positions=nest.spatial.grid([4, 3], extent=[4.0, 3.0]))
    nodes.V_m = -70.0 + 2.0 * nest.spatial.pos.x + nest.spatial.pos.y
    nodes.I_e = nest.logic.conditional(nest.spatial.pos.x > 0.0, 10.0, nest.math.exp(nest.spatial.pos.n(1)))
    return {"V_m": near(nodes.V_m), "I_e": near(nodes.I_e)}


def case_distributions_of_distance(nest):
    nodes = nest.Create("parrot_neuron", positions=nest.spatial.grid([7, 1], extent=[7.0, 1.0]))
    d, kinds = nest.spatial.distance, nest.spatial_distributions
    made = {
        "exponential": kinds.exponential(d, beta=1.5),
        "gaussian": kinds.gaussian(d, mean=1.0, std=2.0),
        "gamma": kinds.gamma(d, kappa=2.0, theta=1.5),
        "gaussian2D": kinds.gaussian2D(nest.spatial.distance.x, nest.spatial.distance.y, mean_x=0.5, std_x=1.0, std_y=2.0, rho=0.3),
        "gabor": kinds.gabor(nest.spatial.distance.x, nest.spatial.distance.y, theta=30.0, gamma=0.7, std=1.2, lam=2.0, psi=0.2),
    }
    return {name: near(parameter.apply(nodes[3], [[0.0, 0.0], [1.0, 0.25], [-2.5, 0.5]])) for name, parameter in made.items()}
