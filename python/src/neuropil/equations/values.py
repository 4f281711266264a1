# SPDX-License-Identifier: Apache-2.0
"""Values: of parameters, and of variables at the beginning."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import bad_parameter, bad_type, nearest
from .description import Description, Parameter
from .errors import UnitError, fail
from .evaluating import value_of
from .expressions import Binary, Call, Expression, Name, names, parts, walk
from .inference import constant
from .names import CURRENT, usual_unit
from .parsing import Assignment, Line, read_expression, read_quantity
from .reading import Reading, check_name, finite
from .units import EXPRESSION_SYMBOLS, SYMBOLS, Unit, named, unknown

__all__ = [
    "Value",
    "add_parameter_line",
    "add_parameters",
    "add_refractory",
    "check_all_used",
    "known_unit",
    "read_initial",
    "read_parameters",
]

Value = float | str
T_REF = "t_ref"


def add_parameter_line(reading: Reading, line: Line) -> None:
    """A line with the flag (parameter)."""
    value = constant(line.value)
    if value is None or line.derivative:
        fail(line.place, f"the parameter {line.name} needs a number, such as C_m = 281.0 : pF (parameter)")
    set_parameter(reading, line.name, value, line.unit, line.factor)


def set_parameter(reading: Reading, name: str, value: float, unit: Unit | None, factor: float) -> None:
    reading.values[name] = value
    if unit is None and (usual := usual_unit(name)):
        unit = SYMBOLS[usual][0]
        reading.units.by_name.add(name)
    reading.units.of[name] = unit if unit is not None else unknown(name)
    if factor != 1.0:
        reading.factors[name] = factor
        reading.shown[name] = next((s for s, (u, f) in SYMBOLS.items() if u == unit and f == factor), "")
        if not reading.shown[name]:
            raise bad_parameter(
                f"the unit of {name}", named(unit or Unit()), "one of those that equations know, or made of mV, ms, pA, nS, pF, mM"
            )


def add_parameters(reading: Reading, parameters: Mapping[str, Value]) -> None:
    """Those of the argument `parameters`."""
    if not isinstance(parameters, Mapping):
        raise bad_type("parameters", parameters, "a dict of numbers or texts such as '281 pF'")
    for name, value in parameters.items():
        check_name(name, "parameters")
        if name in reading.lines or name in reading.values:
            raise bad_parameter("parameters", name, "a name that the equations do not define themselves")
        if isinstance(value, str):
            set_parameter(reading, name, *read_quantity(value, f"parameters[{name!r}]"))
        else:
            set_parameter(reading, name, finite(f"parameters[{name!r}]", value), None, 1.0)


def add_refractory(reading: Reading, refractory: Value | None) -> str | None:
    """The name of the parameter with the refractory period. A number (ms) or a text such as "2 ms" becomes the parameter t_ref."""
    if refractory is None or (isinstance(refractory, str) and refractory.lstrip()[:1].isidentifier()):
        return refractory
    if isinstance(refractory, str):
        value, unit, factor = read_quantity(refractory, "refractory")
        if unit != SYMBOLS["ms"][0]:
            raise bad_parameter("refractory", refractory, "a time, such as '2 ms'")
        value *= factor
    else:
        value = finite("refractory", refractory)
    if value < 0:
        raise bad_parameter("refractory", refractory, ">= 0")
    if T_REF in reading.lines or T_REF in reading.values:
        raise bad_parameter("refractory", refractory, f"'{T_REF}', as the model has a parameter or line of this name")
    set_parameter(reading, T_REF, value, SYMBOLS["ms"][0], 1.0)
    return T_REF


def known_unit(reading: Reading, name: str) -> Unit:
    """The unit, which must have been found."""
    unit = reading.units[name]
    if unit.unknowns():
        if name in reading.lines:
            fail(reading.lines[name].place, f"the unit of {name} does not follow from the equations: add it, as in '... : mV'", UnitError)
        raise UnitError(
            f"the unit of the parameter {name} does not follow from the equations: give it with the value, as in {name}='1 mV'",
            "parameters",
        )
    return unit


def read_initial(reading: Reading, initial: Mapping[str, Value], reset: list[Assignment]) -> dict[str, float]:
    """Values of variables at the beginning: as given, else what the reset sets from parameters, else 0."""
    if not isinstance(initial, Mapping):
        raise bad_type("initial", initial, "a dict: variable -> number or expression of parameters")
    variables = [name for name, line in reading.lines.items() if line.derivative]
    found = {}
    for assignment in reset:
        if assignment.operator == "=" and not names(assignment.value) - set(reading.values) - set(EXPRESSION_SYMBOLS):
            found[assignment.name] = default_value(reading, reading.plain(assignment.value), f"reset of {assignment.name}")
    for name, value in initial.items():
        if name not in variables:
            raise bad_parameter("initial", name, f"a variable with a derivative{nearest(name, variables)}: {', '.join(variables)}")
        found[name] = initial_value(reading, name, value)
    return found


def initial_value(reading: Reading, name: str, value: Value) -> float:
    what = f"initial[{name!r}]"
    if not isinstance(value, str):
        return finite(what, value)
    tree = read_expression(value, what)
    if unknown_names := sorted(names(tree) - set(reading.values) - set(EXPRESSION_SYMBOLS)):
        place = next(node.place for node in walk(tree) if isinstance(node, Name) and node.name in unknown_names)
        fail(place, f"'{unknown_names[0]}' is no parameter{nearest(unknown_names[0], reading.values)}")
    reading.used |= names(tree)
    reading.units.expect(tree, reading.units.of[name], name)
    return default_value(reading, reading.plain(tree), what)


def default_value(reading: Reading, tree: Expression, what: str) -> float:
    with np.errstate(all="ignore"):
        return finite(what, float(value_of(tree, {**reading.values, CURRENT: 0.0})))


def check_all_used(reading: Reading, refractory: str | None, users: str = "the equations, the threshold or the reset") -> None:
    """A parameter that nothing uses is a slip of the pen."""
    unused = [name for name in reading.values if name not in reading.used and name != refractory]
    if unused:
        raise bad_parameter("parameters", unused[0], f"a name that {users} use" + nearest(unused[0], reading.used))


def read_parameters(reading: Reading, made: Description) -> tuple[Parameter, ...]:
    """Parameters with their units and bounds."""
    divisors = dividing(made)
    found = []
    for name, value in reading.values.items():
        unit = known_unit(reading, name)
        positive = name in divisors and unit in (SYMBOLS["ms"][0], SYMBOLS["pF"][0])
        bound = "non_negative" if name == made.refractory else "positive" if positive else "any"
        if (bound == "positive" and not value > 0) or (bound == "non_negative" and value < 0) or (name in divisors and value == 0):
            raise bad_parameter(
                f"parameters[{name!r}]", value, {"positive": "> 0", "non_negative": ">= 0"}.get(bound, "a number other than 0")
            )
        found.append(Parameter(name, value, reading.shown.get(name) or named(unit), bound, name in divisors and bound == "any"))
    return tuple(found)


def dividing(made: Description) -> set[str]:
    """Parameters by which something is divided."""
    return set[str]().union(*(divisors_of(tree, frozenset()) for tree in made.trees))


def divisors_of(tree: Expression, chosen: frozenset[str]) -> set[str]:
    """Those of an expression. chosen : names that `where` around it looks at, which it may do to divide by them only where they are not 0."""
    if isinstance(tree, Call) and tree.function == "where":
        within = chosen | names(tree.arguments[0])
        return divisors_of(tree.arguments[0], chosen).union(*(divisors_of(each, within) for each in tree.arguments[1:]))
    found = factors(tree.right) - chosen if isinstance(tree, Binary) and tree.operator == "/" else set[str]()
    return found.union(*(divisors_of(each, chosen) for each in parts(tree)))


def factors(tree: Expression) -> set[str]:
    """Names whose zero makes a product zero."""
    match tree:
        case Name():
            return {tree.name}
        case Binary(operator="*"):
            return factors(tree.left) | factors(tree.right)
    return set()
