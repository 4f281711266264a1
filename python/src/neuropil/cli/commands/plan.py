# SPDX-License-Identifier: Apache-2.0
"""`neuropil plan`: runs a model in counting mode, on one or many numbers of ranks, and tells what it will need there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any

from neuropil.base.checks import to_bytes
from neuropil.base.hooks import Hook, ScriptDone
from neuropil.base.paging import resident
from neuropil.cli.commands.script import run_script
from neuropil.errors import bad_parameter
from neuropil.model.network import Network
from neuropil.parallel import ranks as this_job
from neuropil.parallel.exchanging import exchange as check_exchange
from neuropil.plan.plan import TERMS, Plan, base_bytes, build_rates, count_text, largest_scale, least_ranks, size_text

DISK = 1e9  # bytes/s that a rank can write, for the seconds of a checkpoint


@dataclass(frozen=True)
class Wish:
    """What the user asked for. `memory`: bytes of a node, `ranks_per_node` ranks share it. `rate`: spikes/s, `time`: ms."""

    threads: int
    rate: float = 0.0
    time: float = 0.0
    memory: float | None = None
    ranks_per_node: int = 1
    exchange: str | None = None
    slower: float = 1.0  # than the machine of build_rates.json

    def __post_init__(self) -> None:
        if self.exchange is not None:
            check_exchange(self.exchange)  # raises UnknownName before the script is run

    @property
    def per_rank(self) -> float | None:
        """Bytes that one rank may take."""
        return None if self.memory is None else self.memory / self.ranks_per_node


@dataclass(frozen=True)
class Outcome:
    """One number of ranks: the plan and, where memory was given, what just fits."""

    plan: Plan
    factor: float | None = None  # of all populations, so that a node is full
    least_ranks: int | None = None  # for the network as it is
    networks: int = 1  # that the script had made when the first one was run

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON knows it, with the factor and the number of ranks that were asked for."""
        return self.plan.to_json() | {"largest_factor": self.factor, "least_ranks": self.least_ranks, "networks": self.networks}


class Counting(Hook):
    """Makes networks that count; the first one that is built or run is planned and ends the script."""

    def __init__(self, ranks: int, wish: Wish) -> None:
        self.ranks, self.wish = ranks, wish
        self.networks: list[Network] = []
        self.outcome: Outcome | None = None

    def settings(self, given: dict[str, Any]) -> dict[str, Any]:
        """Settings of a network that only counts."""
        changed = {"counting": self.ranks, "threads": self.wish.threads, "comm": None}
        if self.wish.exchange is not None:
            changed["exchange"] = given["exchange"] | {"strategy": self.wish.exchange}
        return given | changed

    def made(self, network: Network) -> None:
        """Notes the network."""
        self.networks.append(network)

    def building(self, network: Network) -> None:
        """Plans the network instead of building it, and ends the script."""
        self.outcome = replace(outcome(network, self.wish), networks=len(self.networks))
        raise ScriptDone

    def running(self, network: Network, duration: float) -> float:
        """Plans the network instead of running it, and ends the script."""
        self.building(network)
        return duration


def outcome(network: Network, wish: Wish) -> Outcome:
    """The plan of a counting network, with the memory of the process itself."""
    process = float(resident())  # one without a network is about as large on the machine that is planned for
    options: dict[str, Any] = {"rate": wish.rate, "time": wish.time}

    def with_base(found: dict[str, float], ranks: int) -> dict[str, float]:
        base = base_bytes(process, ranks, wish.threads, this_job.launched())
        return found | {"base": base, "total": found["total"] + base, "peak": found["peak"] + base}

    def peak(ranks: int, scale: float) -> float:
        return with_base(network._kernel.plan_on(options | {"ranks": ranks, "scale": scale})["bytes"], ranks)["peak"]

    here = network.plan(ranks=network.n_ranks, **options)
    plan = replace(here, bytes=with_base(dict(here.bytes), here.ranks))
    if wish.per_rank is None:
        return Outcome(plan)
    plan = replace(plan, available=wish.per_rank - plan.bytes["base"])
    factor = largest_scale(wish.per_rank, lambda scale: peak(here.ranks, scale))
    return Outcome(plan, factor, least_ranks(wish.per_rank, lambda ranks: peak(ranks, 1.0)))


def plan_model(model: str, arguments: Sequence[str], ranks: Sequence[int], wish: Wish) -> list[Outcome]:
    """Runs the model once for each number of ranks, as it may ask for it. Raises BadParameter if it never builds or runs a network."""
    found = []
    for n in ranks:
        hook = Counting(n, wish)
        with redirect_stdout(sys.stderr):  # what the script says is not the plan
            run_script(model, arguments, hook)
        if hook.outcome is None:
            raise bad_parameter("model", model, "a script that builds or runs a network")
        found.append(hook.outcome)
    return found


