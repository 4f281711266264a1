# SPDX-License-Identifier: Apache-2.0
"""The algebra of values in space: expression trees over numbers, distributions and positions.

Every node of a tree knows how many places it takes, and a place has random numbers of its own: `p - p` draws twice.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.laws import Law
from ..errors import BadType
from .code import Code, NotCompiled
from .native_forms import Native, shifted_and_scaled

if TYPE_CHECKING:
    from .context import Context, Floats

__all__ = ["Constant", "Drawn", "Expression", "Function", "Term", "exact", "to_term"]


class Term:
    """A value that is computed or drawn anew for every node or connection."""

    _places: int

    def __init__(self, *children: Term) -> None:
        self._children = children
        self._places = 1
        for child in children:
            self._places += child._places

    # --- what a kind of term defines

    def _values(self, context: Context, place: int) -> Floats:
        """Values, float64 of shape (n,); `place` is where in the whole expression this one stands."""
        raise NotImplementedError  # pragma: no cover

    def native(self) -> Native:
        """What the kernel can draw itself: a number or a Distribution; None where it cannot."""
        return None

    def structure(self) -> tuple[Any, ...] | None:
        """What tells terms apart that give other values, to be compared; None where they cannot be."""
        return None

    def code(self, code: Code, place: int = 0) -> int:
        """Writes the formula into a program for the kernel. Raises NotCompiled where there is no operation for it; place: as of `_values`."""
        raise NotCompiled

    def is_spatial(self) -> bool:
        """Whether the value depends on positions."""
        return any(child.is_spatial() for child in self._children)

    # --- evaluation

    def evaluate(self, context: Context) -> Floats:
        """Values for all nodes or connections of a context, float64 of shape (n,). Raises NoPositions, NothingDrawn."""
        with np.errstate(all="ignore"):  # 1 / 0 is inf
            return self._values(context, 0)

    def _child(self, number: int, context: Context, place: int) -> Floats:
        return self._children[number]._values(context, self._place(number, place))

    def _coded(self, code: Code, place: int) -> list[int]:
        """Results of the children."""
        return [child.code(code, self._place(number, place)) for number, child in enumerate(self._children)]

    def _place(self, number: int, place: int) -> int:
        return place + 1 + sum(child._places for child in self._children[:number])


class Expression(Term):
    """A value that differs from node to node, or from connection to connection: `2.0 * npl.space.gaussian(npl.distance, std=0.2)`.

    Made of npl.distance, npl.position, distributions, numbers and the functions of npl.space by + - * / ** abs, comparisons (1 where they hold,
    else 0), & and |. Every distribution in it is drawn for itself. It holds no state and no seed.
    """

    __array_ufunc__ = None  # numpy numbers on the left leave the operation to us
    form = "..."
    """Text for people, with places for those of the children."""

    def _combined(self, kind: Callable[[Term, Term], Expression], left: Any, right: Any) -> Any:
        """What an operator makes of this expression and another value, which may stand on its left."""
        a, b = to_term(left), to_term(right)
        return NotImplemented if a is None or b is None else kind(a, b)

    def __add__(self, other: Any) -> Expression:
        return _binary(Sum, self, other)

    def __radd__(self, other: Any) -> Expression:
        return _binary(Sum, other, self)

    def __sub__(self, other: Any) -> Expression:
        return _binary(Difference, self, other)

    def __rsub__(self, other: Any) -> Expression:
        return _binary(Difference, other, self)

    def __mul__(self, other: Any) -> Expression:
        return _binary(Product, self, other)

    def __rmul__(self, other: Any) -> Expression:
        return _binary(Product, other, self)

    def __truediv__(self, other: Any) -> Expression:
        return _binary(Quotient, self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return _binary(Quotient, other, self)

    def __pow__(self, exponent: float) -> Expression:
        if not isinstance(exponent, numbers.Real):
            return NotImplemented
        return Power(self, float(exponent))

    def __pos__(self) -> Expression:
        return self

    def __neg__(self) -> Expression:
        return Product(self, Constant(-1.0))

    def __abs__(self) -> Expression:
        return Function(np.abs, self, form="abs({})", write=lambda code, x: code("magnitude", x))

    def __and__(self, other: Any) -> Expression:
        return _logical(np.logical_and, "both", self, other)

    def __rand__(self, other: Any) -> Expression:
        return _logical(np.logical_and, "both", other, self)

    def __or__(self, other: Any) -> Expression:
        return _logical(np.logical_or, "either", self, other)

    def __ror__(self, other: Any) -> Expression:
        return _logical(np.logical_or, "either", other, self)

    def __lt__(self, other: Any) -> Expression:
        return _compared(np.less, self, other)

    def __le__(self, other: Any) -> Expression:
        return _compared(np.less_equal, self, other)

    def __gt__(self, other: Any) -> Expression:
        return _compared(np.greater, self, other)

    def __ge__(self, other: Any) -> Expression:
        return _compared(np.greater_equal, self, other)

    def __eq__(self, other: Any) -> Expression:  # type: ignore[override]
        return _compared(np.equal, self, other)

    def __ne__(self, other: Any) -> Expression:  # type: ignore[override]
        return _compared(np.not_equal, self, other)

    __hash__ = Term.__hash__

    def __bool__(self) -> bool:
        text = "an expression has many values and is neither true nor false: use & and | instead of `and` and `or`, npl.space.where instead of `if`"
        raise BadType(text, "an expression", self, "used without `and`, `or`, `not`, `if`")

    def __repr__(self) -> str:
        return self.form.format(*self._children)


class Constant(Expression):
    """A number."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def __repr__(self) -> str:
        return f"{self.value:g}"

    def _values(self, context: Context, place: int) -> Floats:
        return np.full(context.n, self.value)

    def structure(self) -> tuple[Any, ...]:
        return (Constant, exact(self.value))

    def native(self) -> Native:
        return self.value

    def code(self, code: Code, place: int = 0) -> int:
        return code.constant(self.value)


