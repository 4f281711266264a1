# SPDX-License-Identifier: Apache-2.0
"""Warnings that are counted instead of repeated: one line per kind, with the first file it was met in."""

from __future__ import annotations

from pathlib import Path

from .errors import bad_file

__all__ = ["Found", "Notes"]

Found = dict[tuple[str, str, str], tuple[int, str]]  # (kind, file, part) -> (count, place of the first)


class Notes:
    """Counts by (kind, file, part of it); what is read twice counts once. `strict`: the first one is raised as BadFile instead."""

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self.found: Found = {}

    def add(self, kind: str, count: int, file: Path | str, place: str, part: str = "") -> None:
        """`count` of `kind` in `file`, the first at `place`; nothing when `count` is 0. Raises BadFile when strict."""
        if not count:
            return
        if self.strict:
            raise bad_file(file, place, f"{kind} ({count} in this file); warnings are errors (strict)")
        self.found[kind, str(file), part] = (count, place)

    def merge(self, others: list[Found]) -> None:
        """Takes over what other ranks have found."""
        for other in others:
            self.found |= other

    def __len__(self) -> int:
        return len(self.found)

    def lines(self) -> list[str]:
        """Like `64 zero-length segments in 12 files, first: a.h5, section 7`."""
        texts = []
        for kind in sorted({kind for kind, _, _ in self.found}):
            mine = [(file, count, place) for (k, file, _), (count, place) in sorted(self.found.items()) if k == kind]
            files = {file for file, _, _ in mine}
            file, _, place = mine[0]
            where = f"in {len(files)} files, first: {Path(file).name}" if len(files) > 1 else f"in {Path(file).name}"
            texts.append(f"{sum(count for _, count, _ in mine)} {kind} {where}{f', {place}' if place else ''}")
        return texts
