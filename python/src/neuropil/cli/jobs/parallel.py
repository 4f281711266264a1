# SPDX-License-Identifier: Apache-2.0
"""Options of jobs that concern ranks, and the start on several of them."""

import sys
from typing import Annotated

import typer

from neuropil.parallel.exchanging import exchange, strategies


def known_strategy(name: str) -> str:
    """The name, if it is that of an exchange strategy. Raises UnknownName."""
    return exchange(name).strategy


Ranks = Annotated[int | None, typer.Option(min=1, help="Ranks (processes over MPI) on this machine; default: as launched.")]
ExchangeName = Annotated[
    str, typer.Option("--exchange", callback=known_strategy, help=f"How spikes travel between ranks: {', '.join(sorted(strategies()))}.")
]
DistributionName = Annotated[
    str, typer.Option("--distribution", help="How neurons are dealt to ranks: round_robin, consecutive, shuffled.")
]


def on_ranks(wanted: int | None) -> None:
    """Starts this command again on the ranks that are wanted, unless it runs on them; ends the process then."""
    from neuropil import n_ranks
    from neuropil.errors import bad_parameter
    from neuropil.parallel import launch, ranks

    if wanted is None or (wanted == 1 and not ranks.launched()):
        return
    if not ranks.launched():
        raise typer.Exit(launch.run(wanted, [sys.executable, *sys.argv]))
    if n_ranks() != wanted:
        raise bad_parameter("ranks", wanted, f"{n_ranks()}, as launched")
