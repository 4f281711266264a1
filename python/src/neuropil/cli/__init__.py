# SPDX-License-Identifier: Apache-2.0
"""The command line. Modules that load slowly are imported by the command that needs them.

`neuropil new FOLDER`, `run SCRIPT`, `job NAME`, `nest SCRIPT`, `circuit`, `sonata CONFIG`, `serve`, `checkpoint`, `report`, `top`, `plan`, `dryrun`, `doctor`, `info`, `bench`, `nest-compat`, `build-mpi`, `build-model`.
"""

import importlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from neuropil.cli import json_output
from neuropil.cli.commands import (
    build_model,
    checkpoints,
    doctor,
    dryrun,
    nest_compat,
    new,
    report,
    run,
    serve,
    simulate,
    sonata,
    top,
    touch,
    view,
)
from neuropil.cli.json_output import Json, JsonFile

ORDER = (
    "new",
    "run",
    "job",
    "nest",
    "circuit",
    "sonata",
    "serve",
    "checkpoint",
    "report",
    "top",
    "plan",
    "dryrun",
    "doctor",
    "info",
    "bench",
    "nest-compat",
    "build-mpi",
    "build-model",
)
# Spellings of version 0.2, which go with version 0.4. `run JOB` and `info FILE` are looked at by their second word.
FORMER = {"touch": "circuit touch", "simulate": "circuit simulate", "view": "circuit view", "resume": "checkpoint resume"}


def name_the_value(error: typer.BadParameter) -> None:
    """Puts the value that was given before what is allowed."""
    for option in getattr(error.param, "opts", ()):
        for word, value in zip(sys.argv, [*sys.argv[1:], ""], strict=True):
            given = repr(word.removeprefix(f"{option}=") if word.startswith(f"{option}=") else value)
            if word.partition("=")[0] == option and given not in error.message:
                error.message = f"{given}: {error.message}"


class Group(TyperGroup):
    """Commands whose errors name the value that was given."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command that the words name."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            name_the_value(error)
            raise


class ByUse(Group):
    """Help lists commands in the order of ORDER."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands."""
        return sorted(self.commands, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))


class Jobs(Group):
    """The jobs of `neuropil job` and of ./run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The job that args[0] names."""
        if args[0] not in self.commands:
            ctx.fail(f"there is no job {args[0]!r}; jobs: {', '.join(self.commands)}")
        return super().resolve_command(ctx, args)


def group(completion: bool = False, **settings: Any) -> typer.Typer:
    """Commands with the same plain help and errors, whether called below `neuropil` or by ./run."""
    names = {"help_option_names": ["-h", "--help"]}
    return typer.Typer(add_completion=completion, pretty_exceptions_enable=False, rich_markup_mode=None, context_settings=names, **settings)


app = group(
    completion=True,
    cls=ByUse,
    no_args_is_help=True,
    help="Simulate large networks of spiking neurons. Help for a command: neuropil COMMAND --help",
)
job = group(
    cls=Jobs,
    subcommand_metavar="JOB [OPTIONS]",
    help="Run a job; without a name, list the jobs. Example: microcircuit --scale 0.1",
)
circuit = group(cls=Group, no_args_is_help=True, help="Find touches between morphologies, simulate, view.")
checkpoint = group(cls=Group, no_args_is_help=True, help="Show what a checkpoint contains, or go on from it.")
OWN_WORDS = {"allow_extra_args": True, "allow_interspersed_args": False}  # what comes after the script is the script's
app.command("new")(new.main)
app.command("run", context_settings=OWN_WORDS)(run.script)
app.add_typer(job, name="job")
app.command("nest", context_settings=OWN_WORDS)(run.nest)
for name, command in (("touch", touch.main), ("simulate", simulate.main), ("view", view.main)):
    circuit.command(name)(command)
