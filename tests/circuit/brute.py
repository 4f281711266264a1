# SPDX-License-Identifier: Apache-2.0
"""All pairs of capsules by brute force: candidates from trees of points (scipy), then the distance of segments in closed form."""

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from neuropil.circuit.morphologies import APICAL, AXON, BASAL, Morphology
from neuropil.circuit.nodes import Cells
from neuropil.circuit.placing import placed

STEP = 4.0  # um between the points of a segment
CLASSES = (1.0, 2.0, 2.75, 3.0, 3.5, 5.0, 8.0, np.inf)  # radii: thin and thick segments are searched apart


@dataclass
class Capsules:
    """Segments with mean radii, those without length with the larger one: begin, end (n, 3), radius (n,), where each is: cell, section, segment (n, 3)."""

    begin: np.ndarray
    end: np.ndarray
    radius: np.ndarray
    place: np.ndarray

    def __getitem__(self, rows) -> "Capsules":
        return Capsules(self.begin[rows], self.end[rows], self.radius[rows], self.place[rows])

    def __len__(self) -> int:
        return len(self.radius)

    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """Points along the axes, at most STEP apart, and the segment of each."""
        pieces = np.maximum(1, np.ceil(np.linalg.norm(self.end - self.begin, axis=1) / STEP)).astype(int)
        segment = np.repeat(np.arange(len(self)), pieces)
        k = np.arange(len(segment)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        along = ((k + 0.5) / pieces[segment])[:, None]
        return self.begin[segment] * (1.0 - along) + self.end[segment] * along, segment


def capsules(cells: Cells, shapes: list[Morphology], kinds: tuple[int, ...], spine: float, somata: bool) -> Capsules:
    """Sections of these types; `spine` is added to radii; somata as segments without length."""
    parts = []
    for k in range(len(cells)):
        shape = shapes[cells.morphology[k]]
        points = placed(shape, cells.rotation[k], cells.position[k])
        section = np.repeat(np.arange(shape.n_sections), np.diff(shape.begin))
        first = np.flatnonzero((section[:-1] == section[1:]) & np.isin(shape.kind[section[:-1]], kinds))
        ball = (shape.points[first] == shape.points[first + 1]).all(axis=1)
        radius = np.where(ball, np.maximum(shape.radii[first], shape.radii[first + 1]), 0.5 * (shape.radii[first] + shape.radii[first + 1]))
        place = np.stack([np.full(len(first), cells.gid[k]), section[first] + 1, first - shape.begin[section[first]]], axis=1)
        parts.append(Capsules(points[first], points[first + 1], radius + spine, place))
        if somata:
            soma = Morphology(
                shape.soma_centre[None], np.zeros(1), shape.begin[:1], shape.parent[:0], shape.kind[:0], shape.soma_centre, 0.0
            )
            centre = placed(soma, cells.rotation[k], cells.position[k])
            parts.append(Capsules(centre, centre, np.array([shape.soma_radius]), np.array([[cells.gid[k], 0, 0]])))
    return Capsules(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("begin", "end", "radius", "place")))


def distance(a: Capsules, b: Capsules) -> np.ndarray:
    """Least distance of the axes of a[k] and b[k]: of the lines where both feet are inside, else of the ends and the other segment."""
    u, v, w = a.end - a.begin, b.end - b.begin, a.begin - b.begin
    uu, uv, vv, uw, vw = (np.einsum("ij,ij->i", p, q) for p, q in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    square = uu * vv - uv * uv
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (uv * vw - vv * uw) / square, (uu * vw - uv * uw) / square
        inside = (square > 1e-12 * uu * vv) & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
        of_lines = np.where(inside, np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1), np.inf)
    ends = [to_segment(a.begin, b), to_segment(a.end, b), to_segment(b.begin, a), to_segment(b.end, a)]
    return np.minimum.reduce([of_lines, *ends])


def to_segment(points: np.ndarray, s: Capsules) -> np.ndarray:
    axis = s.end - s.begin
    length = np.einsum("ij,ij->i", axis, axis)
    along = np.einsum("ij,ij->i", points - s.begin, axis) / np.where(length > 0, length, 1.0)
    return np.linalg.norm(points - s.begin - np.clip(along, 0.0, 1.0)[:, None] * axis, axis=1)


def overlaps(cells: Cells, shapes: list[Morphology], pre: np.ndarray, spine: float) -> np.ndarray:
    """Overlaps of the axons of the cells `pre` (places in `cells`) with dendrites and somata of all others: sorted rows (cell, section, segment of both sides)."""
    axons = capsules(part_of(cells, pre), shapes, (AXON,), 0.0, somata=False)
    dendrites = capsules(cells, shapes, (BASAL, APICAL), spine, somata=False)
    somata = capsules(cells, shapes, (), 0.0, somata=True)
    post = Capsules(*(np.concatenate([getattr(dendrites, name), getattr(somata, name)]) for name in ("begin", "end", "radius", "place")))
    points, of_axon = axons.points()
    tree, most = cKDTree(points), float(axons.radius.max())
    rows = [np.empty((0, 6), np.int64)]
    for low, high in itertools.pairwise((-np.inf, *CLASSES)):
        chosen = np.flatnonzero((post.radius > low) & (post.radius <= high))
        for first in range(0, len(chosen), 10_000):
            mine = post[chosen[first : first + 10_000]]
            places, of_post = mine.points()
            reach = STEP + most + float(mine.radius.max()) + 1e-6
            found = cKDTree(places).sparse_distance_matrix(tree, reach, output_type="coo_matrix")
            candidates = np.unique(np.stack([of_axon[found.col], of_post[found.row]], axis=1), axis=0)
            left, right = axons[candidates[:, 0]], mine[candidates[:, 1]]
            hit = (left.place[:, 0] != right.place[:, 0]) & (distance(left, right) <= left.radius + right.radius)
            rows.append(np.concatenate([left.place[hit], right.place[hit]], axis=1))
    return np.unique(np.concatenate(rows), axis=0)


def part_of(cells: Cells, rows: np.ndarray) -> Cells:
    return Cells(
        cells.gid[rows],
        cells.position[rows],
        cells.rotation[rows],
        cells.morphology[rows],
        cells.morphologies,
        cells.mtype[rows],
        cells.mtypes,
    )
