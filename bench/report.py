# SPDX-License-Identifier: Apache-2.0
"""Results of the benchmarks: rows with both raw values, their table, their JSON. python -m bench.report FILE prints a Markdown table."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

LOWER, HIGHER = "at most", "at least"


@dataclass
class Row:
    """One number. `neuropil` and `peer` hold every repetition; `compare` says what the goal is about.

    compare: "value" (the neuropil median), "slower" (peer median / neuropil median), "faster" (neuropil median / peer median).
    """

    quantity: str
    unit: str
    neuropil: list[float]
    peer: list[float] = field(default_factory=list)
    compare: str = "value"
    goal: float | None = None
    sense: str = HIGHER
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Of medians; above 1: neuropil is better."""
        if not self.neuropil or not self.peer:
            return None
        ours, theirs = statistics.median(self.neuropil), statistics.median(self.peer)
        if self.compare == "faster":
            return ours / theirs if theirs else None
        return theirs / ours if ours else None

    @property
    def measured(self) -> float | None:
        """What the goal is compared with."""
        if self.compare != "value":
            return self.ratio
        return statistics.median(self.neuropil) if self.neuropil else None

    @property
    def met(self) -> bool | None:
        if self.goal is None or self.measured is None:
            return None
        return self.measured <= self.goal if self.sense == LOWER else self.measured >= self.goal

    def as_json(self) -> dict:
        return asdict(self) | {"ratio": self.ratio, "met": self.met}


@dataclass
class Table:
    """Numbers beside the rows; the first `words` columns are text."""

    title: str
    headers: list[str]
    rows: list[list[str | float]]
    words: int = 1
    notes: list[str] = field(default_factory=list)

    def texts(self) -> list[list[str]]:
        return [[value if isinstance(value, str) else number(value) for value in row] for row in self.rows]


@dataclass
class Section:
    """One benchmark: its rows, the commands that made them and what every run returned. `peer`: who the column beside neuropil is."""

    name: str
    title: str
    rows: list[Row] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    runs: dict[str, list[dict]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    peer: str = "NEST 3.10"

    def as_json(self) -> dict:
        return asdict(self) | {"rows": [row.as_json() for row in self.rows]}


def number(value: float) -> str:
    if value == 0 or 0.1 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:.3g}" if abs(value) < 0.1 else f"{value:,.0f}".replace(",", " ")


def spread(values: list[float]) -> str:
    """Median, and the range when there are several."""
    if not values:
        return "-"
    middle = number(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({number(min(values))}-{number(max(values))})"


def cells(row: Row) -> list[str]:
    goal = "" if row.goal is None else f"{row.sense} {number(row.goal)}{'' if row.compare == 'value' else ' x'}"
    verdict = {None: "", True: "yes", False: "NO"}[row.met]
    ratio = "" if row.ratio is None else f"{number(row.ratio)} x"
    return [row.quantity, row.unit, spread(row.neuropil), spread(row.peer), ratio, goal, verdict]


def headers(peer: str) -> list[str]:
    return ["quantity", "unit", "neuropil", peer, "ratio", "goal", "met"]


def print_section(section: Section) -> None:
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else 180)
    for table in section.tables:
        print_table(console, table.title, table.headers, table.texts(), table.words)
        for note in table.notes:
            console.print(f"  {note}", style="dim", highlight=False, markup=False)
        console.print()
    print_table(console, section.title, headers(section.peer), [cells(row) for row in section.rows], 2)
    for row in section.rows:
        if row.note:
            console.print(f"  {row.quantity}: {row.note}", style="dim", highlight=False, markup=False)
    for note in section.notes:
        console.print(f"  {note}", style="dim", highlight=False, markup=False)
    for error in section.errors:
        console.print(f"  failed: {error}", style="red", highlight=False, markup=False)
    console.print()


def print_table(console, title: str, names: list[str], rows: list[list[str]], words: int) -> None:
    from rich.table import Table as Rich

    table = Rich(title=title, title_justify="left", title_style="bold", box=None, header_style="bold", pad_edge=False)
    for k, name in enumerate(names):
        table.add_column(name, justify="left" if k < words else "right", no_wrap=k >= words)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def markdown_table(names: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(names) + " |", "|" + "---|" * len(names), *("| " + " | ".join(row) + " |" for row in rows)]


def markdown(report: dict) -> str:
    """The tables of a report as Markdown."""
    machine = report["machine"]
    lines = [
        f"Machine: {machine['cpu']}, {machine['cores']} cores, {machine['memory_bytes'] / 2**30:.0f} GiB; load before the runs {machine['load']:.2f}."
    ]
    for section in report["sections"]:
        rows = [Row(**{key: values[key] for key in Row.__dataclass_fields__}) for values in section["rows"]]
        lines += [
            "",
            f"**{section['title']}**",
            "",
            *markdown_table(headers(section.get("peer", "NEST 3.10")), [cells(row) for row in rows]),
        ]
        for table in (Table(**values) for values in section.get("tables", [])):
            lines += ["", f"{table.title}:", "", *markdown_table(table.headers, table.texts()), *(f"\n{note}" for note in table.notes)]
        lines += [f"\n{note}" for note in section["notes"]] + [f"\nfailed: {error.splitlines()[-1]}" for error in section["errors"]]
    return "\n".join(lines)


def write(path: Path, sections: list[Section], machine: dict, versions: dict, command: list[str]) -> None:
    report = {"schema": 1, "command": command, "machine": machine, "versions": versions, "sections": [s.as_json() for s in sections]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Print a report of ./run bench as Markdown.")
    parser.add_argument("file", type=Path, nargs="?", default=Path("out/bench/bench.json"))
    print(markdown(json.loads(parser.parse_args().file.read_text())))
