# SPDX-License-Identifier: Apache-2.0
"""`neuropil top`: a live view of a running job in the terminal."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuropil.base.watching import FILE, SCHEMA
from neuropil.errors import bad_file, bad_parameter
from neuropil.plan.plan import count_text, size_text

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

OVER = ("done", "failed", "interrupted", "gone")
SILENT = 5.0  # s without news that are worth a word
_BAR = 30  # characters
_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_magenta", "bright_green")


def main(
    run: Annotated[Path, typer.Argument(help="Output folder of a job that runs with --status, or status.json itself.")],
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 1.0,
    rows: Annotated[int, typer.Option(min=1, help="Ranks to list; of more, those that compute longest.")] = 12,
    once: Annotated[bool, typer.Option("--once", help="Print the present state and end.")] = False,
) -> None:
    """Watch a running job in the terminal.

    Shows speed, spikes, phases, memory and time left. The job or script must run with --status. Ends with the job, or by Ctrl-C.
    """
    from rich.console import Console

    console, file = Console(), run / FILE if run.is_dir() or not run.suffix else run
    if once:
        console.print(view(read(file), rows))
        return
    from rich.live import Live

    with Live(console=console, auto_refresh=False) as live:
        status: dict[str, Any] = {}
        while status.get("state") not in OVER:
            status = read(file)
            live.update(view(status, rows), refresh=True)
            if status["state"] not in OVER:
                time.sleep(every)


def read(file: Path) -> dict[str, Any]:
    """The status; its state is "gone" where the process of this machine no longer runs. Raises BadParameter, BadFile."""
    if not file.exists():
        given = file.parent if file.name == FILE else file
        raise bad_parameter("run", str(given), f"a folder that holds {FILE}, or that file itself: start the job with --status")
    try:
        status = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:  # also what is no text
        raise bad_file(file, "", f"is no {FILE}: it is not JSON; give the output folder of a job that runs with --status") from None
    if not isinstance(status, dict) or status.get("schema") != SCHEMA:
        raise bad_file(file, "", f"is no {FILE} of version {SCHEMA}")
    if status["state"] not in OVER and status["host"] == socket.gethostname() and not _runs(status["pid"]):
        status["state"] = "gone"
    return status


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def view(status: Mapping[str, Any], rows: int, now: float | None = None) -> Group:
    """What is shown of a status."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = [Text(head(status, now or time.time()), style="bold"), Text(progress(status))]
    if "real_time_factor" in status:
        parts.append(Text(numbers(status)))
        if status["by_rank"]:
            parts += [_phases(status), _ranks(status, rows)]
    return Group(*parts)


def head(status: Mapping[str, Any], now: float) -> str:
    """Name, state, process, and how old the news is."""
    words = {"gone": "its process has ended without a word", "starting": "starting"}
    silent = now - status.get("updated", now)
    old = f", no news for {duration(silent)}" if silent > SILENT and status["state"] not in OVER else ""
    state = words.get(status["state"], status["state"])
    end = status.get("updated", now) if status["state"] in OVER else now
    return f"{status['name']}  {state}{old}  (process {status['pid']} on {status['host']}, {duration(end - status['began'])})"


def progress(status: Mapping[str, Any]) -> str:
    """A bar, biological time and time left."""
    part = min(max(float(status.get("part", 0.0)), 0.0), 1.0)
    bar = "█" * round(part * _BAR) + "░" * (_BAR - round(part * _BAR))
    text = f"{bar} {100 * part:3.0f} %"
    if "time_ms" in status:
        text += f"  {status['time_ms']:.1f} of {status['until_ms']:g} ms"
    if status["state"] == "simulating" and "left_s" in status:
        text += f"  {duration(status['left_s'])} left"
    return text


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 60.0:
        return f"{max(seconds, 0.0):.0f} s"
    minutes, hours = divmod(round(seconds / 60.0), 60)[1], int(seconds // 3600)
    return f"{seconds / 60.0:.1f} min" if seconds < 3600.0 else f"{hours} h {minutes} min"


def numbers(status: Mapping[str, Any]) -> str:
    """Speed and size, in lines that fit 80 columns."""
    rss, ranks, threads = sum(status["by_rank"].get("rss", [])), status["ranks"], status["threads"]
    speed = [f"real-time factor {status['real_time_factor']:.3g}", f"{status['rate']:.2f} spikes/s of a neuron"]
    flow = [
        f"{count_text(round(status[name]))} {what}" for name, what in (("spikes_per_s", "spikes"), ("events_per_s", "events in a second"))
    ]
    size = [f"{count_text(status['neurons'])} neurons", f"{count_text(status['synapses'])} synapses", f"{ranks} ranks x {threads} threads"]
    return "\n".join(", ".join(parts) for parts in (speed, flow, size + ([size_text(rss)] if rss else [])))


def _of_phases(status: Mapping[str, Any]) -> dict[str, Sequence[float]]:
    return {name: values for name, values in status["by_rank"].items() if name not in ("events", "rss", "memory")}


def _phases(status: Mapping[str, Any]) -> Table:
    """Mean share of each phase in the time of the threads."""
    from rich.table import Table

    phases = {name: sum(values) for name, values in _of_phases(status).items()}
    whole = sum(phases.values()) or 1.0
    table = Table.grid(padding=(0, 1))
    for (name, seconds), colour in zip(sorted(phases.items(), key=lambda each: -each[1]), (*_COLOURS, *_COLOURS), strict=False):
        share = seconds / whole
        if share >= 0.005:
            table.add_row(f"  {name:10}", f"{100 * share:3.0f} %", f"[{colour}]{'━' * max(1, round(share * _BAR))}[/]")
    return table


def _ranks(status: Mapping[str, Any], rows: int) -> Table:
    """A row per rank; of many those that compute longest."""
    from rich.table import Table

    phases, by_rank = _of_phases(status), status["by_rank"]
    idle = [sum(each) for each in zip(*(phases.get(name, [0.0] * status["ranks"]) for name in ("exchange", "wait")), strict=True)]
    busy = [sum(values[k] for values in phases.values()) - idle[k] for k in range(status["ranks"])]
    shown = sorted(sorted(range(status["ranks"]), key=lambda k: -busy[k])[:rows])
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("rank", "computes", "waits", "events in a second", "network", "process"):
        table.add_column(name, justify="right")
    for k in shown:
        whole = busy[k] + idle[k] or 1.0
        events = count_text(round(by_rank["events"][k] / status["piece_s"]))
        sizes = size_text(by_rank["memory"][k]), size_text(by_rank["rss"][k])
        table.add_row(str(k), f"{100 * busy[k] / whole:.0f} %", f"{100 * idle[k] / whole:.0f} %", events, *sizes)
    if len(shown) < status["ranks"]:
        table.caption = f"the {len(shown)} of {status['ranks']} ranks that compute longest"
    return table
