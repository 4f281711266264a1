# SPDX-License-Identifier: Apache-2.0
"""`neuropil build-model`: compiles model files, so that errors show before a script runs, and a script waits for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def main(
    files: Annotated[
        list[Path], typer.Argument(help="Files of neuron and synapse models, C++ or NESTML, one model each (docs/howto/own_models.md).")
    ],
    module: Annotated[str, typer.Option(help="Keep them under this name: nest.Install(NAME) loads them.", metavar="NAME")] = "",
) -> None:
    """Compile neuron models of your own.

    Exit code 1 if a file does not compile.
    """
    from neuropil.own_models.modules import load_file, make_module

    entries = make_module(module, files) if module else [load_file(file) for file in files]
    for entry in entries:
        typer.echo(repr(entry))
