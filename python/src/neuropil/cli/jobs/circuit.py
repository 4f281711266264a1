# SPDX-License-Identifier: Apache-2.0
"""From morphologies to spikes in one command: a column, the touches in it, the network that they make, a page about all of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuropil.cli.jobs.parallel import Ranks, on_ranks

if TYPE_CHECKING:
    from neuropil.circuit.detect import TouchRun


def main(
    circuit: Annotated[Path | None, typer.Option(help="Folder or configuration of a SONATA circuit; default: grow a column.")] = None,
    cells: Annotated[int, typer.Option(min=2, help="Number of cells of the grown column.")] = 300,
    survival: Annotated[
        list[str] | None, typer.Option(help='Part of the connections to keep: a number, or "pre>post=number"; repeatable.')
    ] = None,
    duration: Annotated[float, typer.Option(min=0.1, help="Biological time to simulate and record [ms].")] = 1000.0,
    warmup: Annotated[float, typer.Option(min=0.0, help="Biological time before that, not recorded [ms].")] = 200.0,
    pair: Annotated[
        tuple[int, int] | None,
        typer.Option(
            metavar="<pre> <post>",
            help="Node ids (from 0) of the two cells to show; the axon of the first touches the second. Default: a pair with many touches.",
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Number of threads; default: all cores.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 1,
    ranks: Ranks = None,
    output: Annotated[
        Path, typer.Option(help="Folder for the circuit, edges.h5, report.html, result.json, spikes.npz and figures.")
    ] = Path("out/circuit"),
) -> None:
    """Circuit from your morphologies or generated ones: touches, spikes, an HTML page."""
    on_ranks(ranks)
    from neuropil.circuit.detect import Plan, detect_touches
    from neuropil.circuit.network import SynapseOptions
    from neuropil.circuit.options import TouchOptions
    from neuropil.circuit.progress import Bar
    from neuropil.circuit.team import Team
    from neuropil.cli.commands import simulate, touch

    team, edges = Team(), output / "edges.h5"
    options = SynapseOptions(simulate.parse_survival(survival), seed=seed)
    with touch.telling_once():
        simulate.make_folder(output)
        config = circuit if circuit is not None else team.first(lambda: _grown(output / "column", cells, seed))
        with Bar() as bar:
            found = detect_touches(config, edges, TouchOptions(seed=seed), plan=Plan(threads=threads, strict=strict), watch=bar)
    touch.tell(found)
    with touch.telling_once():
        _, spikes = simulate.run(edges, options, output, duration, warmup, threads=threads, seed=seed)
    if team.rank == 0:
        _report(edges, output, found, spikes, pair)


def _grown(folder: Path, cells: int, seed: int) -> Path:
    from neuropil.circuit.column import grow_column

    return grow_column(folder, cells, seed=seed)


def _report(edges: Path, output: Path, found: "TouchRun", spikes: dict[str, Any], pair: tuple[int, int] | None) -> None:
    from neuropil.circuit.report import write_report

    rates = spikes["rates"]
    seconds = {f"seconds {phase}": f"{took:.2f}" for phase, took in found.seconds.items()}
    facts = {
        "synapses of the network": f"{spikes['synapses']:,}",
        "mean rate (spikes/s)": f"{sum(rates.values()) / max(len(rates), 1):.1f} over mtypes",
        "real-time factor of the simulation": f"{spikes['real_time_factor']:.3f}",
    }
    report = write_report(edges, output / "report.html", pair=pair, facts=seconds | facts, pictures={"Spikes": output / "simulate.png"})
    typer.echo(f"written: {report.page}")
