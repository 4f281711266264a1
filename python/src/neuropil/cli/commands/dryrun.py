# SPDX-License-Identifier: Apache-2.0
"""`neuropil dryrun`: builds and runs exactly what one rank of many would, on this machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from neuropil.base.hooks import Hook, ScriptDone
from neuropil.base.paging import resident
from neuropil.cli.json_output import Json, JsonFile, alone, write

if TYPE_CHECKING:
    from neuropil.model.network import Network
    from neuropil.plan.dry_running import DryRun

TERMS = {  # of Network.memory
    "neurons": "parameters and state",
    "input": "sums of the input of a step",
    "synapses": "targets, delays, weights",
    "index": "source lists, rows, traces of sources",
    "traces": "of plastic targets",
    "devices": "parts on this rank",
    "in_flight": "spikes under way, calendars",
    "routing": "routes and buffers",
    "recordings": "spikes and samples of this rank",
}


class Played(Hook):
    """Makes every network that is given no ranks the played rank; cuts the first run to `time_ms` and ends the script after it."""

    def __init__(self, dry: DryRun, time_ms: float) -> None:
        self.dry, self.time_ms = dry, time_ms
        self.ranks, self.rank = dry.ranks, dry.rank
        self.network: Network | None = None

    def settings(self, given: dict[str, Any]) -> dict[str, Any]:
        """Settings of a network of which this process plays one rank, unless the script runs on a communicator of its own."""
        from neuropil.plan.dry_running import played

        return given if given["comm"] is not None else {**given, **played(self.dry, None)}

    def running(self, network: Network, duration: float) -> float:
        """The duration [ms], cut to the biological time that is played; at least a step."""
        steps = max(1, round(self.time_ms / network.resolution))
        return min(duration, steps * network.resolution)

    def ran(self, network: Network) -> None:
        """Notes the network and ends the script."""
        self.network = network
        raise ScriptDone


def checkpoint_bytes(network: Network) -> dict[str, int]:
    """Of the columns that this rank would save, by what `edges` of `Network.save` says; none where the gids of sources are dropped."""
    found: dict[str, int] = {}
    if not network._settings["keep_sources"]:
        return found
    for edges in ("describe", "store"):
        snapshot = network._kernel.snapshot(edges == "store")
        columns = [column for common in ({True, False} if network.rank == 0 else {False}) for column in snapshot.columns(common)]
        found[edges] = sum(n * np.dtype(kind).itemsize for _, kind, n in columns)
        del snapshot
    return found


def report(network: Network, base: int, seconds: float) -> dict[str, Any]:
    """All that the command tells, by name: bytes, seconds, numbers of this rank.

    base : resident memory before the script ran; seconds : wall time of the script
    """
    ranks = network.n_ranks
    kernel = network._kernel
    mine = {key: value if key == "steps" else value // ranks for key, value in network.counters.items()}
    return {
        "ranks": ranks,
        "rank": network.rank,
        "slices": kernel.slices,
        "threads_here": network.threads,
        "nodes": network.n_nodes,
        "exchange": kernel.exchange_choice,
        "regime": "dense" if kernel.dense else "sparse",
        "simulated_ms": network.time,
        "memory": network.memory,
        "checkpoint": checkpoint_bytes(network),
        "rss": {"before": base, "after": resident(), "peak": resident("VmHWM")},
        "seconds": {**network.timers, "script": seconds},
        "counters": {**mine, "routes": kernel.routes, "buffer_bytes": kernel.buffer_bytes},
    }


def tell(found: dict[str, Any]) -> None:
    """The report as tables."""
    from neuropil.plan.plan import count_text, size_text

    typer.echo(
        f"dry run of rank {found['rank']} of {found['ranks']}: {found['slices']} slices, worked on by {found['threads_here']} threads; "
        f"{count_text(found['nodes'])} nodes in all; {found['regime']} routes"
    )
    typer.echo("\nmemory of this rank")
    for term, what in TERMS.items():
        typer.echo(f"  {term:14} {size_text(found['memory'].get(term, 0)):>10}   {what}")
    typer.echo(f"  {'total':14} {size_text(found['memory']['total']):>10}")
    for key, what in (("before", "resident before the script"), ("after", "resident now"), ("peak", "most that was resident")):
        typer.echo(f"  {'RSS ' + key:14} {size_text(found['rss'][key]):>10}   {what}")
    for edges, what in (("describe", "static synapses drawn again"), ("store", "all synapses stored")):
        if edges in found["checkpoint"]:
            typer.echo(f"  {'checkpoint':14} {size_text(found['checkpoint'][edges]):>10}   {what}")
    typer.echo("\nseconds")
    seconds = found["seconds"]
    for stage in ("script", "create", "connect", "build", "run"):
        phases = [f"{name.partition('_')[2]} {value:.3f}" for name, value in seconds.items() if name.startswith(f"{stage}_")]
        typer.echo(f"  {stage:14} {seconds.get(stage, 0.0):10.3f}   {', '.join(phases)}")
    typer.echo(f"\nnumbers of this rank, {found['simulated_ms']:g} ms")
    for key, value in found["counters"].items():
        typer.echo(f"  {key:14} {size_text(value) if key.startswith('b') else value:>14}")


def main(
    context: typer.Context,
    model: Annotated[
        str,
        typer.Argument(
            help="Python script or name of a job. Unlike `run`: options of neuropil may stand after it, too; its own words follow after --."
        ),
    ],
    ranks: Annotated[int, typer.Option(help="Number of ranks of the planned run.")],
    rank: Annotated[int, typer.Option(help="The rank to build and run.")] = 0,
    threads: Annotated[int | None, typer.Option(help="Threads per rank of the planned run; default: those of this machine.")] = None,
    rate: Annotated[
        float | None, typer.Option(help="Rate of the neurons of other ranks [spikes/s]; default: the rate of this rank's neurons.")
    ] = None,
    time_ms: Annotated[
        float, typer.Option("--time", min=0.0, help="Longest biological time of the first run [ms]; the script ends after it.")
    ] = 100.0,
    as_json: Json = False,
    json_file: JsonFile = None,
) -> None:
    """Build and run one rank of many, without the others.

    Prints the true memory and times of this rank.
    """
    from neuropil.cli.commands.script import run_script
    from neuropil.plan.dry_running import dry_run

    hook = Played(dry_run(ranks, rank, threads, rate), time_ms)
    base, begin = resident(), time.perf_counter()
    with alone(as_json):
        run_script(model, context.args, hook)
    if hook.network is None:
        typer.echo(f"{model} has run no network", err=True)
        raise typer.Exit(1)
    found = report(hook.network, base, time.perf_counter() - begin)
    if as_json or json_file is not None:
        write(found, json_file)
    if not as_json:
        tell(found)
