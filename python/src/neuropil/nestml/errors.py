# SPDX-License-Identifier: Apache-2.0
"""Errors in NESTML files: they name the feature and the line."""

from __future__ import annotations

from typing import NoReturn

from ..equations.errors import EquationError, Place

__all__ = ["NestmlError", "UnitsDifferError", "refuse"]


class NestmlError(EquationError):
    """A NESTML model that cannot be read, or that has what neuropil cannot express: `part` is the file, `line` and `column` count from 1."""


class UnitsDifferError(NestmlError):
    """Units that do not fit together. NESTML warns of them and goes on with the numbers."""


def refuse(place: Place, problem: str, kind: type[NestmlError] = NestmlError) -> NoReturn:
    """Raises NestmlError at this place."""
    raise kind(f"{place.part}, line {place.line}: {problem}\n{place.shown()}", place.part, place.line, place.column, place.text)
