# SPDX-License-Identifier: Apache-2.0
"""Runs the cases on neuropil.nest and says where it differs from what NEST gave: python -m tests.nest.corpus.compare [--missing] [THEME ...]

With --missing it writes the list of what the cases need and is not there yet (not_there_yet.txt): the test lets a case be skipped only for something in that list.
"""

from __future__ import annotations

import os
import sys
import tempfile

from tests.nest.corpus import collect, store
from tests.nest.corpus.different import KNOWN
from tests.nest.corpus.values import differences

import neuropil.nest as nest

NOT_THERE_FILE = collect.HERE / "not_there_yet.txt"


def what(missing: BaseException) -> str:
    """The thing that a NotSupported names, without the hint behind it."""
    return str(missing).removeprefix("neuropil.nest has no ").split(" yet")[0]


def outcome(theme: str, name: str) -> list[str]:
    """Lines that begin with MISSING, RAISES or DIFFERS; none where both agree."""
    try:
        found = collect.run(nest, collect.cases(theme)[name])
    except Exception as raised:
        if type(raised).__name__ == "NotSupported":
            return [f"MISSING {theme}/{name}: {what(raised)}"]
        return [f"RAISES {theme}/{name}: {type(raised).__name__}: {raised}"]
    stored = store.load(theme).get(name)
    return (
        ["not stored"]
        if stored is None
        else [f"DIFFERS {theme}/{name}: {line}" for line in differences(found, stored, KNOWN.get(f"{theme}/{name}", ()))]
    )


def main(arguments: list[str]) -> int:
    themes = [name for name in arguments if name != "--missing"] or collect.themes()
    names = [(theme, name) for theme in themes for name in collect.cases(theme)]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        lines = {case: outcome(*case) for case in names}
    for found in lines.values():
        print(*(" ".join(line.split())[:400] for line in found), sep="\n", end="\n" * bool(found))
    absent = [found[0].split(": ", 1)[1] for found in lines.values() if found and found[0].startswith("MISSING")]
    if "--missing" in arguments:
        NOT_THERE_FILE.write_text("\n".join(sorted(set(absent))) + "\n")
    missing = len(absent)
    different = sum(bool(line) for line in lines.values()) - missing
    print(f"{len(names)} cases: {len(names) - missing - different} agree, {different} differ, {missing} need what is not there yet")
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
