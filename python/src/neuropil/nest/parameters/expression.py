# SPDX-License-Identifier: Apache-2.0
"""NEST's Parameters: expressions of neuropil.space with the operators, functions and errors of NEST."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import Any

from ...space import expression as native
from ...space.code import Code
from ...space.context import Context, Floats
from ...space.expression import Expression, Term
from ...space.native_forms import Native
from ..errors import NESTErrors, translating


def _operator(of: Callable[[Any, Any], Expression], swapped: bool = False) -> Callable[[Parameter, Any], Parameter]:
    """The method for an operator between a Parameter and a number or Parameter; `swapped`: which stands on the left."""

    def combined(self: Parameter, other: Any) -> Parameter:
        p = to_parameter(other)
        pair = (p._expression, self._expression) if swapped else (self._expression, p._expression)
        return made(of(*pair), self, p)

    return combined


class Parameter(Term):
    """A value that is computed or drawn anew for every node or connection. Made by nest.random, nest.spatial, nest.math and by operators."""

    __array_ufunc__ = None  # numpy numbers on the left leave the operation to us
    __hash__ = None  # type: ignore[assignment]  # == makes a Parameter

    def __init__(self, expression: Expression, spatial: bool = False) -> None:
        """`spatial`: NEST counts it as spatial whatever it depends on."""
        super().__init__(expression)
        self._places = expression._places  # it takes no place of its own
        self._expression, self._spatial = expression, spatial

    def native(self) -> Native:
        return self._expression.native()

    def structure(self) -> tuple[Any, ...] | None:
        return self._expression.structure()

    def code(self, code: Code) -> int:
        return self._expression.code(code)

    def is_spatial(self) -> bool:
        return self._spatial or self._expression.is_spatial()

    def _values(self, context: Context, place: int) -> Floats:
        return self._expression._values(context, place)

    def evaluate(self, context: Context) -> Floats:
        """Values for all nodes or connections of a context, float64 of shape (n,).

        Raises KernelException or BadParameterValue where the context lacks the positions that are asked for.
        """
        with translating():
            return super().evaluate(context)

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

    __add__ = _operator(operator.add)
    __radd__ = _operator(operator.add, swapped=True)
    __sub__ = _operator(operator.sub)
    __rsub__ = _operator(operator.sub, swapped=True)
    __mul__ = _operator(operator.mul)
    __rmul__ = _operator(operator.mul, swapped=True)
    __truediv__ = _operator(operator.truediv)
    __rtruediv__ = _operator(operator.truediv, swapped=True)
    __lt__ = _operator(operator.lt)
    __le__ = _operator(operator.le)
    __gt__ = _operator(operator.gt)
    __ge__ = _operator(operator.ge)
    __eq__ = _operator(operator.eq)  # type: ignore[assignment]
    __ne__ = _operator(operator.ne)  # type: ignore[assignment]

    def __pow__(self, exponent: Any) -> Parameter:
        return made(self._expression ** float(exponent), self)

    def __pos__(self) -> Parameter:
        return self

    def __neg__(self) -> Parameter:
        return made(-self._expression, self)


class Constant(Parameter):
    """A number."""

    def __init__(self, value: float) -> None:
        super().__init__(native.Constant(value))


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


def parameter_only(name: str, value: Any) -> Parameter:
    """A Parameter. Raises TypeMismatch for anything else."""
    if not isinstance(value, Parameter):
        raise NESTErrors.TypeMismatch(f"{name} must be a Parameter, not {type(value).__name__}")
    return value


def made(expression: Expression, *of: Parameter) -> Parameter:
    """The Parameter of an expression made of others."""
    return Parameter(expression, any(p._spatial for p in of))
