# SPDX-License-Identifier: Apache-2.0
"""Results of cases on neuropil.nest as short texts: equal texts mean equal bits. python -m tests.nest.corpus.digests THEME ... prints them as JSON."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np
from tests.nest.corpus import collect
from tests.nest.corpus.different import REFUSED
from tests.nest.corpus.values import plain

import neuropil.nest as nest

RAISED = "this case raised"

# Cases about threads, ranks and files: what they return depends on those on purpose.
ABOUT_THREADS = (
    "two_threads",
    "on_threads",
    "ascii_",
    "dump_of",
    "threads_do_not",
    "local_collection",
    "virtual_processes",
    "location_of_nodes",
    "screen",
)


def names(themes: list[str], left_out: tuple[str, ...] = ()) -> list[str]:
    """The cases whose results must depend neither on threads nor on ranks, as THEME/NAME, without those with a word of `left_out` in them."""
    every = [f"{theme}/{name}" for theme in themes for name in collect.cases(theme)]
    return [case for case in every if case not in REFUSED and not any(word in case for word in (*ABOUT_THREADS, *left_out))]


def digest(case: str, simulator: Any = nest) -> dict[str, str]:
    """Entry -> hash of its bits; {RAISED: error} where the case fails."""
    theme, name = case.split("/")
    try:
        found = collect.run(simulator, collect.cases(theme)[name])
    except Exception as raised:
        return {RAISED: f"{type(raised).__name__}: {raised}"}
    return of(found)


def of(found: dict[str, Any]) -> dict[str, str]:
    """Entry -> hash of its bits."""
    return {key: hashlib.sha256(bits(value)).hexdigest()[:16] for key, value in found.items()}


def bits(value: Any) -> bytes:
    values = getattr(value, "values", None)
    return values.tobytes() if isinstance(values, np.ndarray) else repr(plain(value)).encode()


def failures(found: dict[str, dict[str, str]]) -> dict[str, str]:
    """The cases of a report that raised: equal errors say nothing about results."""
    return {case: entry[RAISED] for case, entry in found.items() if RAISED in entry}


def report(themes: list[str], left_out: tuple[str, ...] = ()) -> dict[str, dict[str, str]]:
    return {case: digest(case) for case in names(themes, left_out)}


if __name__ == "__main__":
    print(json.dumps(report(sys.argv[1:])))
