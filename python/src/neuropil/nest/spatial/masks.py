# SPDX-License-Identifier: Apache-2.0
"""NEST's masks: those of neuropil.space with the operators and errors of NEST."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ... import space
from ...space.code import Code
from ...space.layers import Floats, Part
from ...space.masks import Flags, GridMask
from ..errors import NESTErrors, translating
from .layers import to_point


class Mask(space.Mask):
    """A region in 2 or 3 dimensions relative to a node. `a | b`, `a & b`, `a - b` combine. Made by CreateMask or a dict {name: {...}}."""

    def __init__(self, mask: space.Mask) -> None:
        self._mask, self.dims = mask, mask.dims
        if not isinstance(mask, GridMask):
            self.low, self.high = mask.low, mask.high

    def inside(self, points: Floats) -> Flags:
        return self._mask.inside(points)

    def code(self, code: Code, point: list[int]) -> int:
        return self._mask.code(code, point)

    def on(self, pool: Part) -> space.Mask:
        return self._mask.on(pool)

    @property
    def ellipsoid(self) -> tuple[Floats, Floats]:
        return self._mask.ellipsoid

    def Inside(self, point: Any) -> bool:  # noqa: N802  (the name is NEST's)
        """Whether a point is in the region. Raises BadProperty for points of other dimensions, KernelException for masks of grids."""
        if isinstance(self._mask, GridMask):
            raise NESTErrors.KernelException("a grid mask has no inside without the grid layer that it is applied to")
        return bool(self._mask.contains(to_point(point, self.dims)))

    def __or__(self, other: Any) -> Mask:
        return self._made("|", other, operator.or_)

    def __and__(self, other: Any) -> Mask:
        return self._made("&", other, operator.and_)

    def __sub__(self, other: Any) -> Mask:
        return self._made("-", other, operator.sub)

    def _made(self, sign: str, other: Any, combine: Callable[[Any, Any], space.Mask]) -> Mask:
        if not isinstance(other, Mask):
            raise NotImplementedError(f"{sign} needs a mask on both sides, not {type(other).__name__}")
        if isinstance(self._mask, GridMask) or isinstance(other._mask, GridMask):
            raise NESTErrors.KernelException("grid masks cannot be combined")
        with translating():
            return Mask(combine(self._mask, other._mask))
