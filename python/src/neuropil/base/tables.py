# SPDX-License-Identifier: Apache-2.0
"""Tables of texts, for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["html_table", "text_table"]


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of texts, columns aligned; columns without any text are left out."""
    used = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])]
    widths = {k: max(len(row[k]) for row in rows) for k in used}
    return "\n".join("  ".join(f"{row[k]:{widths[k]}}" for k in used).rstrip() for row in rows)


def html_table(titles: Sequence[str], rows: Sequence[Sequence[str]], above: str = "") -> str:
    """Rows of texts as a table for notebooks, below a line of text. Without rows the line alone, if there is one."""
    from html import escape  # here: most programs print no HTML

    line = f"<p>{escape(above)}</p>" if above else ""
    if above and not rows:
        return line
    head = "".join(f"<th>{escape(t)}</th>" for t in titles)
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"{line}<div style='overflow-x: auto'><table><tr>{head}</tr>{body}</table></div>"  # wide ones scroll by themselves
