# SPDX-License-Identifier: Apache-2.0
"""Options that all jobs have, and the start on several ranks."""

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from neuropil.cli.jobs.keep import Keep
from neuropil.cli.json_output import Json
from neuropil.parallel.exchanging import exchange, strategies


def without(words: list[str], option: str) -> list[str]:
    """A command line without an option that has no value."""
    return [word for word in words if word != option]


def this_command() -> list[str]:
    """What starts this program again. A file of the package as the program would put the package's folder before all others."""
    program = ["-m", "neuropil"] if Path(sys.argv[0]).name == "__main__.py" else sys.argv[:1]
    return [sys.executable, *program, *sys.argv[1:]]


def known_strategy(name: str) -> str:
    """The name, if it is that of an exchange strategy. Raises UnknownName."""
    return exchange(name).strategy


Ranks = Annotated[int | None, typer.Option(min=1, help="Number of ranks (MPI processes) to start on this machine; default: as launched.")]
ExchangeName = Annotated[
    str, typer.Option("--exchange", callback=known_strategy, help=f"How ranks exchange spikes: {', '.join(sorted(strategies()))}.")
]
DistributionName = Annotated[
    str, typer.Option("--distribution", help="How neurons are assigned to ranks: round_robin, consecutive, shuffled.")
]


CheckpointFolder = Annotated[
    Path | None, typer.Option("--checkpoint", help="Folder for checkpoints. SIGTERM saves one and ends the job with exit code 75.")
]
Every = Annotated[float, typer.Option("--every", min=0.1, help="Biological time between checkpoints [ms].")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint in the folder; without a checkpoint, start anew.")]
Restart = Annotated[bool, typer.Option("--restart", help="If a rank dies, go on from the last checkpoint with one rank less.")]

Report = Annotated[bool, typer.Option("--report", help="Also record traces and weights, and write report.html.")]
Status = Annotated[bool, typer.Option("--status", help="Write status.json into the output folder once a second, for `neuropil top`.")]


def on_ranks(wanted: int | None, keep: Keep | None = None) -> None:
    """Starts this command again on the ranks that are wanted, unless it runs on them; ends the process then."""
    from neuropil import n_ranks
    from neuropil.errors import bad_parameter
    from neuropil.parallel import launch, ranks

    if keep is not None and keep.restart and not ranks.launched():
        raise typer.Exit(launch.run_again(wanted or 1, without(this_command(), "--restart"), keep.file))
    if wanted is None or (wanted == 1 and not ranks.launched()):
        return
    if not ranks.launched():
        raise typer.Exit(launch.run(wanted, this_command()))
    if n_ranks() != wanted:
        raise bad_parameter("ranks", wanted, f"{n_ranks()}, as launched")


def job(*, resolution: float, duration: float, warmup: float) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorator of `main(session, ...)`, whose other parameters are the options of its own: the job gets the common options, too, and a Session."""
    time, before = duration, warmup

    def decorate(main: Callable[..., None]) -> Callable[..., None]:
        name = main.__module__.rpartition(".")[2]

        def begin(
            duration: Annotated[float, typer.Option(min=0.1, help="Biological time to simulate and record [ms].")] = time,
            warmup: Annotated[float, typer.Option(min=0.0, help="Biological time before that, not recorded [ms].")] = before,
            threads: Annotated[int | None, typer.Option(min=1, help="Number of threads; default: all cores.")] = None,
            seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 1,
            ranks: Ranks = None,
            checkpoint: CheckpointFolder = None,
            every: Every = 1000.0,
            resume: Resume = False,
            restart: Restart = False,
            exchange: ExchangeName = "auto",
            distribution: DistributionName = "round_robin",
            output: Annotated[Path, typer.Option(help="Folder for result.json, spikes.npz and the figure.")] = Path("out") / name,
            report: Report = False,
            status: Status = False,
            as_json: Json = False,
        ) -> Any:
            keep = Keep(checkpoint, every, resume, restart)
            on_ranks(ranks, keep)
            from neuropil.cli.jobs.session import Session

            times: dict[str, Any] = {"duration": duration, "warmup": warmup, "resolution": resolution}
            options: dict[str, Any] = {"seed": seed, "threads": threads, "exchange": exchange, "distribution": distribution}
            return Session(name, output, keep=keep, as_json=as_json, report=report, status=status, **options, **times)

        own, common = (inspect.signature(function).parameters for function in (main, begin))
        options = [option for option in (*own.values(), *common.values()) if option.name != "session"]

        @functools.wraps(main)
        def run(**given: Any) -> None:
            session = begin(**{option: given.pop(option) for option in common if option in given})
            with session.watched():
                main(session, **given)

        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in options}
        return run

    return decorate
