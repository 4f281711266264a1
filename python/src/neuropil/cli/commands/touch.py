# SPDX-License-Identifier: Apache-2.0
"""`neuropil circuit touch`: touches between the cells of a circuit, as a SONATA edge file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neuropil.cli.jobs.parallel import Ranks, on_ranks

if TYPE_CHECKING:
    from neuropil.circuit.detect import TouchRun


def main(
    config: Annotated[Path, typer.Argument(help="SONATA circuit configuration, or a folder with circuit_config.json.")],
    output: Annotated[Path, typer.Option(help="Edge file to write; a circuit configuration is written beside it.")] = Path("edges.h5"),
    population: Annotated[str | None, typer.Option(help="Node population of the presynaptic cells; needed if there are several.")] = None,
    target_population: Annotated[
        str | None, typer.Option(help="Node population of the postsynaptic cells; default: that of the presynaptic cells.")
    ] = None,
    space: Annotated[
        str,
        typer.Option(
            help="Which parts may touch: axodendritic (axon to soma and dendrites), autaptic (also within a cell), dendrosomatic, dendrodendritic, all."
        ),
    ] = "axodendritic",
    pre: Annotated[
        list[str] | None, typer.Option(help="Presynaptic part, instead of --space: soma, axon, dendrite, basal, apical, all; repeatable.")
    ] = None,
    post: Annotated[list[str] | None, typer.Option(help="Postsynaptic part, instead of --space; repeatable.")] = None,
    pre_node_set: Annotated[str | None, typer.Option(help="Node set of the presynaptic cells.")] = None,
    post_node_set: Annotated[str | None, typer.Option(help="Node set of the postsynaptic cells.")] = None,
    pre_mtype: Annotated[list[str] | None, typer.Option(help="mtype of the presynaptic cells; repeatable.")] = None,
    post_mtype: Annotated[list[str] | None, typer.Option(help="mtype of the postsynaptic cells; repeatable.")] = None,
    min_distance: Annotated[float, typer.Option(help="Least distance between boutons on a region of overlap [um].")] = 5.0,
    max_distance: Annotated[float, typer.Option(help="Largest distance between boutons on a region of overlap [um].")] = 7.0,
    region_gap: Annotated[float, typer.Option(help="Overlaps nearer to each other than this form one region [um].")] = 5.0,
    spine_length: Annotated[float, typer.Option(help="Structural spine length on dendrites [um].")] = 2.5,
    spines: Annotated[Path | None, typer.Option(help="JSON file with spine lengths of mtypes: {mtype: length}.")] = None,
    mode: Annotated[str, typer.Option(help="Shape of segments: tapered (cones), capsule (mean radius of the segment).")] = "tapered",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the distances between boutons.")] = 1,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Presynaptic cells per batch; default: as memory and time allow.")] = None,
    memory: Annotated[float, typer.Option(help="Memory per rank for a batch and for morphologies [MB].")] = 1000.0,
    exchange: Annotated[str, typer.Option(help="How ranks exchange branches: alltoallv, neighbor, nbx.")] = "alltoallv",
    threads: Annotated[int | None, typer.Option(min=1, help="Threads per rank; default: all cores.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    restart: Annotated[bool, typer.Option("--restart", help="Delete the unfinished work of an earlier run and start anew.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
    ranks: Ranks = None,
) -> None:
    """Find touches between the cells of a circuit.

    Writes a SONATA edge file. If the run is killed, give the same command again: it goes on from its last batch.
    """
    on_ranks(ranks)
    from neuropil.circuit.detect import Plan, detect_touches
    from neuropil.circuit.options import TouchOptions, read_spines
    from neuropil.circuit.progress import Bar
    from neuropil.circuit.selection import Selection

    lengths = (min_distance, max_distance, region_gap, spine_length)
    options = TouchOptions(space, pre or (), post or (), None, *lengths, read_spines(spines) if spines else {}, seed, mode)
    plan = Plan(batch_size, 1e6 * memory, threads, exchange, strict, restart)
    selections = {"pre": Selection(pre_node_set, pre_mtype or ()), "post": Selection(post_node_set, post_mtype or ())}
    with telling_once(), Bar(quiet) as bar:
        run = detect_touches(
            config, output, options, population=population, target_population=target_population, plan=plan, watch=bar, **selections
        )
    tell(run)


def tell(run: "TouchRun") -> None:
    """Lines about what was found, on rank 0."""
    from neuropil import n_ranks
    from neuropil.circuit.progress import amount
    from neuropil.parallel import ranks

    if ranks.launched() and ranks.rank() > 0:
        return
    for line in run.notes:
        typer.echo(f"warning: {line}", err=True)
    resumed = f" ({run.resumed} of them done before)" if run.resumed else ""
    seconds = ", ".join(f"{phase} {took:.1f}" for phase, took in run.seconds.items())
    typer.echo(
        f"{amount(run.touches)} touches of {run.cells} presynaptic cells{resumed}; seconds: {seconds}{f'; {n_ranks()} ranks' if len(run.counters) > 1 else ''}"
    )
    typer.echo(f"written: {run.path}, {run.config}")


class telling_once:  # noqa: N801  (a context, used like a function)
    """An error that all ranks raise is printed by the first of them alone."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if not getattr(error, "agreed", False):
            return
        from neuropil.circuit.team import Team

        team = Team()
        if team.rank == 0:
            typer.echo(f"neuropil: {error}", err=True)
        team.wait()
        raise typer.Exit(1)
