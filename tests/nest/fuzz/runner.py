# SPDX-License-Identifier: Apache-2.0
"""Runs a script, a list of steps of plain data, on either simulator and says what came of each step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from tests.nest.corpus.values import plain
from tests.nest.fuzz.models import NODE_KEYS

Step = dict[str, Any]
DIGITS = 12  # of stored floats


class Lost(Exception):  # noqa: N818
    """A step names something that no step before made (after shrinking)."""


class Runner:
    """Names of the script and what they stand for; one method for each kind of step."""

    def __init__(self, nest: Any):
        self.nest = nest
        self.names: dict[str, Any] = {}
        self.sent: dict[str, float] = {}  # generators that were given other times: the last one that had passed

    def run(self, script: list[Step]) -> list[Any]:
        """The outcome of each step up to the first one that is refused (after it, NEST's kernel may be half changed)."""
        self.nest.ResetKernel()
        self.nest.verbosity = self.nest.VerbosityLevel.QUIET
        found: list[Any] = []
        for step in script:
            try:
                found.append(rounded(plain(getattr(self, step["do"])(**{key: value for key, value in step.items() if key != "do"}))))
            except Lost:
                found.append("lost")
            except Exception as raised:
                found.append({"error": type(raised).__name__, "base": bases(raised), "said": " ".join(str(raised).split())[:200]})
                if step["do"] not in QUERIES:
                    break
        return found

    def nodes(self, what: Any) -> Any:
        """A name, ["slice", what, start, stop, step], ["pick", what, indices], ["+", a, b] or ["ids", what, indices] (an array)."""
        if isinstance(what, str):
            if what not in self.names:
                raise Lost(what)
            return self.names[what]
        kind, *rest = what
        if kind == "slice":
            return self.nodes(rest[0])[rest[1] : rest[2] : rest[3]]
        if kind == "pick":
            return self.nodes(rest[0])[rest[1]]
        if kind == "+":
            return self.nodes(rest[0]) + self.nodes(rest[1])
        return np.array(self.nodes(rest[0]).tolist(), dtype=np.int64)[rest[1]]

    def kernel(self, values: Step) -> None:
        self.nest.set(**values)

    def defaults(self, model: str, values: Step) -> None:
        self.nest.SetDefaults(model, values)

    def copy(self, model: str, name: str, values: Step | None = None) -> None:
        self.nest.CopyModel(model, name, values)

    def create(self, name: str, model: str, n: int = 1, values: Any = None) -> int:
        made = self.nest.Create(model, n, values) if values is not None else self.nest.Create(model, n)
        if self.nest.__name__ == "nest" and "gsl_error_tol" in self.nest.GetDefaults(model) and not model.startswith("aeif_psc_delta"):
            made.set(gsl_error_tol=1e-10)  # upstrokes of aeif neurons amplify NEST's error of the solver
        self.names[name] = made
        return len(made)

    def connect(self, pre: Any, post: Any, rule: Any = None, syn: Any = None, quiet: str = "") -> Any:
        """`quiet`: a spike recorder of all neurons; nothing is connected if there were spikes that NEST has not delivered yet."""
        now = float(self.nest.biological_time)
        if any(time > now - float(self.nest.min_delay) - 0.05 for time in self.last_spikes(quiet or None).values()):
            return "spikes on their way"
        if isinstance(syn, dict):
            syn = {key: np.array(value) if isinstance(value, list) else value for key, value in syn.items()}
        before = int(self.nest.num_connections)
        self.nest.Connect(self.nodes(pre), self.nodes(post), rule, syn)
        return int(self.nest.num_connections) - before

    def disconnect(self, pre: Any, post: Any, rule: Any = None, syn: Any = None, quiet: str = "") -> Any:
        if self.busy(pre, quiet):
            return "spikes on their way"
        given = {key: value for key, value in (("conn_spec", rule), ("syn_spec", syn)) if value is not None}
        self.nest.Disconnect(self.nodes(pre), self.nodes(post), **given)
        return int(self.nest.num_connections)

    def simulate(self, ms: float) -> None:
        self.nest.Simulate(ms)

    def set(self, of: Any, values: Any, by: str = "set") -> None:
        nodes = self.nodes(of)
        if "spike_times" in values:
            now = float(self.nest.biological_time)
            last = [float(time) for time in np.atleast_1d(nodes.get("spike_times")) if time <= now]
            self.sent[str(of)] = max(last, default=self.sent.get(str(of), -math.inf))
        if by == "SetStatus":
            self.nest.SetStatus(nodes, values)
        elif by == "attribute":
            for key, value in values.items():
                setattr(nodes, key, value)
        else:
            nodes.set(values)

    def connections(self, source: Any, target: Any, model: str | None) -> Any:
        keys = {"source": source, "target": target}
        return self.nest.GetConnections(**{key: self.nodes(value) for key, value in keys.items() if value is not None}, synapse_model=model)

    def busy(self, pre: Any, recorder: str) -> bool:
        """Whether spikes of the sources may be on their way: those take changes of connections in neuropil, and do not in NEST."""
        nodes, now = self.nodes(pre), float(self.nest.biological_time)
        sent = self.last_spikes(recorder)
        recent = [self.sent.get(str(pre), -math.inf)]
        recent += [sent.get(int(node), -math.inf) for node in nodes.tolist()]
        for node in nodes:
            if "generator" in node.get("model") or "injector" in node.get("model"):
                recent += [
                    time + node.get("origin") for time in np.atleast_1d(node.get("spike_times")) if time + node.get("origin") <= now + 1e-9
                ]
        return any(time > now - 6.05 for time in recent)

    def align(self) -> float:
        """Goes on to the next multiple of min_delay: NEST's buffers are not in order where connections are made in between."""
        h, now, least = (float(getattr(self.nest, key)) for key in ("resolution", "biological_time", "min_delay"))
        steps, slice_ = round(now / h), max(round(least / h), 1)
        if steps % slice_:
            self.nest.Simulate(round((slice_ - steps % slice_) * h, 6))
        return float(self.nest.biological_time)

    def set_connections(self, values: Step, source: Any = None, target: Any = None, model: str | None = None, quiet: str = "") -> Any:
        if source is not None and self.busy(source, quiet):
            return "spikes on their way"
        found = self.connections(source, target, model)
        found.set(values)
        return len(found)

    # --- queries

    def get(self, of: Any, keys: Any) -> Any:
        found = self.nodes(of).get(keys)
        return listed(found)

    def state(self, of: Any) -> Any:
        """Every number of every node."""
        return [numbers(node.get()) for node in self.nodes(of)]

    def get_defaults(self, model: str, keys: list[str]) -> Any:
        return [self.nest.GetDefaults(model, key) for key in keys]

    def get_kernel(self, keys: list[str]) -> Any:
        return {key: getattr(self.nest, key) for key in keys}

    def describe(self, of: Any) -> Any:
        nodes = self.nodes(of)
        return {"text": str(nodes), "ids": nodes.tolist(), "n": len(nodes)}

    def weights(self, keys: list[str], busy: Any = None, source: Any = None, target: Any = None, model: str | None = None) -> Any:
        """Connections in order of source, target, model, with `keys`; `busy`: a spike recorder of all neurons, says whether spikes are on their way."""
        found = self.connections(source, target, model)
        if not len(found):
            return {"rows": []}
        columns = {key: found.get(key) for key in ("source", "target", "synapse_model", "delay", *keys)}
        columns = {key: value if isinstance(value, (list, tuple)) else [value] for key, value in columns.items()}
        sent = self.last_spikes(busy)
        now = float(self.nest.biological_time)
        moving = [sent.get(int(s), -math.inf) + d >= now - 1e-9 for s, d in zip(columns["source"], columns["delay"], strict=True)]
        rows = [[*row, on] for *row, on in zip(*columns.values(), moving, strict=True)]
        return {"rows": sorted(plain(rows), key=lambda row: [(isinstance(x, str), x is None, x if x is not None else 0) for x in row[:-1]])}

    def last_spikes(self, recorder: Any) -> dict[int, float]:
        if recorder is None or recorder not in self.names:
            return {}
        events = self.names[recorder].events
        found: dict[int, float] = {}
        for sender, time in zip(events["senders"], events["times"], strict=True):
            found[int(sender)] = max(float(time), found.get(int(sender), -math.inf))
        return found

    def spikes(self, of: Any) -> Any:
        """Times of each sender, and now."""
        events = self.nodes(of).events
        times, senders = np.asarray(events["times"], dtype=float), np.asarray(events["senders"], dtype=int)
        trains = {str(sender): sorted(times[senders == sender].tolist()) for sender in np.unique(senders)}
        return {"trains": trains, "now": float(self.nest.biological_time)}

    def traces(self, of: Any) -> Any:
        """What a multimeter or weight_recorder noted, in order of time and sender."""
        events = {str(key): np.asarray(value) for key, value in self.nodes(of).events.items()}
        order = np.lexsort(
            [events[key] for key in sorted(events) if key not in ("senders", "times")] + [events["senders"], events["times"]]
        )
        return {key: value[order] for key, value in sorted(events.items())}


QUERIES = ("get", "state", "get_defaults", "get_kernel", "describe", "weights", "spikes", "traces")


def listed(value: Any) -> Any:
    """Tuples of arrays and the like as plain lists."""
    if isinstance(value, dict):
        return {str(key): listed(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [listed(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value if isinstance(value, (bool, int, float, str, np.generic)) or value is None else str(value)


def numbers(status: Step) -> Step:
    found = {str(key): listed(value) for key, value in status.items() if str(key) not in NODE_KEYS}
    return {key: value for key, value in sorted(found.items()) if isinstance(value, (bool, int, float, np.number)) or is_row(value)}


def is_row(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(x, (float, np.floating)) for x in value)


def rounded(value: Any) -> Any:
    """Floats with 12 digits: shorter files; finer differences are not looked at."""
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [rounded(item) for item in value]
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return value


def bases(raised: BaseException) -> list[str]:
    """The classes that an except clause of a script may name."""
    return [kind.__name__ for kind in type(raised).__mro__ if kind not in (object, BaseException, Exception)]
