# SPDX-License-Identifier: Apache-2.0
"""Whether two outcomes of a script agree, and if not, where they part first."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from tests.nest.fuzz.models import exact, neuron, tables

Step = dict[str, Any]
Limits = tuple[float, float]  # absolute; of the largest value of a series

STRICT: Limits = (1e-8, 1e-9)  # input is summed in fixed point, relative to the largest weight
# NEST records the spikes of these minus what the spike releases, or the distance to the crossing: times are not compared, traces are.
SHIFTED = ("iaf_tum_2000", "iaf_bw_2001", "iaf_chxk_2008")
ROUGH = 2e-3  # of the largest value of a series, for models whose solvers differ


@dataclass(frozen=True)
class Verdict:
    """agree: within tolerances; solver: models with a numerical solver part at one spike by one step, and agree before; differs."""

    kind: str
    what: str = ""  # the sort of difference, equal for differences that most likely have one cause
    detail: str = ""
    step: int = -1  # of the script

    @property
    def good(self) -> bool:
        return self.kind in ("agree", "solver")


AGREE = Verdict("agree")


def models_of(script: list[Step]) -> set[str]:
    """Neuron models of the nodes that the script creates, copies by what they are copies of."""
    copies = {step["name"]: step["model"] for step in script if step["do"] == "copy"}
    made = [step["model"] for step in script if step["do"] == "create"]
    return {copies.get(name, name) for name in made} & tables()["neurons"].keys()


def model_of(script: list[Step], node: int) -> str:
    """Model of a node id, copies by what they are copies of."""
    copies = {step["name"]: step["model"] for step in script if step["do"] == "copy"}
    made = [step["model"] for step in script if step["do"] == "create" for _ in range(step.get("n", 1))]
    return copies.get(made[node - 1], made[node - 1])


def step_of(script: list[Step]) -> float:
    return next((step["values"]["resolution"] for step in script if step["do"] == "kernel" and "resolution" in step["values"]), 0.1)


def verdict(script: list[Step], ours: list[Any], theirs: list[Any]) -> Verdict:
    """Compares what came of each step, in order."""
    models = models_of(script)
    rough = [name for name in models if not exact(name)]
    limits = (max([STRICT[0], *(neuron(name).atol for name in rough)]), ROUGH if rough else STRICT[1])
    parting = math.inf
    if rough:
        parting = first_parting(script, ours, theirs, step_of(script))
    for index, step in enumerate(script):
        if index >= len(ours) or index >= len(theirs):
            break
        found = compared(script, step, ours[index], theirs[index], limits, parting)
        if found:
            if isinstance(found, Verdict):
                return found
            about = f" of {model_of(script, found[2])}" if len(found) == 3 else ""
            return Verdict("differs", f"{step['do']}: {found[0]}{about}", f"step {index}: {found[1]}", index)
    if len(ours) != len(theirs):
        return Verdict("differs", "one ends early", f"{len(ours)} and {len(theirs)} (NEST) steps")
    return Verdict("solver", "one step", f"from {parting} ms") if math.isfinite(parting) else AGREE


def compared(script: list[Step], step: Step, ours: Any, theirs: Any, limits: Limits, parting: float) -> Any:
    """None, or what differs: (sort, detail), or a verdict."""
    errors = [value if isinstance(value, dict) and "error" in value else None for value in (ours, theirs)]
    if any(errors):
        return errors_compared(*errors)
    if "lost" in (ours, theirs):
        return None if ours == theirs else ("lost", "a name exists on one side only")
    if step["do"] == "spikes":
        shifted = [node for node in ours["trains"].keys() | theirs["trains"].keys() if model_of(script, int(node)) in SHIFTED]
        return spikes_compared(ours, theirs, parting, shifted)
    if step["do"] == "traces":
        return traces_compared(ours, theirs, limits, parting)
    if math.isfinite(parting) and step["do"] in ("state", "get", "weights"):
        return None  # after the parting: what follows a spike that came one step later
    if step["do"] == "weights":
        return weights_compared(ours, theirs, limits)
    if step["do"] == "state":
        return states_compared(ours, theirs, limits)
    return None if same(ours, theirs, limits) else ("value", f"{short(ours)}, NEST {short(theirs)}")


def errors_compared(ours: Any, theirs: Any) -> Any:
    if ours and ours["error"] == "NotSupported":
        return "missing", ours["said"]
    if ours and theirs and set(theirs["base"]) <= set(ours["base"]) | {theirs["error"]} and theirs["error"] in ours["base"]:
        return None
    names = [error["error"] if error else "none" for error in (ours, theirs)]
    said = [error["said"] if error else "" for error in (ours, theirs)]
    return f"error {names[0]}, NEST {names[1]}", f"{said[0]} | NEST: {said[1]}"


def first_parting(script: list[Step], ours: list[Any], theirs: list[Any], h: float) -> float:
    """Time of the first spike in which the two differ, where it is by one step or at the end of the record; infinite if none or by more."""
    first: list[tuple[float, bool]] = []
    for step, a, b in zip(script, ours, theirs, strict=False):
        if step["do"] != "spikes" or not all(isinstance(value, dict) and "trains" in value for value in (a, b)):
            continue
        for sender in a["trains"].keys() | b["trains"].keys():
            if model_of(script, int(sender)) in SHIFTED:
                continue
            found = train_parting(a["trains"].get(sender, []), b["trains"].get(sender, []), a["now"], h)
            first += [found] if found else []
    if not first:
        return math.inf
    begin = min(time for time, _ in first)
    return begin if all(near for time, near in first if time <= begin + h / 2) else math.inf


def train_parting(a: list[float], b: list[float], now: float, h: float) -> tuple[float, bool] | None:
    for x, y in zip(a, b, strict=False):
        if abs(x - y) > 1e-9:
            return min(x, y), abs(x - y) <= 1.001 * h
    if len(a) != len(b):
        time = (a if len(a) > len(b) else b)[min(len(a), len(b))]
        return time, time >= now - 1.001 * h
    return None


def spikes_compared(ours: Any, theirs: Any, parting: float, left_out: list[str]) -> Any:
    for sender in sorted((ours["trains"].keys() | theirs["trains"].keys()) - set(left_out), key=int):
        a, b = ([time for time in side["trains"].get(sender, []) if time < parting - 1e-9] for side in (ours, theirs))
        if len(a) != len(b) or any(abs(x - y) > 1e-9 for x, y in zip(a, b, strict=True)):
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if abs(x - y) > 1e-9), min(len(a), len(b)))
            return "spikes", f"node {sender}, spike {at}: {a[at : at + 4]}, NEST {b[at : at + 4]}", int(sender)
    return None


def traces_compared(ours: Any, theirs: Any, limits: Limits, parting: float) -> Any:
    if ours.keys() != theirs.keys():
        return "recorded keys", f"{sorted(ours)}, NEST {sorted(theirs)}"
    kept = [[i for i, time in enumerate(side["times"]) if time < parting - 1e-9] for side in (ours, theirs)]
    for key in ("times", "senders", *sorted(ours.keys() - {"times", "senders"})):
        a, b = ([side[key][i] for i in rows] for side, rows in zip((ours, theirs), kept, strict=True))
        if len(a) != len(b):
            return "number of samples", f"{len(a)}, NEST {len(b)}"
        top = max([abs(x) for x in b if math.isfinite(x)], default=0.0)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            if not close(x, y, limits[0] + limits[1] * top) and not enveloped(a, b, i, limits[0] + limits[1] * top):
                node = ours["senders"][kept[0][i]]
                return f"trace {key}", f"{key} at {ours['times'][kept[0][i]]} of node {node}: {x}, NEST {y}", node
    return None


def enveloped(a: list[float], b: list[float], i: int, limit: float) -> bool:
    """Rough solvers only: within the neighbours' range, as upstrokes are steep."""
    if limit < 1e-6:
        return False
    near = b[max(i - 1, 0) : i + 2]
    return min(near) - limit <= a[i] <= max(near) + limit