def parse_ranks(text: str) -> list[int]:
    """Numbers given as "64", "64,1024" or "1000:1000000" (both ends, and 1, 2, 5 times powers of ten between). Raises BadParameter."""
    try:
        low, colon, high = text.partition(":")
        found = spread_out(int(low), int(high)) if colon else [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1 or max(found) > 2**31 - 1:
        raise bad_parameter("ranks", text, "like 64, 64,1024 or 1000:1000000, from 1 to 2^31 - 1")
    return sorted(set(found))


def spread_out(low: int, high: int) -> list[int]:
    """Both ends and 1, 2, 5 times powers of ten between; empty where low > high."""
    steps = [m * 10**k for k in range(10) for m in (1, 2, 5)]
    return [low, *(n for n in steps if low < n < high), high] if low <= high else []


def parse_memory(text: str) -> float:
    """Memory given as "16GB", "128 GiB", "900MB" or bytes. Raises BadParameter."""
    return to_bytes("memory", text)


# --- tables


_ACROSS = 7  # columns of numbers beside each other, for terminals of 120 characters


def report(found: Sequence[Outcome], wish: Wish) -> list[str]:
    """Text for one or many numbers of ranks: terms in rows, ranks in columns; several tables where there are many."""
    tables = [table(found[k : k + _ACROSS], wish) for k in range(0, len(found), _ACROSS)]
    return [line for lines in tables for line in [*lines, ""]][:-1] + notes(found)


def table(found: Sequence[Outcome], wish: Wish) -> list[str]:
    """Lines of the table: one column for each number of ranks."""
    plans = [o.plan for o in found]
    lines = [row("ranks", [f"{p.ranks}" for p in plans]), row("threads per rank", [f"{p.threads}" for p in plans])]
    lines += [
        row("nodes, all ranks", [count_text(p.n_nodes) for p in plans]),
        row("synapses, all ranks", [count_text(p.synapses * p.ranks) for p in plans]),
    ]
    lines += [row("synapses per rank", [count_text(p.synapses) for p in plans]), ""]
    used = [name for name in TERMS if any(p.bytes.get(name, 0.0) >= 0.5 for p in plans)]
    lines += [row(TERMS[name], [size_text(p.bytes.get(name, 0.0)) for p in plans]) for name in used]
    lines += [
        row("total per rank", [size_text(p.total) for p in plans]),
        row("most while building", [size_text(p.peak) for p in plans]),
        row("checkpoint per rank", [size_text(p.checkpoints[0]) if p.checkpoints else "" for p in plans]),
        row("  all synapses stored", [size_text(p.checkpoints[1]) if p.checkpoints else "" for p in plans]),
        row(f"  seconds at {DISK / 1e9:g} GB/s", [f"{p.checkpoints[0] / DISK:.3g}" if p.checkpoints else "" for p in plans]),
        "",
    ]
    phases = [
        phase for phase in dict.fromkeys(name for p in plans for name in p.seconds) if any(p.seconds.get(phase, 0.0) > 0.0 for p in plans)
    ]
    lines += [row(f"build: {name} (s)", [f"{wish.slower * p.seconds.get(name, 0.0):.3g}" for p in plans]) for name in phases]
    lines.append(row("build (s)", [f"{wish.slower * sum(p.seconds.values()):.3g}" for p in plans]))
    full = filling(found, wish)
    return [*lines, "", *full] if full else lines


def filling(found: Sequence[Outcome], wish: Wish) -> list[str]:
    """Lines about the nodes that a machine must have, if its memory was told."""
    if wish.per_rank is None or wish.memory is None:
        return []
    share = size_text(wish.memory) + (" per node" if wish.ranks_per_node == 1 else f" per node of {wish.ranks_per_node} ranks")
    nodes = [-(-(o.least_ranks or 0) // wish.ranks_per_node) for o in found]
    return [
        row(f"fits in {share}", ["yes" if o.plan.fits else "NO" for o in found]),
        row("largest that fits: times as large", [f"{o.factor:.4g}" for o in found]),
        row("  nodes of the network", [count_text((o.factor or 0.0) * o.plan.n_nodes) for o in found]),
        row("  synapses", [count_text((o.factor or 0.0) * o.plan.synapses * o.plan.ranks) for o in found]),
        row("least number of such nodes", [f"{n}" if n else "none" for n in nodes]),
    ]


def notes(found: Sequence[Outcome]) -> list[str]:
    """Lines below the table: where the rates and sizes come from."""
    rates = build_rates()
    origin = (
        f"rates measured on {rates['machine']['cpu']}"
        if rates["commit"]
        else "by GUESSED rates, none were measured yet: do not rely on them"
    )
    lines = [
        "",
        "A model: expectations for a rank with an equal share. Larger networks have all populations times as large, with as many inputs per neuron.",
        f"Times: {origin}; without waiting for other ranks.",
    ]
    if any(o.networks > 1 for o in found):
        lines.append(f"The script had made {max(o.networks for o in found)} networks: this is the first one that is built or run.")
    return lines + sorted({f"limit: {text} ({o.plan.ranks} ranks)" for o in found for text in o.plan.limits})


def row(title: str, cells: Sequence[str]) -> str:
    """One line of the table."""
    return f"{title:36}" + "".join(f"{cell:>12}" for cell in cells)


def to_json(found: Sequence[Outcome], wish: Wish, command: Sequence[str]) -> dict[str, Any]:
    """What the table shows, and how it came about."""
    return {
        "command": list(command),
        "rates": build_rates(),
        "slower": wish.slower,
        "memory": wish.memory,
        "plans": [o.to_json() for o in found],
    }
