# SPDX-License-Identifier: Apache-2.0
"""Neurons grown at random: trees of persistent random walks that bifurcate. Seeded; for circuits without data at hand, not for science."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .morphologies import APICAL, AXON, BASAL, Morphology

__all__ = ["Arbor", "grow"]

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Arbor:
    """How the trees of one type grow. Lengths in um.

    trees: number of stems; length: mean of a section; orders: bifurcations in a row at most; branching: probability of each after the second;
    heading: direction of the stems, (0, 0, 0) for any; pull: how strongly a section keeps turning towards `heading`;
    wander: standard deviation of the change of direction per segment; step: length of a segment;
    radius: at the stem, shrinks by `taper` per bifurcation, down to 0.15 um.
    """

    kind: int
    trees: int
    length: float
    orders: int
    branching: float = 0.9
    heading: Vector = (0.0, 0.0, 0.0)
    pull: float = 0.0
    wander: float = 0.12
    spread: float = 0.8
    step: float = 5.0
    radius: float = 0.8
    taper: float = 0.8


class _Dice:
    """Random numbers of one neuron, by (seed, stream): uniform ones only, so that the streams stay the same over versions of numpy."""

    def __init__(self, seed: int, stream: int) -> None:
        self._uniform = np.random.Generator(np.random.Philox(key=np.array([seed, stream], np.uint64)))

    def uniform(self, *shape: int) -> NDArray[np.float64]:
        return self._uniform.random(shape)

    def normal(self, *shape: int) -> NDArray[np.float64]:
        """Box-Muller."""
        return np.sqrt(-2.0 * np.log1p(-self.uniform(*shape))) * np.cos(2.0 * np.pi * self.uniform(*shape))

    def direction(self) -> NDArray[np.float64]:
        return _unit(self.normal(3))


class _Sketch:
    """Sections of a neuron that grows, children after their parents."""

    def __init__(self) -> None:
        self.points: list[NDArray[np.float64]] = []
        self.radii: list[NDArray[np.float64]] = []
        self.parent: list[int] = []
        self.kind: list[int] = []

    def add(self, points: NDArray[np.float64], radii: NDArray[np.float64], parent: int, kind: int) -> int:
        self.points.append(points)
        self.radii.append(radii)
        self.parent.append(parent)
        self.kind.append(kind)
        return len(self.parent) - 1


def grow(arbors: Sequence[Arbor], seed: int, stream: int, soma_radius: float = 7.0) -> Morphology:
    """A neuron with its soma at the origin, y up; the same for the same (arbors, seed, stream). Types come in the order axon, basal, apical."""
    dice, sketch = _Dice(seed, stream), _Sketch()
    for arbor in sorted(arbors, key=lambda a: (AXON, BASAL, APICAL).index(a.kind)):
        for _ in range(arbor.trees):
            _grow_tree(sketch, dice, arbor, soma_radius)
    begin = np.cumsum([0, *(len(points) for points in sketch.points)])
    return Morphology(
        np.concatenate(sketch.points),
        np.concatenate(sketch.radii),
        begin.astype(np.int64),
        np.array(sketch.parent, np.int32),
        np.array(sketch.kind, np.uint8),
        np.zeros(3),
        soma_radius,
    )


def _grow_tree(sketch: _Sketch, dice: _Dice, arbor: Arbor, soma_radius: float) -> None:
    heading = np.asarray(arbor.heading)
    stem = dice.direction() if not heading.any() else _unit(heading + 0.25 * dice.normal(3))
    tips = [(soma_radius * stem, stem, -1, 0, arbor.radius)]
    while tips:  # depth first
        start, direction, parent, order, radius = tips.pop()
        points = _walk(dice, arbor, start, direction)
        thin = max(0.15, arbor.taper * radius)
        section = sketch.add(points, np.linspace(radius, thin, len(points)), parent, arbor.kind)
        if order < arbor.orders and (order < 2 or dice.uniform(1)[0] < arbor.branching):
            direction = _unit(points[-1] - points[-2])
            side = _unit(np.cross(direction, dice.direction()) + 1e-9)
            turn = arbor.spread * dice.uniform(2)
            tips += [
                (points[-1], _unit(direction + sign * t * side), section, order + 1, thin) for sign, t in zip((-1, 1), turn, strict=True)
            ]


def _walk(dice: _Dice, arbor: Arbor, start: NDArray[np.float64], direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of a section: its length is drawn around the mean, its direction wanders and is pulled towards the heading."""
    length = arbor.length * (0.5 + dice.uniform(1)[0])
    n = max(2, round(length / arbor.step))
    drift = arbor.pull * np.asarray(arbor.heading) + arbor.wander * dice.normal(n, 3)
    headings = direction + np.cumsum(drift, axis=0)
    headings /= np.linalg.norm(headings, axis=1)[:, None] + 1e-12
    return np.concatenate([start[None], start + np.cumsum(length / n * headings, axis=0)])


def _unit(v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(v / (np.sqrt(float(v @ v)) + 1e-12), np.float64)
