# SPDX-License-Identifier: Apache-2.0
"""Where spikes arrive: convolutions become variables with derivatives, and what arriving spikes add to variables is collected by port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..equations.errors import Place
from ..equations.expressions import Binary, Call, Expression, Name, Number, Unary, changed, names, text_of
from ..equations.simplify import simplified, without_zeros
from ..equations.units import SYMBOLS, Unit, times
from .errors import refuse
from .kernels import Term, is_linear, terms_of
from .scope import Scope, own_name
from .syntax import Assign, CallStatement, Equation, Handler, If, Port, Statement
from .units import scaled, unit_tree

__all__ = ["Inputs", "OdeLine", "has_spikes"]


@dataclass(frozen=True)
class OdeLine:
    """dname/dt = slope."""

    name: str
    slope: Expression
    unit: Unit
    place: Place


@dataclass
class Inputs:
    """What arrives, and at which variables."""

    scope: Scope
    lines: list[OdeLine] = field(default_factory=list)  # of convolutions
    initial: dict[str, float] = field(default_factory=dict)
    added: dict[str, list[tuple[str, Expression]]] = field(default_factory=dict)  # port -> variable, what a weight of 1 adds
    seen: dict[tuple[str, str], Expression] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scope.convolve = self.convolve
        self.kernels = {kernel.name: kernel for kernel in self.scope.model.kernels}

    def convolve(self, call: Call) -> Expression:
        """convolve(kernel, port)."""
        if len(call.arguments) != 2 or not all(isinstance(each, Name) for each in call.arguments):
            refuse(call.place, "convolve(kernel, port) needs the names of a kernel and of a port for spikes")
        kernel, port = (each.name for each in call.arguments if isinstance(each, Name))
        if kernel not in self.kernels:
            refuse(call.place, f"'{kernel}' is no kernel")
        if port not in self.scope.ports or self.scope.ports[port].kind != "spike":
            refuse(call.place, f"'{port}' is no input for spikes")
        if (kernel, port) not in self.seen:
            make = self.by_equations if self.kernels[kernel].order else self.by_function
            self.seen[kernel, port] = make(self.kernels[kernel], port)
        return self.seen[kernel, port]

    def by_function(self, kernel: Equation, port: str) -> Expression:
        """A kernel that is given as a function of t."""
        found: Expression | None = None
        for k, term in enumerate(terms_of(self.scope.convert(kernel.value, {"t": Name(kernel.place, "t")}))):
            name = self.new_name(f"{own_name(kernel.name)}_{port}" + (f"_{k + 1}" if k else ""), kernel.place)
            each = self.by_term(term, name, port, kernel.place)
            found = each if found is None else Binary(kernel.place, "+", found, each)
        assert found is not None
        return found

    def by_term(self, term: Term, name: str, port: str, place: Place) -> Expression:
        """One variable, or two for t*exp(-t/tau)."""
        if term.delta:
            return Binary(place, "*", term.factor, Name(place, f"delta:{port}"))
        unit = self.scope.unit_of(term.factor) or Unit()
        variable = Name(place, name)
        assert term.exponent is not None
        slope = replaced(term.exponent, "t", variable)
        if not term.power:
            self.line(name, slope, unit, place)
            self.add(port, name, term.factor)
            return variable
        rising = self.new_name(f"{name}_rise", place)
        self.line(name, Binary(place, "+", slope, Name(place, rising)), times(unit, SYMBOLS["ms"][0]), place)
        self.line(rising, replaced(term.exponent, "t", Name(place, rising)), unit, place)
        self.add(port, rising, term.factor)
        return variable

    def by_equations(self, kernel: Equation, port: str) -> Expression:
        """Kernels that are given by differential equations; those that use each other belong together."""
        together = self.related(kernel)
        own = {}
        for each in together:
            for n in range(each.order):
                own[each.name + "'" * n] = Name(kernel.place, self.new_name(f"{own_name(each.name + chr(39) * n)}_{port}", kernel.place))
        for each in together:
            self.kernel_lines(each, own, port)
        return own[kernel.name]

    def related(self, kernel: Equation) -> list[Equation]:
        """The kernel and those that it uses."""
        found = [kernel]
        for each in found:
            used = {name.rstrip("'") for name in names(each.value)}
            found += [other for name, other in self.kernels.items() if name in used and other not in found and other.order]
        return found

    def kernel_lines(self, kernel: Equation, own: dict[str, Name], port: str) -> None:
        """The differential equations of one kernel; a spike adds its values at the beginning, times the weight."""
        states = [kernel.name + "'" * n for n in range(kernel.order)]
        slope = self.scope.convert(kernel.value, own)
        if not is_linear(simplified(slope), {each.name for each in own.values()}):
            refuse(kernel.place, "the equations of kernels must be linear, without other state and without constants")
        for n, state in enumerate(states):
            declaration = self.scope.declared.get(state)
            if declaration is None or declaration.value is None:
                refuse(kernel.place, f"the kernel needs the value of {state} at the beginning, in the block state")
            following = own[states[n + 1]] if n + 1 < kernel.order else slope
            unit = self.scope.quantity(declaration)
            self.line(own[state].name, following, unit.unit, kernel.place)
            jump = simplified(self.scope.convert(declaration.value))
            if not self.scope.unit_of(jump) and unit.unit.powers and jump != Number(jump.place, 0.0):
                jump = Binary(jump.place, "*", jump, Number(jump.place, scaled(1.0, unit.ten)))
                jump = Binary(jump.place, "*", jump, unit_tree(unit.unit, jump.place))
            if jump != Number(jump.place, 0.0):
                self.add(port, own[state].name, jump)

    def new_name(self, name: str, place: Place) -> str:
        """The name, which must not be taken."""
        if name in {own_name(each) for each in self.scope.declared} | {line.name for line in self.lines}:
            refuse(place, f"the name '{name}' is needed for what arrives; call this state or parameter something else")
        return name

    def line(self, name: str, slope: Expression, unit: Unit, place: Place) -> None:
        """A differential equation more."""
        self.lines.append(OdeLine(name, slope, unit, place))

    def add(self, port: str, variable: str, factor: Expression) -> None:
        """What a spike with a weight of 1 adds to a variable."""
        self.added.setdefault(port, []).append((variable, factor))

    # Spikes in equations

    def without_spikes(self, line: OdeLine) -> OdeLine:
        """The equation without its spikes, whose effect is collected."""
        slope = line.slope
        for marker in sorted(name for name in names(slope) if ":" in name):
            kind, _, port = marker.partition(":")
            factor = coefficient(slope, marker)
            assert factor is not None
            if kind == "delta":  # has the unit 1 in NESTML, and counts per ms
                factor = Binary(factor.place, "*", factor, Name(factor.place, "ms"))
            self.add(port, line.name, simplified(factor))
            slope = without_zeros(replaced(slope, marker, Number(line.place, 0.0)))
        return OdeLine(line.name, slope, line.unit, line.place)

    def on_receive(self, variables: set[str], held: set[str], is_free: Callable[[Statement], bool]) -> None:
        """What the blocks onReceive add. is_free: whether a statement is for neurons that are not refractory."""
        for handler in self.scope.model.receivers:
            port = self.port_of(handler)
            guarded = [inner for each in handler.body if isinstance(each, If) and is_free(each) for inner in each.branches[0][1]]
            for each in [*(each for each in handler.body if not (isinstance(each, If) and is_free(each))), *guarded]:
                if isinstance(each, CallStatement):
                    refuse(each.place, f"{each.call.function}() in onReceive is not supported")
                if not isinstance(each, Assign) or each.operator not in ("+=", "-=", "=") or own_name(each.name) not in variables:
                    refuse(each.place, "in onReceive only x += ... is supported, where x has a differential equation")
                if (own_name(each.name) in held) != (each in guarded):
                    refuse(each.place, "spikes that arrive at variables while these are held are not supported, nor are others lost then")
                self.add(port, own_name(each.name), self.received(each, port))

    def port_of(self, handler: Handler) -> str:
        """Where its spikes arrive."""
        port = handler.trigger.name if isinstance(handler.trigger, Name) else ""
        if port not in self.scope.ports or self.scope.ports[port].kind != "spike":
            refuse(handler.place, "onReceive() needs the name of an input for spikes")
        return port

    def received(self, statement: Assign, port: str) -> Expression:
        """What a weight of 1 adds."""
        value = self.scope.convert(statement.value)
        if statement.operator == "=":
            value = Binary(statement.place, "-", value, Name(statement.place, own_name(statement.name)))
            value = cancelled(value)
        factor = coefficient(value, f"spike:{port}") if f"spike:{port}" in names(value) else None
        rest = without_zeros(replaced(value, f"spike:{port}", Number(value.place, 0.0)))
        if factor is None or rest != Number(value.place, 0.0):
            refuse(statement.place, "what is added in onReceive must be proportional to the port")
        per_second = Binary(factor.place, "*", Number(factor.place, 0.001), unit_tree(Unit({"ms": -1}), factor.place))
        factor = simplified(Binary(factor.place, "*", factor, per_second))
        return Unary(factor.place, "negative", factor) if statement.operator == "-=" else factor

    # What equations are told

    def on_spike(self) -> dict[str, str]:
        """The argument of `neuron`."""
        ports = [port for port in self.scope.model.ports if port.kind == "spike"]
        signed = self.signed(ports)
        found = {}
        for port in ports:
            key = port.qualifiers[0] if signed else f"receptor_{port.name}"
            effects = self.added.get(port.name, [])
            operator = "-=" if key == "inhibitory" else "+="  # an inhibitory port gets the size of weights
            found[key] = "; ".join(
                f"{name} {operator} weight" + ("" if factor == Number(factor.place, 1.0) else f"*({text_of(factor)})")
                for name, factor in effects
            )
        return found or {"receptor_none": ""}

    def signed(self, ports: list[Port]) -> bool:
        """Whether the sign of the weight chooses the port."""
        kinds = [port.qualifiers for port in ports]
        if sorted(kinds) == [("excitatory",), ("inhibitory",)]:
            return True
        for port in ports:
            if len(port.qualifiers) == 1:
                refuse(port.place, "excitatory and inhibitory ports are supported as one pair, without other ports for spikes")
        return False


def has_spikes(tree: Expression) -> bool:
    """Whether spikes are in a converted expression as they are."""
    return any(":" in name for name in names(tree))


def replaced(tree: Expression, name: str, value: Expression) -> Expression:
    return changed(tree, lambda node: value if isinstance(node, Name) and node.name == name else None)


def cancelled(tree: Binary) -> Expression:
    """x + a - x."""
    match tree.left:
        case Binary(operator="+") if tree.left.left == tree.right:
            return tree.left.right
        case Binary(operator="+") if tree.left.right == tree.right:
            return tree.left.left
        case Binary(operator="-") if tree.left.left == tree.right:
            return Unary(tree.place, "negative", tree.left.right)
    return tree


def coefficient(tree: Expression, marker: str) -> Expression | None:
    """What the spikes are multiplied by; None where they are not."""
    if marker not in names(tree):
        return None
    match tree:
        case Name():
            return Number(tree.place, 1.0)
        case Unary(operator="negative"):
            return Unary(tree.place, "negative", some(coefficient(tree.operand, marker)))
        case Binary(operator="+" | "-"):
            left, right = coefficient(tree.left, marker), coefficient(tree.right, marker)
            if left is None or right is None:
                found = some(left or right)
                return Unary(tree.place, "negative", found) if left is None and tree.operator == "-" else found
            return Binary(tree.place, tree.operator, left, right)
        case Binary(operator="*"):
            left, right = coefficient(tree.left, marker), coefficient(tree.right, marker)
            if left is None or right is None:
                return Binary(tree.place, "*", left or tree.left, right or tree.right)
        case Binary(operator="/") if marker not in names(tree.right):
            return Binary(tree.place, "/", some(coefficient(tree.left, marker)), tree.right)
    refuse(tree.place, "spikes may be added to a variable, multiplied by what does not depend on them; nothing else is supported")


def some(tree: Expression | None) -> Expression:
    assert tree is not None
    return tree
