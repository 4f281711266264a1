# SPDX-License-Identifier: Apache-2.0
"""`--json` of the commands: JSON on stdout, all else on stderr."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from neuropil.cli.jobs import result

__all__ = ["Json", "JsonFile", "alone", "write"]

Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout, and nothing else there.")]
JsonFile = Annotated[Path | None, typer.Option("--json-file", hidden=True, help="File for the JSON: `--json FILE` of version 0.2.")]


def alone(wanted: bool) -> contextlib.AbstractContextManager[Any]:
    """Where stdout is kept for the JSON: what a script prints meanwhile goes to stderr."""
    return contextlib.redirect_stdout(sys.stderr) if wanted else contextlib.nullcontext()


def write(found: Any, file: Path | None = None) -> None:
    """Prints what was found, or writes it to a file."""
    text = json.dumps(found, indent=1, default=result.plain)
    if file is None:
        typer.echo(text)
    else:
        file.write_text(text + "\n")
