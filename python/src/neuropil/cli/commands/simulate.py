# SPDX-License-Identifier: Apache-2.0
"""`neuropil circuit simulate`: a network of point neurons whose synapses are the touches of an edge file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuropil.cli.commands.touch import telling_once
from neuropil.cli.jobs.parallel import DistributionName, ExchangeName, Ranks, on_ranks

if TYPE_CHECKING:
    from neuropil.circuit.network import CircuitNetwork, SynapseOptions

RESOLUTION = 0.1  # ms


def main(
    edges: Annotated[Path, typer.Argument(help="SONATA edge file with touches.")],
    circuit: Annotated[
        Path | None, typer.Option(help="Circuit configuration with the nodes; default: the one beside the edge file.")
    ] = None,
    population: Annotated[str | None, typer.Option(help="Edge population, if the file has several.")] = None,
    survival: Annotated[
        list[str] | None,
        typer.Option(help='Part of the connections to keep: a number, or "pre>post=number" by mtype or class (EXC, INH); repeatable.'),
    ] = None,
    weight_exc: Annotated[float, typer.Option(help="Mean weight of an excitatory connection, divided among its touches [pA].")] = 30.0,
    weight_inh: Annotated[float, typer.Option(help="Mean weight of an inhibitory connection, divided among its touches [pA].")] = -60.0,
    weight_cv: Annotated[float, typer.Option(help="Coefficient of variation of the (lognormal) weights over connections.")] = 0.5,
    velocity: Annotated[float, typer.Option(help="Velocity of spikes along axons [um/ms].")] = 300.0,
    synaptic_delay: Annotated[float, typer.Option(help="Part of the delay that does not depend on the path length [ms].")] = 0.5,
    drive: Annotated[float, typer.Option(help="Poisson input relative to the input that just reaches the threshold.")] = 0.9,
    duration: Annotated[float, typer.Option(min=0.1, help="Biological time to simulate and record [ms].")] = 1000.0,
    warmup: Annotated[float, typer.Option(min=0.0, help="Biological time before that, not recorded [ms].")] = 200.0,
    threads: Annotated[int | None, typer.Option(min=1, help="Number of threads; default: all cores.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 1,
    ranks: Ranks = None,
    exchange: ExchangeName = "auto",
    distribution: DistributionName = "round_robin",
    output: Annotated[Path, typer.Option(help="Folder for result.json, spikes.npz and the figure.")] = Path("out/simulate"),
) -> None:
    """Simulate a circuit, with its touches as synapses.

    Reads the edge file that `neuropil circuit touch` writes. Cells become point neurons.
    Writes spikes, rates and a raster plot.
    """
    on_ranks(ranks)
    from neuropil.circuit.network import SynapseOptions

    options = SynapseOptions(parse_survival(survival), weight_exc, weight_inh, weight_cv, velocity, synaptic_delay, drive, seed=seed)
    settings = {"threads": threads, "seed": seed, "exchange": exchange, "distribution": distribution}
    with telling_once():
        run(edges, options, output, duration, warmup, circuit=circuit, population=population, **settings)


def parse_survival(words: Sequence[str] | None) -> Any:
    """What SynapseOptions takes, of words like "0.3" and "EXC>INH=0.3". Raises BadParameter."""
    from neuropil.circuit.network import SynapseOptions
    from neuropil.errors import bad_parameter

    if not words:
        return SynapseOptions.survival
    table = {}
    for word in words:
        pattern, _, number = word.rpartition("=")
        try:
            table[pattern or "*>*"] = float(number)
        except ValueError:
            raise bad_parameter("survival", word, 'a number or "pre>post=number"') from None
    return table


def run(
    edges: Path,
    options: "SynapseOptions",
    output: Path,
    duration: float,
    warmup: float,
    *,
    circuit: Path | None = None,
    population: str | None = None,
    **settings: Any,
) -> tuple["CircuitNetwork", dict[str, Any]]:
    """Builds, runs, reports; the network and its result.json."""
    from neuropil.circuit.errors import writing
    from neuropil.circuit.network import touches_to_network
    from neuropil.cli.jobs.session import Session

    make_folder(output)
    session = Session("simulate", output, duration=duration, warmup=warmup, resolution=RESOLUTION, **settings)
    with session.building() as net:
        made = touches_to_network(edges, circuit, options, net=net, population=population)
    session.say(f"{made.touches} touches in {made.connections} connections, of which {made.kept} are kept: {made.synapses} synapses")
    session.run(made.populations)
    parameters = {"edges": str(edges), **options.key(), "touches": made.touches, "connections": made.connections, "kept": made.kept}
    with writing(output):
        found = session.finish(parameters)
    return made, found


def make_folder(output: Path) -> None:
    """On rank 0, before the work begins; all ranks raise BadFile or DiskFull where it cannot be made. Collective."""
    from neuropil.circuit.errors import writing
    from neuropil.circuit.team import Team

    def make() -> None:
        with writing(output):
            output.mkdir(parents=True, exist_ok=True)

    Team().first(make)
