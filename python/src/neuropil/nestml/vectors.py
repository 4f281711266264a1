# SPDX-License-Identifier: Apache-2.0
"""Vectors become variables with a number behind their name, loops are written out: sizes, bounds and indices are known when a model is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..equations.errors import Place
from ..equations.expressions import Call, Expression, Name, Number, changed, names
from ..equations.inference import constant
from ..equations.simplify import simplified
from .errors import refuse
from .syntax import Assign, CallStatement, Declaration, Equation, For, Function, Handler, If, Model, Port, Return, Statement

__all__ = ["without_vectors"]

LARGEST = 100  # elements of a vector, turns of a loop
MOST = 5000  # statements of a model
Values = Mapping[str, Expression]  # of loop variables


def without_vectors(model: Model) -> Model:
    """The model without vectors and loops. Raises NestmlError."""
    return Vectors(model).written_out()


class Vectors:
    """The vectors of a model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.count = 0
        self.numbers: dict[str, Expression] = {}  # integers by which sizes and bounds may be given
        for each in [*model.parameters, *model.internals]:
            if each.type == Name(each.place, "integer") and each.value is not None and constant(each.value) is not None:
                self.numbers[each.name] = each.value
        declared: list[Declaration | Port] = [*model.state, *model.parameters, *model.internals, *model.ports]
        self.sizes = {each.name: self.size(each) for each in declared if each.size is not None}

    def size(self, declared: Declaration | Port) -> int:
        """Number of elements."""
        assert declared.size is not None
        n = self.whole(declared.size, {}, "the size of a vector")
        if not 0 < n <= LARGEST:
            refuse(declared.place, f"vectors have 1 to {LARGEST} elements")
        return n

    def whole(self, tree: Expression, values: Values, what: str) -> int:
        """An integer that is known now."""
        known = {**self.numbers, **values}
        found = constant(simplified(changed(tree, lambda node: known.get(node.name) if isinstance(node, Name) else None)))
        if found is None or found != int(found):
            refuse(tree.place, f"{what} must be an integer that is known when the model is read")
        return int(found)

    def written_out(self) -> Model:
        """The whole model."""
        model = self.model
        model.state, model.parameters, model.internals = (
            self.declarations(some) for some in (model.state, model.parameters, model.internals)
        )
        model.inlines = [replace(each, value=self.scalar(each.value)) for each in model.inlines]
        model.ports = [part for port in model.ports for part in self.ports(port)]
        model.equations, model.kernels = self.equations(model.equations), self.equations(model.kernels)
        model.update = list(self.statements(tuple(model.update), {}))
        model.conditions, model.receivers = self.handlers(model.conditions), self.handlers(model.receivers)
        model.functions = [replace(f, body=self.statements(f.body, {})) for f in model.functions if self.is_scalar(f)]
        return model

    def is_scalar(self, function: Function) -> bool:
        """Arguments of functions are numbers."""
        if clash := sorted(set(function.arguments) & self.sizes.keys()):
            refuse(function.place, f"'{clash[0]}' is a vector")
        return True

    def elements(self, name: str, place: Place) -> list[str]:
        """Names of the elements."""
        return [element(name, k) for k in range(self.sizes[name])]

    def declarations(self, found: list[Declaration]) -> list[Declaration]:
        """A vector has one value for all elements."""
        parts = []
        for each in found:
            if each.name not in self.sizes:
                parts.append(replace(each, value=self.scalar(each.value)))
                continue
            for k, name in enumerate(self.elements(each.name, each.place)):
                parts.append(replace(each, name=name, value=self.scalar(each.value, k), size=None))
        return parts

    def ports(self, port: Port) -> list[Port]:
        """One for each element."""
        if port.name not in self.sizes:
            return [port]
        if port.kind != "spike":
            refuse(port.place, "vectors of continuous inputs are not supported")
        return [replace(port, name=name, size=None) for name in self.elements(port.name, port.place)]

    def equations(self, found: list[Equation]) -> list[Equation]:
        """An equation of a vector is one for each element."""
        parts = []
        for each in found:
            derivatives = {each.name + "'" * n for n in range(max(each.order, 1))}
            if not derivatives & self.sizes.keys():
                parts.append(replace(each, value=self.full(self.scalar(each.value))))
                continue
            if each.order != 1:
                refuse(each.place, "equations of vectors have first order")
            parts += [
                replace(each, name=element(each.name, k), value=self.full(self.scalar(each.value, k))) for k in range(self.sizes[each.name])
            ]
        return parts

    def handlers(self, found: list[Handler]) -> list[Handler]:
        """onReceive of a vector of ports is one for each."""
        parts = []
        for each in found:
            if isinstance(each.trigger, Name) and each.trigger.name in self.sizes:
                for k, name in enumerate(self.elements(each.trigger.name, each.place)):
                    parts.append(Handler(Name(each.trigger.place, name), self.statements(each.body, {}, k), each.place))
            else:
                parts.append(Handler(self.full(self.scalar(each.trigger)), self.statements(each.body, {}), each.place))
        return parts

    # Statements

    def statements(self, body: tuple[Statement, ...], values: Values, k: int | None = None) -> tuple[Statement, ...]:
        """One after the other. k: element that vectors stand for."""
        return tuple(part for each in body for part in self.statement(each, values, k))

    def statement(self, statement: Statement, values: Values, k: int | None) -> list[Statement]:
        """One of them, perhaps several times."""
        self.count += 1
        if self.count > MOST:
            refuse(statement.place, f"loops give more than {MOST} statements")
        match statement:
            case For():
                return self.loop(statement, values, k)
            case If():
                branches = tuple((self.full(self.scalar(c, k, values)), self.statements(body, values, k)) for c, body in statement.branches)
                return [If(branches, self.statements(statement.otherwise, values, k), statement.place)]
            case Assign():
                return self.assign(statement, values, k)
            case Declaration():
                if statement.size is not None:
                    refuse(statement.place, "vectors as local variables are not supported")
                return [replace(statement, value=self.scalar(statement.value, k, values))]
            case Return():
                return [replace(statement, value=self.full(self.scalar(statement.value, k, values)))]
            case CallStatement():
                return [self.call(statement, values)]
        return [statement]

    def call(self, statement: CallStatement, values: Values) -> CallStatement:
        """integrate_odes(x) of a vector integrates all elements."""
        arguments: list[Expression] = []
        for each in statement.call.arguments:
            whole = isinstance(each, Name) and each.name in self.sizes
            found = [Name(each.place, name) for name in self.elements(each.name, each.place)] if isinstance(each, Name) and whole else []
            arguments += found or [self.full(self.scalar(each, None, values))]
        return replace(statement, call=replace(statement.call, arguments=tuple(arguments)))

    def loop(self, statement: For, values: Values, k: int | None) -> list[Statement]:
        """for i in first ... last step n: `last` is not reached."""
        first, last, step = (self.whole(each, values, "a bound of a loop") for each in (statement.first, statement.last, statement.step))
        if step == 0 or len(range(first, last, step)) > LARGEST:
            refuse(statement.place, f"loops have a step other than 0 and at most {LARGEST} turns")
        if statement.variable in self.sizes:
            refuse(statement.place, f"'{statement.variable}' is a vector")
        turns = (Number(statement.place, float(i)) for i in range(first, last, step))
        return [part for i in turns for part in self.statements(statement.body, {**values, statement.variable: i}, k)]

    def assign(self, statement: Assign, values: Values, k: int | None) -> list[Statement]:
        """x[i] = ..., or x = ... for all elements."""
        name, index = statement.name, statement.index
        if name in values:
            refuse(statement.place, f"'{name}' is set by the loop")
        if name not in self.sizes:
            if index is not None:
                refuse(statement.place, f"'{name}' is no vector")
            return [replace(statement, value=self.full(self.scalar(statement.value, k, values)))]
        if index is not None:
            at = self.at(name, index, values)
            return [replace(statement, name=at, index=None, value=self.full(self.scalar(statement.value, k, values)))]
        chosen = range(self.sizes[name]) if k is None else [k]
        return [replace(statement, name=element(name, j), value=self.full(self.scalar(statement.value, j, values))) for j in chosen]

    # Expressions

    def at(self, name: str, index: Expression, values: Values) -> str:
        """The element with this index, from 0."""
        i = self.whole(index, values, "an index")
        if not 0 <= i < self.sizes[name]:
            refuse(index.place, f"the index {i} of '{name}', which has {self.sizes[name]} elements, from 0")
        return element(name, i)

    def scalar(self, tree: Expression | None, k: int | None = None, values: Mapping[str, Expression] = {}) -> Expression | None:
        """Without indices and loop variables. k: element that vectors without an index stand for."""

        def change(node: Expression) -> Expression | None:
            if isinstance(node, Name) and node.name in values:
                return values[node.name]
            if isinstance(node, Name) and node.name in self.sizes:
                if k is None or k >= self.sizes[node.name]:
                    refuse(node.place, f"the vector '{node.name}' needs an index here")
                return Name(node.place, element(node.name, k))
            if isinstance(node, Call) and node.function == "[]":
                vector, index = node.arguments
                if not isinstance(vector, Name) or vector.name not in self.sizes:
                    refuse(node.place, f"'{' '.join(names(vector))}' is no vector")
                return Name(node.place, self.at(vector.name, index, values))
            return None

        return changed(tree, change) if tree is not None else None

    def full(self, tree: Expression | None) -> Expression:
        """Of what has an expression."""
        assert tree is not None
        return tree


def element(name: str, k: int) -> str:
    """The name of an element; derivatives keep their marks behind it."""
    base = name.rstrip("'")
    return f"{base}_{k}" + name[len(base) :]
