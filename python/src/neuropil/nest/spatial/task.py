# SPDX-License-Identifier: Apache-2.0
"""One call of `connecting.edges`: what is to be drawn, for those who draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import NESTErrors
from ..parameters import Context
from ..parameters.context import Ints
from .layers import Part
from .specification import SpatialRule

PLACE = 1 << 40  # of our own random numbers: beyond those of any Parameter
MOST = 1 << 10  # connections of a pair that keys tell apart
Edges = tuple[Ints, Ints, Ints]


@dataclass(frozen=True)
class Task:
    """A rule between two sides, its random numbers (seed, draw), which targets live on this rank, and how many threads may help."""

    pre: Part
    post: Part
    rule: SpatialRule
    seed: int
    draw: int
    own: NDArray[np.bool_]
    threads: int

    @property
    def by_target(self) -> bool:
        """Which nodes are walked through: targets, so that each rank finds its own, except where sources choose their targets."""
        return self.rule.degree is None or self.rule.inwards

    @property
    def centres(self) -> Part:
        """The side that is walked through; of fixed degrees the drivers."""
        return self.post if self.by_target else self.pre

    @property
    def others(self) -> Part:
        return self.pre if self.by_target else self.post

    @property
    def pool(self) -> Part:
        """The side that the mask lies in, whose layer says whether edges are joined."""
        return self.rule.pool(self.pre, self.post)

    @property
    def around_centre(self) -> bool:
        """Whether the mask lies around the centres, not around the others."""
        return self.by_target == self.rule.inwards

    @property
    def loops(self) -> bool:
        """Whether there are nodes on both sides that must not connect to themselves."""
        return not self.rule.autapses and len(np.intersect1d(self.pre.gids, self.post.gids)) > 0

    def context(self, keys: Ints) -> Context:
        """Random numbers for keys; no positions."""
        return Context(self.seed, self.draw, keys, extent=self.pool.extent, periodic=self.pool.periodic)

    def too_few(self, driver: int) -> Exception:
        """The error of a driver that has fewer candidates than it must choose."""
        side, other = ("target", "sources") if self.rule.inwards else ("source", "targets")
        where = " in the mask" if self.rule.mask is not None else ""
        found: Exception = NESTErrors.KernelException(f"{side} {self.centres.gids[driver]} has too few {other}{where} to choose from")
        return found


class Drawing(Protocol):
    """Who draws edges of a task."""

    def of_pairs(self) -> Iterator[Edges]:
        """Edges (source, target, key) whose number is drawn for each pair, targets ascending."""

    def chosen(self, drivers: Ints, degrees: Ints) -> Iterator[Edges]:
        """Edges (driver, other, key) of drivers with these numbers, ascending, that choose degrees[driver] others. Raises KernelException."""