class Drawn(Expression):
    """A value drawn from a distribution of the kernel."""

    def __init__(self, distribution: Law) -> None:
        super().__init__()
        self._distribution = distribution

    def __repr__(self) -> str:
        return repr(self._distribution)

    def _values(self, context: Context, place: int) -> Floats:
        return context.values(place, self._distribution)

    def structure(self) -> tuple[Any, ...]:
        law = self._distribution
        numbers = exact(law.a), exact(law.b), exact(law.min), exact(law.max), exact(law.shift), exact(law.factor)
        return (Drawn, law.kind, law.limit, law.bits, *numbers)

    def native(self) -> Native:
        return self._distribution

    def code(self, code: Code, place: int = 0) -> int:
        return code.drawn(self._distribution, place)


def to_term(value: Any) -> Term | None:
    """A term as it is, a number or a distribution as one; None for anything else."""
    if isinstance(value, Term):
        return value
    if isinstance(value, numbers.Real):
        return Constant(float(value))
    return Drawn(value) if isinstance(value, Law) else None


def _binary(kind: Callable[[Term, Term], Expression], left: Any, right: Any) -> Any:
    operand = left if isinstance(left, Expression) else right
    return operand._combined(kind, left, right)


def _compared(operation: Any, left: Any, right: Any) -> Any:
    return _binary(lambda a, b: Comparison(operation, a, b), left, right)


def _logical(operation: Any, name: str, left: Any, right: Any) -> Any:
    def write(code: Code, x: int, y: int) -> int:
        zero = code.constant(0.0)
        return code(name, code("unequal", x, zero), code("unequal", y, zero))

    return _binary(
        lambda a, b: Function(
            lambda x, y: np.asarray(operation(x, y), np.float64), a, b, form=f"({{}} {_SIGNS[operation]} {{}})", write=write
        ),
        left,
        right,
    )


def exact(x: float) -> float | str:
    """A number for comparisons that tell 0.0 from -0.0."""
    return x or repr(x)


class _Binary(Expression):
    """An operation on two terms; `operation`: its name for the kernel."""

    operation = ""

    def __init__(self, left: Term, right: Term) -> None:
        super().__init__(left, right)

    def structure(self) -> tuple[Any, ...] | None:
        left, right = (child.structure() for child in self._children)
        return None if left is None or right is None else (type(self), left, right)

    def native(self) -> Native:
        left, right = (child.native() for child in self._children)
        if left is None or right is None:
            return None
        return self._native(left, right)

    def _native(self, left: float | Law, right: float | Law) -> Native:
        raise NotImplementedError  # pragma: no cover

    def code(self, code: Code, place: int = 0) -> int:
        return code(self.operation, *self._coded(code, place))


