# SPDX-License-Identifier: Apache-2.0
"""Random programs with every mechanism mixed: the same result on any threads, slices and ranks, and as if what was refused had not been called.

`python -m fuzz.programs SEED N` performs N of them, each in a process of its own with a limit of time, and prints the shortest program that fails
as each that fails does. `python -m fuzz.programs SEED` shows one and what came of its steps.
"""

from __future__ import annotations

import collections
import faulthandler
import os
import pickle
import pprint
import re
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import neuropil as npl
from fuzz.drawn_programs import Step, program
from fuzz.performing import Performer
from neuropil.model import network
from thread_ranks import on_ranks

TIME_LIMIT = 60.0  # seconds of a program
SHRINK_LIMIT = 120.0  # seconds
FOLDER = "/dev/shm" if Path("/dev/shm").is_dir() else None
Said = list[tuple[int, str]]


def ways(seed: int) -> dict[str, Callable[[list[Step | None], Path], Said]]:
    """How a program is performed."""
    network.FEW_SLICES = seed % 2 == 0  # of the networks of this process
    rng = np.random.default_rng([seed, 1])
    ranks, threads = int(rng.integers(2, 4)), int(rng.integers(1, 3))
    exchange = str(rng.choice(["auto", *npl.parallel.strategies()]))
    dealt = str(rng.choice(["round_robin", "consecutive", "shuffled"]))
    other = {"threads": 3, "block_size": int(rng.choice([1, 2, 3, 7]))}

    def alone(steps, folder):
        return Performer(folder, {"threads": 1}, None).perform(steps)

    def on_threads(steps, folder):
        return Performer(folder, other, {"threads": int(rng.integers(1, 4))}).perform(steps)

    def on_all_ranks(steps, folder):
        def one(comm):
            settings = {"threads": threads, "ranks": comm, "distribution": dealt}
            return Performer(folder, settings | {"exchange": exchange}, settings | {"threads": 3 - threads}).perform(steps)

        results = on_ranks(ranks, one)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        if any(result != results[0] for result in results):
            raise AssertionError("ranks differ: " + next(difference(results[0], r) for r in results if r != results[0]))
        return results[0]

    return {"1 thread": alone, f"{other}": on_threads, f"{ranks} ranks, {threads} threads, {dealt}, {exchange}": on_all_ranks}


def refused(said: Said) -> list[int]:
    """Steps that raised an error of neuropil, but for the run that ended the program."""
    found = [number for number, text in said if ": " in text and re.match(r"\w+: \w+: ", text) and not text.startswith("run:")]
    return [number for number in found if number > 0]


def difference(a: Said, b: Said) -> str:
    for x, y in zip(a, b, strict=False):
        if x != y:
            return f"\n  {x}\n  {y}"
    return f"\n  {a[len(b) :][:1]}\n  {b[len(a) :][:1]}"


def outcome(steps: list[Step | None], seed: int) -> tuple[str, Said]:
    """Why a program fails, "" if it does not, and what came of its steps with one thread."""
    expected: Said = []
    for name, way in ways(seed).items():
        with tempfile.TemporaryDirectory(prefix="neuropil-fuzz-", dir=FOLDER) as folder:
            try:
                said = way(steps, Path(folder))
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                return f"{name}: {''.join(traceback.format_exception(error))[-3000:]}", expected
        if expected and said != expected:
            return f"{name} is not 1 thread:{difference(expected, said)}", expected
        expected = said
    bad = refused(expected)
    if bad:
        without = [None if number in bad else step for number, step in enumerate(steps)]
        with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
            said = Performer(Path(folder), {"threads": 1}, None).perform(without)
        left = [(number, text) for number, text in expected if number not in bad]
        if said != left:
            return f"without what is refused {bad} it is not the same:{difference(left, said)}", expected
    return "", expected


def in_process(steps: list[Step | None], seed: int, limit: float = TIME_LIMIT) -> tuple[str, Said]:
    """`outcome`, in a process of its own: a crash or a hang is a failure, too."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        faulthandler.dump_traceback_later(max(limit - 2.0, 1.0))
        with os.fdopen(writing, "wb") as out:
            out.write(pickle.dumps(outcome(steps, seed)))
        os._exit(0)
    os.close(writing)
    content, until, hangs = b"", time.monotonic() + limit, False
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while True:
            if not select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
                os.kill(child, signal.SIGKILL)
                hangs = True
                break
            part = pipe.read(1 << 16)
            if not part:
                break
            content += part
    _, status = os.waitpid(child, 0)
    if hangs:
        return f"hangs for {limit} s", []
    return pickle.loads(content) if content else (f"crash: status {status}, signal {status & 127}", [])


def kind_of(failure: str) -> str:
    """What two failures have in common."""
    errors = re.findall(r"^\w*(?:Error|Exception|Interrupt)\b.*", failure, re.MULTILINE)
    said = errors[-1] if errors else re.sub(r"\[.*?\]", "", failure.splitlines()[0])
    if not errors and ("not 1 thread" in failure or "not the same" in failure):  # and where they differ
        said = failure.split(":")[0][:20] + (re.findall(r"\(\d+, '(\w+)", failure) or [""])[0]
    return re.sub(r"[\d.]+", "#", said)[:100]


def shrunk(steps: list[Step | None], seed: int, failure: str) -> list[Step | None]:
    """The same failure with as few steps as are found."""
    until, size = time.monotonic() + SHRINK_LIMIT, max(1, len(steps) // 2)
    limit = 8.0 if "hangs" in failure else TIME_LIMIT
    while size:
        for first in range(1, len(steps), size):
            some = [None if first <= number < first + size else step for number, step in enumerate(steps)]
            if some == steps or time.monotonic() > until:
                continue
            found = in_process(some, seed, limit)[0]
            if found and kind_of(found) == kind_of(failure):
                steps = some
        size //= 2
    return steps


def shown(steps: list[Step | None]) -> str:
    return "\n".join(f"{number}: {pprint.pformat(step, width=160, compact=True)}" for number, step in enumerate(steps) if step)


def main(seed: int, count: int) -> int:
    faulthandler.enable()
    npl.Network(threads=1)  # imports what it needs before there are children
    failures, outcomes = collections.Counter[str](), collections.Counter[str]()
    for number in range(seed, seed + count):
        steps: list[Any] = [*program(number)]
        failure, said = in_process(steps, number)
        for _, text in said:
            kind = re.match(r"\w+: (\w+): ", text)
            outcomes[kind.group(1) if kind else "done"] += 1
        if not failure:
            continue
        kind = kind_of(failure)
        failures[kind] += 1
        print(f"=== program {number} fails: {failure}", flush=True)
        if failures[kind] <= 3:
            print(shown(shrunk(steps, number, failure)), flush=True)
    print(count, "programs", dict(outcomes), "failures", dict(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) == 2:
        steps: list[Any] = [*program(int(sys.argv[1]))]
        print(shown(steps))
        why, what = in_process(steps, int(sys.argv[1]))
        print(*what, why, sep="\n")
        sys.exit(bool(why))
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
