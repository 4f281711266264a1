# SPDX-License-Identifier: Apache-2.0
"""Formulas as straight-line programs for the kernel: cpp/connect/space/program.hpp says what each operation is."""

from __future__ import annotations

_OPERATIONS = """
constant input add subtract multiply divide power square root exponential magnitude smaller larger
less less_equal equal unequal both either without choose logarithm sine cosine
"""
_NUMBERS = {name: k for k, name in enumerate(_OPERATIONS.split())}
_INPUTS = {"in_mask": 0, "move": 3, "source": 6, "target": 9}

Instruction = tuple[int, int, int, int, float]


class NotCompiled(Exception):  # noqa: N818  (never seen by users)
    """A formula that the kernel cannot compute: numpy does."""


class Code:
    """A program being written. Every method gives the number of a result, to be used in others.

    dims : dimensions of space; direct : whether moves are places in the mask but for their sign
    """

    def __init__(self, dims: int, direct: bool) -> None:
        self.dims, self._direct = dims, direct
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
