# SPDX-License-Identifier: Apache-2.0
"""Runs the cases on neuropil.nest and says where it differs from what NEST gave: python -m tests.nest.corpus.compare [THEME ...]"""

from __future__ import annotations

import os
import sys
import tempfile

from tests.nest.corpus import collect, store
from tests.nest.corpus.different import KNOWN, REFUSED
from tests.nest.corpus.values import differences

import neuropil.nest as nest


def outcome(theme: str, name: str) -> list[str]:
    """Lines that begin with RAISES or DIFFERS; none where both agree, or where ours refuses on purpose."""
    try:
        found = collect.run(nest, collect.cases(theme)[name])
    except Exception as raised:
        if getattr(raised, "what", None) == REFUSED.get(f"{theme}/{name}", ""):
            return []
        return [f"RAISES {theme}/{name}: {type(raised).__name__}: {raised}"]
    stored = store.load(theme).get(name)
    return (
        ["not stored"]
        if stored is None
        else [f"DIFFERS {theme}/{name}: {line}" for line in differences(found, stored, KNOWN.get(f"{theme}/{name}", ()))]
    )


def main(arguments: list[str]) -> int:
    names = [(theme, name) for theme in arguments or collect.themes() for name in collect.cases(theme)]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        lines = {case: outcome(*case) for case in names}
    for found in lines.values():
        print(*(" ".join(line.split())[:400] for line in found), sep="\n", end="\n" * bool(found))
    different = sum(bool(line) for line in lines.values())
    print(f"{len(names)} cases: {len(names) - different} agree, {different} differ")
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
