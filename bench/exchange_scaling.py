# SPDX-License-Identifier: Apache-2.0
"""Second part of ./run bench exchange: hpc_benchmark on ranks x threads (Jordan et al. 2018), communication alone, and a MODEL of many ranks.

run_parts gives one section; plots and exchange.md (all tables) lie in OUTPUT/exchange. About 6 minutes, --quick 1.
python -m bench.exchange_scaling [OUTPUT/exchange/exchange.md] puts the tables of IN_DOCS into docs/concepts/exchange.md.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

from bench import cost_model, exchange_counts, exchange_jobs, exchange_only, exchange_scaling_plots, programs
from bench.report import LOWER, Row, Section, Table, markdown_table, number
from bench.sides import Settings
from neuropil.errors import MpiError

COMBINATIONS = ((1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (8, 1))  # ranks, threads
STRATEGY = "alltoall"  # as in Jordan et al.
FIXED_BUFFERS, NOT_FULL = ("alltoall", "persistent"), {"nbx, two phases"}  # where the model of bytes, of messages is not exact
MODEL = "MODEL (not measured)"

IN_DOCS = (
    "strong scaling",
    "Routing of one rank",
    "Communication alone, 2 ranks",
    "Communication alone, 8 ranks",
    MODEL + ":",
)  # parts of titles
BEGIN, END = "<!-- numbers: begin -->", "<!-- numbers: end -->"


def run_parts(settings: Settings) -> Section:
    """Everything; a part that fails is noted as an error and the others go on."""
    section = Section("exchange", "Exchange: ranks x threads, communication alone, model of many ranks")
    folder = settings.output / "exchange"
    folder.mkdir(parents=True, exist_ok=True)
    for part in (scaling, routing, alone, counts, model):
        try:
            section.tables += part(settings, section)
        except (programs.RunError, MpiError, OSError, ValueError) as error:
            section.errors.append(f"{part.__name__}: {error}")
    write_tables(section.tables, folder)
    section.notes.append(f"tables: {folder / 'exchange.md'}; plots: {', '.join(sorted(path.name for path in folder.glob('*.png')))}")
    return section


def write_tables(tables: list[Table], folder: Path) -> None:
    """As they stand in docs/concepts/exchange.md."""
    machine, commit = programs.machine(), programs.versions()["commit"]
    lines = [
        f"Printed by `./run bench exchange` on {machine['cpu']}, {machine['cores']} cores, load {machine['load']:.1f} at the end, commit {commit}."
    ]
    for table in tables:
        lines += ["", f"**{table.title}**", "", *markdown_table(table.headers, table.texts()), *(f"\n{note}" for note in table.notes)]
    (folder / "exchange.md").write_text("\n".join(lines) + "\n")


def update_docs(printed: Path, page: Path = programs.ROOT / "docs" / "concepts" / "exchange.md") -> None:
    """Replaces what stands between the marks of the page."""
    first, *tables = printed.read_text().strip().split("\n\n**")
    chosen = ["**" + table for table in tables if any(word in table.split("**")[0] for word in IN_DOCS)]
    before, rest = page.read_text().split(BEGIN)
    page.write_text(before + BEGIN + "\n\n" + "\n\n".join([first, *chosen]) + "\n\n" + END + rest.split(END)[1])


# --- ranks x threads


def sizes(quick: bool) -> dict:
    """Strong scaling: n neurons in all; weak: per thread. k: in-degree of both."""
    return (
        {"strong": 2000, "weak": 250, "k": 200, "duration": 60.0}
        if quick
        else {"strong": 10_000, "weak": 1250, "k": 1000, "duration": 150.0}
    )


def cases(ranks: int, threads: int, size: dict) -> list[dict]:
    common = {"threads": threads, "k": size["k"], "duration": size["duration"], "warmup": 45.0, "strategy": STRATEGY}
    n = {"weak": size["weak"] * ranks * threads, "strong": size["strong"]}
    regimes = ("dense", "sparse") if ranks > 1 else ("dense",)
    return [common | {"scaling": kind, "n": n[kind], "regime": regime} for kind in n for regime in regimes]


def scaling(settings: Settings, section: Section) -> list[Table]:
    size, found = sizes(settings.quick), []
    for ranks, threads in COMBINATIONS:
        settings.say(f"hpc_benchmark, {ranks} x {threads}")
        load = os.getloadavg()[0]
        given = [case for case in cases(ranks, threads, size) for _ in range(settings.repeats)]
        folder = settings.output / "exchange" / "scaling"
        found += [result | {"load_before": load} for result in exchange_jobs.run_cases(ranks, given, folder, f"{ranks}x{threads}", 180.0)]
    section.runs["scaling"] = found
    check_hashes(section, found)
    entries = medians(found)
    section.rows += scaling_rows(entries)
    exchange_scaling_plots.phases(entries, settings.output / "exchange" / "phases.png")
    return [table(entries, kind, size) for kind in ("strong", "weak") for table in (phase_table, traffic_table)]


def medians(found: list[dict]) -> list[dict]:
    """Of the repetitions of a case the one with the median run time."""
    groups: dict[tuple, list[dict]] = {}
    for entry in found:
        groups.setdefault((entry["scaling"], entry["ranks"], entry["threads"], entry["regime"]), []).append(entry)
    return [sorted(group, key=lambda e: e["seconds"][2])[len(group) // 2] for group in groups.values()]


def check_hashes(section: Section, found: list[dict]) -> None:
    """Law 1: the same spikes for the same network, whatever ranks, threads, regime."""
    by_network: dict[int, set[str]] = {}
    for entry in found:
        by_network.setdefault(entry["n"], set()).add(entry["spike_hash"])
    different = [n for n, hashes in by_network.items() if len(hashes) > 1]
    section.notes.append(f"spikes identical on all ranks x threads and in both regimes: {'NO' if different else 'yes'} ({len(found)} runs)")
    section.errors += [f"different spikes of the network of {n} neurons (law 1)" for n in different]


def oversubscribed(entry: dict) -> bool:
    return entry["ranks"] * entry["threads"] > programs.cores()


def name_of(entry: dict) -> str:
    return f"{entry['ranks']} x {entry['threads']}" + (" (o)" if oversubscribed(entry) else "")


def per_interval(entry: dict, count: str) -> float:
    """Mean over ranks."""
    return entry["counts"][count] / entry["intervals"] / entry["ranks"]


def title_of(kind: str, size: dict) -> str:
    neurons = f"N = {size['strong']}" if kind == "strong" else f"N = {size['weak']} per thread"
    return f"hpc_benchmark, {kind} scaling, {neurons}, K = {size['k']}, {size['duration']:g} ms, {STRATEGY}"


def phase_table(entries: list[dict], kind: str, size: dict) -> Table:
    names = ("update", "collocate", "exchange", "deliver", "wait")
    rows: list[list[str | float]] = []
    for e in (e for e in entries if e["scaling"] == kind):
        phases = [" ".join(number(1e3 * value) for value in e["phases"][name]) for name in names]
        rows.append([name_of(e), e["regime"] if e["ranks"] > 1 else "-", 1e3 * e["seconds"][2], *phases])
    notes = [
        f"min mean max over ranks; wait: for the slowest, a barrier before every exchange; (o): more ranks x threads than the {programs.cores()} cores"
    ]
    return Table(f"{title_of(kind, size)}: phases (ms)", ["ranks x threads", "regime", "run", *names], rows, 2, notes)


def traffic_table(entries: list[dict], kind: str, size: dict) -> Table:
    rows: list[list[str | float]] = []
    for e in (e for e in entries if e["scaling"] == kind and e["ranks"] > 1):
        sent = [per_interval(e, count) for count in ("words_sent", "bytes_sent", "messages")]
        rows.append(
            [
                name_of(e),
                e["regime"],
                *sent,
                e["routes"] / e["ranks"],
                e["routing_bytes"][1],
                1e3 * e["build_route_s"][2],
                1e3 * e["build_s"][2],
            ]
        )
    headers = ["ranks x threads", "regime", "words", "bytes", "messages", "routes", "routing B", "routes built ms", "all built ms"]
    return Table(
        f"{title_of(kind, size)}: traffic and memory",
        headers,
        rows,
        2,
        ["per rank (mean), traffic per interval; routing B: with the buffers of the strategy; times: the slowest rank"],
    )


def scaling_rows(entries: list[dict]) -> list[Row]:
    """What figure 12 and section 3.5 of Jordan et al. are about, as numbers."""
    rows = []
    for e in entries:
        if e["scaling"] != "strong" or e["regime"] != "dense":
            continue
        mark = "oversubscribed" if oversubscribed(e) else ""
        rows.append(Row(f"run, strong, {e['ranks']} x {e['threads']}", "s", [e["seconds"][2]], note=mark))
        if e["ranks"] > 1:
            total = sum(e["phases"][p][1] for p in e["phases"])
            rows.append(
                Row(
                    f"share of collocate + exchange, {e['ranks']} x {e['threads']}",
                    "%",
                    [100 * (e["phases"]["collocate"][1] + e["phases"]["exchange"][1]) / total],
                    note=mark,
                )
            )
    return rows


# --- routing memory on up to 64 ranks, as threads


def routing(settings: Settings, section: Section) -> list[Table]:
    neurons, indegree = 50, 200
    most = 32 if settings.quick else 64
    settings.say(f"routing, up to {most} ranks as threads")
    given = [
        (ranks, threads, regime)
        for threads in (1, 4)
        for ranks in (2, 4, 8, 16, 32, 64)
        for regime in ("dense", "sparse")
        if ranks * threads <= most
    ]
    found = [exchange_counts.routing(ranks, neurons, indegree, regime, threads) for ranks, threads, regime in given]
    section.runs["routing"] = found
    for key, goal in (("routes", 5.0), ("bytes", None)):
        worst = max(abs(e[key] / e[f"{key}_model"] - 1) for e in found)
        section.rows.append(
            Row(f"model of {key} of routing, largest error", "%", [100 * worst], goal=goal, sense=LOWER, note=f"2 to {most} ranks")
        )
    exchange_scaling_plots.routing(found, neurons, indegree, settings.output / "exchange" / "routing.png")
    rows = [[f"{e['ranks']} x {e['threads']}", e["regime"], e["routes"], e["routes_model"], e["bytes"], e["bytes_model"]] for e in found]
    title = f"Routing of one rank, {neurons} neurons per rank, K = {indegree}, measured beside the {MODEL}"
    return [Table(title, ["ranks x threads", "regime", "routes", "model", "bytes", "model"], rows, 2)]


# --- communication alone


def alone(settings: Settings, section: Section) -> list[Table]:
    found = exchange_only.measure(settings)
    section.runs["communication_alone"] = found
    exchange_scaling_plots.alone(found, settings.output / "exchange" / "alone.png")
    line = exchange_only.fitted(found)
    if line:
        section.rows.append(Row("exchange of 1 kB, 2 ranks", "us", [1e6 * line[0]], note="persistent, 1 kB"))
        section.rows.append(
            Row("bandwidth between 2 ranks here", "GB/s", [1e-9 * line[1]], note="persistent, from the smallest to the largest size")
        )
    tables = []
    for ranks in sorted({e["ranks"] for e in found}):
        over = [f"oversubscribed on {programs.cores()} cores: times are those of taking turns"] if ranks > programs.cores() else []
        headers, rows = exchange_only.table(found, ranks)
        notes = ["us per exchange (median over exchanges, slowest rank); *: of 1 kB to half, all ranks together, exact", *over]
        tables.append(Table(f"Communication alone, {ranks} ranks", headers, rows, 1, notes))
    return tables


# --- model


def counts(settings: Settings, section: Section) -> list[Table]:
    """Measured beside modelled messages and bytes."""
    found = [(ranks, name, exchange_counts.compare(ranks, 60, 40, name)) for ranks in (2, 4, 8) for name in cost_model.COSTS]
    section.runs["counts"] = [{"ranks": ranks, "strategy": name, **values} for ranks, name, values in found]
    for key, apart in (("messages", NOT_FULL), ("bytes", {*NOT_FULL, *FIXED_BUFFERS})):
        errors = [abs(v[key][0] / v[key][1] - 1) for _, name, v in found if name not in apart and v[key][1]]
        section.rows.append(
            Row(
                f"model of {key}, largest error",
                "%",
                [100 * max(errors)],
                goal=5.0,
                sense=LOWER,
                note=f"2, 4, 8 ranks, without {', '.join(sorted(apart))}",
            )
        )
    rows = [[str(ranks), name, *(v for key in ("messages", "bytes", "words") for v in values[key])] for ranks, name, values in found]
    notes = ["not exact: bytes of fixed buffers, which remember bursts; two phases where the grid of ranks is not full (8)"]
    title = f"Counts of all ranks per interval, measured beside the {MODEL}; 60 neurons per rank, K = 40"
    return [Table(title, ["ranks", "strategy", "messages", "model", "bytes", "model", "words", "model"], rows, 2, notes)]


def model(settings: Settings, section: Section) -> list[Table]:
    exchange_scaling_plots.model(settings.output / "exchange" / "model.png")
    net = cost_model.CLUSTER
    given = [
        f"{net.name}: latency {1e6 * net.latency:g} us, {1e6 * net.message:g} us per message, {1e-9 * net.bandwidth:g} GB/s per node, copies at {1e-9 * net.copy:g} GB/s"
    ]
    tables = [
        winner_table(net, given),
        crossing_table(),
        regime_table("brain scale"),
        *(model_table(name, 65_536) for name in ("brain scale", "few synapses, low rate")),
    ]
    line = exchange_only.fitted(section.runs.get("communication_alone", []))
    if line:
        here = replace(net, name="latency and bandwidth as measured here", latency=line[0], bandwidth=line[1], measured=True)
        tables.append(
            winner_table(
                here,
                [
                    f"{1e6 * here.latency:.1f} us, {1e-9 * here.bandwidth:.1f} GB/s: shared memory of 2 ranks, as if a network were like that"
                ],
            )
        )
    return tables


def winner_table(net: cost_model.Interconnect, notes: list[str]) -> Table:
    """The best strategy and its time; rows are ranks, columns networks."""
    rows: list[list[str | float]] = []
    for ranks in cost_model.RANKS:
        best = [cost_model.winner(cost_model.at(regime, ranks), net) for regime in cost_model.REGIMES.values()]
        rows.append([str(ranks), *(f"{strategy}, {time_text(seconds)}" for strategy, seconds in best)])
    return Table(f"{MODEL}: least time per exchange; {net.name}", ["ranks", *cost_model.REGIMES], rows, 1, notes)


def crossing_table() -> Table:
    """How much the answer hangs on the assumed constants."""
    rows: list[list[str | float]] = []
    for factor in (0.2, 1.0, 5.0):
        net = replace(cost_model.CLUSTER, message=factor * cost_model.CLUSTER.message)
        rows.append(
            [
                f"{1e6 * net.message:.2g} us per message",
                *(cost_model.two_phases_from(regime, net) for regime in cost_model.REGIMES.values()),
            ]
        )
    return Table(
        f"{MODEL}: two phases are the fastest on how many ranks (powers of 2 up to 131072)", ["assumed", *cost_model.REGIMES], rows
    )


def regime_table(name: str) -> Table:
    """Dense against sparse on many ranks: what a spike becomes, and the memory of routing."""
    rows: list[list[str | float]] = []
    for ranks in cost_model.RANKS:
        nets = [replace(cost_model.at(cost_model.REGIMES[name], ranks), regime=regime) for regime in ("dense", "sparse")]
        rows.append([str(ranks), *map(cost_model.routes_per_source, nets), *(cost_model.routing_bytes(net) / 2**20 for net in nets)])
    net = cost_model.REGIMES[name]
    note = f"{net.neurons:g} neurons and {net.threads} threads per rank, K = {net.indegree:g}; a spike per synapse, as 5g-nosort, would be {net.indegree:g} words"
    return Table(
        f"{MODEL}: dense and sparse, {name}", ["ranks", "words per spike, dense", "sparse", "routing MB, dense", "sparse"], rows, 1, [note]
    )


def time_text(seconds: float) -> str:
    return f"{number(1e6 * seconds)} us" if seconds < 1e-3 else f"{number(1e3 * seconds)} ms"


def model_table(name: str, ranks: int) -> Table:
    """Counts, memory and time of every strategy."""
    net = cost_model.at(cost_model.REGIMES[name], ranks)
    x, times = cost_model.load(net), cost_model.times(net)
    rows: list[list[str | float]] = []
    for strategy, cost in cost_model.COSTS.items():
        c = cost(x)
        rows.append([strategy, c.messages, c.wire, c.bytes, c.rounds, c.memory / 2**20, 1e6 * times[strategy]])
    title = f"{MODEL}: {name}, {ranks} ranks; {number(x.words)} words for {number(x.active)} of {number(x.partners)} partners per rank and interval"
    return Table(title, ["strategy", "messages", "on the wire", "bytes sent", "rounds", "buffers MB", "us"], rows)


if __name__ == "__main__":
    update_docs(Path(sys.argv[1] if len(sys.argv) > 1 else "out/bench/exchange/exchange.md"))
