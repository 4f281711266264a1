# SPDX-License-Identifier: Apache-2.0
"""The engine of space, for front ends: what neuropil.nest uses beside the public names of neuropil.space, and what others may use.

A script has no need of it. Values: `Wrapper` and the expressions it may hold, evaluated for a `Context`. Places: `Layer`, `Part`. Edges:
`SpatialRule` with `edges`, `lister` and `edge_context`; for rules that do not look at positions `drawn_edges`, `symmetric_pairs` and `ThirdPool`.
Random numbers are keyed by (seed, draw, key), never by ranks. What is written here stays when the inside of neuropil.space changes.
"""

from __future__ import annotations

from typing import Any

from .._core import Formula
from .code import Code
from .context import Context, Floats
from .drawing import edge_context, edges, lister
from .expression import Constant, Drawn, Expression, Function
from .formulas import formulas_in_space, unplaced_formulas
from .layers import Layer, Part, shortest
from .leaves import Distance, EndPosition, NodePosition, WholeNumber
from .masks import GridMask
from .native_forms import Native
from .pairs import nodes_in
from .task import SpatialRule
from .unplaced import ThirdPool, drawn_edges, drawn_values, own_of_all, symmetric_pairs

__all__ = [
    "Constant",
    "Context",
    "Distance",
    "Drawn",
    "EndPosition",
    "Formula",
    "Function",
    "GridMask",
    "Layer",
    "NodePosition",
    "Part",
    "SpatialRule",
    "ThirdPool",
    "WholeNumber",
    "Wrapper",
    "drawn_edges",
    "drawn_values",
    "edge_context",
    "edges",
    "formulas_in_space",
    "lister",
    "nodes_in",
    "own_of_all",
    "shortest",
    "symmetric_pairs",
    "unplaced_formulas",
]


class Wrapper(Expression):
    """An expression for a front end that gives it other operators (`_combined`): values and random numbers are those of `expression`."""

    form = "{}"

    def __init__(self, expression: Expression) -> None:
        self._children, self._places = (expression,), expression._places  # it takes no place of its own
        self.expression = expression

    def native(self) -> Native:
        """As of the expression: what the kernel can draw itself."""
        return self.expression.native()

    def structure(self) -> tuple[Any, ...] | None:
        """As of the expression: what tells it from others, to be compared."""
        return self.expression.structure()

    def code(self, code: Code, place: int = 0) -> int:
        """As of the expression: its formula for the kernel."""
        return self.expression.code(code, place)

    def is_spatial(self) -> bool:
        """Whether the value depends on positions."""
        return self.expression.is_spatial()

    def _values(self, context: Context, place: int) -> Floats:
        return self.expression._values(context, place)