app.add_typer(circuit, name="circuit")
checkpoint.command("info")(checkpoints.info)
checkpoint.command("resume")(checkpoints.resume)
app.add_typer(checkpoint, name="checkpoint")
app.command("report")(report.main)
app.command("top")(top.main)
app.command("sonata")(sonata.main)
app.command("serve")(serve.main)
app.command("doctor")(doctor.main)
app.command("nest-compat")(nest_compat.main)
app.command("build-model")(build_model.main)
app.command("dryrun", context_settings={"allow_extra_args": True})(dryrun.main)  # a script's own arguments come after --


def print_version(wanted: bool) -> None:
    """Prints the version and ends the program, if the option was given."""
    if wanted:
        from neuropil import _core

        typer.echo(f"neuropil {_core.version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Options of the command line as a whole."""


def first_line(main: Callable[..., None]) -> str:
    """The first line of a job's docstring."""
    return (main.__doc__ or "").splitlines()[0]


def add_jobs() -> None:
    """Every job becomes a command of `neuropil job`."""
    from neuropil.cli.jobs import discover

    known = {command.name for command in job.registered_commands}
    for name, main in discover().items():
        if name not in known:
            job.command(name, short_help=first_line(main))(main)


@job.callback(invoke_without_command=True)
def jobs(context: typer.Context) -> None:
    """Without a job: lists the jobs, each with the first line of its docstring."""
    if context.invoked_subcommand is not None:
        return
    width = max(len(command.name or "") for command in job.registered_commands)
    for command in job.registered_commands:
        assert command.callback is not None
        typer.echo(f"{command.name:{width}}  {first_line(command.callback)}")
    typer.echo(f"\nRun a job: {context.command_path} microcircuit\nOptions of a job: {context.command_path} microcircuit --help")


@app.command()
def info(as_json: Json = False) -> None:
    """Print version, instruction set, MPI, threads and memory."""
    from neuropil import _core
    from neuropil.base.paging import huge_page_mode, pages
    from neuropil.cli.jobs import result
    from neuropil.parallel import ranks

    machine = result.machine()
    if ranks.rank() > 0:
        return
    lines = {
        "neuropil": _core.version(),
        "commit": result.git_commit() or "-",
        "SIMD target": _core.simd(),
        "MPI": f"{ranks.describe()}, {_core.world()['name']}" if ranks.launched() else _core.mpi(),
        "threads": str(machine["cores"]),
        "CPU": machine["cpu"],
        "memory": f"{machine['memory_bytes'] / 1e9:.1f} GB, {_core.available_memory() / 1e9:.1f} GB available",
        "huge pages": huge_page_mode(),
        "pages": str(pages()),
        "system": f"{machine['system']} {machine['architecture']}, Python {sys.version.split()[0]}",
    }
    if as_json:
        json_output.write(lines)
        return
    for name, value in lines.items():
        typer.echo(f"{name:12} {value}")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []})
