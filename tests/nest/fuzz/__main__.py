# SPDX-License-Identifier: Apache-2.0
"""Random scripts on NEST and on neuropil.nest: python -m tests.nest.fuzz --seeds A:B [--shrink N] [--show SEED]; --store A:B writes what NEST gives for CI."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections import defaultdict
from typing import Any

from tests.nest.fuzz import answers, models
from tests.nest.fuzz.different import reason
from tests.nest.fuzz.scripts import script
from tests.nest.fuzz.shrink import shrink
from tests.nest.fuzz.verdicts import Verdict, verdict
from tests.nest.fuzz.worker import Worker

Steps = list[dict[str, Any]]


class Pair:
    """Both simulators at work."""

    def __init__(self) -> None:
        self.ours, self.theirs = Worker("neuropil.nest"), Worker("nest")

    def judge(self, steps: Steps) -> Verdict:
        self.ours.send(steps)
        self.theirs.send(steps)
        found = self.ours.receive(), self.theirs.receive()
        for name, side in zip(("neuropil", "NEST"), found, strict=True):
            last = side[-1] if side and isinstance(side[-1], dict) else {}
            if last.get("error") in ("crash", "hang"):
                return Verdict("differs" if name == "neuropil" else "on purpose", f"{name}: {last['error']}")
        return explained(steps, verdict(steps, *found))


def explained(steps: Steps, found: Verdict) -> Verdict:
    """A difference on purpose is of its own kind."""
    why = reason(steps, found) if found.kind == "differs" else ""
    return Verdict("on purpose", why, found.detail) if why else found


def seeds_of(text: str) -> range:
    low, _, high = text.partition(":")
    return range(int(low), int(high) if high else int(low) + 1)


def report(verdicts: dict[int, Verdict]) -> None:
    kinds: dict[str, list[int]] = defaultdict(list)
    sorts: dict[tuple[str, str], list[int]] = defaultdict(list)
    for seed, found in verdicts.items():
        kinds[found.kind].append(seed)
        if not found.good:
            sorts[found.kind, found.what].append(seed)
    for (kind, what), seeds in sorted(sorts.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):5d}  {kind}: {what}  seeds {seeds[:8]}\n       {verdicts[seeds[0]].detail[:300]}")
    total = len(verdicts)
    print(
        f"{total} scripts: " + ", ".join(f"{kind} {len(seeds)} ({100 * len(seeds) / total:.2f} %)" for kind, seeds in kinds.items()),
        flush=True,
    )


def show_shrunk(pair: Pair, verdicts: dict[int, Verdict], number: int) -> None:
    """The smallest scripts found, one for each sort of difference, the most frequent first."""
    sorts: dict[str, list[int]] = defaultdict(list)
    for seed, found in verdicts.items():
        if found.kind == "differs" and not found.what.startswith(("crash", "hang")):
            sorts[found.what].append(seed)
    for what, seeds in sorted(sorts.items(), key=lambda item: -len(item[1]))[:number]:
        seed = min(seeds, key=lambda seed: len(script(seed)))
        small = shrink(script(seed), lambda steps, what=what: pair.judge(steps).what == what)
        print(f"\n# {what} ({len(seeds)} scripts, seed {seed}): {pair.judge(small).detail}")
        print(*(json.dumps(step) for step in small), sep="\n", flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=seeds_of, default=range(100), help="A:B")
    parser.add_argument("--shrink", type=int, default=0, metavar="N", help="shrink an example of each of the N most frequent differences")
    parser.add_argument("--show", action="store_true", help="print the scripts")
    parser.add_argument("--store", action="store_true", help="run NEST alone and store what it gives")
    parser.add_argument("--models", action="store_true", help="write the table of models from NEST")
    given = parser.parse_args(arguments)
    if given.models:
        models.write(importlib.import_module("nest"))
        return 0
    if given.store:
        answers.store(given.seeds)
        return 0
    pair = Pair()
    verdicts = {}
    for seed in given.seeds:
        if given.show:
            print(*(json.dumps(step) for step in script(seed)), sep="\n")
        verdicts[seed] = pair.judge(script(seed))
        if given.show or len(given.seeds) < 5:
            print(seed, verdicts[seed])
    report(verdicts)
    if given.shrink:
        show_shrunk(pair, verdicts, given.shrink)
    return sum(not found.good for found in verdicts.values())


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
