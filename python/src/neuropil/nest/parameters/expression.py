# SPDX-License-Identifier: Apache-2.0
"""The algebra of Parameters: expression trees over numbers, random leaves and positions.

Every node of a tree knows how many places it takes, and a place has random numbers of its own: `p - p` draws twice.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...model.distributions import Distribution
from ..errors import NESTErrors
from .code import Code, NotCompiled
from .context import Context, Floats
from .native_forms import Native, shifted_and_scaled


class Parameter:
    """A value that is computed or drawn anew for every node or connection. Made by nest.random, nest.spatial, nest.math and by operators."""

    __array_ufunc__ = None  # numpy numbers on the left leave the operation to us
    __hash__ = None  # type: ignore[assignment]  # == makes a Parameter

    _places: int

    def __init__(self, *children: Parameter) -> None:
        self._children = children
        self._places = 1 + sum(child._places for child in children) if children else 1

    # --- what a kind of Parameter defines

    def _values(self, context: Context, place: int) -> Floats:
        """Values, float64 of shape (n,); `place` is where in the whole expression this one stands."""
        raise NotImplementedError  # pragma: no cover

    def native(self) -> Native:
        """What the kernel can draw itself: a number or a neuropil.Distribution; None where it cannot."""
        return None

    def structure(self) -> tuple[Any, ...] | None:
        """What tells Parameters apart that give other values, to be compared; None where they cannot be."""
        return None

    def code(self, code: Code) -> int:
        """Writes the formula into a program for the kernel. Raises NotCompiled for what is drawn, and where there is no operation for it."""
        raise NotCompiled

    def is_spatial(self) -> bool:
        """Whether the value depends on positions."""
        return any(child.is_spatial() for child in self._children)

    # --- evaluation

    def evaluate(self, context: Context) -> Floats:
        """Values for all nodes or connections of a context, float64 of shape (n,).

        Raises KernelException or BadParameterValue where the context lacks the positions that are asked for.
        """
        with np.errstate(all="ignore"):  # 1 / 0 is inf, as in NEST
            return self._values(context, 0)

    def _child(self, number: int, context: Context, place: int) -> Floats:
        return self._children[number]._values(context, self._place(number, place))

    def _place(self, number: int, place: int) -> int:
        return place + 1 + sum(child._places for child in self._children[:number])

    def GetValue(self) -> float:  # noqa: N802  (the name is NEST's)
        """Draws one value. Raises KernelException or BadParameterValue for positions: there is no node."""
        from .applying import one_value

        return one_value(self)

    def apply(self, spatial_nc: Any, positions: Any = None) -> tuple[float, ...]:
        """Values for the nodes of a NodeCollection; or, from its only node, for connections to each of some positions.

        Raises TypeError, ValueError for other arguments, and as `evaluate`.
        """
        from .applying import applied

        return applied(self, spatial_nc, positions)

    # --- operators

    def __add__(self, other: Any) -> Parameter:
        return Sum(self, to_parameter(other))

    def __radd__(self, other: Any) -> Parameter:
        return Sum(to_parameter(other), self)

    def __sub__(self, other: Any) -> Parameter:
        return Difference(self, to_parameter(other))

    def __rsub__(self, other: Any) -> Parameter:
        return Difference(to_parameter(other), self)

    def __mul__(self, other: Any) -> Parameter:
        return Product(self, to_parameter(other))

    def __rmul__(self, other: Any) -> Parameter:
        return Product(to_parameter(other), self)

    def __truediv__(self, other: Any) -> Parameter:
        return Quotient(self, to_parameter(other))

    def __rtruediv__(self, other: Any) -> Parameter:
        return Quotient(to_parameter(other), self)

    def __pow__(self, exponent: Any) -> Parameter:
        return Power(self, float(exponent))

    def __pos__(self) -> Parameter:
        return self

    def __neg__(self) -> Parameter:
        return Product(self, Constant(-1.0))

    def __lt__(self, other: Any) -> Parameter:
        return Comparison(np.less, self, to_parameter(other))

    def __le__(self, other: Any) -> Parameter:
        return Comparison(np.less_equal, self, to_parameter(other))

    def __gt__(self, other: Any) -> Parameter:
        return Comparison(np.greater, self, to_parameter(other))

    def __ge__(self, other: Any) -> Parameter:
        return Comparison(np.greater_equal, self, to_parameter(other))

    def __eq__(self, other: Any) -> Parameter:  # type: ignore[override]
        return Comparison(np.equal, self, to_parameter(other))

    def __ne__(self, other: Any) -> Parameter:  # type: ignore[override]
        return Comparison(np.not_equal, self, to_parameter(other))


class Constant(Parameter):
    """A number."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def _values(self, context: Context, place: int) -> Floats:
        return np.full(context.n, self.value)

    def structure(self) -> tuple[Any, ...]:
        return (Constant, exact(self.value))

    def native(self) -> Native:
        return self.value

    def code(self, code: Code) -> int:
        return code.constant(self.value)


