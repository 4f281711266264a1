# SPDX-License-Identifier: Apache-2.0
"""`neuropil run` and `neuropil nest`: a user's script on ranks, with threads, with checkpoints."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from neuropil.cli.jobs.parallel import Ranks, on_ranks

Script = Annotated[
    Path, typer.Argument(help="Python script. Options of neuropil stand before it; all words after it, options too, are its own.")
]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads of networks that name no number; default: all cores.")]
File = Annotated[
    Path | None,
    typer.Option("--checkpoint", help="File that networks save to while they run; SIGTERM saves, too, and ends with exit code 75."),
]
Every = Annotated[
    float | None, typer.Option("--every", min=0.1, help="Biological time between checkpoints [ms], with --checkpoint; default: 1000.")
]
Folder = Annotated[
    Path | None, typer.Option("--status", help="Folder for status.json, which networks write once a second for `neuropil top`.")
]


def script(
    context: typer.Context,
    script: Script,
    ranks: Ranks = None,
    threads: Threads = None,
    checkpoint: File = None,
    every: Every = None,
    status: Folder = None,
) -> None:
    """Run a Python script.

    `import nest` in the script gives neuropil.nest. `neuropil checkpoint resume FILE` goes on from a checkpoint.
    As with `python`, words after SCRIPT are its own; a `--` right after SCRIPT is dropped.
    """
    from neuropil.errors import bad_parameter

    if checkpoint is None and every is not None:
        raise bad_parameter("--every", every, "left out without --checkpoint, the file to save to")
    saved = None if checkpoint is None else (checkpoint, 1000.0 if every is None else every)
    start(script, context, ranks, threads, saved, status)


def nest(context: typer.Context, script: Script, ranks: Ranks = None, threads: Threads = None) -> None:
    """Run a script that was written for NEST.

    `import nest` in the script gives neuropil.nest. `neuropil nest-compat` tells what a script needs without running it.
    As with `python`, words after SCRIPT are its own; a `--` right after SCRIPT is dropped.
    """
    start(script, context, ranks, threads, None)


def own_words(context: typer.Context, script: Path) -> list[str]:
    """The script's own words. Options of neuropil among them are told on stderr, unless `--` says that they are meant for the script."""
    from neuropil import rank

    words = list(context.args)
    if words[:1] == ["--"]:
        return words[1:]
    known = {name for option in context.command.params for name in option.opts if name.startswith("--")}
    given = dict.fromkeys(word.partition("=")[0] for word in _until_dashes(words))
    if (ours := [name for name in given if name in known]) and rank() == 0:
        verb = "is" if len(ours) == 1 else "are"
        text = f"{', '.join(ours)} after {script} {verb} given to the script; neuropil's options stand before it"
        print(f"neuropil: {text}", file=sys.stderr)
    return words


def _until_dashes(words: Sequence[str]) -> Sequence[str]:
    return words[: words.index("--")] if "--" in words else words


def start(
    script: Path,
    context: typer.Context,
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
    arguments = own_words(context, script)
    from neuropil.base.hooks import Hook
    from neuropil.cli.commands.script import run_script
    from neuropil.cli.jobs.watching import telling
    from neuropil.parallel.ranks import threads_by_default

    hook = Hook()
    hook.checkpoint = checkpoint
    status_file = nullcontext() if status is None else telling(hook, status, script.name)
    with nullcontext() if threads is None else threads_by_default(threads), status_file:
        run_script(script, arguments, hook)
