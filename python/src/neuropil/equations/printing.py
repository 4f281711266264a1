# SPDX-License-Identifier: Apache-2.0
"""Expressions as C++."""

from __future__ import annotations

from collections.abc import Callable

from .expressions import COMPARISONS, LEVELS, Binary, Call, Expression, Name, Number, Unary

__all__ = ["HELPERS", "Printer", "c_text", "number"]

# Functions that the text of a model brings itself, if it needs them.
HELPERS = {
    "squared": ["NPL_INLINE static double squared(double x) { return x * x; }"],
    "cubed": ["NPL_INLINE static double cubed(double x) { return x * x * x; }"],
    "power": ["NPL_INLINE static double power(double x, double n) { return n == 1.0 ? x : n == 0.0 ? 1.0 : math::pow(x, n); }"],
    "clip": ["NPL_INLINE static double clip(double x, double low, double high) { return math::min(math::max(x, low), high); }"],
    "exprel": [
        "/// (exp(x) - 1) / x, without loss of digits near 0.",
        "NPL_INLINE static double exprel(double x) { return math::choose(x == 0.0, 1.0, math::expm1(x) / x); }",
    ],
    "per_exprel": [
        "/// x / (exp(x) - 1): one division instead of two.",
        "NPL_INLINE static double per_exprel(double x) { return math::choose(x == 0.0, 1.0, x / math::expm1(x)); }",
    ],
    "tanh": [
        "/// (exp(2 x) - 1) / (exp(2 x) + 1).",
        "NPL_INLINE static double tanh(double x) {",
        "  const double size = math::detail::abs(x), e = math::expm1(2.0 * size), t = math::choose(size > 20.0, 1.0, e / (e + 2.0));",
        "  return math::choose(x < 0.0, -t, t);",
        "}",
    ],
    "binomial_of_step": [
        "/// How many of n trials succeed, by inversion; odds: p / (1 - p), none: (1 - p)^n.",
        "NPL_INLINE static double binomial_of_step(const Input<receptors>& in, std::uint64_t id, double n, double odds, double none) {",
        "  double u = uniform_of_step(in.seed, id, in.gid, in.step), count = 0.0, chance = none;",
        "  while (u >= chance && count < n) u -= chance, count += 1.0, chance *= odds * (n - count + 1.0) / count;",
        "  return count;",
        "}",
    ],
    "normal_of_step": [
        "/// A standard normal number that belongs to this neuron and step (Box & Muller 1958); `id` tells sources apart.",
        "NPL_INLINE static double normal_of_step(const Input<receptors>& in, std::uint64_t id) {",
        "  const auto key = rng::Key::of(in.seed, rng::Purpose::model, id);",
        "  const auto words = rng::draw(key, static_cast<std::uint64_t>(in.gid), static_cast<std::uint64_t>(in.step));",
        "  const double radius = std::sqrt(-2.0 * math::log(rng::uniform52(words[0], words[1])));",
        "  return radius * math::cos_near(6.283185307179586 * rng::uniform52(words[2], words[3]));",
        "}",
    ],
}
_CALLS = {
    "exp": "math::exp", "expm1": "math::expm1", "log": "math::log", "log1p": "math::log1p", "sqrt": "std::sqrt", "abs": "math::detail::abs",
    "sin": "math::sin", "cos": "math::cos", "tanh": "tanh", "exprel": "exprel", "pow": "math::pow", "min": "math::min", "max": "math::max",
    "where": "math::choose", "floor": "std::floor",
}  # fmt: skip
_HEADERS = {
    "std::sqrt": "<cmath>",
    "std::floor": "<cmath>",
    "math::sin": '"base/sine.hpp"',
    "math::cos": '"base/sine.hpp"',
}


def number(value: float) -> str:
    """A literal that has exactly this value."""
    return repr(float(value))


def c_text(text: str) -> str:
    """A text as a C++ string literal, whatever is in it."""
    shown = "".join(c if c.isprintable() and c not in '"\\' else " " if c.isspace() else f"\\{c}" if c in '"\\' else "" for c in text)
    return f'"{shown}"'


class Printer:
    """Writes expressions, and knows what they need: helpers, headers."""

    def __init__(self, pow_function: str = "pow") -> None:
        self.pow_function = pow_function  # that expressions call for x**n
        self.helpers: set[str] = set()
        self.headers: set[str] = set()

    def need(self, *helpers: str) -> None:
        """Asks for helpers."""
        self.helpers |= set(helpers)

    def call(self, function: str) -> str:
        """The C++ name of a function."""
        name = _CALLS.get(function, function)
        if name in HELPERS:
            self.need(name)
        if name in _HEADERS:
            self.headers.add(_HEADERS[name])
        return name

    def text(self, tree: Expression, name: Callable[[str], str]) -> str:
        """@param name: what a name of the equations is in C++."""
        match tree:
            case Number():
                return number(tree.value)
            case Name():
                return name(tree.name)
            case Call(function="steps"):
                return f"whole_steps({self.text(tree.arguments[0], name)}, h)"  # in `derive` only
            case Call():
                return f"{self.call(tree.function)}({', '.join(self.text(each, name) for each in tree.arguments)})"
            case Unary():
                return ("-" if tree.operator == "negative" else "!") + self.within(tree.operand, 9, name)
            case Binary(operator="**"):
                return self.power(tree, name)
            case Binary():
                return self.binary(tree, name)
        raise TypeError(tree)

    def binary(self, tree: Binary, name: Callable[[str], str]) -> str:
        """Two trees with an operator."""
        if tree.operator in ("and", "or"):
            sign = "&" if tree.operator == "and" else "|"
            return f"{self.within(tree.left, 9, name)} {sign} {self.within(tree.right, 9, name)}"
        level = LEVELS[tree.operator]
        strict = tree.operator not in COMPARISONS
        return f"{self.within(tree.left, level + (not strict), name)} {tree.operator} {self.within(tree.right, level + 1, name)}"

    def power(self, tree: Binary, name: Callable[[str], str]) -> str:
        """A power: products where it is a small whole number."""
        base, exponent = self.text(tree.left, name), tree.right
        n = exponent.value if isinstance(exponent, Number) else None
        if n in (2.0, 3.0):
            return f"{self.call('squared' if n == 2.0 else 'cubed')}({base})"
        if n == 4.0:
            return f"{self.call('squared')}(squared({base}))"
        if n == -1.0:
            return f"(1.0 / {self.within(tree.left, 7, name)})"
        if n == 0.5:
            return f"{self.call('sqrt')}({base})"
        return f"{self.call(self.pow_function)}({base}, {self.text(exponent, name)})"

    def within(self, tree: Expression, level: int, name: Callable[[str], str]) -> str:
        """In parentheses, where the operator around it binds at least as strongly."""
        text = self.text(tree, name)
        inner = LEVELS[tree.operator] if isinstance(tree, Binary) and tree.operator != "**" else 9
        if isinstance(tree, Unary) or (isinstance(tree, Number) and text.startswith("-")):
            inner = 7
        return text if inner >= level else f"({text})"
