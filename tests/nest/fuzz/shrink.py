# SPDX-License-Identifier: Apache-2.0
"""Makes a script that shows a difference smaller while the difference stays of the same sort."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from tests.nest.fuzz.models import SILENT

Script = list[dict[str, Any]]


def shrink(script: Script, still: Callable[[Script], bool], tries: int = 200) -> Script:
    """Removes steps, then parameters and entries of lists; `still` runs a script and says whether it shows the same difference."""
    left = [tries]

    def holds(candidate: Script) -> bool:
        left[0] -= 1
        return left[0] >= 0 and in_order(candidate) and still(candidate)

    before = None
    while before != script and left[0] > 0:
        before = script
        script = fewer_steps(script, holds)
        script = smaller_values(script, holds)
    return script


def in_order(script: Script) -> bool:
    """Whether connections are made before Simulate or at the end of a min_delay: in between, NEST's buffers are not in order."""
    last = ""
    for step in script:
        last = step["do"] if step["do"] in ("simulate", "align") else last
        if step["do"] == "connect" and last == "simulate":
            return False
    return True


def fewer_steps(script: Script, holds: Callable[[Script], bool]) -> Script:
    size = max(len(script) // 2, 1)
    while size:
        at = len(script) - size
        while at >= 0:
            candidate = script[:at] + script[at + size :]
            if candidate and holds(candidate):
                script = candidate
            at -= size
        size //= 2
    return script


def smaller_values(script: Script, holds: Callable[[Script], bool]) -> Script:
    changed = True
    while changed:
        changed = False
        for candidate in simpler(script):
            if holds(candidate):
                script, changed = candidate, True
                break
    return script


def simpler(script: Script) -> Iterator[Script]:
    """Each script that lacks one key, one element of a list, or has one node less."""
    for at, step in enumerate(script):
        for path in parts(step):
            candidate = copy.deepcopy(script)
            place: Any = candidate[at]
            for key in path[:-1]:
                place = place[key]
            if isinstance(place, list) or path[-1] != "n":
                del place[path[-1]]
            elif place["n"] > 1:
                place["n"] -= 1
            else:
                continue
            yield candidate


KEPT = {key for values in SILENT.values() for key in values} | {"allow_multapses"}  # without them it is random
NEEDED = {"do", "name", "model", "pre", "post", "of", "keys", "ms", "values", "by"}


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of what may be removed: keys of dicts, elements of lists longer than one."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in (KEPT if path else NEEDED):
                yield (*path, key)
            if len(path) == 0 and key in ("pre", "post", "of"):
                continue
            yield from parts(item, (*path, key))
    elif isinstance(value, list) and len(value) > 1:
        for i, item in enumerate(value):
            yield (*path, i)
            if isinstance(item, (dict, list)):
                yield from parts(item, (*path, i))
