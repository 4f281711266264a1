# SPDX-License-Identifier: Apache-2.0
"""Names of a model, and its expressions as those of equations: units converted, functions of the model written out."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping

import numpy as np

from ..equations.errors import EquationError, UnitError
from ..equations.evaluating import value_of
from ..equations.expressions import FUNCTIONS, Binary, Call, Expression, Name, Number, Unary, names, parts, text_of
from ..equations.inference import CONDITION, Unchecked, Units
from ..equations.names import CURRENT, STEP
from ..equations.simplify import simplified
from ..equations.units import EXPRESSION_SYMBOLS, SYMBOLS, Unit
from ..errors import nearest
from .conditions import as_condition, as_number, equality, is_condition, remainder, truth
from .errors import NestmlError, UnitsDifferError, refuse
from .syntax import Assign, Declaration, Function, If, Model, Return, Statement, walk_statements
from .units import NUMBER_TYPES, Quantity, is_symbol, quantity, scaled, unit_tree

__all__ = ["LARGEST", "Scope", "own_name"]

LARGEST = 3000  # nodes of an expression
_SAME = ("exp", "expm1", "sqrt", "abs", "sin", "cos", "tanh", "pow", "min", "max", "where", "steps", "floor")


def own_name(name: str) -> str:
    """The name in equations: x' is x_d, x$ is x_aux."""
    base = name.rstrip("'")
    return base.replace("$", "_aux") + "_d" * (len(name) - len(base))


