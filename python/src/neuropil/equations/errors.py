# SPDX-License-Identifier: Apache-2.0
"""Errors in equations: they show the line, and a caret under the place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from ..errors import ModelError

__all__ = ["EquationError", "Place", "UnitError", "fail"]

SHOWN = 100  # columns of a line


@dataclass(frozen=True)
class Place:
    """Where a token stands: `part` is "equations", "threshold", "reset", ...; line and column are counted from 1."""

    part: str
    line: int
    column: int
    text: str  # of the line

    def shown(self) -> str:
        """The line, and a caret below the place. Of a long line about 100 columns around it."""
        begin = max(0, self.column - 70) if len(self.text) > SHOWN else 0
        left, right = "..." * (begin > 0), "..." * (len(self.text) > begin + SHOWN)
        return f"    {left}{self.text[begin : begin + SHOWN]}{right}\n    {' ' * (len(left) + self.column - 1 - begin)}^"


class EquationError(ModelError):
    """Equations that cannot be read or solved: `part` ("equations", "threshold", ...), `line` and `column` from 1, `text` of the line."""

    def __init__(self, message: str, part: str = "", line: int = 0, column: int = 0, text: str = "") -> None:
        super().__init__(message)
        self.part, self.line, self.column, self.text = part, line, column, text


class UnitError(EquationError):
    """Units that do not fit together, cannot be read or cannot be found."""


def fail(place: Place, problem: str, kind: type[EquationError] = EquationError) -> NoReturn:
    """Raises an error of this kind at this place."""
    message = f"{place.part}, line {place.line}: {problem}\n{place.shown()}"
    raise kind(message, place.part, place.line, place.column, place.text)
