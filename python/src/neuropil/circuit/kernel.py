# SPDX-License-Identifier: Apache-2.0
"""The detector of the kernel: cells and morphologies in, columns of touches out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .columns import SOURCE, TARGET, Touches
from .morphologies import Morphology, tables
from .nodes import Cells
from .options import TouchOptions

__all__ = ["FOUND", "Detector"]

# Where the two segments of an overlap are.
FOUND = ("pre_gid", "pre_section", "pre_segment", "post_gid", "post_section", "post_segment")


class Detector:
    """Finds touches between cells. All calls are collective over the ranks of `comm`; any share of the cells may be empty."""

    def __init__(self, options: TouchOptions, comm: Any = None, threads: int = 1, exchange: str = "alltoallv") -> None:
        self._core = _core.circuit.TouchDetector(
            comm,
            pre_types=options.pre_types,
            post_types=options.post_types,
            autapses=options.with_autapses,
            min_distance=options.min_distance,
            max_distance=options.max_distance,
            region_gap=options.region_gap,
            seed=options.seed,
            mode=options.mode,
            threads=threads,
            exchange=exchange,
        )

    def index(self, cells: Cells, shapes: list[Morphology], spine_length: NDArray[np.float64]) -> None:
        """Takes this rank's share of the postsynaptic cells. shapes: by number of `cells.morphology`; spine_length: float64 (n,), um."""
        self._core.index(*_arguments(cells, shapes, spine_length))

    def detect(self, cells: Cells, shapes: list[Morphology]) -> Touches:
        """Touches of a batch of presynaptic cells, of which this rank brings a share: this rank's range of them in the order of the file."""
        found = dict(self._core.detect(*_arguments(cells, shapes, np.zeros(len(cells)))))
        found[SOURCE], found[TARGET] = found.pop("pre_gid"), found.pop("post_gid")
        return found

    def overlaps(self, cells: Cells, shapes: list[Morphology]) -> dict[str, NDArray[Any]]:
        """All overlaps of segments, before they become regions: the columns of `FOUND`, and pre_begin, pre_end, post_begin, post_end (um on the axes)."""
        return dict(self._core.overlaps(*_arguments(cells, shapes, np.zeros(len(cells)))))

    def counters(self) -> dict[str, float]:
        """What this rank has counted so far: segments, boxes, candidates, touches, bytes and messages sent, partners, seconds by phase."""
        return dict(self._core.counters())


def _arguments(cells: Cells, shapes: list[Morphology], spine_length: NDArray[np.float64]) -> tuple[Any, ...]:
    t = tables(shapes)
    table = _core.circuit.Morphologies(
        t.points, t.radii, t.point_begin, t.section_begin, t.section_parent, t.section_type, t.soma_centre, t.soma_radius
    )
    return table, cells.gid, cells.morphology, cells.position, cells.rotation, np.ascontiguousarray(spine_length, np.float64)
