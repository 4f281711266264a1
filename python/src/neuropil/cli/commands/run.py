# SPDX-License-Identifier: Apache-2.0
"""`neuropil run` and `neuropil nest`: a user's script on ranks, with threads, with checkpoints."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from neuropil.cli.jobs.parallel import Ranks, on_ranks

Script = Annotated[Path, typer.Argument(help="Python script; words after it are its own arguments, options after `--`.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads of networks that name no number; default: all cores.")]
File = Annotated[
    Path | None,
    typer.Option("--checkpoint", help="File that networks save to while they run; SIGTERM saves, too, and ends with exit code 75."),
]
Every = Annotated[float, typer.Option("--every", min=0.1, help="Biological time between checkpoints [ms].")]
Folder = Annotated[
    Path | None, typer.Option("--status", help="Folder for status.json, which networks write once a second for `neuropil top`.")
]


def script(
    context: typer.Context,
    script: Script,
    ranks: Ranks = None,
    threads: Threads = None,
    checkpoint: File = None,
    every: Every = 1000.0,
    status: Folder = None,
) -> None:
    """Run a Python script.

    `import nest` in the script gives neuropil.nest. `neuropil checkpoint resume FILE` goes on from a checkpoint.
    """
    start(script, context.args, ranks, threads, None if checkpoint is None else (checkpoint, every), status)


def nest(context: typer.Context, script: Script, ranks: Ranks = None, threads: Threads = None) -> None:
    """Run a script that was written for NEST.

    `import nest` in the script gives neuropil.nest. `neuropil nest-compat` tells what a script needs without running it.
    """
    start(script, context.args, ranks, threads, None)


def start(
    script: Path,
    arguments: list[str],
    ranks: int | None,
    threads: int | None,
    checkpoint: tuple[Path, float] | None,
    status: Path | None = None,
) -> None:
    """Runs a script here, or on ranks that are started for it. Raises BadParameter."""
    from neuropil.errors import bad_parameter

    if script.suffix == ".py" and not script.is_file():  # names of jobs go on, as in version 0.2
        raise bad_parameter("script", str(script), "the path of a Python script")
    on_ranks(ranks)
    from neuropil.base.hooks import Hook
    from neuropil.cli.commands.script import run_script
    from neuropil.cli.jobs.watching import telling
    from neuropil.parallel.ranks import threads_by_default

    hook = Hook()
    hook.checkpoint = checkpoint
    status_file = nullcontext() if status is None else telling(hook, status, script.name)
    with nullcontext() if threads is None else threads_by_default(threads), status_file:
        run_script(script, arguments, hook)
