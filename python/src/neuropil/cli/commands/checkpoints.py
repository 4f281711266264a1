# SPDX-License-Identifier: Apache-2.0
"""`neuropil checkpoint info` and `neuropil checkpoint resume`: what a checkpoint holds, and the run that it was made in, to its end."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neuropil.cli.jobs.parallel import DistributionName, ExchangeName, Ranks, on_ranks
from neuropil.cli.json_output import Json, write

if TYPE_CHECKING:
    from neuropil.checkpoint.loading import Checkpoint


def describe(path: Path, check: bool) -> list[str]:
    """Lines about a checkpoint; nothing is loaded. `check`: all bytes are read. Raises BadCheckpoint."""
    from neuropil.checkpoint.loading import Checkpoint
    from neuropil.plan.plan import count_text, size_text

    with Checkpoint(path) as found:
        about = found.about
        lines = {
            "checkpoint": f"{path}, of neuropil {about.get('neuropil', '?')}, {about.get('saved', '?')}",
            "time": f"{about.get('time_ms', 0):g} ms, steps of {about.get('resolution_ms', 0):g} ms, seed {about.get('seed', '?')}",
            "network": f"{about.get('nodes', 0)} nodes, {count_text(about.get('connections', 0))} connections",
            "saved by": f"{found.shards} ranks of {about.get('threads', '?')} threads",
            "files": f"{len(found.files())}, {size_text(about.get('bytes', 0))} in all",
        }
        rows = [f"{name:12} {text}" for name, text in lines.items()]
        rows += [f"{'population':12} {name or '-'}: {n} {model}" for name, model, n in about.get("populations") or []]
        rows += [f"{'column':12} {size_text(size):>10}  {name}" for name, size in sizes(found).most_common(12)]
        rows += [f"{'results to':12} {stream}" for stream in about.get("streams") or []]
        rows += [f"{'every':12} {interval:g} ms: {name} (not saved)" for interval, name in about.get("every") or []]
        if run := about.get("run"):
            words = ["neuropil", *job_of(run)] if job_of(run) else ["neuropil", "checkpoint", "resume", str(path)]
            rows.append(f"{'run':12} until {run['until_ms']:g} ms: {' '.join(words)}")
        if check:
            found.check()
            rows.append(f"{'checked':12} all bytes of {len(found.files())} files are as they were written")
    return rows


def numbers(path: Path, check: bool) -> dict[str, Any]:
    """What `describe` tells, as plain values. Raises BadCheckpoint."""
    from neuropil.checkpoint.loading import Checkpoint

    with Checkpoint(path) as found:
        if check:
            found.check()
        return {**found.about, "ranks": found.shards, "files": [str(file) for file in found.files()], "columns": dict(sizes(found))}


def job_of(run: dict[str, Any]) -> list[str]:
    """The words behind `neuropil` with which a job goes on; empty where a checkpoint is none of a job."""
    words = [str(word) for word in run.get("command") or []]
    if len(words) < 3 or Path(words[0]).name != "neuropil" or words[1] not in ("job", "run"):
        return []
    return words[1:] if "--resume" in words else [*words[1:], "--resume"]


def sizes(found: Checkpoint) -> Counter[str]:
    """Bytes of the columns of the first file by the beginning of their names."""
    total: Counter[str] = Counter()
    for name, kind, n in [*found.columns(-1), *found.columns(0)]:
        total[name.partition("/")[0]] += n * int(kind[2:])
    return total


def info(
    path: Annotated[Path, typer.Argument(help="Checkpoint file.")],
    check: Annotated[bool, typer.Option("--check", help="Read and check all bytes.")] = False,
    as_json: Json = False,
) -> None:
    """Print what a checkpoint contains."""
    if as_json:
        write(numbers(path, check))
        return
    for line in describe(path, check):
        typer.echo(line)


def resume(
    path: Annotated[Path, typer.Argument(help="Checkpoint file, from Network.save, Network.run(checkpoint=...) or a job.")],
    until: Annotated[float | None, typer.Option(help="Biological time to end at [ms]; default: the end of the saved run.")] = None,
    every: Annotated[float | None, typer.Option(help="Biological time between checkpoints [ms]; default: as in the saved run.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Number of threads; default: all cores.")] = None,
    ranks: Ranks = None,
    exchange: ExchangeName = "auto",
    distribution: DistributionName = "",
    trust: Annotated[
        bool, typer.Option("--trust", help="Compile and run the C++ of the checkpoint's own models. Only for files whose origin you trust.")
    ] = False,
) -> None:
    """Go on from a checkpoint.

    Runs to the end of the saved run and saves the network there. From a checkpoint of a job, the job goes on.
    """
    from neuropil import load, rank
    from neuropil.checkpoint.loading import Checkpoint
    from neuropil.errors import bad_parameter

    with Checkpoint(path) as found:
        run: dict[str, Any] = found.about.get("run") or {}
    if words := job_of(run):
        if until is not None:
            raise bad_parameter("until", until, "left out: a job ends where its own options say")
        if trust:
            raise bad_parameter("trust", trust, "left out: the checkpoint is of a job, and jobs have built-in models only")
        given = {"--every": every, "--threads": threads, "--ranks": ranks, "--exchange": exchange, "--distribution": distribution}
        more = [str(word) for name, value in given.items() if value and value != "auto" for word in (name, value)]  # the last one counts
        os.execv(sys.executable, [sys.executable, sys.argv[0], *words, *more])
    on_ranks(ranks)
    end = until if until is not None else run.get("until_ms")
    if end is None:
        raise bad_parameter("until", None, "given: the checkpoint was not made in a run")
    net = load(path, threads=threads, exchange=exchange, distribution=distribution or None, trust=trust)
    begin, every = net.time, every if every is not None else run.get("every_ms")
    keep = int(run.get("keep", 2))
    net.run(until=end, checkpoint=path, checkpoint_every=every, keep=keep)
    if every is None or net.time % every:
        net.save(path, keep=keep)
    if rank() == 0:
        typer.echo(f"{path}: from {begin:g} to {net.time:g} ms, saved")
