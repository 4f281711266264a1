# SPDX-License-Identifier: Apache-2.0
"""Formulas as straight-line programs for the kernel: cpp/connect/space/program.hpp says what each operation is."""

from __future__ import annotations

from ..base.laws import Law

_OPERATIONS = """
constant input add subtract multiply divide power square root exponential magnitude smaller larger
less less_equal equal unequal both either without choose logarithm sine cosine floor
"""
_NUMBERS = {name: k for k, name in enumerate(_OPERATIONS.split())}
_INPUTS = {"in_mask": 0, "move": 3, "source": 6, "target": 9, "drawn": 12}

Instruction = tuple[int, int, int, int, float]


class NotCompiled(Exception):  # noqa: N818  (never seen by users)
    """A formula that the kernel cannot compute: numpy does."""


class Code:
    """A program being written. Every method gives the number of a result, to be used in others.

    dims : dimensions of space, 0: there are no positions; direct : whether moves are places in the mask but for their sign
    may_draw : whether the program may read numbers that are drawn
    draws : those that it reads, by distribution and place in the expression
    """

    def __init__(self, dims: int, direct: bool = False, may_draw: bool = False) -> None:
        self.dims, self._direct, self._may_draw = dims, direct, may_draw
        self.draws: list[tuple[Law, int]] = []
        self._known: dict[Instruction, int] = {}

    @property
    def instructions(self) -> list[Instruction]:
        """The program; its value is that of the last instruction."""
        return list(self._known)

    def constant(self, value: float) -> int:
        return self._number("constant", value=value)

    def input(self, what: str, dimension: int) -> int:
        """A coordinate of: in_mask (place in the mask), move (target - source), source, target. Raises NotCompiled where there is none."""
        if not 0 <= dimension < self.dims:
            raise NotCompiled
        return self._number("input", _INPUTS[what] + dimension)

    def drawn(self, law: Law, place: int) -> int:
        """A random number of the edge, for the leaf at this place of the expression. Raises NotCompiled where the program may not draw."""
        if not self._may_draw:
            raise NotCompiled
        self.draws.append((law, place))
        return self._number("input", _INPUTS["drawn"] + len(self.draws) - 1)

    def __call__(self, operation: str, *operands: int, value: float = 0.0) -> int:
        """The result of an operation on results, or on one and a number."""
        if operation == "square":
            return self._square(operands[0])
        return self._number(operation, *operands, value=value)

    def _square(self, of: int) -> int:
        op, a, *_ = self.instructions[of]
        if op == _NUMBERS["root"]:
            return a
        if self._direct and op == _NUMBERS["input"] and _INPUTS["move"] <= a < _INPUTS["source"]:
            of = self.input("in_mask", a - _INPUTS["move"])
        return self._number("square", of)

    def shifted(self, of: int, shift: float) -> int:
        """of - shift."""
        return self("subtract", of, self.constant(shift)) if shift else of

    def finish(self, result: int) -> list[Instruction]:
        """The program that gives a result."""
        found = self.instructions
        return found if result == len(found) - 1 else [*found, (_NUMBERS["larger"], result, result, 0, 0.0)]

    def _number(self, operation: str, *operands: int, value: float = 0.0) -> int:
        a, b, c = (*operands, 0, 0, 0)[:3]
        return self._known.setdefault((_NUMBERS[operation], a, b, c, float(value)), len(self._known))