class Scope:
    """What the names of a model are."""

    def __init__(self, model: Model, checked: bool = True) -> None:
        self.model = model
        self.checked = checked  # whether units must fit together
        self.declared: dict[str, Declaration] = {}
        self.kind: dict[str, str] = {}  # state, parameter, internal, inline
        for kind, found in (
            ("state", model.state),
            ("parameter", model.parameters),
            ("internal", model.internals),
            ("inline", model.inlines),
        ):
            for each in found:
                self.add(each, kind)
        self.ports = {port.name: port for port in model.ports}
        self.functions = {function.name: function for function in model.functions}
        self.convolve: Callable[[Call], Expression] = lambda call: refuse(call.place, "convolve() is not supported here")
        self.random: Callable[[Call, tuple[Expression, ...]], Expression] | None = None  # of statements
        self.locals: dict[str, Unit | str] = {}  # values within the step; CONDITION or a unit
        self.check_units()
        self.values: dict[str, float] = {}
        self.step = 0.1  # time step for values that depend on it (ms), the default of networks
        self.calls: list[str] = []

    def add(self, declaration: Declaration, kind: str) -> None:
        """Refuses a name that is there already."""
        own = own_name(declaration.name)
        if own in {own_name(name) for name in self.declared}:
            refuse(declaration.place, f"'{declaration.name}' is defined twice")
        self.declared[declaration.name] = declaration
        self.kind[declaration.name] = kind

    def check_units(self) -> None:
        """Units behind numbers must not be names of the model, too."""
        local = {name for f in self.model.functions for name in f.arguments}
        local |= {each.name for f in self.model.functions for each in walk_statements(f.body) if isinstance(each, Declaration)}
        for unit in self.model.units:
            if unit.name in local or unit.name in self.declared or unit.name in self.ports:
                refuse(unit.place, f"'{unit.name}' behind a number is a unit, and a name of the model: write a product with parentheses")

    # Units

    @property
    def true_or_false(self) -> set[str]:
        """Values within the step that are conditions."""
        return {name for name, kind in self.locals.items() if kind == CONDITION}

    def quantity(self, declaration: Declaration) -> Quantity:
        """The declared unit. Raises NestmlError for units that are not made of V, A, s, mol/l."""
        tree = declaration.type
        if isinstance(tree, Name) and tree.name in NUMBER_TYPES:
            return Quantity(Unit(), 0)
        found = quantity(tree)
        if found is None or found.unit.unknowns():
            if found is not None and not self.checked:
                return Quantity(Unit(), found.ten)
            kind = NestmlError if found is None else UnitsDifferError
            refuse(
                tree.place,
                f"the unit {text_of(tree)} is not supported: units are made of V, A, s, F, S, Ohm, Hz, mol/l, with prefixes",
                kind,
            )
        return found

    def is_boolean(self, name: str) -> bool:
        """Whether it was declared so."""
        return self.declared[name].type == Name(self.declared[name].place, "boolean")

    def is_integer(self, name: str) -> bool:
        """Whether this name of equations was declared so."""
        return any(own_name(each) == name and d.type == Name(d.place, "integer") for each, d in self.declared.items())

    def unit_of(self, tree: Expression) -> Unit | None:
        """Unit of a converted expression; None where it has any."""
        found = self.kind_of(tree)
        if isinstance(found, str):
            refuse(tree.place, f"the condition {text_of(tree)} where a number is needed")
        return found

    def kind_of(self, tree: Expression) -> Unit | str | None:
        """The same, or CONDITION."""
        units = Units() if self.checked else Unchecked()
        units.of = {own_name(name): self.quantity(each).unit for name, each in self.declared.items() if own_name(name) in names(tree)}
        units.of |= {name: kind for name, kind in self.locals.items() if name in names(tree)}  # type: ignore[misc]
        units.of |= {CURRENT: SYMBOLS["pA"][0], STEP: SYMBOLS["ms"][0]}
        try:
            return units.kind(tree)
        except EquationError as error:
            refuse(
                tree.place,
                str(error).partition("\n")[0].partition(": ")[2],
                UnitsDifferError if isinstance(error, UnitError) else NestmlError,
            )

    # Expressions

    def convert(self, tree: Expression, bound: Mapping[str, Expression] = {}) -> Expression:
        """The expression in the language of equations. bound: arguments of a function, and names that may stand for themselves, such as t."""
        if (found := self.as_unit(tree, bound)) is not None:
            return found
        match tree:
            case Name():
                return self.name(tree, bound)
            case Unary():
                return Unary(tree.place, tree.operator, self.convert(tree.operand, bound))
            case Binary():
                whole = Binary(tree.place, tree.operator, self.convert(tree.left, bound), self.convert(tree.right, bound))
                both = (
                    tree.operator in ("==", "!=")
                    and is_condition(whole.left, self.true_or_false)
                    and is_condition(whole.right, self.true_or_false)
                )
                return equality(whole) if both else whole
            case Call():
                return self.call(tree, bound)
        return tree

    def as_unit(self, tree: Expression, bound: Mapping[str, Expression]) -> Expression | None:
        """A unit, or a number with its unit. Other names come before those of units."""
        used = names(tree)
        if not used or used & (self.declared.keys() | self.ports.keys() | bound.keys()) or not all(map(is_symbol, used)):
            return None
        match tree:
            case Binary(operator="*", left=Number(value=number)) if found := quantity(tree.right):
                value = number
            case _ if found := quantity(tree):
                value = 1.0
            case _:
                return None
        if found.unit.unknowns():
            if self.checked:
                refuse(tree.place, f"the unit {text_of(tree)} is not supported", UnitsDifferError)
            found = Quantity(Unit(), found.ten)
        factor = Number(tree.place, scaled(value, found.ten))
        return factor if not found.unit.powers else Binary(tree.place, "*", factor, unit_tree(found.unit, tree.place))

    def name(self, tree: Name, bound: Mapping[str, Expression]) -> Expression:
        """What a name stands for."""
        name = tree.name
        if name in bound:
            return bound[name]
        if name in self.declared:
            own = Name(tree.place, own_name(name))
            return as_condition(own) if self.is_boolean(name) else own
        if name in self.ports:
            return Name(tree.place, CURRENT if self.ports[name].kind == "continuous" else f"spike:{name}")
        if name == "e":
            return Number(tree.place, math.e)
        if name == "inf":
            return Number(tree.place, sys.float_info.max)
        if name.lower() in ("true", "false"):
            return truth(tree.place, name.lower() == "true")
        if name == "t":
            refuse(tree.place, "'t' in an expression is not supported")
        refuse(tree.place, f"unknown name '{name}'{nearest(name, [*self.declared, *self.ports])}")

    def call(self, tree: Call, bound: Mapping[str, Expression]) -> Expression:
        """A function of NESTML or of the model."""
        if tree.function == "convolve":
            return self.convolve(tree)
        if tree.function in self.functions:
            return self.written_out(tree, self.functions[tree.function], bound)
        arguments = tuple(self.convert(each, bound) for each in tree.arguments)
        if tree.function == "delta" and "t" in bound:
            return Call(tree.place, "delta", arguments)
        if tree.function in ("random_normal", "random_uniform") and self.random:
            return self.random(tree, arguments)
        if tree.function == "remainder":
            return remainder(tree.place, arguments[0], arguments[1], self.is_integer)
        found = mapped(tree, arguments)
        if found is None:
            refuse(tree.place, f"the function {tree.function}() with {len(arguments)} arguments is not supported here")
        return found

    def written_out(self, tree: Call, function: Function, bound: Mapping[str, Expression]) -> Expression:
        """A function of the model with the arguments of this call."""
        if len(tree.arguments) != len(function.arguments):
            refuse(tree.place, f"{function.name} has {len(function.arguments)} arguments, not {len(tree.arguments)}")
        if function.name in self.calls:
            refuse(tree.place, f"{function.name} calls itself: this is not supported")
        given = dict(zip(function.arguments, (self.convert(each, bound) for each in tree.arguments), strict=True))
        self.calls.append(function.name)
        found = limited(self.result(function, function.body, given))
        self.calls.pop()
        return found

    def result(self, function: Function, body: tuple[Statement, ...], known: Mapping[str, Expression]) -> Expression:
        """The value that the statements return."""
        known = dict(known)
        for k, each in enumerate(body):
            match each:
                case Return():
                    return self.convert(each.value, known)
                case Declaration() if each.value is not None:
                    known[each.name] = limited(self.convert(each.value, known))
                case Assign() if each.name in known:
                    value = self.convert(each.value, known)
                    old = known[each.name]
                    known[each.name] = limited(value if each.operator == "=" else Binary(each.place, each.operator[0], old, value))
                case If():
                    rest = body[k + 1 :]
                    value = self.result(function, each.otherwise + rest, known)
                    for condition, inner in reversed(each.branches):
                        value = Call(
                            each.place, "where", (self.convert(condition, known), self.result(function, inner + rest, known), value)
                        )
                        limited(value)
                    return value
                case _:
                    refuse(each.place, f"this statement in the function {function.name} is not supported")
        refuse(function.place, f"the function {function.name} may end without a value")

    # Values

    def value(self, name: str) -> float:
        """Default value of a parameter, internal or state, in mV, ms, pA and mM."""
        if name not in self.values:
            declaration = self.declared[name]
            if name in self.calls:
                refuse(declaration.place, f"the value of '{name}' depends on itself")
            self.calls.append(name)
            self.values[name] = self.evaluated(declaration)
            self.calls.pop()
        return self.values[name]

    def evaluated(self, declaration: Declaration) -> float:
        """The value of a declaration. Where units are not checked, a number without a unit has the declared one."""
        if declaration.value is None:
            return 0.0
        if self.is_boolean(declaration.name):
            return self.number(as_number(self.convert(declaration.value)))
        tree, (unit, ten) = simplified(self.convert(declaration.value)), self.quantity(declaration)
        found = self.unit_of(tree)
        if self.checked and found is not None and found != unit:
            refuse(
                declaration.place,
                f"'{declaration.name}' is declared as {text_of(declaration.type)}, its value has another unit",
                UnitsDifferError,
            )
        number = self.number(tree)
        if declaration.type == Name(declaration.place, "integer"):
            number = float(int(number))
        return scaled(number, ten) if found is not None and not found.powers and unit.powers else number

    def number(self, tree: Expression) -> float:
        """The value of a converted expression, with default values."""
        known = {own_name(name): name for name in self.declared}
        values = {name: SYMBOLS[name][1] if name in EXPRESSION_SYMBOLS else self.value(known[name]) for name in self.fixed(tree) - {STEP}}
        values[STEP] = self.step
        with np.errstate(all="ignore"):
            found = float(value_of(tree, values))
        if not math.isfinite(found):
            refuse(tree.place, "this value is not a finite number")
        return found

    def fixed(self, tree: Expression) -> set[str]:
        """Names of the tree, which must have values."""
        used = names(tree)
        known = {own_name(name) for name in self.declared}
        for name in sorted(used):
            if name not in known and name not in EXPRESSION_SYMBOLS and name != STEP:
                refuse(tree.place, f"'{name}' in the value of a declaration is not supported")
        return used