def bench(context: typer.Context) -> None:
    """Measure neuropil beside other simulators; needs a clone."""
    root = next((path for path in Path(__file__).resolve().parents if (path / "bench" / "run.py").exists()), None)
    if root is None:
        typer.echo("the package does not contain the benchmarks: clone the repository and run `./run bench` there", err=True)
        raise typer.Exit(2)
    sys.path.insert(0, str(root))
    raise typer.Exit(importlib.import_module("bench.run").main(context.args) or 0)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def plan(
    context: typer.Context,
    model: Annotated[
        str,
        typer.Argument(
            help="Python script or name of a job. Unlike `run`: options of neuropil may stand after it, too; all others are its own."
        ),
    ],
    ranks: Annotated[str, typer.Option(help="Numbers of ranks: 64, or 64,1024, or a range 1000:1000000.")] = "1",
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Threads per rank.")] = 1,
    memory: Annotated[
        str | None,
        typer.Option(help="Memory of a node of the cluster, e.g. 16GB; prints the largest network and the least number of nodes."),
    ] = None,
    ranks_per_node: Annotated[int, typer.Option(min=1, help="Ranks that share the memory of a node of the cluster.")] = 1,
    rate: Annotated[
        float, typer.Option(min=0.0, help="Mean rate of a neuron [spikes/s], for the memory of travelling and recorded spikes.")
    ] = 0.0,
    time: Annotated[float, typer.Option(min=0.0, help="Biological time that will be recorded [ms].")] = 0.0,
    exchange: Annotated[str | None, typer.Option(help="Exchange strategy instead of the script's.")] = None,
    slower: Annotated[float, typer.Option(min=0.0, help="How many times slower your machine builds than the machine of the model.")] = 1.0,
    as_json: Json = False,
    json_file: JsonFile = None,
    plot: Annotated[Path | None, typer.Option(help="PNG file: memory over the number of ranks.")] = None,
) -> None:
    """Estimate memory and time of a model on any number of ranks.

    Also prints the largest network that fits. Builds nothing.
    """
    from neuropil.cli.commands import plan as command

    wish = command.Wish(threads, rate, time, command.parse_memory(memory) if memory else None, ranks_per_node, exchange, slower)
    with json_output.alone(as_json):
        found = command.plan_model(model, context.args, command.parse_ranks(ranks), wish)
    if as_json or json_file is not None:
        json_output.write(command.to_json(found, wish, sys.argv), json_file)
    if not as_json:
        typer.echo("\n".join(command.report(found, wish)))
    if plot is not None:
        from neuropil.cli.commands.plan_plot import plot as draw

        draw(plot, found, wish, f"{Path(model).name}: memory by the model of `neuropil plan`")


@app.command("build-mpi")
def build_mpi(
    mpicxx: Annotated[str, typer.Option(help="C++ compiler wrapper of the MPI.")] = "mpicxx",
    directory: Annotated[Path | None, typer.Option(help="Folder for the plug-in instead.")] = None,
) -> None:
    """Compile the MPI plug-in for the MPI of this machine.

    Writes it into the package, or into ~/.local/share/neuropil if the package cannot be written.
    """
    from neuropil.parallel import build_mpi

    typer.echo(build_mpi.build(mpicxx, directory))


def present_json(words: list[str]) -> list[str]:
    """`--json FILE` of version 0.2 as the option that it is now; says so."""
    text = "\0".join(words)
    now = re.sub(r"(?<![^\0])--json[\0=]([^\0]+\.json)(?![^\0])", "--json-file\0\\1", text, count=1)
    if now != text:
        typer.echo("neuropil: `--json FILE` is now `--json >FILE`", err=True)
    return now.split("\0") if now else []


def present_words(words: list[str]) -> list[str]:
    """A command line of version 0.2 as it is written now; says so."""
    words = present_json(words) if words[:1] in (["plan"], ["dryrun"]) else words
    first, second = [*words, "", ""][:2]
    is_job = second in {command.name for command in job.registered_commands} or not second
    if first == "run" and is_job:
        new = ["job", *words[1:]]
    elif first == "info" and second and not second.startswith("-"):
        new = ["checkpoint", *words]
    elif first in FORMER:
        new = [*FORMER[first].split(), *words[1:]]
    else:
        return words
    typer.echo(f"neuropil: `neuropil {first}` is now `neuropil {' '.join(new[: len(new) - len(words) + 1])}` here", err=True)
    return new


def main() -> None:
    """Entry point. Errors of the user are one line; errors in a user's script have the traceback from the script on."""
    from neuropil.errors import NeuropilError

    add_jobs()
    shown_as = os.environ.pop("NEUROPIL_RUN", None)  # what the user typed for `neuropil job`: ./run sets it
    sys.argv[1:] = present_words(sys.argv[1:])
    try:
        if shown_as:
            job(args=sys.argv[2:], prog_name=shown_as)
        app()
    except Exception as error:
        if script := getattr(error, "neuropil_script", None):  # the traceback begins in the user's script
            from neuropil.nest_alias import trace_in

            trace = trace_in(script, error.__traceback__)
            sys.excepthook(type(error), error.with_traceback(trace), trace)
            sys.exit(1)
        if not isinstance(error, NeuropilError):
            raise
        typer.echo(f"neuropil: {error}", err=True)
        sys.exit(1)