def weights_compared(ours: Any, theirs: Any, limits: Limits) -> Any:
    a, b = ours["rows"], theirs["rows"]
    if len(a) != len(b):
        return "number of connections", f"{len(a)}, NEST {len(b)}"
    for x, y in zip(a, b, strict=True):
        moving = x[-1] or y[-1]
        if not same(x[:4], y[:4], STRICT) or not (moving or same(x[4:-1], y[4:-1], (limits[0], limits[1] + 1e-9))):
            return "connections", f"{x}, NEST {y}"
    return None


def states_compared(ours: Any, theirs: Any, limits: Limits) -> Any:
    for i, (a, b) in enumerate(zip(ours, theirs, strict=False)):
        for key in b:
            if key not in a:
                return f"no {key}", f"node {i} has no {key}, NEST {b[key]}"
            if not same(a[key], b[key], limits):
                return key, f"{key} of node {i}: {a[key]}, NEST {b[key]}"
    return None


def close(x: Any, y: Any, limit: float) -> bool:
    return x == y or abs(x - y) <= limit or (x != x and y != y)


def same(ours: Any, theirs: Any, limits: Limits) -> bool:
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(same(a, b, limits) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key], limits) for key in ours)
    if isinstance(ours, bool) or isinstance(theirs, bool) or not all(isinstance(value, (int, float)) for value in (ours, theirs)):
        return type(ours) is type(theirs) and bool(ours == theirs)
    if abs(ours) > 1e300 and abs(theirs) > 1e300:
        return (ours > 0) == (theirs > 0)
    return close(ours, theirs, limits[0] + limits[1] * abs(theirs))


def short(value: Any, n: int = 160) -> str:
    return json.dumps(value)[:n]
