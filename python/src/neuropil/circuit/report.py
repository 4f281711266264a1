# SPDX-License-Identifier: Apache-2.0
"""An HTML page about the touches of a circuit: pictures, numbers, one connection in 3-D. One file that needs no network."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import any_pair, figures
from .edges import Connections, EdgeFile, circuit_of
from .errors import bad_file, writing
from .morphologies import Shelf
from .nodes import NodeFile
from .notes import Notes
from .pair import Pair, choose_pair, load_pair
from .statistics import Summary, summarise

__all__ = ["Report", "write_report"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 1180px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; } td { padding: .1rem 1.2rem .1rem 0; } td + td { text-align: right; font-variant-numeric: tabular-nums; }
img { max-width: 100%; } #pair-view { min-height: 760px; } select { max-width: 100%; } .note { color: #666; font-size: .9rem; }
"""


@dataclass(frozen=True)
class Report:
    """What was written: the page, and the pictures of it as files beside it."""

    page: Path
    pictures: tuple[Path, ...]
    summary: Summary
    pair: Pair | None


def write_report(
    edges: Path | str,
    page: Path | str,
    circuit: Path | str | None = None,
    *,
    population: str | None = None,
    pair: tuple[int, int] | None = None,
    facts: Mapping[str, str] | None = None,
    pictures: Mapping[str, Path] | None = None,
) -> Report:
    """Writes the page `page` and PNG files beside it, named after it: report.html, report_touches.png.

    circuit: configuration of the circuit of the nodes, default: the one beside the edge file; population: of edges, where there are several
    pair: node ids of the cells to show, default: a connection with many touches; facts, pictures: shown as well, by title (touch run, spikes)
    Raises BadFile, BadParameter, UnknownName.
    """
    file = EdgeFile(edges, population)
    config = circuit_of(edges, circuit)
    if file.source_population != file.target_population:
        raise bad_file(file.path, f"/edges/{file.population}", "joins two populations: the report is about the touches of one")
    source = config.population(file.source_population or None)
    nodes, notes = NodeFile(source), Notes()
    file.check_nodes(nodes.n, nodes.n)
    connections, shelf = Connections(file), Shelf(source.morphologies, notes, source.config, 1e9)
    summary = summarise(file, connections, nodes, shelf)
    which = choose_pair(connections, pair) if len(connections) or pair else None
    shown = None if which is None else load_pair(file, connections, which, nodes, shelf)
    choices = "" if which is None else any_pair.section(any_pair.choices(file, connections, nodes, shelf, which))
    images = {"touches": figures.histograms(summary), "pathways": figures.pathways(summary)} | (
        {"connection": figures.connection(shown), "space": figures.space(shown)} if shown else {}
    )
    target = Path(page)
    written = _write_pictures(target, images)
    body = _body(summary, shown, choices, images, facts or {}, pictures or {}, notes.lines(), file)
    with writing(target):
        target.write_text(body)
    return Report(target, written, summary, shown)


def _write_pictures(page: Path, images: Mapping[str, bytes]) -> tuple[Path, ...]:
    files = {page.with_name(f"{page.stem}_{name}.png"): data for name, data in images.items()}
    with writing(page):
        page.parent.mkdir(parents=True, exist_ok=True)
        for path, data in files.items():
            path.write_bytes(data)
    return tuple(files)


def _body(
    summary: Summary,
    pair: Pair | None,
    choices: str,
    images: Mapping[str, bytes],
    facts: Mapping[str, str],
    pictures: Mapping[str, Path],
    notes: Sequence[str],
    file: EdgeFile,
) -> str:
    parts = [
        f"<h1>{html.escape(file.population)}</h1><p class='note'>{html.escape(str(file.path))}</p>",
        _table(_numbers(summary) | dict(facts)),
    ]
    if pair:
        title = f"One connection: {pair.pre.gid} ({pair.pre.mtype}) to {pair.post.gid} ({pair.post.mtype}), {len(pair.touches)} touches"
        parts += ["<h2>Any connection</h2>", choices, f"<h2>{html.escape(title)}</h2>", _image(images["connection"], title)]
    parts += ["<h2>Touches</h2>", _image(images["touches"], "histograms of touches"), "<h2>Pathways</h2>"]
    parts += [_image(images["pathways"], "connection probability and touches per connection by cell type")]
    for name, path in pictures.items():
        parts += [f"<h2>{html.escape(name)}</h2>", _image(path.read_bytes(), name)]
    parts += [f"<p class='note'>warning: {html.escape(line)}</p>" for line in notes]
    head = f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{html.escape(file.population)}</title><style>{_STYLE}</style></head>"
    return f"{head}<body>{''.join(parts)}</body></html>\n"


def _numbers(summary: Summary) -> dict[str, str]:
    pairs = summary.cells * (summary.cells - 1)
    return {
        "cells": f"{summary.cells:,}",
        "touches": f"{summary.touches:,}",
        "connections": f"{summary.connections:,}",
        "touches per connection": f"{summary.touches / max(summary.connections, 1):.2f}",
        "connected pairs": f"{100.0 * summary.connections / max(pairs, 1):.2f} %",
        "touches per µm of axon": f"{summary.density.mean():.3f}" if len(summary.density) else "-",
    }


def _table(rows: Mapping[str, str]) -> str:
    return (
        "<table>"
        + "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(value)}</td></tr>" for name, value in rows.items())
        + "</table>"
    )


def _image(data: bytes, what: str) -> str:
    return f"<img alt='{html.escape(what, quote=True)}' src='data:image/png;base64,{base64.b64encode(data).decode()}'>"
