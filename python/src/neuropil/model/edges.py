# SPDX-License-Identifier: Apache-2.0
"""Sides of a connection, and the edges between them that end on nodes of this rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..space.layers import Part
from .core import Core
from .nodes import Nodes

__all__ = ["Edges", "Ints", "Side"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Side:
    """Sources or targets: gids, int64 (n,); own: which live on this rank, bool (n,); part: where they are, None without positions."""

    gids: Ints
    own: NDArray[np.bool_]
    part: Part | None

    @staticmethod
    def of(network: Core, nodes: Nodes) -> Side:
        """The side of a connection that these nodes are."""
        gids, part = nodes.gids, network._populations.part(nodes._ranges)  # raises Stale before the kernel is asked for their ranks
        own = np.ones(len(gids), bool) if network.n_ranks == 1 else np.asarray(network._kernel.ranks_of(gids)) == network.rank
        return Side(gids, own, part)

    def placed(self) -> Part:
        """Where the nodes are; all at one point where they have no positions and nobody asks for them."""
        if self.part is not None:
            return self.part
        zero = np.zeros(2)
        return Part(self.gids, np.zeros((len(self.gids), 2)), zero, zero, False)


@dataclass(frozen=True)
class Edges:
    """Edges that end on nodes of this rank: positions in both sides and a key that does not depend on ranks; int64 (n,).

    at : which value of an array each edge has; None: the rule takes no arrays
    """

    source: Ints
    target: Ints
    key: Ints
    at: Ints | None = None

    def take(self, chosen: Any) -> Edges:
        """Some of them."""
        return Edges(self.source[chosen], self.target[chosen], self.key[chosen], None if self.at is None else self.at[chosen])
