# SPDX-License-Identifier: Apache-2.0
"""`neuropil nest-compat`: what of a NEST script is supported, without running it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from neuropil.cli.json_output import Json, write


def main(
    script: Annotated[Path | None, typer.Argument(help="A Python script that says `import nest`.", exists=True, dir_okay=False)] = None,
    as_json: Json = False,
    table: Annotated[bool, typer.Option("--table", help="Print all functions and models of NEST with their support, as Markdown.")] = False,
) -> None:
    """List which names of a NEST script neuropil supports.

    Runs nothing. The exit code is 1 if a name is not supported.
    """
    from neuropil.cli import nest_scripts

    if table:
        typer.echo(nest_scripts.table(), nl=False)
        return
    if script is None:
        raise typer.BadParameter("give a script, or --table")
    findings = nest_scripts.read(script.read_text(), str(script))
    if as_json:
        write([asdict(finding) for finding in findings])
    else:
        typer.echo("\n".join(nest_scripts.report(findings)))
    raise typer.Exit(1 if any(f.why for f in findings) else 0)
