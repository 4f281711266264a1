# SPDX-License-Identifier: Apache-2.0
"""Values of expressions for edges that are known: by the kernel where they are formulas, else by numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .code import Code, Instruction, NotCompiled
from .context import Context, Floats
from .expression import Term
from .layers import Part
from .pairs import PairContext
from .task import Edges

__all__ = ["formula_of", "places_of", "program_of", "values_of"]


def values_of(term: Term, pre: Part | None, post: Part | None, edges: Edges, seed: int, draw: int, threads: int) -> Floats:
    """float64 (n,), of edges (source, target, key) between nodes in space, or without positions. Distances wrap as those of pre.

    Raises NoPositions, NothingDrawn.
    """
    if pre is None or post is None:
        return term.evaluate(Context(seed, draw, edges[2]))
    formula = formula_of(term, pre, post)
    if formula is None:
        ends = (pre.positions, edges[0], post.positions, edges[1])
        return term.evaluate(PairContext(seed, draw, edges[2], extent=pre.extent, periodic=pre.periodic, ends=ends))
    return np.asarray(formula.values(edges[0], edges[1], threads))


def formula_of(term: Term, pre: Part, post: Part, places: _core.Places | None = None) -> _core.Formula | None:
    """The term as a formula of the kernel's, for edges between these nodes; None where numpy must. places: of `places_of`, shared by several."""
    program = program_of(term, pre.dims)
    return None if program is None else _core.Formula(program, places_of(pre, post) if places is None else places)


def program_of(term: Term, dims: int) -> list[Instruction] | None:
    """The formula for the kernel; None for what is drawn, and where the kernel lacks an operation."""
    code = Code(dims, False)
    try:
        return code.finish(term.code(code))
    except NotCompiled:
        return None


def places_of(pre: Part, post: Part) -> _core.Places:
    """Positions of both sides in the kernel; distances wrap as those of pre."""
    return _core.Places(pre.dims, pre.extent.tolist() if pre.periodic else [], _columns(pre.positions), _columns(post.positions))


def _columns(positions: NDArray[np.float64]) -> list[Floats]:
    return [np.ascontiguousarray(positions[:, k]) for k in range(positions.shape[1])]
