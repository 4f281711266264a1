# SPDX-License-Identifier: Apache-2.0
"""`neuropil report`: a page about a run."""

from pathlib import Path
from typing import Annotated

import typer


def main(
    run: Annotated[Path, typer.Argument(help="Folder of a job or with saved results, or one file of results.")],
    output: Annotated[Path | None, typer.Option(help="Page to write. Default: report.html in the folder.")] = None,
) -> None:
    """Write an HTML page about a run.

    The page needs no network: raster, rates, intervals, correlations, spectra, traces, weights, time, memory, load of the ranks.
    """
    from neuropil.report import write_report

    if not run.exists():
        raise typer.BadParameter(f"there is no {run}", param_hint="RUN")
    typer.echo(f"written: {write_report(run, output)}")
