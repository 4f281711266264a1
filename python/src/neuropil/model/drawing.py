# SPDX-License-Identifier: Apache-2.0
"""Numbers for the draws of a network, so that each has random numbers of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.checks import to_vector
from ..errors import BadParameter, bad_parameter
from ..space.expression import Term
from ..space.layers import Part
from .distributions import Distribution

__all__ = ["Draws"]


class Draws:
    """Numbers the draws of a network: each has random numbers of its own."""

    def __init__(self, seed: int, used: int) -> None:
        self.seed, self.used = seed, used
        self.made: list[tuple[str, Any, int]] = []  # name, spec and number of those whose values were drawn here

    def number(self, name: str, value: Distribution) -> int:
        """The number of the next draw. Raises BadParameter for what cannot be drawn."""
        try:
            _core.draw_values(value.spec(), self.seed, 0, np.empty(0, np.int64))
        except BadParameter as error:  # the kernel does not know what the values are for
            raise BadParameter(f"{name} = {value}: {error}", name, value, error.allowed) from None
        self.used += 1
        return self.used

    def next(self) -> int:
        """The number of the next draw."""
        self.used += 1
        return self.used

    def settled(self, params: Mapping[str, Any], gids: NDArray[np.int64], part: Part | None) -> dict[str, Any]:
        """Parameters of nodes with what their expressions give: a number or a distribution where the kernel can draw it, else values of the nodes.

        Raises NoPositions, BadParameter for values that are not finite.
        """
        return {name: self._settled(name, v, gids, part) if isinstance(v, Term) else v for name, v in params.items()}

    def _settled(self, name: str, value: Term, gids: NDArray[np.int64], part: Part | None) -> Any:
        found = value.native()
        if found is not None:
            return found
        from ..space.context import Context

        values = value.evaluate(Context(self.seed, self.next(), gids, node_pos=None if part is None else part.positions))
        if not np.isfinite(values).all():
            raise bad_parameter(name, float(values[~np.isfinite(values)][0]), "finite for every node")
        return values

    def values(self, name: str, value: Any, gids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Values of the nodes, drawn where that is wanted; float64 of shape (1,) or of that of gids."""
        if not isinstance(value, Distribution):
            return to_vector(name, value)
        number = self.number(name, value)
        self.made.append((name, value.spec(), number))
        return np.asarray(_core.draw_values(value.spec(), self.seed, number, gids))
