# SPDX-License-Identifier: Apache-2.0
"""The NESTML language, versions 8 and 9: from the text of a file to a Model. Expressions are read as those of equations are."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from ..equations.errors import EquationError
from ..equations.evaluating import Constants
from ..equations.expressions import Binary, Call, Expression, Name, Number
from ..equations.parsing import Reader, Token, number_of
from .errors import NestmlError, refuse
from .syntax import Assign, CallStatement, Declaration, Equation, For, Function, Handler, If, Model, Port, Return, Statement
from .tokens import tokens_of
from .units import is_symbol

__all__ = ["read_model"]

DEEPEST = 12  # blocks within blocks
WORDS = ("and", "or", "not", "if", "elif", "else", "return", "inline", "recordable", "kernel", "function", "model", "in", "step")
QUALIFIERS = ("excitatory", "inhibitory")


class Parser(Reader):
    """Reads one file."""

    def __init__(self, text: str, file: str) -> None:
        self.tokens = tokens_of(text, file)
        self.at = self.depth = self.level = 0
        self.heights: dict[int, int] = {}
        self.constants = Constants()
        self.units: list[Token] = []  # behind numbers
        self.readers: dict[str, Callable[[Model], None]] = {
            "state": lambda model: model.state.extend(self.declarations()),
            "parameters": lambda model: model.parameters.extend(self.declarations()),
            "internals": lambda model: model.internals.extend(self.declarations()),
            "equations": lambda model: self.lines(lambda: self.equation_line(model)),
            "input": lambda model: self.lines(lambda: model.ports.append(self.port())),
            "output": lambda model: self.lines(lambda: self.output(model)),
            "update": lambda model: model.update.extend(self.statements()),
        }

    def unexpected(self, wanted: str) -> NoReturn:
        """What stands here instead of what is wanted."""
        blocks = {"indent": "an indented line", "dedent": "the end of the block"}
        if self.now.kind in blocks:
            refuse(self.now.place, f"{blocks[self.now.kind]} where {wanted} is needed")
        super().unexpected(wanted)

    # Lines and blocks

    def end_line(self, wanted: str) -> None:
        """A line may end with ";"."""
        self.take(";")
        super().end_line(wanted)

    def colon_and_lines(self, read: Callable[[], None]) -> None:
        """A colon, then an indented block, or what follows in the same line."""
        self.expect(":", "to begin a block")
        if self.now.kind != "end":
            read()
            return
        self.next()
        if self.now.kind != "indent":
            self.unexpected("an indented block")
        if self.level >= DEEPEST:
            refuse(self.now.place, f"more than {DEEPEST} blocks within blocks")
        self.next()
        self.level += 1
        while self.now.kind != "dedent" and self.now is not self.tokens[-1]:
            read()
        self.level -= 1
        if self.now.kind == "dedent":
            self.next()

    def lines(self, read: Callable[[], object]) -> None:
        """The lines of a block."""

        def line() -> None:
            if self.take("pass"):
                self.end_line("the end of the line")
            else:
                read()

        self.colon_and_lines(line)

    def model(self) -> Model:
        """The only model of the file."""
        while self.more() and self.now.text != "model":
            self.unexpected("'model NAME:'")
        if not self.take("model"):
            self.unexpected("'model NAME:'")
        name = self.new_name()
        made = Model(name.text, name.place)
        self.colon_and_lines(lambda: self.block(made))
        made.units = [Name(token.place, token.text) for token in self.units]
        if self.more():
            self.unexpected("the end of the file (one model in each file)")
        return made

    def block(self, made: Model) -> None:
        """One block of the model."""
        token = self.new_name()
        if token.text in self.readers:
            self.readers[token.text](made)
        elif token.text in ("onCondition", "onReceive"):
            handlers = made.conditions if token.text == "onCondition" else made.receivers
            handlers.append(self.handler(token))
        elif token.text == "function":
            made.functions.append(self.function())
        else:
            known = [*self.readers, "onCondition", "onReceive", "function"]
            refuse(token.place, f"{token.text!r} is no block of a model; blocks are: {', '.join(known)}")

    def handler(self, token: Token) -> Handler:
        """(condition or port [, priority=...])."""
        self.expect("(", f"after {token.text}")
        trigger = self.expression()
        if self.now.text == ",":
            refuse(self.now.place, f"the options of {token.text} are not supported")
        self.expect(")", f"to close {token.text}(")
        return Handler(trigger, tuple(self.statements()), token.place)

    def function(self) -> Function:
        """name(a type, b type) type: statements."""
        name, arguments = self.new_name(), []
        self.expect("(", "after the name of a function")
        while not self.take(")"):
            arguments.append(self.new_name().text)
            self.type()
            if self.now.text != ")":
                self.expect(",", "between arguments")
        if self.now.text != ":":
            self.type()
        return Function(name.text, tuple(arguments), tuple(self.statements()), name.place)

    # Declarations

    def declarations(self) -> list[Declaration]:
        """Those of a block."""
        found: list[Declaration] = []
        self.lines(lambda: found.extend(self.declaration()))
        return found

    def declaration(self) -> list[Declaration]:
        """[recordable] [inline] names type [= value] [[[guard]]]."""
        while self.take("recordable", "inline"):
            pass
        named = [(self.new_name(), self.size())]
        while self.take(","):
            named.append((self.new_name(), self.size()))
        kind = self.type()
        value = self.expression() if self.take("=") else None
        guard = None
        if opened := self.take("[["):
            guard = self.deeper(opened, self.expression)
            self.expect("]]", "to close the condition on a value")
        self.end_line("an operator or the end of the line")
        return [Declaration(token.text, kind, value, token.place, size, guard) for token, size in named]

    def size(self) -> Expression | None:
        """[n], of a vector, or the index of an element."""
        if not (opened := self.take("[")):
            return None
        found = self.deeper(opened, self.expression)
        self.expect("]", "to close [")
        return found

    def type(self) -> Expression:
        """real, integer, ..., or a unit."""
        if self.now.kind == "end" or self.now.text in ("=", ",", ")"):
            self.unexpected("a type such as real or mV")
        return self.chain(("*", "/"), self.sign)

    def equation_line(self, made: Model) -> None:
        """A kernel, a part with a name, or a differential equation."""
        if self.take("kernel"):
            made.kernels.append(self.equation())
            while self.take(","):
                made.kernels.append(self.equation())
            self.end_line("the end of the kernel")
        elif self.now.text in ("inline", "recordable"):
            made.inlines += self.declaration()
        else:
            made.equations.append(self.equation())
            if not made.equations[-1].order:
                refuse(made.equations[-1].place, "a line of equations is x' = ..., inline x ... = ..., or kernel x = ...")
            self.end_line("an operator or the end of the equation")

    def equation(self) -> Equation:
        token = self.new_name()
        self.expect("=", "after the name")
        name = token.text.rstrip("'")
        return Equation(name, len(token.text) - len(name), self.expression(), token.place)

    def port(self) -> Port:
        """name [unit] <- [excitatory] [inhibitory] spike | continuous."""
        name, size = self.new_name(), self.size()
        unit = None if self.now.text == "<-" else self.type()
        self.expect("<-", "after the name of a port")
        qualifiers = []
        while token := self.take(*QUALIFIERS):
            qualifiers.append(token.text)
        kind = self.take("spike", "continuous") or self.unexpected("'spike' or 'continuous'")
        if self.now.text == "(":
            refuse(self.now.place, "attributes of spikes are not supported (as synapse models have them)")
        self.end_line("the end of the line")
        return Port(name.text, unit, tuple(sorted(set(qualifiers))), kind.text, name.place, size)

    def output(self, made: Model) -> None:
        """spike [(weight real, delay ms)]."""
        if not self.take("spike"):
            refuse(self.now.place, "the output of a model is 'spike'")
        if opened := self.take("("):
            made.attributes = opened.place
            while not self.take(")"):
                self.new_name()
                self.type()
                if self.now.text != ")":
                    self.expect(",", "between attributes")
        self.end_line("the end of the line")

    # Statements

    def statements(self) -> list[Statement]:
        """Those of a block."""
        found: list[Statement] = []
        self.lines(lambda: found.extend(self.statement()))
        return found

    def statement(self) -> list[Statement]:
        """One statement; a declaration of several names is several."""
        token = self.now
        if token.text == "while":
            refuse(token.place, "loops with while are not supported, only those with for")
        if self.take("for"):
            return [self.loop(token)]
        if self.take("if"):
            return [self.if_statement(token)]
        if self.take("return"):
            value = self.expression()
            self.end_line("the end of the line")
            return [Return(value, token.place)]
        if self.take("inline", "recordable"):
            return list(self.declaration())
        self.new_name()
        following = self.now.text
        if following == "(":
            call = self.call(token)
            self.end_line("the end of the line")
            assert isinstance(call, Call)
            return [CallStatement(call, token.place)]
        begin = self.at
        index = self.size()
        if operator := self.take("=", "+=", "-=", "*=", "/="):
            value = self.expression()
            self.end_line("an operator or the end of the assignment")
            return [Assign(token.text, operator.text, value, token.place, index)]
        self.at = begin - 1
        return list(self.declaration())

    def loop(self, token: Token) -> For:
        """for i in first ... last step n."""
        variable = self.new_name()
        if self.now.text != "in":
            self.unexpected("'in' after the variable of a loop")
        self.next()
        first = self.expression()
        self.expect("...", "between the bounds of a loop")
        last = self.expression()
        if self.now.text != "step":
            self.unexpected("'step' behind the bounds of a loop")
        self.next()
        step = self.expression()
        return For(variable.text, first, last, step, tuple(self.statements()), token.place)

    def if_statement(self, token: Token) -> If:
        condition = self.expression()
        branches = [(condition, tuple(self.statements()))]
        while self.take("elif"):
            condition = self.expression()
            branches.append((condition, tuple(self.statements())))
        return If(tuple(branches), tuple(self.statements()) if self.take("else") else (), token.place)

    # Expressions

    def sum(self) -> Expression:
        """With the remainder of integers."""
        return self.chain(("+", "-"), self.product)

    def product(self) -> Expression:
        """a * b, a / b and a % b."""
        tree = self.sign()
        while token := self.take("*", "/", "%"):
            other = self.sign()
            tree = self.made(
                Call(token.place, "remainder", (tree, other)) if token.text == "%" else Binary(token.place, token.text, tree, other)
            )
        return tree

    def expression(self) -> Expression:
        """With `a ? b : c`. Which of `and` and `or` binds more strongly is left to parentheses."""
        first = self.negation()
        kinds = set()
        while token := self.take("and", "or"):
            kinds.add(token.text)
            if len(kinds) > 1:
                refuse(token.place, "'and' and 'or' beside each other need parentheses")
            first = self.made(Binary(token.place, token.text, first, self.negation()))
        if token := self.take("?"):
            yes = self.deeper(token, self.expression)
            self.expect(":", "between the two values of '?'")
            return self.made(Call(token.place, "where", (first, yes, self.deeper(token, self.expression))))
        return first

    def atom(self) -> Expression:
        """A number may be followed by its unit."""
        token = self.now
        if token.kind == "number":
            value = self.made(Number(self.next().place, number_of(token)))
            if self.now.kind == "name" and self.now.text not in WORDS:
                return self.made(Binary(token.place, "*", value, self.unit_of_number()))
            return value
        if token.kind == "text":
            refuse(token.place, "texts are not supported")
        found = super().atom()
        if isinstance(found, Name) and (index := self.size()) is not None:
            return self.made(Call(token.place, "[]", (found, index)))
        return found

    def unit_of_number(self) -> Expression:
        """ms, ms**-1, mV/ms: all units that follow belong to the number, so that 1 / 2 mV*ms is 1 / (2 mV*ms)."""
        unit = self.unit_power()
        while self.now.text in ("*", "/") and self.tokens[self.at + 1].kind == "name" and is_symbol(self.tokens[self.at + 1].text):
            token = self.next()
            unit = self.made(Binary(token.place, token.text, unit, self.unit_power()))
        return unit

    def unit_power(self) -> Expression:
        """A unit with its power."""
        token = self.next()
        self.units.append(token)
        unit = self.made(Name(token.place, token.text))
        if power := self.take("**"):
            unit = self.made(Binary(power.place, "**", unit, self.deeper(power, self.sign)))
        return unit

    def call(self, name: Token) -> Expression:
        """A function with any number of arguments."""
        opened, arguments = self.next(), []
        while self.now.text != ")":
            arguments.append(self.deeper(opened, self.expression))
            if self.now.text != ")":
                self.expect(",", f"between the arguments of {name.text}")
        self.next()
        return self.made(Call(name.place, name.text, tuple(arguments)))


def read_model(text: str, file: str) -> Model:
    """The model of a file. Raises NestmlError."""
    try:
        return Parser(text, file).model()
    except NestmlError:
        raise
    except EquationError as error:
        raise NestmlError(str(error), error.part, error.line, error.column, error.text) from None
