# SPDX-License-Identifier: Apache-2.0
"""From Brian2's expressions, which have Python's syntax, to those of `neuropil.neuron`. Nothing of the text is evaluated by Python."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from ..equations.errors import Place
from ..equations.expressions import Binary, Call, Expression, Name, Number, Unary, changed
from ..equations.parsing import read_expression
from .errors import refuse

__all__ = ["Statement", "Translator", "is_condition", "named", "number", "statements"]

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_SAME = ("exp", "expm1", "log", "log1p", "sqrt", "abs", "sin", "cos", "tanh", "exprel")
_MADE = {  # of others, as Brian2 would write them
    "log10": "log(a) / 2.302585092994046",
    "tan": "sin(a) / cos(a)",
    "sinh": "(exp(a) - exp(-a)) / 2",
    "cosh": "(exp(a) + exp(-a)) / 2",
    "clip": "min(max(a, b), c)",
    "sign": "where(a > 0, 1, where(a < 0, -1, 0))",
    "int": "where(a, 1, 0)",
}
_PLACE = Place("equations", 1, 1, "")


class Statement(NamedTuple):
    """`target` `operator` `value`, as in v += w."""

    target: str
    operator: str
    value: ast.expr
    line: str


def parsed(owner: str, code: str, mode: str) -> Any:
    try:
        return ast.parse(code.strip(), mode=mode)
    except SyntaxError as error:
        refuse(owner, f"this cannot be read: {error.msg}", code)


def statements(owner: str, code: str) -> list[Statement]:
    """Those of a reset or of on_pre. Raises NotSupported for what is no assignment to one name."""
    found = []
    text = "\n".join(line.strip() for line in code.strip().splitlines())
    for node in parsed(owner, text, "exec").body:
        line = ast.unparse(node)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.append(Statement(node.targets[0].id, "=", node.value, line))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and type(node.op) in list(_BINARY)[:4]:
            found.append(Statement(node.target.id, f"{_BINARY[type(node.op)]}=", node.value, line))
        else:
            refuse(owner, "only assignments with =, +=, -=, *= and /= are supported", line)
    return found


def is_condition(code: str, booleans: Callable[[str], bool]) -> bool:
    """Whether an expression is true or false. booleans : tells names that are."""
    tree = ast.parse(code.strip(), mode="eval").body
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return True
    return (
        isinstance(tree, ast.Compare | ast.BoolOp)
        or (isinstance(tree, ast.Constant) and isinstance(tree.value, bool))
        or (isinstance(tree, ast.Name) and booleans(tree.id))
    )


@dataclass
class Translator:
    """name : gives what a name becomes; known : whether a function is Brian2's own."""

    owner: str
    name: Callable[[str], Expression]
    known: Callable[[str], bool]
    line: str = ""

    def code(self, code: str, line: str = "") -> Expression:
        """An expression. Raises NotSupported. line : where it stands, for messages."""
        return self.tree(parsed(self.owner, code, "eval").body, line or code)

    def tree(self, tree: ast.expr, line: str) -> Expression:
        """The same of what Python has read."""
        self.line = line
        return self.made(tree)

    def fail(self, problem: str) -> NoReturn:
        """Raises NotSupported at the present line."""
        refuse(self.owner, problem, self.line)

    def made(self, node: ast.expr) -> Expression:
        """A tree as one of neuropil."""
        match node:
            case ast.Constant(value=bool()):
                return Binary(_PLACE, ">" if node.value else "<", number(1.0), number(0.0))
            case ast.Constant(value=int() | float()):
                return number(float(ast.unparse(node)))
            case ast.Name():
                return self.name(node.id)
            case ast.UnaryOp():
                operand = self.made(node.operand)
                operator = {ast.Not: "not", ast.USub: "negative"}.get(type(node.op))
                return Unary(_PLACE, operator, operand) if operator else operand
            case ast.BinOp():
                if type(node.op) not in _BINARY:
                    self.fail("of operators, + - * / ** are supported")
                return Binary(_PLACE, _BINARY[type(node.op)], self.made(node.left), self.made(node.right))
            case ast.BoolOp():
                return chained("and" if isinstance(node.op, ast.And) else "or", [self.made(each) for each in node.values])
            case ast.Compare():
                return self.comparison(node)
            case ast.Call():
                return self.call(node)
        self.fail(f"'{ast.unparse(node)}' is not supported in expressions")

    def comparison(self, node: ast.Compare) -> Expression:
        """One: Brian2 has no others."""
        if len(node.ops) > 1 or type(node.ops[0]) not in _COMPARISONS:
            self.fail("of comparisons, < <= > >= == != between two values are supported")
        return Binary(_PLACE, _COMPARISONS[type(node.ops[0])], self.made(node.left), self.made(node.comparators[0]))

    def call(self, node: ast.Call) -> Expression:
        """Of a function that neuropil has, or that is made of such."""
        name = node.func.id if isinstance(node.func, ast.Name) else ast.unparse(node.func)
        if node.keywords or not self.known(name) or name not in (*_SAME, *_MADE):
            self.fail(f"the function {name} is not supported; these are: {', '.join([*_SAME, *_MADE])}")
        arguments = [self.made(each) for each in node.args]
        if name in _SAME:
            return Call(_PLACE, name, tuple(arguments))
        given = dict(zip("abc", arguments, strict=False))
        return changed(read_expression(_MADE[name], name), lambda each: given.get(each.name) if isinstance(each, Name) else None)


def number(value: float) -> Number:
    """A number in an expression."""
    return Number(_PLACE, value)


def named(name: str) -> Name:
    """A name in an expression."""
    return Name(_PLACE, name)


def chained(operator: str, trees: list[Expression]) -> Expression:
    found = trees[0]
    for tree in trees[1:]:
        found = Binary(_PLACE, operator, found, tree)
    return found