def to_parameter(value: Any) -> Parameter:
    """A Parameter as it is, a number as a Constant. Raises NotImplementedError for anything else."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, numbers.Real):
        return Constant(float(value))
    raise NotImplementedError(f"a Parameter can be combined with numbers and Parameters, not with {type(value).__name__}")


def checked(value: Any, name: str = "parameter") -> Parameter:
    """A Parameter. Raises TypeError for anything else."""
    if not isinstance(value, Parameter):
        raise TypeError(f"{name} must be a Parameter, not {type(value).__name__}")
    return value


def exact(x: float) -> float | str:
    """A number for comparisons that tell 0.0 from -0.0."""
    return x or repr(x)


class _Binary(Parameter):
    """An operation on two Parameters; `operation`: its name for the kernel."""

    operation = ""

    def __init__(self, left: Parameter, right: Parameter) -> None:
        super().__init__(left, right)

    def structure(self) -> tuple[Any, ...] | None:
        left, right = (child.structure() for child in self._children)
        return None if left is None or right is None else (type(self), left, right)

    def native(self) -> Native:
        left, right = (child.native() for child in self._children)
        if left is None or right is None:
            return None
        return self._native(left, right)

    def _native(self, left: float | Distribution, right: float | Distribution) -> Native:
        raise NotImplementedError  # pragma: no cover

    def code(self, code: Code) -> int:
        return code(self.operation, *(child.code(code) for child in self._children))


class Sum(_Binary):
    """left + right."""

    operation = "add"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) + self._child(1, context, place)

    def _native(self, left: float | Distribution, right: float | Distribution) -> Native:
        if isinstance(left, Distribution):
            return None if isinstance(right, Distribution) else shifted_and_scaled(left, right, 1.0)
        return shifted_and_scaled(right, left, 1.0)


class Difference(_Binary):
    """left - right."""

    operation = "subtract"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) - self._child(1, context, place)

    def _native(self, left: float | Distribution, right: float | Distribution) -> Native:
        if isinstance(left, Distribution):
            return None if isinstance(right, Distribution) else shifted_and_scaled(left, -right, 1.0)
        return shifted_and_scaled(right, left, -1.0)


class Product(_Binary):
    """left * right."""

    operation = "multiply"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) * self._child(1, context, place)

    def _native(self, left: float | Distribution, right: float | Distribution) -> Native:
        if isinstance(left, Distribution):
            return None if isinstance(right, Distribution) else shifted_and_scaled(left, 0.0, right)
        return shifted_and_scaled(right, 0.0, left)


class Quotient(_Binary):
    """left / right."""

    operation = "divide"

    def _values(self, context: Context, place: int) -> Floats:
        return self._child(0, context, place) / self._child(1, context, place)

    def _native(self, left: float | Distribution, right: float | Distribution) -> Native:
        if isinstance(right, Distribution) or right == 0.0:
            return None
        return left / right if isinstance(left, float) else shifted_and_scaled(left, 0.0, 1.0 / right)


class Comparison(Parameter):
    """1.0 where the comparison holds, else 0.0."""

    def __init__(self, operation: Callable[[Floats, Floats], Any], left: Parameter, right: Parameter) -> None:
        super().__init__(left, right)
        self._operation = operation

    def _values(self, context: Context, place: int) -> Floats:
        return np.asarray(self._operation(self._child(0, context, place), self._child(1, context, place)), np.float64)

    def code(self, code: Code) -> int:
        operands = [child.code(code) for child in self._children]
        turned: dict[Any, str] = {np.greater: "less", np.greater_equal: "less_equal"}
        straight: dict[Any, str] = {np.less: "less", np.less_equal: "less_equal", np.equal: "equal", np.not_equal: "unequal"}
        return (
            code(turned[self._operation], *reversed(operands)) if self._operation in turned else code(straight[self._operation], *operands)
        )


class Power(Parameter):
    """base to the power of a number; not a number for negative bases and broken exponents."""

    def __init__(self, base: Parameter, exponent: float) -> None:
        super().__init__(base)
        self._exponent = exponent

    def _values(self, context: Context, place: int) -> Floats:
        return np.asarray(self._child(0, context, place) ** self._exponent)

    def code(self, code: Code) -> int:
        base = self._children[0].code(code)
        return code("square", base) if self._exponent == 2.0 else code("power", base, value=self._exponent)


class Function(Parameter):
    """A function of the values of one or several Parameters, element by element; `write`: how the kernel computes it, from results."""

    def __init__(self, function: Callable[..., Any], *arguments: Parameter, write: Callable[..., int] | None = None) -> None:
        super().__init__(*arguments)
        self._function, self._write = function, write

    def code(self, code: Code) -> int:
        if self._write is None:
            raise NotCompiled
        return self._write(code, *(child.code(code) for child in self._children))

    def _values(self, context: Context, place: int) -> Floats:
        return np.asarray(self._function(*(self._child(k, context, place) for k in range(len(self._children)))))


class SpatialFunction(Function):
    """A function that NEST counts as spatial whatever its arguments."""

    def is_spatial(self) -> bool:
        return True


class Conditional(Parameter):
    """The second value where the first is not 0, else the third; only the one that is taken is evaluated."""

    def _values(self, context: Context, place: int) -> Floats:
        taken = self._child(0, context, place) != 0.0
        values = np.empty(context.n)
        for number, chosen in ((1, taken), (2, ~taken)):
            if chosen.any():
                values[chosen] = self._child(number, context.take(chosen), place)
        return values

    def code(self, code: Code) -> int:
        return code("choose", *(child.code(code) for child in self._children))


def type_mismatch(name: str, value: object) -> Exception:
    """The error of a function that wants a Parameter."""
    found: Exception = NESTErrors.TypeMismatch(f"{name} must be a Parameter, not {type(value).__name__}")
    return found


def parameters_only(**values: Any) -> Sequence[Parameter]:
    """The values, all Parameters. Raises TypeMismatch."""
    for name, value in values.items():
        if not isinstance(value, Parameter):
            raise type_mismatch(name, value)
    return tuple(values.values())
