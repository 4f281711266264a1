# SPDX-License-Identifier: Apache-2.0
"""`neuropil nest-compat`: what of a NEST script is supported, without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def main(script: Annotated[Path, typer.Argument(help="A Python script that says `import nest`.", exists=True, dir_okay=False)]) -> None:
    """List what of a NEST script neuropil supports, and what not; nothing is run. Exit code 1 if something is missing."""
    from neuropil.nest import compat

    raise typer.Exit(compat.main([str(script)]))
