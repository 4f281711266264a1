# SPDX-License-Identifier: Apache-2.0
"""The page: sections of charts and tables, with the program that draws them."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path

from ..results.files import renamed
from .activity import activity
from .charts import Chart
from .costs import costs, facts
from .folder import Run, read

__all__ = ["write_report"]

# What must not stand in a page as the text of a script, where it would end it.
_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def write_report(run: str | os.PathLike[str], page: str | os.PathLike[str] | None = None) -> Path:
    """Writes an HTML page about a run; returns its path.

    run : folder of a job, folder with results of any kind that `save` or `to=` have written, or one such file
    page : file to write; default: report.html in the folder, or beside the file

    Raises BadParameter for a path without results, BadFile, FileNotFoundError.
    """
    source = Path(run)
    if not source.exists():
        raise FileNotFoundError(f"there is no {source}")
    found = read(source)
    target = Path(page) if page is not None else source / "report.html" if source.is_dir() else source.with_suffix(".html")
    with renamed(target) as stream:
        stream.write(text_of(found).encode())
    return target


def text_of(run: Run) -> str:
    """The page as text."""
    tables = facts(run.result)
    first = {title: tables.pop(title) for title in ("In short",) if title in tables}
    sections = _sections(chain(activity(run), costs(run.result)))
    parts = [f"<h1>{html.escape(run.title)}</h1><p class='note'>{html.escape(str(run.path.resolve()))}</p>", _contents(sections, tables)]
    parts += [_table(title, rows) for title, rows in first.items()]
    charts: list[Chart] = []
    for title, those in sections.items():
        holders = "".join(f"<div class='chart' data-chart='{len(charts) + k}'></div>" for k in range(len(those)))
        parts.append(f"<section id='{_anchor(title)}'><h2>{html.escape(title)}</h2><div class='charts'>{holders}</div></section>")
        charts += those
    parts += [_table(title, rows) for title, rows in tables.items()]
    data = json.dumps([chart.plain() for chart in charts], allow_nan=False).translate(_SCRIPT)
    folder = Path(__file__).parent
    head = (
        f"<meta charset='utf-8'><meta name='viewport' content='width=device-width, initial-scale=1'><title>{html.escape(run.title)}</title>"
    )
    style, program = ((folder / name).read_text() for name in ("page.css", "plots.js"))
    body = f"<main>{''.join(parts)}</main><script type='application/json' id='charts'>{data}</script><script>{program}</script>"
    return f"<!doctype html><html lang='en'><head>{head}<style>{style}</style></head><body>{body}</body></html>\n"


def _sections(charts: Iterable[tuple[str, Chart]]) -> dict[str, list[Chart]]:
    found: dict[str, list[Chart]] = {}
    for section, chart in charts:
        if chart.series:
            found.setdefault(section, []).append(chart)
    return found


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _contents(sections: Iterable[str], tables: Iterable[str]) -> str:
    links = "".join(f"<a href='#{_anchor(title)}'>{html.escape(title)}</a>" for title in (*sections, *tables))
    return f"<nav aria-label='Sections'>{links}</nav><p class='note' id='keys'></p>"


def _table(title: str, rows: Mapping[str, str]) -> str:
    cells = "".join(f"<tr><th scope='row'>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in rows.items())
    return f"<section id='{_anchor(title)}'><h2>{html.escape(title)}</h2><table>{cells}</table></section>"
