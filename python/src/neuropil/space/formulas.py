# SPDX-License-Identifier: Apache-2.0
"""Values of expressions for edges: computed by the kernel where they are formulas, else by numpy for edges that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.laws import Law
from .code import Code, Instruction, NotCompiled
from .context import Context, Floats, stream_of
from .expression import Term
from .layers import Part
from .pairs import PairContext
from .task import Edges, SpatialRule

__all__ = ["formulas", "formulas_in_space", "unplaced_formulas", "values_of"]

Next = Callable[[], int]  # gives numbers that no other draw of the network has


class Compiled(NamedTuple):
    """An expression as a program for the kernel, and what it draws for each edge: distributions by place in the expression."""

    code: list[Instruction]
    draws: list[tuple[Law, int]]

    def formula(self, places: _core.Places | None, seed: int, draw: int) -> _core.Formula:
        """With the random numbers of this draw."""
        return _core.Formula(self.code, places, [(law.spec(), seed, stream_of(draw, place)) for law, place in self.draws])


def values_of(term: Term, pre: Part | None, post: Part | None, edges: Edges, seed: int, draw: int, threads: int) -> Floats:
    """float64 (n,), of edges (source, target, key) between nodes in space, or without positions. Distances wrap as those of pre.

    Raises NoPositions, NothingDrawn.
    """
    compiled = _compiled(term, _dims(pre, post))
    if compiled is not None:
        return np.asarray(compiled.formula(_places([term], pre, post), seed, draw).values(*edges, threads))
    if pre is None or post is None:
        return term.evaluate(Context(seed, draw, edges[2]))
    ends = (pre.positions, edges[0], post.positions, edges[1])
    return term.evaluate(PairContext(seed, draw, edges[2], extent=pre.extent, periodic=pre.periodic, ends=ends))


def formulas(
    terms: Mapping[str, Term], pre: Part | None, post: Part | None, seed: int, next_draw: Next, layer: Part | None = None
) -> dict[str, _core.Formula]:
    """The terms as formulas of the kernel's, for edges between these nodes; empty where numpy must compute one of them.

    Where one of them draws, each takes a number of next_draw, in order. Distances wrap as those of a layer, by default that of pre.
    """
    programs = {name: _compiled(term, _dims(pre, post)) for name, term in terms.items()}
    known = {name: program for name, program in programs.items() if program is not None}
    if len(known) < len(programs):
        return {}
    places, drawn = _places(terms.values(), pre, post, layer), any(program.draws for program in known.values())
    return {name: program.formula(places, seed, next_draw() if drawn else 0) for name, program in known.items()}


def formulas_in_space(
    terms: Mapping[str, Term], pre: Part, post: Part, rule: SpatialRule, seed: int, next_draw: Next
) -> dict[str, _core.Formula]:
    """The same where distances wrap as a rule sees them."""
    return formulas(terms, pre, post, seed, next_draw, rule.pool(pre, post)) if pre.dims == post.dims else {}


def unplaced_formulas(terms: Mapping[str, Term], seed: int, next_draw: Next) -> dict[str, _core.Formula | float]:
    """Terms without positions as formulas of the kernel's, with the values that `drawn_values` gives for keys of edges, or as numbers.

    Empty where numpy must compute one of them; else each takes a number of next_draw, in order.
    """
    programs = {name: _compiled(term, 0) for name, term in terms.items() if term.native() is None}
    if None in programs.values():
        return {}
    found: dict[str, _core.Formula | float] = {}
    for name, term in terms.items():
        draw, native, program = next_draw(), term.native(), programs.get(name)
        if program is not None:
            found[name] = program.formula(None, seed, draw)
        else:
            found[name] = _core.Formula(_PLAIN, None, [(native.spec(), seed, draw)]) if isinstance(native, Law) else float(native or 0.0)
    return found


def _compiled(term: Term, dims: int) -> Compiled | None:
    """None where the kernel lacks an operation, and for what is drawn again and again."""
    code = Code(dims, may_draw=True)
    try:
        return Compiled(code.finish(term.code(code)), code.draws)
    except NotCompiled:
        return None


def _plain() -> list[Instruction]:
    """The program that gives the number that is drawn."""
    code = Code(0, may_draw=True)
    code.drawn(Law("uniform", 0.0, 1.0), 0)
    return code.instructions


_PLAIN = _plain()


def _dims(pre: Part | None, post: Part | None) -> int:
    """Dimensions of the positions that formulas may read; 0: none."""
    return pre.dims if pre is not None and post is not None and pre.dims == post.dims else 0


def _places(terms: Iterable[Term], pre: Part | None, post: Part | None, layer: Part | None = None) -> _core.Places | None:
    """Positions of both sides in the kernel, where terms read them."""
    if pre is None or post is None or not _dims(pre, post) or not any(term.is_spatial() for term in terms):
        return None
    period = layer or pre
    return _core.Places(pre.dims, period.extent.tolist() if period.periodic else [], _columns(pre.positions), _columns(post.positions))


def _columns(positions: NDArray[np.float64]) -> list[Floats]:
    return [np.ascontiguousarray(positions[:, k]) for k in range(positions.shape[1])]
