# SPDX-License-Identifier: Apache-2.0
"""What a network consists of, to look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from ..base.closed import Closed
from ..base.tables import html_table, text_table
from ..errors import OutOfRange, bad_type, unknown_name
from .nodes import Nodes
from .projection import Projection

__all__ = ["Projections", "Summary"]

_NODES = ("name", "model", "nodes", "gids", "space")
_PROJECTIONS = ("name", "pre", "post", "rule", "synapse", "weight", "delay (ms)")


class Projections(Closed, Sequence[Projection]):
    """The projections of a network in order; `[name]` finds one by its name."""

    __slots__ = ("_all",)

    def __init__(self, projections: list[Projection]) -> None:
        self._all = projections

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, key: int | str) -> Projection: ...
    @overload
    def __getitem__(self, key: slice) -> Projections: ...
    def __getitem__(self, key: int | str | slice) -> Projection | Projections:
        if isinstance(key, slice):
            return Projections(self._all[key])
        if isinstance(key, str):
            known = {p.name: p for p in self._all if p.name}
            if key not in known:
                raise unknown_name("name of projections", key, [*known])
            return known[key]
        try:
            return self._all[key]
        except IndexError:
            raise OutOfRange(f"position {key} of {len(self)} projections") from None
        except TypeError:
            raise bad_type("index", key, "a position, a slice or a name") from None

    def _ipython_key_completions_(self) -> list[str]:
        return [p.name for p in self._all if p.name]

    def _instead(self, name: str) -> str:
        return f'net.projections["{name}"] is the projection of this name' if any(p.name == name for p in self._all) else ""

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._all)) or "no projections"

    def _repr_html_(self) -> str:
        return html_table(_PROJECTIONS, [p.row() for p in self._all])


class Summary:
    """Tables of populations and projections; `str` and `repr` are text."""

    __slots__ = ("_edits", "_nodes", "_projections", "_title")

    def __init__(self, title: str, nodes: Iterable[tuple[str, Nodes]], projections: Iterable[Projection], edits: str) -> None:
        """`nodes`: name and nodes of each population; `edits`: what has become of connections."""
        self._title, self._edits = title, edits
        self._nodes = [[name, n.model, str(len(n)), span(n.gids[0], n.gids[-1]), _space(n)] for name, n in nodes]
        self._projections = [p.row() for p in projections]

    def __repr__(self) -> str:
        tables = [_NODES, *self._nodes], [_PROJECTIONS, *self._projections]
        texts = [self._title, *(text_table(rows) for rows in tables if len(rows) > 1), self._edits]
        return "\n\n".join(filter(None, texts))

    def _repr_html_(self) -> str:
        nodes = html_table(_NODES, self._nodes, self._title)
        return nodes + html_table(_PROJECTIONS, self._projections) + (f"<p>{self._edits}</p>" if self._edits else "")


def _space(nodes: Nodes) -> str:
    dims = nodes._network._populations.dims(nodes._ranges)
    return f"{dims}-D" if dims else ""


def span(first: int, last: int) -> str:
    """Gids from first to last."""
    return str(first) if first == last else f"{first}..{last}"
