# SPDX-License-Identifier: Apache-2.0
"""Values of expressions for edges that are known: by the kernel where they are formulas, else by numpy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .code import Code, Instruction, NotCompiled
from .context import Context, Floats
from .expression import Term
from .layers import Part
from .pairs import PairContext
from .task import Edges, SpatialRule

__all__ = ["formula_of", "formulas_in_space", "places_of", "program_of", "values_of"]


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


def formulas_in_space(terms: Mapping[str, Term], pre: Part, post: Part, rule: SpatialRule) -> dict[str, _core.Formula]:
    """The same for several terms, where distances wrap as a rule sees them; empty where numpy must compute one of them."""
    programs = [program_of(term, pre.dims) for term in terms.values()]
    if pre.dims != post.dims or None in programs:
        return {}
    places = places_of(pre, post, rule.pool(pre, post))
    return {name: _core.Formula(program, places) for name, program in zip(terms, programs, strict=True) if program is not None}


def program_of(term: Term, dims: int) -> list[Instruction] | None:
    """The formula for the kernel; None for what is drawn, and where the kernel lacks an operation."""
    code = Code(dims, False)
    try:
        return code.finish(term.code(code))
    except NotCompiled:
        return None


def places_of(pre: Part, post: Part, layer: Part | None = None) -> _core.Places:
    """Positions of both sides in the kernel; distances wrap as those of a layer, by default that of pre."""
    period = layer or pre
    return _core.Places(pre.dims, period.extent.tolist() if period.periodic else [], _columns(pre.positions), _columns(post.positions))


def _columns(positions: NDArray[np.float64]) -> list[Floats]:
    return [np.ascontiguousarray(positions[:, k]) for k in range(positions.shape[1])]
