# SPDX-License-Identifier: Apache-2.0
"""Which equations are linear: each slope as a sum of variables times factors that follow from parameters alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .description import Description
from .errors import Place
from .expressions import Binary, Expression, Name, Number, Unary, names, text_of

__all__ = ["Algebra", "NotLinear", "Product", "Row", "Sum", "inverse", "joined", "rows_of", "times"]

MOST_TERMS = 200
Product = tuple[tuple[str, int], ...]  # (factor, exponent), sorted; factors are texts, see Algebra.factors


@dataclass(frozen=True)
class Sum:
    """Products with their numeric factors, in order."""

    terms: Mapping[Product, float] = field(default_factory=dict)

    def single(self) -> tuple[Product, float] | None:
        """The only product and its number; None where there are more or none."""
        return next(iter(self.terms.items())) if len(self.terms) == 1 else None


class NotLinear(Exception):  # noqa: N818  (control flow; users see its text in summaries)
    """Equations that are not linear: why, and where."""

    def __init__(self, why: str, place: Place | None = None) -> None:
        super().__init__(why)
        self.why, self.place = why, place


def joined(a: Product, b: Product) -> Product:
    """The product of two products."""
    powers = dict(a)
    for name, n in b:
        powers[name] = powers.get(name, 0) + n
    return tuple(sorted((name, n) for name, n in powers.items() if n))


def plus(a: Sum, b: Sum, sign: float = 1.0) -> Sum:
    terms = dict(a.terms)
    for product, number in b.terms.items():
        terms[product] = terms.get(product, 0.0) + sign * number
    return limited({product: number for product, number in terms.items() if number})


def times(a: Sum, b: Sum) -> Sum:
    """The product of two sums."""
    terms: dict[Product, float] = {}
    for left, x in a.terms.items():
        for right, y in b.terms.items():
            product = joined(left, right)
            terms[product] = terms.get(product, 0.0) + x * y
    return limited({product: number for product, number in terms.items() if number})


def limited(terms: dict[Product, float]) -> Sum:
    if len(terms) > MOST_TERMS:
        raise NotLinear("the equations have too many terms to be sorted by variables")
    return Sum(terms)


def inverse(a: Sum) -> Sum | None:
    """1 / a, of a single product."""
    single = a.single()
    return single and Sum({tuple((name, -n) for name, n in single[0]): 1.0 / single[1]})


@dataclass(frozen=True)
class Row:
    """A slope [per ms]: the sum of `rates` times variables, `constant`, and `inputs` times I_stim and noise."""

    rates: Mapping[str, Sum]
    constant: Sum
    inputs: Mapping[str, Sum]


class Algebra:
    """Expressions as sums of products. Factors are names, and what follows from parameters alone as a whole: `factors` has the trees."""

    def __init__(self, made: Description) -> None:
        self.made = made
        self.changing = made.changing
        self.factors: dict[str, Expression] = {}
        self._parts: dict[str, Sum] = {}

    def of(self, tree: Expression) -> Sum:
        """The expression, sorted. Raises NotLinear."""
        match tree:
            case Number():
                return Sum({(): tree.value} if tree.value else {})
            case Name():
                return self.of_name(tree)
            case Unary(operator="negative"):
                return plus(Sum(), self.of(tree.operand), -1.0)
            case Binary(operator="+" | "-"):
                return plus(self.of(tree.left), self.of(tree.right), 1.0 if tree.operator == "+" else -1.0)
            case Binary(operator="*"):
                return times(self.of(tree.left), self.of(tree.right))
            case Binary(operator="/"):
                return self.divided(tree)
        return self.whole(tree)

    def of_name(self, tree: Name) -> Sum:
        """A part is sorted once."""
        part = self.made.part(tree.name)
        if part is None or not part.changes:
            return self.whole(tree)
        if tree.name not in self._parts:
            self._parts[tree.name] = self.of(part.value)
        return self._parts[tree.name]

    def divided(self, tree: Binary) -> Sum:
        """A quotient."""
        divisor = inverse(self.of(tree.right)) or inverse(self.whole(tree.right))
        if divisor is None:
            raise NotLinear("", tree.place)
        return times(self.of(tree.left), divisor)

    def whole(self, tree: Expression) -> Sum:
        """What is not taken apart."""
        if not isinstance(tree, Name) and names(tree) & self.changing:
            text = text_of(tree)
            raise NotLinear(f"{text if len(text) <= 40 else text[:37] + '...'} is not linear", tree.place)
        self.factors[text_of(tree)] = tree
        return Sum({((text_of(tree), 1),): 1.0})

    def tree(self, value: Sum) -> Expression:
        """The expression that a sum stands for."""
        whole: Expression | None = None
        for product, number in value.terms.items():
            term = self.product_tree(product, abs(number))
            if whole is None:
                whole = term if number > 0 else Unary(self.place, "negative", term)
            else:
                whole = Binary(self.place, "+" if number > 0 else "-", whole, term)
        return whole or Number(self.place, 0.0)

    def product_tree(self, product: Product, number: float) -> Expression:
        """A product as a fraction."""
        above = self.powers([(name, n) for name, n in product if n > 0], number)
        below = self.powers([(name, -n) for name, n in product if n < 0], 1.0)
        if below == Number(self.place, 1.0):
            return above
        return Binary(self.place, "/", above, below)

    def powers(self, factors: list[tuple[str, int]], number: float) -> Expression:
        """Factors one after the other."""
        trees = [self.factors[name] for name, n in factors for _ in range(n)]
        if number != 1.0 or not trees:
            trees.insert(0, Number(self.place, number))
        product = trees[0]
        for tree in trees[1:]:
            product = Binary(self.place, "*", product, tree)
        return product

    def target(self, product: Product, number: float, tau: Sum) -> Expression:
        """A constant slope times the time constant: what it is a slope of first, such as I_e * (tau_m / C_m)."""
        (scale, divisor) = next(iter(tau.terms.items()))
        whole = joined(product, scale)
        first = tuple((name, n) for name, n in product if n > 0 and dict(whole).get(name, 0) >= n)
        rest = joined(whole, tuple((name, -n) for name, n in first))
        leading = self.tree(Sum({first: number * divisor}))
        return Binary(self.place, "*", leading, self.product_tree(rest, 1.0)) if rest else leading

    @property
    def place(self) -> Place:
        """Where errors are shown."""
        return self.made.variables[0].slope.place

    def row(self, variable: str, slope: Expression) -> Row:
        """Sorted by variables. Raises NotLinear."""
        states = {v.name for v in self.made.variables}
        rates: dict[str, dict[Product, float]] = {}
        for product, number in self.of(slope).terms.items():
            moving = [(name, n) for name, n in product if name in self.changing]
            if len(moving) > 1 or any(n != 1 for _, n in moving):
                shown = "*".join(name if n == 1 else f"{name}**{n}" for name, n in moving)
                raise NotLinear(f"d{variable}/dt has the term {shown}", slope.place)
            key = moving[0][0] if moving else ""
            rates.setdefault(key, {})[tuple(f for f in product if f not in moving)] = number
        sums = {name: Sum(terms) for name, terms in rates.items()}
        inputs = {name: value for name, value in sums.items() if name and name not in states}
        return Row({n: v for n, v in sums.items() if n in states}, sums.get("", Sum()), inputs)


def rows_of(made: Description) -> tuple[dict[str, Row], Algebra]:
    """Variable -> its row. Raises NotLinear."""
    algebra = Algebra(made)
    return {v.name: algebra.row(v.name, v.slope) for v in made.variables}, algebra
