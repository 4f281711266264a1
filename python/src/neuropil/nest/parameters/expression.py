# SPDX-License-Identifier: Apache-2.0
"""NEST's Parameters: expressions of neuropil.space with the operators, functions and errors of NEST."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from ...engine import Floats
from ...space import Expression
from ...space import engine as space
from ...space.engine import Context, Wrapper
from ..errors import NESTErrors, translating
from ..kernel import session
from ..node_collection import checked as a_collection


class Parameter(Wrapper):
    """A value that is computed or drawn anew for every node or connection. Made by nest.random, nest.spatial, nest.math and by operators."""

    __hash__ = None  # type: ignore[assignment]  # == makes a Parameter
    __abs__ = __and__ = __rand__ = __or__ = __ror__ = None  # type: ignore[assignment]  # NEST has none of these

    def __init__(self, expression: Expression, spatial: bool = False) -> None:
        """`spatial`: NEST counts it as spatial whatever it depends on."""
        super().__init__(expression)
        self._spatial = spatial

    def is_spatial(self) -> bool:
        return self._spatial or super().is_spatial()

    def evaluate(self, context: Context) -> Floats:
        """Values for all nodes or connections of a context, float64 of shape (n,).

        Raises KernelException or BadParameterValue where the context lacks the positions that are asked for.
        """
        with translating():
            return super().evaluate(context)

    def GetValue(self) -> float:  # noqa: N802  (the name is NEST's)
        """Draws one value. Raises KernelException or BadParameterValue for positions: there is no node."""
        return float(self.evaluate(_context(np.ones(1, np.int64)))[0])

    def apply(self, spatial_nc: Any, positions: Any = None) -> tuple[float, ...]:
        """Values for the nodes of a NodeCollection; or, from its only node, for connections to each of some positions.

        Raises TypeError, ValueError for other arguments, and as `evaluate`.
        """
        return _applied(self, spatial_nc, positions)

    # --- operators

    def _combined(self, kind: Callable[[Any, Any], Expression], left: Any, right: Any) -> Parameter:
        a, b = to_parameter(left), to_parameter(right)
        return made(kind(a.expression, b.expression), a, b)

    def __pow__(self, exponent: Any) -> Parameter:
        return made(self.expression ** float(exponent), self)

    def __neg__(self) -> Parameter:
        return made(-self.expression, self)

    def __bool__(self) -> bool:
        return True


class Constant(Parameter):
    """A number."""

    def __init__(self, value: float) -> None:
        super().__init__(space.Constant(value))


def to_parameter(value: Any) -> Parameter:
    """A Parameter as it is, a number as a Constant. Raises NotImplementedError for anything else."""
    if isinstance(value, Parameter):
        return value
    if isinstance(value, numbers.Real):
        return Constant(float(value))
    raise NotImplementedError(f"a Parameter can be combined with numbers and Parameters, not with {type(value).__name__}")


def checked(value: Any, name: str = "parameter", error: type[Exception] = TypeError) -> Parameter:
    """A Parameter. Raises an error for anything else."""
    if not isinstance(value, Parameter):
        raise error(f"{name} must be a Parameter, not {type(value).__name__}")
    return value


def whole(name: str, value: Any) -> int:
    """A whole number. Raises TypeError for anything else."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    return int(value)


def made(expression: Expression, *of: Parameter) -> Parameter:
    """The Parameter of an expression made of others."""
    return Parameter(expression, any(p._spatial for p in of))


def _applied(parameter: Parameter, nodes: Any, positions: Any) -> tuple[float, ...]:
    """Values for nodes, or for connections from one node to positions."""
    a_collection(nodes, "spatial_nc")
    if positions is None:
        nodes._alive()
        placed = None if nodes._layer is None else nodes._layer.positions_of(nodes._gids)
        return tuple(parameter.evaluate(_context(nodes._gids, node_pos=placed)).tolist())
    return tuple(_to_positions(parameter, nodes, positions).tolist())


def to_point(point: Any, dims: int) -> Floats:
    """A position given by hand, float64 (dims,). Raises BadProperty where the dimensions are others."""
    found = np.asarray(point if isinstance(point, np.ndarray) else list(point), np.float64)
    if found.shape != (dims,):
        raise NESTErrors.BadProperty(f"a position of {dims} dimensions is needed, not {found.tolist()}")
    return found


def _to_positions(parameter: Parameter, nodes: Any, positions: Any) -> Any:
    if len(nodes) != 1:
        raise ValueError("with positions, apply takes a NodeCollection of one node")
    if not isinstance(positions, list | tuple):
        raise TypeError("positions must be a list or tuple of positions")
    if not all(isinstance(position, list | tuple | np.ndarray) for position in positions):
        raise TypeError("each position must be a list, tuple or array of coordinates")
    if len({len(position) for position in positions}) > 1:
        raise ValueError("All positions must have the same number of dimensions")
    if nodes._layer is None:
        raise NESTErrors.KernelException("apply: the node has no position")
    nodes._alive()
    source = nodes._layer.positions_of(nodes._gids)
    targets = np.array([to_point(position, source.shape[1]) for position in positions]).reshape(-1, source.shape[1])
    keys = np.arange(1, len(targets) + 1, dtype=np.int64)
    context = _context(
        keys,
        source_pos=np.repeat(source, len(targets), axis=0),
        target_pos=targets,
        extent=nodes._layer.extent,
        periodic=nodes._layer.periodic,
    )
    return parameter.evaluate(context)


def _context(keys: Any, **positions: Any) -> Context:
    here = session()
    return Context(here.seed, here.next_draw(), keys, **positions)