class Sum(_Binary):
    """left + right."""

    operation, form = "add", "({} + {})"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) + self._child(1, context, place)

    def _native(self, left: float | Law, right: float | Law) -> Native:
        if isinstance(left, Law):
            return None if isinstance(right, Law) else shifted_and_scaled(left, right, 1.0)
        return shifted_and_scaled(right, left, 1.0)


class Difference(_Binary):
    """left - right."""

    operation, form = "subtract", "({} - {})"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) - self._child(1, context, place)

    def _native(self, left: float | Law, right: float | Law) -> Native:
        if isinstance(left, Law):
            return None if isinstance(right, Law) else shifted_and_scaled(left, -right, 1.0)
        return shifted_and_scaled(right, left, -1.0)


class Product(_Binary):
    """left * right."""

    operation, form = "multiply", "({} * {})"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) * self._child(1, context, place)

    def _native(self, left: float | Law, right: float | Law) -> Native:
        if isinstance(left, Law):
            return None if isinstance(right, Law) else shifted_and_scaled(left, 0.0, right)
        return shifted_and_scaled(right, 0.0, left)


class Quotient(_Binary):
    """left / right."""

    operation, form = "divide", "({} / {})"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) / self._child(1, context, place)

    def _native(self, left: float | Law, right: float | Law) -> Native:
        if isinstance(right, Law) or right == 0.0:
            return None
        return left / right if isinstance(left, float) else shifted_and_scaled(left, 0.0, 1.0 / right)


_SIGNS: dict[Any, str] = {
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
    np.equal: "==",
    np.not_equal: "!=",
    np.logical_and: "&",
    np.logical_or: "|",
}


class Comparison(Expression):
    """1.0 where the comparison holds, else 0.0."""

    def __init__(self, operation: Callable[[Floats, Floats], Any], left: Term, right: Term) -> None:
        super().__init__(left, right)
        self._operation, self.form = operation, f"({{}} {_SIGNS[operation]} {{}})"

    def _values(self, context: Context, place: int) -> Floats:
        return np.asarray(self._operation(self._child(0, context, place), self._child(1, context, place)), np.float64)

    def code(self, code: Code, place: int = 0) -> int:
        operands = self._coded(code, place)
        turned: dict[Any, str] = {np.greater: "less", np.greater_equal: "less_equal"}
        straight: dict[Any, str] = {np.less: "less", np.less_equal: "less_equal", np.equal: "equal", np.not_equal: "unequal"}
        return (
            code(turned[self._operation], *reversed(operands)) if self._operation in turned else code(straight[self._operation], *operands)
        )


class Power(Expression):
    """base to the power of a number; not a number for negative bases and broken exponents."""

    def __init__(self, base: Term, exponent: float) -> None:
        super().__init__(base)
        self._exponent, self.form = exponent, f"{{}}**{exponent:g}"

    def _values(self, context: Context, place: int) -> Floats:
        return np.asarray(self._child(0, context, place) ** self._exponent)

    def code(self, code: Code, place: int = 0) -> int:
        (base,) = self._coded(code, place)
        return code("square", base) if self._exponent == 2.0 else code("power", base, value=self._exponent)


class Function(Expression):
    """A function of the values of one or several terms, element by element; `write`: how the kernel computes it, from results."""

    def __init__(self, function: Callable[..., Any], *arguments: Term, form: str, write: Callable[..., int] | None = None) -> None:
        super().__init__(*arguments)
        self._function, self._write, self.form = function, write, form

    def code(self, code: Code, place: int = 0) -> int:
        if self._write is None:
            raise NotCompiled
        return self._write(code, *self._coded(code, place))

    def _values(self, context: Context, place: int) -> Floats:
        return np.asarray(self._function(*(self._child(k, context, place) for k in range(len(self._children)))))


class Conditional(Expression):
    """The second value where the first is not 0, else the third; only the one that is taken is evaluated."""

    form = "where({}, {}, {})"

    def _values(self, context: Context, place: int) -> Floats:
        taken = self._child(0, context, place) != 0.0
        values = np.empty(context.n)
        for number, chosen in ((1, taken), (2, ~taken)):
            if chosen.any():
                values[chosen] = self._child(number, context.take(chosen), place)
        return values

    def code(self, code: Code, place: int = 0) -> int:
        return code("choose", *self._coded(code, place))
