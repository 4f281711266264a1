# SPDX-License-Identifier: Apache-2.0
"""Runs a model, i.e. a user's Python script or a job, with a hook in force."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from neuropil.base.hooks import Hook, ScriptDone, in_force
from neuropil.errors import BadParameter, unknown_name
from neuropil.nest_alias import nest_alias


def run_script(model: str | Path, arguments: Sequence[str], hook: Hook) -> bool:
    """Runs `model`, the path of a script or the name of a job, with its own arguments.

    `import nest` gives neuropil.nest, with a new kernel. True: the hook ended it by ScriptDone; False: it came to its end (also by sys.exit(0)).
    Errors of the script are raised as they are, with the path of the script as `neuropil_script`. Raises BadParameter, UnknownName if there is
    no such model.
    """
    path = Path(model)
    job = str(model) if path.suffix != ".py" and not path.exists() else ""
    if not job and not path.is_file():
        raise BadParameter(
            f"model = {model!s}: must be the path of a Python script or the name of a job", "model", str(model), "the path of a script"
        )
    try:
        with in_force(hook), _command_line(path, arguments):
            _run_job(job, arguments) if job else _run_path(str(path))
    except ScriptDone:
        return True
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
    return False


def _run_path(script: str) -> None:
    if "neuropil.nest" in sys.modules:
        sys.modules["neuropil.nest"].ResetKernel()
    try:
        with nest_alias():
            runpy.run_path(script, run_name="__main__")
    except Exception as error:
        error.neuropil_script = script  # type: ignore[attr-defined]
        raise


@contextmanager
def _command_line(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """As if `python path arguments` had been called."""
    before = sys.argv, sys.path[:]
    sys.argv = [str(path), *arguments]
    if path.suffix == ".py":
        sys.path.insert(0, str(path.resolve().parent))
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before


def _run_job(name: str, arguments: Sequence[str]) -> None:
    import typer

    from neuropil.cli.jobs import discover

    jobs = discover()
    if name not in jobs:
        raise unknown_name("model", name, list(jobs))
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(name)(jobs[name])
    app(args=list(arguments), prog_name=name, standalone_mode=True)
