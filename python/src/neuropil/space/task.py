# SPDX-License-Identifier: Apache-2.0
"""One call of `drawing.edges`: what is to be drawn, for those who draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import TooFewNodes
from .context import Context, Ints
from .expression import Term
from .layers import Part
from .masks import Mask

PLACE = 1 << 40  # of our own random numbers: beyond those of any expression
MOST = 1 << 10  # connections of a pair that keys tell apart
Edges = tuple[Ints, Ints, Ints]


@dataclass(frozen=True, slots=True)
class SpatialRule:
    """A rule in space.

    name : pairwise_bernoulli, pairwise_poisson, fixed_indegree or fixed_outdegree
    mask : around the driver, None: everywhere
    kernel : probability or mean number of connections of a pair, weight of a candidate where the degree is fixed: a number or an expression
    degree : number of connections of each driver, a number or an expression; None for rules of pairs
    inwards : whether the target is the driver, and the mask lies in the pool of sources
    known : what was found out about sides that it was used between, see by_kernel.py
    """

    name: str
    mask: Mask | None = None
    kernel: float | Term = 1.0
    degree: int | Term | None = None
    inwards: bool = False
    autapses: bool = True
    multapses: bool = True
    oversized: bool = False
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def pool(self, pre: Part, post: Part) -> Part:
        """The side that is searched: its layer says whether and where edges are joined."""
        return pre if self.inwards else post


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
        gid = int(self.centres.gids[driver])
        return TooFewNodes(f"{side} {gid} has too few {other}{where} to choose from", gid)


class Drawing(Protocol):
    """Who draws edges of a task."""

    def of_pairs(self) -> Iterator[Edges]:
        """Edges (source, target, key) whose number is drawn for each pair, targets ascending."""

    def chosen(self, drivers: Ints, degrees: Ints) -> Iterator[Edges]:
        """Edges (driver, other, key) of drivers with these numbers, ascending, that choose degrees[driver] others. Raises TooFewNodes."""
