# SPDX-License-Identifier: Apache-2.0
"""Hines, Kumar and Schuermann (2011) at the size of this machine: artificial spiking cells, every way to exchange spikes, bursts, NEURON."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import neuropil
from bench import exchange_neuron, exchange_plots, programs
from bench.ranks import start
from bench.report import Row, Section, Table
from bench.sides import Settings

FEW = ("allgather", "alltoall", "persistent", "multisend_aggregated", "nbx", "shared")  # for networks that take long
BURST_STRATEGIES = ("allgather", "multisend_aggregated", "persistent")  # as in table 3: Allgather, two kinds of multisend
DISTRIBUTIONS = ("round_robin", "shuffled", "consecutive")
OVERSUBSCRIBED = "oversubscribed: times are not comparable, counts are exact"


@dataclass
class Sizes:
    """Cells and connections per cell of each part, full or --quick."""

    all_ways: tuple[int, int] = (16384, 1000)
    large: list[tuple[int, int]] = field(default_factory=lambda: [(65536, 1000), (6554, 10000)])
    curves: tuple[tuple[int, int], tuple[int, int]] = ((16384, 1000), (3277, 10000))
    bursts: tuple[int, int] = (4096, 256)
    neuron: tuple[int, int] = (2048, 500)
    burst_ms: float = 50.0
    limit: float = 150.0  # seconds for one start of mpiexec
    ranks: tuple[int, ...] = (1, 2, 4, 8)
    burst_ranks: int = 8


QUICK = Sizes((1024, 100), [(4096, 100), (1024, 500)], ((1024, 100), (512, 500)), (1024, 64), (512, 100), 20.0, 60.0, (1, 2, 4), 4)


def options() -> list[dict]:
    """Every strategy; those of two halves or two phases; the other way to count."""
    names = list(neuropil.parallel.strategies())
    ways = [{"strategy": name} for name in names]
    ways += [{"strategy": name, "halves": True} for name in ("allgather", "persistent", "multisend", "multisend_aggregated", "nbx")]
    ways += [{"strategy": name, "phases": 2} for name in ("neighbor", "persistent", "multisend", "multisend_aggregated", "nbx")]
    ways += [{"strategy": name, "phases": 2, "halves": True} for name in ("multisend", "multisend_aggregated")]
    return ways + [{"strategy": name, "conservation": "reduce_scatter"} for name in ("multisend", "multisend_aggregated")]


def label(exchange: dict) -> str:
    """Name of a strategy with its options."""
    words = [exchange.get("strategy", "auto")]
    words += ["halves"] * bool(exchange.get("halves")) + ["2 phases"] * (exchange.get("phases", 1) == 2)
    words += ["reduce_scatter"] * (exchange.get("conservation") == "reduce_scatter")
    words += [f"{exchange['buffer_bytes']} B"] if exchange.get("buffer_bytes") else []
    return ", ".join(words)


def run_parts(settings: Settings) -> Section:
    """All of it; 13 minutes on 2 cores that others use as well (load 12), --quick: 2."""
    sizes = QUICK if settings.quick else Sizes()
    section = Section("exchange", "Spike exchange", peer=f"NEURON {exchange_neuron.neuron_setup.VERSION}")
    part = Part(section, settings, sizes)
    ways = all_ways(part)
    large = large_networks(part)
    curves = per_interval(part)
    bursts = burst_groups(part)
    exchange_neuron.add(section, settings, sizes.neuron, sizes.limit)
    same_spikes(part)
    for draw, results in ((exchange_plots.bars, ways + large), (exchange_plots.curves, curves), (exchange_plots.bursts, bursts)):
        if results:
            section.notes.append(f"figure: {draw(results, settings.output / section.name)}")
    return section


@dataclass
class Part:
    """Where results go and how large networks are."""

    section: Section
    settings: Settings
    sizes: Sizes
    done: list[dict] = field(default_factory=list)

    def run(self, name: str, ranks: int, cases: list[dict]) -> list[dict]:
        """Results of the cases on so many ranks; they are kept, without their curves, in the report."""
        self.settings.say(f"exchange: {name}, {len(cases)} runs on {ranks} ranks")
        folder = self.settings.output / self.section.name / f"{name}-{ranks}"
        load = os.getloadavg()[0]
        found, error = start.run_cases("hines", ranks, cases, folder, self.sizes.limit)
        if error:
            self.section.errors.append(error)
        self.section.commands.append(programs.shown(start.limited(ranks, start.program("hines", folder), self.sizes.limit)[0]))
        found = [{"part": name, "name": label(result["exchange"]), "load_before": load} | result for result in found]
        self.done += found
        self.section.runs.setdefault(name, []).extend({key: value for key, value in result.items() if key != "curves"} for result in found)
        return found


def all_ways(part: Part) -> list[dict]:
    """One network, every strategy and option, every number of ranks: tables 1 and 2."""
    cells, connections = part.sizes.all_ways
    found = []
    for ranks in part.sizes.ranks:
        ways = options() if ranks > 1 else [{"strategy": "allgather"}]
        results = part.run("strategies", ranks, [{"cells": cells, "connections": connections, "exchange": way} for way in ways])
        found += results
        if ranks > 1 and results:
            part.section.tables.append(way_table(f"{cells} cells, {connections} connections per cell, 200 ms, {ranks} ranks", results))
    if found:
        part.section.tables.insert(0, overview(cells, connections, found))
    return found


def crowd(results: list[dict]) -> list[str]:
    """A note where ranks share cores."""
    many = [str(ranks) for ranks in sorted({result["ranks"] for result in results}) if ranks > programs.cores()]
    return [f"{', '.join(many)} ranks on {programs.cores()} cores, {OVERSUBSCRIBED}"] if many else []


def overview(cells: int, connections: int, results: list[dict]) -> Table:
    """As table 1: run time / computation of rank 0 by strategy and ranks."""
    ranks = sorted({result["ranks"] for result in results if result["ranks"] > 1})
    by = {(result["name"], result["ranks"]): result for result in results}
    rows = [
        [name, *(seconds(by.get((name, r)), key) for r in ranks for key in ("run_s", "compute_s"))]
        for name in dict.fromkeys(result["name"] for result in results if result["ranks"] > 1)
    ]
    headers = ["exchange", *(text for r in ranks for text in (f"{r} ranks, run", "computation"))]
    alone = [result for result in results if result["ranks"] == 1]
    notes = [f"one rank: run {alone[0]['run_s']:.3g} s, computation {alone[0]['compute_s']:.3g} s"] if alone else []
    return Table(
        f"{cells} cells, {connections} connections per cell, 200 ms: run time and computation of rank 0 [s]",
        headers,
        rows,
        1,
        notes + crowd(results),
    )


def seconds(result: dict | None, key: str) -> str:
    return f"{result[key]:.3f}" if result else "-"


WAY_HEADERS = ["exchange", "run [s]", "computation", "wait", "exchange", "rounds", "most", "messages", "bytes", "spikes sent"]


def way_row(result: dict) -> list[str | float]:
    moving = result["collocate_s"] + result["exchange_s"] + result["deliver_s"]
    return [
        result["name"],
        seconds(result, "run_s"),
        seconds(result, "compute_s"),
        seconds(result, "wait_s"),
        f"{moving:.3f}",
        whole(result["rounds"]),
        whole(result["most_rounds"]),
        whole(result["messages"]),
        whole(result["bytes_sent"]),
        whole(result["words_sent"]),
    ]


def whole(value: float) -> str:
    return f"{int(value):,}".replace(",", " ")


def way_table(title: str, results: list[dict]) -> Table:
    notes = ["seconds of rank 0; rounds: sum over intervals and the most of one; messages, bytes, spikes sent: of all ranks"]
    notes += [f"auto chose {result['choice']}" for result in results if result["name"] == "auto" and result["choice"]]
    return Table(title, WAY_HEADERS, [way_row(result) for result in results], 1, notes + crowd(results))


def large_networks(part: Part) -> list[dict]:
    """1 k and 10 k connections per cell with as many synapses as memory and time allow, few strategies."""
    found: list[dict] = []
    for cells, connections in part.sizes.large:
        mine: list[dict] = []
        for ranks in part.sizes.ranks:
            ways = FEW if ranks > 1 else FEW[:1]
            mine += part.run(
                f"{cells}x{connections}",
                ranks,
                [{"cells": cells, "connections": connections, "exchange": {"strategy": way}} for way in ways],
            )
        if mine:
            rows = [[whole(result["ranks"]), *way_row(result)] for result in mine]
            title = f"{cells} cells x {connections}, 200 ms"
            part.section.tables.append(
                Table(f"{cells} cells, {connections} connections per cell, 200 ms", ["ranks", *WAY_HEADERS], rows, 2, crowd(mine))
            )
            part.section.rows += [fastest(mine, ranks, title) for ranks in (1, programs.cores()) if any(r["ranks"] == ranks for r in mine)]
        found += mine
    return found


def fastest(results: list[dict], ranks: int, title: str) -> Row:
    best = min((result for result in results if result["ranks"] == ranks), key=lambda result: result["run_s"])
    note = f"{best['events'] / best['run_s'] / 1e6:.0f} M synaptic events/s" + (f", {best['name']}" if ranks > 1 else "")
    return Row(f"{title}, {ranks} rank{'s' * (ranks > 1)}, run time", "s", [best["run_s"]], note=note)


def per_interval(part: Part) -> list[dict]:
    """Every interval of the runs of figures 5 (buffers of allgather), 6 and 7 (multisend, 1 k and 10 k connections), 8 (record-replay)."""
    words = part.sizes.curves[0][0] * 0.04 / 2 * 4  # bytes of an interval of one of two ranks, in the first 40 ms
    buffers = [{"strategy": "allgather", "buffer_bytes": int(words * share) // 8 * 8} for share in (0.25, 0.5, 2.0)]
    found = part.run("curves", 2, [curve_case(part.sizes.curves[0], way) for way in [*buffers, {"strategy": "shared"}]])
    for size in part.sizes.curves:
        found += part.run(
            f"curves-replay-{size[1]}", 2, [curve_case(size, {"strategy": "persistent", "halves": halves}) for halves in (False, True)]
        )
    for size in part.sizes.curves:
        sends = [{"strategy": "multisend", "phases": phases, "halves": halves} for phases in (1, 2) for halves in (False, True)]
        found += part.run(f"curves-multisend-{size[1]}", 4, [curve_case(size, way) for way in sends])
    return found


def curve_case(size: tuple[int, int], exchange: dict) -> dict:
    return {"cells": size[0], "connections": size[1], "curves": True, "exchange": exchange}


def burst_groups(part: Part) -> list[dict]:
    """Table 3 and figure 9: eight groups of neighbours fire five times faster, one after the other."""
    cells, connections = part.sizes.bursts
    length = part.sizes.burst_ms
    cases = [
        {
            "cells": cells,
            "connections": connections,
            "topology": topology,
            "distribution": distribution,
            "exchange": {"strategy": strategy},
            "burst_ms": burst,
            "duration": 8 * length,
            "curves": strategy == BURST_STRATEGIES[-1],
        }
        for burst in (0.0, length)
        for topology in ("random", "adjacent")
        for distribution in DISTRIBUTIONS
        for strategy in BURST_STRATEGIES
    ]
    ranks = part.sizes.burst_ranks
    found = part.run("bursts", ranks, cases)
    if found:
        part.section.tables.append(
            burst_table(
                found,
                f"8 groups, one after the other five times faster for {length:g} ms each: {cells} cells, {connections} connections per cell, {ranks} ranks",
            )
        )
    return found


def burst_table(results: list[dict], title: str) -> Table:
    rows = [
        [
            result["topology"],
            result["distribution"],
            "burst" if result["burst_ms"] else "uniform",
            result["name"],
            seconds(result, "run_s"),
            seconds(result, "compute_s"),
            f"{result['input_imbalance']:.2f}",
            f"{result['compute_imbalance']:.2f}",
            whole(result["most_input"]),
            whole(result["messages"]),
        ]
        for result in results
    ]
    headers = [
        "connections",
        "distribution",
        "firing",
        "exchange",
        "run [s]",
        "computation",
        "input max/mean",
        "computation max/mean",
        "most input",
        "messages",
    ]
    notes = [
        "input: spikes that come to a rank and those of its own, per interval (with allgather all spikes come to all ranks); max/mean over ranks, weighted by the mean"
    ]
    return Table(title, headers, rows, 4, notes + crowd(results))


def same_spikes(part: Part) -> None:
    """Runs of one network must have the same spikes: any strategy, ranks and distribution."""
    hashes: dict[tuple, set[str]] = {}
    for r in part.done:
        key = tuple(r[name] for name in ("cells", "connections", "topology", "resolution", "seed", "burst_ms", "duration"))
        hashes.setdefault(key, set()).add(r["hash"])
    different = [key for key, values in hashes.items() if len(values) > 1]
    part.section.errors += [f"not the same spikes in all runs of the network (cells, connections, ...) = {key}" for key in different]
    if part.done and not different:
        part.section.notes.append(
            f"{len(part.done)} runs of {len(hashes)} networks: the same spikes (SHA-256) with every exchange, number of ranks and distribution"
        )
