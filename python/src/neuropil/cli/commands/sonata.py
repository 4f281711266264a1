# SPDX-License-Identifier: Apache-2.0
"""`neuropil sonata`: runs a simulation that files of SONATA describe."""

import time
from pathlib import Path
from typing import Annotated

import typer

from neuropil.cli.jobs.parallel import Ranks, on_ranks


def main(
    config: Annotated[Path, typer.Argument(help="simulation_config.json of SONATA.")],
    threads: Annotated[int | None, typer.Option(min=1, help="Number of threads; default: all cores.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random numbers; default: that of the configuration.")] = None,
    ranks: Ranks = None,
) -> None:
    """Run a network of point neurons from files of SONATA.

    Writes spikes and reports to the output folder that the configuration names.
    """
    on_ranks(ranks)
    from neuropil.cli.commands.touch import telling_once

    with telling_once():
        run(config, threads, seed)


def run(config: Path, threads: int | None, seed: int | None) -> None:
    """Loads, simulates and writes; says what each step took."""
    from neuropil.parallel.ranks import launched, rank
    from neuropil.sonata import load

    first = not launched() or rank() == 0
    begin = time.perf_counter()
    simulation = load(config, threads=threads, seed=seed)
    simulation.net.build()
    loaded = time.perf_counter()
    simulation.run()
    ran = time.perf_counter()
    files = simulation.write()
    if not first:
        return
    for note in simulation.notes:
        typer.echo(f"ignored: {note}")
    net = simulation.net
    typer.echo(f"loading     {loaded - begin:8.2f} s  {net.n_nodes} nodes, {net.n_connections} connections")
    typer.echo(f"simulating  {ran - loaded:8.2f} s  {net.time:g} ms")
    typer.echo(f"written: {', '.join(map(str, files))}")
