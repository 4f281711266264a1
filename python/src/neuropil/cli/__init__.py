# SPDX-License-Identifier: Apache-2.0
"""The command line. Modules that load slowly are imported by the command that needs them.

`neuropil run JOB`, `resume`, `touch`, `simulate`, `view`, `plan`, `dryrun`, `nest-compat`, `info`, `bench`, `build-mpi`.
"""

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from neuropil.cli.commands import checkpoints, dryrun, nest_compat, simulate, touch, view

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Simulator of large spiking neural networks.",
)
run = typer.Typer(help="Run a job, e.g. `neuropil run microcircuit --scale 0.1`; without a name: list the jobs.")
app.add_typer(run, name="run")
app.command("touch")(touch.main)
app.command("simulate")(simulate.main)
app.command("view")(view.main)
app.command("resume")(checkpoints.resume)
app.command("nest-compat")(nest_compat.main)
app.command("dryrun", context_settings={"allow_extra_args": True})(dryrun.main)  # a script's own arguments come after --


def print_version(wanted: bool) -> None:
    """Prints the version and ends, if that is wanted."""
    if wanted:
        from neuropil import _core

        typer.echo(f"neuropil {_core.version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of the command line as a whole."""


def add_jobs() -> None:
    """Every job becomes a command of `neuropil run`."""
    from neuropil.cli.jobs import discover

    known = {command.name for command in run.registered_commands}
    for name, main in discover().items():
        if name not in known:
            run.command(name)(main)


@run.callback(invoke_without_command=True)
def jobs(context: typer.Context) -> None:
    """The names of the jobs with the first line of each."""
    if context.invoked_subcommand is not None:
        return
    for command in run.registered_commands:
        assert command.callback is not None
        typer.echo(f"{command.name:14} {(command.callback.__doc__ or '').splitlines()[0]}")
    typer.echo("\nOptions of a job: JOB --help, e.g. ./run microcircuit --help")


@app.command()
def info(
    checkpoint: Annotated[Path | None, typer.Argument(help="A checkpoint: what it holds.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Read all bytes of the checkpoint.")] = False,
) -> None:
    """Version, SIMD target, MPI, threads and memory; or what a checkpoint holds."""
    if checkpoint is not None:
        for line in checkpoints.describe(checkpoint, check):
            typer.echo(line)
        return
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
    for name, value in lines.items():
        typer.echo(f"{name:12} {value}")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []})
def bench(context: typer.Context) -> None:
    """Benchmarks beside other simulators; needs a source checkout (see bench/)."""
    root = next((path for path in Path(__file__).resolve().parents if (path / "bench" / "run.py").exists()), None)
    if root is None:
        typer.echo("the benchmarks are not installed with the package: run `./run bench` in a checkout of the sources", err=True)
        raise typer.Exit(2)
    sys.path.insert(0, str(root))
    raise typer.Exit(importlib.import_module("bench.run").main(context.args) or 0)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def plan(
    context: typer.Context,
    model: Annotated[str, typer.Argument(help="A Python script, or the name of a job; its own options follow.")],
    ranks: Annotated[str, typer.Option(help="How many: 64, 64,1024 or 1000:1000000.")] = "1",
    threads: Annotated[int, typer.Option(min=1, max=1024, help="Per rank.")] = 1,
    memory: Annotated[str | None, typer.Option(help="Of a node, e.g. 16GB: what fits into it, and how many are needed.")] = None,
    ranks_per_node: Annotated[int, typer.Option(min=1, help="That share the memory of a node.")] = 1,
    rate: Annotated[float, typer.Option(min=0.0, help="Spikes/s of a neuron, for spikes in flight and recordings.")] = 0.0,
    time: Annotated[float, typer.Option(min=0.0, help="Biological time that will be recorded [ms].")] = 0.0,
    exchange: Annotated[str | None, typer.Option(help="Strategy of exchange instead of the script's.")] = None,
    slower: Annotated[float, typer.Option(min=0.0, help="How many times slower to build than the machine of the measured rates.")] = 1.0,
    json: Annotated[Path | None, typer.Option(help="File for all numbers.")] = None,
    plot: Annotated[Path | None, typer.Option(help="PNG of memory over the number of ranks.")] = None,
) -> None:
    """Memory per rank, time to build and largest network of a model on any number of ranks; nothing is built."""
    from neuropil.cli.commands import plan as command

    wish = command.Wish(threads, rate, time, command.parse_memory(memory) if memory else None, ranks_per_node, exchange, slower)
    found = command.plan_model(model, context.args, command.parse_ranks(ranks), wish)
    for line in command.report(found, wish):
        typer.echo(line)
    if json is not None:
        command.write_json(json, found, wish, sys.argv)
    if plot is not None:
        from neuropil.cli.commands.plan_plot import plot as draw

        draw(plot, found, wish, f"{Path(model).name}: memory by the model of `neuropil plan`")


@app.command("build-mpi")
def build_mpi(mpicxx: str = "mpicxx", directory: Path | None = None) -> None:
    """Compile the MPI plug-in with the MPI of this machine (its mpicxx) into the package, or into ~/.local/share/neuropil."""
    from neuropil.parallel import build_mpi

    typer.echo(build_mpi.build(mpicxx, directory))


def main() -> None:
    """Entry point: user errors are told in one line, without a traceback; those in a user's script with the traceback from there."""
    from neuropil.errors import NeuropilError

    add_jobs()
    try:
        app()
    except Exception as error:
        if script := getattr(error, "neuropil_script", None):  # the user sees his own script on top, not how we came to run it
            from neuropil.nest_alias import trace_in

            trace = trace_in(script, error.__traceback__)
            sys.excepthook(type(error), error.with_traceback(trace), trace)
            sys.exit(1)
        if not isinstance(error, NeuropilError):
            raise
        typer.echo(f"neuropil: {error}", err=True)
        sys.exit(1)