def mapped(tree: Call, arguments: tuple[Expression, ...]) -> Expression | None:
    """A function of NESTML in the functions of equations; None for others."""
    place, n = tree.place, len(arguments)

    def call(function: str, *given: Expression) -> Expression:
        return Call(place, function, given)

    if tree.function in _SAME:
        return Call(place, tree.function, arguments) if n == FUNCTIONS[tree.function] else None
    if tree.function == "clip" and n == 3:
        return call("min", call("max", arguments[0], arguments[1]), arguments[2])
    if tree.function in ("resolution", "timestep") and not n:
        return Name(place, STEP)
    if n != 1:
        return None
    x, two = arguments[0], Number(place, 2.0)
    minus = Unary(place, "negative", x)
    match tree.function:
        case "ln":
            return call("log", x)
        case "log10":
            return Binary(place, "/", call("log", x), Number(place, math.log(10.0)))
        case "tan":
            return Binary(place, "/", call("sin", x), call("cos", x))
        case "cosh":
            return Binary(place, "/", Binary(place, "+", call("exp", x), call("exp", minus)), two)
        case "sinh":
            return Binary(place, "/", Binary(place, "-", call("expm1", x), call("expm1", minus)), two)
    return None


def limited(tree: Expression) -> Expression:
    """The tree, unless it is too large."""
    left, count = [tree], 0
    while left:
        count += 1
        if count > LARGEST:
            refuse(tree.place, "this expression is too long when functions are written out")
        left.extend(parts(left.pop()))
    return tree
