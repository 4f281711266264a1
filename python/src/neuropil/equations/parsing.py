# SPDX-License-Identifier: Apache-2.0
"""The language of equations: tokens, expressions, units, lines. Nothing of Python is evaluated.

lines       = (line | arrival) {(newline | ";") (line | arrival)}
arrival     = name ("+=" | "-=") expression ":" "on_spike" "(" name ")"
line        = ("d" name "/" "dt" | name) "=" expression [":" unit] ["(" flag {"," flag} ")"]
assignment  = name ("=" | "+=" | "-=" | "*=" | "/=") expression
expression  = or ; or = and {"or" and} ; and = not {"and" not} ; not = "not" not | comparison
comparison  = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum] ; sum = product {("+" | "-") product}
product     = sign {("*" | "/") sign} ; sign = ("-" | "+") sign | power ; power = atom ["**" sign]
atom        = number | name | function "(" expression {"," expression} ")" | "(" expression ")"
unit        = factor {("*" | "/") factor} ; factor = ("1" | symbol | ["sqrt"] "(" unit ")") [("**" | "^") ["-"] number]
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, NoReturn, TypeVar

from ..errors import nearest
from .errors import EquationError, Place, UnitError, fail
from .evaluating import Constants
from .expressions import COMPARISONS, FUNCTIONS, Binary, Call, Expression, Name, Number, Unary, parts
from .units import SYMBOLS, Unit, power, times

__all__ = ["FLAGS", "RANDOM", "SYNAPSE_FLAGS", "Assignment", "Line", "read_assignments", "read_expression", "read_lines", "read_quantity"]

FLAGS = ("receptor", "excitatory", "inhibitory", "seen", "parameter")
SYNAPSE_FLAGS = ("pre", "post", "synapse", "third", "parameter")
RANDOM = {"random_normal": 2, "random_uniform": 2}  # mean and standard deviation; least and greatest value
KEYWORDS = ("and", "or", "not")
LONGEST = 20_000  # characters of one text
LONGEST_NAME = 60
HIGHEST = 120  # levels of a tree: what walks over it must not run out of stack
NESTED = 20  # parentheses within parentheses
TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|\#[^\n]*)|(?P<end>\n|;)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|[-+*/]=|<=|>=|==|!=|[-+*/<>=():,^µ])",
    re.ASCII,
)
T = TypeVar("T")


class Token(NamedTuple):
    kind: str  # "number", "name", "sign", "end"
    text: str
    place: Place


@dataclass(frozen=True)
class Line:
    """A line of equations; `derivative`: of a state variable. unit: None where none is given; factor: of a unit such as Hz, in 1/ms."""

    name: str
    derivative: bool
    value: Expression
    unit: Unit | None
    factor: float
    flags: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class Assignment:
    """`name` `operator` `value`, such as V_m = V_reset."""

    name: str
    operator: str
    value: Expression
    place: Place


def tokens(text: str, part: str) -> Iterator[Token]:
    """Those of a text, at last an "end". Newlines within parentheses do not end a line."""
    if len(text) > LONGEST:
        raise EquationError(f"{part}: has {len(text)} characters, at most {LONGEST} are allowed", part)
    lines, at, begin, number, depth = text.split("\n"), 0, 0, 1, 0
    while at < len(text):
        place = Place(part, number, at - begin + 1, lines[number - 1])
        found = TOKEN.match(text, at)
        if not found or found[0] == "µ":
            fail(place, f"{text[at]!r} is no part of the language")
        if found.lastgroup == "name" and len(found[0]) > LONGEST_NAME:
            fail(place, f"a name of {len(found[0])} characters where at most {LONGEST_NAME} are allowed")
        depth += (found[0] == "(") - (found[0] == ")")
        newline = found[0] == "\n"
        if found.lastgroup != "space" and not (newline and depth > 0):
            yield Token(str(found.lastgroup), found[0], place)
        at = found.end()
        if newline:
            begin, number = at, number + 1
    yield Token("end", "", Place(part, number, at - begin + 1, lines[number - 1]))


class Reader:
    """Reads one text from left to right."""

    allowed: tuple[str, ...] = ()  # flags of lines
    functions: Mapping[str, int] = FUNCTIONS

    def __init__(self, text: str, part: str) -> None:
        self.tokens = list(tokens(text, part))
        self.at = 0
        self.depth = 0
        self.heights: dict[int, int] = {}  # of trees, by id
        self.constants = Constants()

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    def next(self) -> Token:
        token = self.now
        self.at += token is not self.tokens[-1]
        return token

    def take(self, *texts: str) -> Token | None:
        """The token, if it is one of these."""
        return self.next() if self.now.kind in ("sign", "name") and self.now.text in texts else None

    def expect(self, text: str, why: str) -> Token:
        return self.take(text) or self.unexpected(f"{text!r} {why}")

    def unexpected(self, wanted: str) -> NoReturn:
        found = "the end of the line" if self.now.kind == "end" else f"{self.now.text!r}"
        fail(self.now.place, f"{found} where {wanted} is needed")

    def new_name(self) -> Token:
        if self.now.kind != "name":
            self.unexpected("a name")
        return self.next()

    def more(self) -> bool:
        """Skips empty lines; False at the end of the text."""
        while self.now.kind == "end" and self.now is not self.tokens[-1]:
            self.next()
        return self.now is not self.tokens[-1]

    def end_line(self, wanted: str) -> None:
        if self.now.kind != "end":
            self.unexpected(wanted)
        self.next()

    # Expressions

    def made(self, tree: Expression) -> Expression:
        """The tree, if it is not too high and its numbers are finite."""
        height = 1 + max((self.heights[id(part)] for part in parts(tree)), default=0)
        if height > HIGHEST:
            fail(tree.place, "this expression is too long: give a part of it a name, in a line of its own")
        self.heights[id(tree)] = height
        self.constants.add(tree)
        return tree

    def expression(self) -> Expression:
        return self.chain(("or",), lambda: self.chain(("and",), self.negation))

    def chain(self, operators: tuple[str, ...], operand: Callable[[], Expression]) -> Expression:
        tree = operand()
        while token := self.take(*operators):
            tree = self.made(Binary(token.place, token.text, tree, operand()))
        return tree

    def negation(self) -> Expression:
        if token := self.take("not"):
            return self.made(Unary(token.place, "not", self.deeper(token, self.negation)))
        left = self.sum()
        if token := self.take(*COMPARISONS):
            left = self.made(Binary(token.place, token.text, left, self.sum()))
            if self.now.text in COMPARISONS:
                fail(self.now.place, "comparisons cannot be chained: write (a < b) and (b < c)")
        return left

    def sum(self) -> Expression:
        return self.chain(("+", "-"), lambda: self.chain(("*", "/"), self.sign))

    def sign(self) -> Expression:
        if token := self.take("-", "+"):
            operand = self.deeper(token, self.sign)
            return self.made(Unary(token.place, "negative", operand)) if token.text == "-" else operand
        base = self.atom()
        if token := self.take("**"):
            return self.made(Binary(token.place, "**", base, self.deeper(token, self.sign)))
        if self.now.text == "^":
            fail(self.now.place, "'^' where '**' is needed for a power")
        return base

    def deeper(self, token: Token, read: Callable[[], T]) -> T:
        self.depth += 1
        if self.depth > NESTED:
            fail(token.place, f"more than {NESTED} levels of parentheses and signs: give a part a name, in a line of its own")
        found = read()
        self.depth -= 1
        return found

    def atom(self) -> Expression:
        token = self.now
        if token.kind == "number":
            return self.made(Number(self.next().place, number_of(token)))
        if token.kind == "name" and token.text not in KEYWORDS:
            self.next()
            is_call = self.now.text == "(" and not (token.text not in self.functions and self.flags_begin())
            return self.call(token) if is_call else self.made(Name(token.place, token.text))
        if self.take("("):
            inner = self.deeper(token, self.expression)
            self.expect(")", "to close the parenthesis")
            return inner
        self.unexpected("a number, a name or '('")

    def call(self, name: Token) -> Expression:
        if name.text not in self.functions:
            fail(name.place, f"unknown function {name.text!r}{nearest(name.text, self.functions)}; known: {', '.join(self.functions)}")
        opened = self.next()
        arguments: list[Expression] = []
        while not arguments or self.take(","):
            arguments.append(self.deeper(opened, self.expression))
        self.expect(")", f"to close {name.text}(")
        if len(arguments) != self.functions[name.text]:
            fail(name.place, f"{name.text} has {len(arguments)} arguments, needs {self.functions[name.text]}")
        return self.made(Call(name.place, name.text, tuple(arguments)))

    # Units

    def unit(self) -> tuple[Unit, float]:
        """A unit, and what one of it is in units of mV, ms and pA."""
        unit, factor = self.unit_factor()
        while token := self.take("*", "/"):
            other, number = self.unit_factor()
            sign = 1 if token.text == "*" else -1
            unit, factor = times(unit, power(other, sign)), factor * number**sign
        return unit, factor

    def unit_factor(self) -> tuple[Unit, float]:
        token = self.next()
        if token.text == "(":
            unit, factor = self.deeper(token, self.unit)
            self.expect(")", "to close the parenthesis")
        elif token.text == "sqrt":
            self.expect("(", "after sqrt")
            unit, factor = self.deeper(token, self.unit)
            self.expect(")", "to close the parenthesis")
            unit, factor = power(unit, Fraction(1, 2)), factor**0.5
        elif token.text == "1":
            unit, factor = Unit(), 1.0
        elif token.text in SYMBOLS:
            unit, factor = SYMBOLS[token.text]
        else:
            fail(token.place, f"unknown unit {token.text!r}{nearest(token.text, SYMBOLS)}; known: 1, {', '.join(SYMBOLS)}", UnitError)
        if self.take("**", "^"):
            sign = -1 if self.take("-") else 1
            if not (self.now.kind == "number" and (n := float(self.now.text)) <= 9 and (2 * n).is_integer()):
                self.unexpected("a number from 0 to 9 in steps of 0.5")
            self.next()
            unit, factor = power(unit, Fraction(sign * n)), factor ** (sign * n)
        return unit, factor

    # Lines

    def line(self) -> Line:
        token = self.new_name()
        name, derivative = token.text, False
        if self.take("/"):
            derivative = True
            if not name.startswith("d") or len(name) == 1:
                fail(token.place, f"{name!r} where the derivative of a variable is needed, such as dV_m/dt")
            name = name[1:]
            self.expect("dt", "is needed: a derivative is written dx/dt")
        self.expect("=", "after the name")
        value = self.expression()
        unit: Unit | None = None
        factor = 1.0
        if self.take(":"):
            unit, factor = self.unit()
        flags = self.flags() if self.now.text == "(" else ()
        self.end_line(
            "an operator, ':' with a unit, or the end of the line" if unit is None else "the end of the line or flags in parentheses"
        )
        return Line(name, derivative, value, unit, factor, flags, token.place)

    def is_arrival(self) -> bool:
        """Whether the line says what spikes add to a variable."""
        return self.now.kind == "name" and self.tokens[self.at + 1].text in ("+=", "-=")

    def arrival(self) -> tuple[str, Assignment]:
        """The receptor, and what its spikes add."""
        name, operator, value = self.new_name(), self.next(), self.expression()
        self.expect(":", "and on_spike(receptor), as spikes add this,")
        self.expect("on_spike", "and a receptor in parentheses")
        self.expect("(", "after on_spike")
        receptor = self.new_name()
        self.expect(")", "to close on_spike(")
        self.end_line("the end of the line")
        return receptor.text, Assignment(name.text, operator.text, value, name.place)

    def flags_begin(self) -> bool:
        """Whether the parenthesis here begins with a flag, or with what is meant to be one."""
        inner = self.tokens[self.at + 1]
        return inner.kind == "name" and bool(nearest(inner.text, self.allowed) or inner.text in self.allowed)

    def flags(self) -> tuple[str, ...]:
        found: list[str] = []
        self.next()
        while not found or self.take(","):
            token = self.new_name()
            if token.text not in self.allowed:
                fail(token.place, f"unknown flag {token.text!r}{nearest(token.text, self.allowed)}; known: {', '.join(self.allowed)}")
            found.append(token.text)
        self.expect(")", "to close the flags")
        return tuple(found)

    def assignment(self) -> Assignment:
        name = self.new_name()
        operator = self.take("=", "+=", "-=", "*=", "/=") or self.unexpected("'=', '+=', '-=', '*=' or '/='")
        value = self.expression()
        self.end_line("an operator or the end of the assignment")
        return Assignment(name.text, operator.text, value, name.place)


def number_of(token: Token) -> float:
    value = float(token.text)
    if not math.isfinite(value):
        fail(token.place, f"{token.text[:20]}{'...' * (len(token.text) > 20)} is too large for a number")
    return value


def read_lines(
    text: str, part: str = "equations", allowed: tuple[str, ...] = FLAGS, arrivals: dict[str, list[Assignment]] | None = None
) -> list[Line]:
    """All lines of equations. allowed : flags; arrivals : gets what spikes add, by receptor; None: there are no such lines. Raises EquationError, UnitError."""
    reader, lines = Reader(text, part), []
    reader.allowed = allowed
    while reader.more():
        if arrivals is not None and reader.is_arrival():
            receptor, added = reader.arrival()
            arrivals.setdefault(receptor, []).append(added)
        else:
            lines.append(reader.line())
    return lines


def read_assignments(text: str, part: str, functions: Mapping[str, int] = FUNCTIONS) -> list[Assignment]:
    """Assignments separated by ";" or newlines. functions : that they may call. Raises EquationError."""
    reader, found = Reader(text, part), []
    reader.functions = functions
    while reader.more():
        found.append(reader.assignment())
    return found


def read_expression(text: str, part: str, functions: Mapping[str, int] = FUNCTIONS) -> Expression:
    """One expression. functions : that it may call. Raises EquationError."""
    reader = Reader(text, part)
    reader.functions = functions
    reader.more()
    value = reader.expression()
    reader.more()
    if reader.now is not reader.tokens[-1]:
        reader.unexpected("an operator or the end")
    return value


def read_quantity(text: str, part: str) -> tuple[float, Unit, float]:
    """A value with a unit, such as "281 pF": value, unit and factor. Raises EquationError, UnitError."""
    reader = Reader(text, part)
    reader.more()
    sign = -1.0 if reader.take("-") else 1.0
    if reader.now.kind != "number":
        reader.unexpected("a number")
    value = sign * number_of(reader.next())
    unit, factor = (Unit(), 1.0) if reader.now.kind == "end" else reader.unit()
    reader.end_line("the end")
    return value, unit, factor
