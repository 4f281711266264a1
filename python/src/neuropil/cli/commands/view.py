# SPDX-License-Identifier: Apache-2.0
"""`neuropil circuit view`: an HTML page with pictures of the touches of an edge file."""

from pathlib import Path
from typing import Annotated

import typer


def main(
    edges: Annotated[Path, typer.Argument(help="SONATA edge file with touches.")],
    output: Annotated[
        Path | None,
        typer.Option(help="Page to write; pictures beside it begin with its name. Default: the name of the edge file with .html."),
    ] = None,
    circuit: Annotated[
        Path | None, typer.Option(help="Circuit configuration with the nodes; default: the one beside the edge file.")
    ] = None,
    population: Annotated[str | None, typer.Option(help="Edge population, if the file has several.")] = None,
    pair: Annotated[
        tuple[int, int] | None,
        typer.Option(
            metavar="<pre> <post>",
            help="Node ids (from 0) of the two cells to show; the axon of the first touches the second. Default: a pair with many touches.",
        ),
    ] = None,
) -> None:
    """Write an HTML page about the touches of an edge file.

    The page shows histograms, pathways and one connection in 3-D.
    """
    from neuropil.circuit.report import write_report
    from neuropil.circuit.team import Team
    from neuropil.cli.commands.touch import telling_once

    def write() -> list[Path]:
        report = write_report(edges, output or edges.with_suffix(".html"), circuit, population=population, pair=pair)
        return [report.page, *report.pictures]

    team = Team()
    with telling_once():
        written = team.first(write)  # launched with several ranks: one file, written by one of them
    if team.rank == 0:
        typer.echo(f"written: {', '.join(str(path) for path in written)}")
