# SPDX-License-Identifier: Apache-2.0
"""Performs the steps of a program (`fuzz.drawn_programs`) on some threads, slices or ranks, and says what came of each."""

from __future__ import annotations

import hashlib
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import neuropil as npl
from fuzz.drawn_programs import Step

SYNAPSE_STATES = ("u", "x", "y", "a", "c", "n", "Kplus", "Kplus_triplet", "Ca", "P")
TREE = ([{"parent": -1}, {"parent": 0}], [{"compartment": 0, "model": "AMPA"}, {"compartment": 1, "model": "GABA"}])


class MissingError(Exception):
    """A step needs what a step made that was left out or refused."""


def digest(*arrays: Any) -> str:
    found = hashlib.sha256()
    for array in arrays:
        array = np.ascontiguousarray(array)
        found.update(
            repr((array.dtype.str, array.shape)).encode() + (repr(array.tolist()).encode() if array.dtype.hasobject else array.tobytes())
        )
    return found.hexdigest()[:16]


def value_of(value: Any, n: int = 0) -> Any:
    """Distributions and arrays of what a program says."""
    if not isinstance(value, tuple):
        return np.array(value) if isinstance(value, list) else value
    kind, *given = value
    if kind == "uniform":
        return npl.uniform(*given)
    if kind == "coded":
        return npl.uniform(*given).coded(bits=4)
    if kind == "normal":
        return npl.normal(*given[:2]).redraw(*given[2:]) if given[1] > 0 else given[0]
    return np.random.default_rng(given[0]).uniform(*given[1:], n)


def text_of(error: Exception) -> str:
    """Its text; which of several bad values it names may depend on the slices."""
    return re.sub(r"-?\d[\d.e+-]*", "#", str(error)) if isinstance(error, npl.errors.BadParameter) else str(error)


class Performer:
    """A network and what the steps made of it. `loads`: settings of the network that goes on after a cut; None: it is not cut."""

    def __init__(self, folder: Path, settings: dict[str, Any], loads: dict[str, Any] | None) -> None:
        self.folder, self.settings, self.loads = folder, settings, loads
        self.net: Any = None
        self.nodes: dict[int, Any] = {}
        self.projections: dict[int, Any] = {}
        self.records: dict[int, Any] = {}
        self.weights: Any = None
        self.growth: Any = None
        self.number = 0

    def perform(self, program: list[Step | None]) -> list[tuple[int, str]]:
        """What came of each step, and at the end of all records, states and connections. None: a step that is left out."""
        said = []
        for self.number, step in enumerate(program):
            if step is None:
                continue
            try:
                found = getattr(self, "do_" + step[0])(**step[1])
                said.append((self.number, step[0] + (f" {found}" if isinstance(found, str) else "")))
            except MissingError:
                continue
            except npl.NeuropilError as error:
                said.append((self.number, f"{step[0]}: {type(error).__name__}: {text_of(error)}"))
                if step[0] == "run":
                    return said  # how far it got depends on the slices
            except Exception as error:
                error.add_note(f"in step {self.number}: {step}")
                raise
        return [*said, *((len(program), text) for text in self.findings())]

    # --- what steps name

    def some(self, part: tuple[int, int, int, int]) -> Any:
        number, first, last, stride = part
        if number not in self.nodes:
            raise MissingError
        return self.nodes[number][first:last:stride]

    def one(self, things: dict[int, Any], number: int) -> Any:
        if number not in things:
            raise MissingError
        return things[number]

    def synapse(self, name: str, params: dict[str, Any], n: int = 0) -> Any:
        given = {}
        for key, value in params.items():
            if isinstance(value, tuple) and value[0] == "node":
                value = float(self.one(self.nodes, value[1]).gids[0])
            given[key] = value_of(value, n)
        return npl.synapse(name, **given)

    # --- steps

    def do_network(self, **given: Any) -> None:
        self.net = npl.Network(**given, **self.settings)

    def do_record_weights(self) -> None:
        self.weights = self.net.record_weights()

    def do_create(self, model: str, n: int, params: dict[str, Any]) -> None:
        shape = npl.tree(*TREE) if model == "cm" else model
        self.nodes[self.number] = self.net.create(shape, n, **{name: value_of(value, n) for name, value in params.items()})

    def do_connect(self, pre, post, rule, arguments, growth, **given: Any) -> None:
        if growth and self.growth is None:
            raise MissingError
        more = {"growth": self.growth} if growth else {}
        pre, post = self.some(pre), self.some(post)
        made = self.net.connect(pre, post, getattr(npl, rule)(**arguments), **self.given(**given), **more)
        self.projections[self.number] = made

    def given(self, weight, delay, synapse, params, receptor, double, recorded, label, n: int = 0) -> dict[str, Any]:
        return {
            "weight": value_of(weight, n),
            "delay": value_of(delay, n),
            "synapse": self.synapse(synapse, params, n),
            "receptor": receptor,
            "double_weights": double,
            "name": label,
            "weight_recorder": self.weights if recorded else None,
        }

    def do_arrays(self, pre: int, post: int, sources: list[int], targets: list[int], **given: Any) -> None:
        sources, targets = self.one(self.nodes, pre).gids[sources], self.one(self.nodes, post).gids[targets]
        self.projections[self.number] = self.net.connect_gids(sources, targets, **self.given(**given, n=len(sources)))

    def do_stimulate(self, post, device: str, params: dict[str, Any], weight, delay, receptor: int) -> None:
        post = self.some(post)
        weight, delay = value_of(weight), value_of(delay)
        made = self.net.stimulate(post, npl.device(device, **params), weight=weight, delay=delay, receptor=receptor)
        self.nodes[self.number], self.projections[self.number] = made.pre, made

    def do_elements(self, nodes, rate: float, z) -> None:
        curve = npl.synaptic_elements("linear", growth_rate=rate, eps=0.2, z=value_of(z))
        self.some(nodes).synaptic_elements = {"axon": curve, "spine": curve}

    def do_grow(self, weight, synapse: str, delay: float, interval: float) -> None:
        self.growth = self.net.grow("axon", "spine", weight=value_of(weight), delay=delay, synapse=synapse)
        self.net.growth_interval = interval

    def do_growing(self, on: bool) -> None:
        self.net.growing = on

    def do_record_spikes(self, nodes, window: dict[str, float]) -> None:
        self.records[self.number] = self.net.record(self.some(nodes), **window)

    def do_record_states(self, nodes, names: list[str], interval: float) -> None:
        self.records[self.number] = self.net.record(self.some(nodes), names, interval=interval)

    def do_record_bins(self, nodes, kind: str, bin: float) -> None:
        self.records[self.number] = self.net.record(self.some(nodes), kind, bin=bin)

    def do_record_synapses(self, projection: int, names: list[str], interval: float) -> None:
        self.records[self.number] = self.net.record(self.one(self.projections, projection), names, interval=interval)

    def do_run(self, steps: int) -> None:
        self.net.run(round(steps * self.net.resolution, 6))

    def do_set_nodes(self, nodes, params: dict[str, Any]) -> None:
        some = self.some(nodes)
        some.set({name: value_of(value, len(some)) for name, value in params.items()})

    def do_set_projection(self, projection: int, name: str, every: int, value: Any) -> None:
        made = self.one(self.projections, projection)
        if every == 1:
            made.set(**{name: value_of(value, len(made))})
        else:
            made[name][::every] = value_of(value, len(range(0, len(made), every)))

    def do_disconnect(self, projection: int, every: int, first: int) -> None:
        made = self.one(self.projections, projection)
        made.disconnect(np.arange(len(made)) % every == min(first, every - 1))

    def do_read(self) -> str:
        return digest(*(text.encode() for text in self.findings()))

    def do_clear(self, record: int) -> None:
        self.one(self.records, record).clear()

    def do_store(self) -> None:
        self.net.store()
        self.stored = dict(self.nodes), dict(self.projections), dict(self.records), self.weights, self.growth

    def do_restore(self) -> None:
        self.net.restore()
        nodes, projections, records, self.weights, self.growth = self.stored
        self.nodes, self.projections, self.records = dict(nodes), dict(projections), dict(records)

    def do_reset(self) -> None:
        self.net.reset()

    def do_reseed(self) -> None:
        self.net.reset(seed=self.number)

    def do_copy(self) -> None:
        other = self.net.copy()
        self.take(other, other.counterpart)

    def do_clone(self) -> None:
        other = self.net.copy()
        self.take(other, other.counterpart)

    def take(self, other: Any, its: Any) -> None:
        """Goes on in another network, without what a reset has taken out."""
        for things in (self.nodes, self.projections, self.records):
            for number, thing in [*things.items()]:
                try:
                    things[number] = its(thing)
                except npl.NeuropilError:
                    del things[number]
        self.weights = self.weights and its(self.weights)
        self.growth = self.growth and other.growths[self.growth.name]
        self.net = other

    def do_cut(self) -> None:
        if self.loads is None:
            return
        path = self.folder / f"{self.number}.npc"
        self.net.save(path, {"nodes": self.nodes, "projections": self.projections, "records": self.records, "weights": self.weights})
        growth = self.growth and self.growth.name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.net = npl.load(path, **self.loads)
        extra = self.net.extra
        self.nodes, self.projections, self.records, self.weights = (extra[name] for name in ("nodes", "projections", "records", "weights"))
        self.growth = growth and self.net.growths[growth]

    # --- what came of it

    def findings(self) -> list[str]:
        c = self.net.connections()  # builds: from then on their number is exact
        found = [f"time {self.net.time} connections {self.net.n_connections} delays {self.net.min_delay} {self.net.max_delay}"]
        found += [f"record {number}: {self.of_record(record)}" for number, record in self.records.items()]
        if self.weights is not None:
            found.append(f"sent weights: {self.of_record(self.weights)}")
        found += [f"nodes {number}: {self.of_nodes(nodes)}" for number, nodes in self.nodes.items()]
        columns = {name: np.asarray(getattr(c, name)) for name in ("source", "target", "weight", "delay", "receptor", "synapse")}
        found += [f"{name}s: {len(c)} {digest(values)}" for name, values in columns.items()]
        return (
            found + self.of_synapses(c) + [f"projection {number}: {self.of_projection(made)}" for number, made in self.projections.items()]
        )

    @staticmethod
    def of_record(record: Any) -> str:
        names = ("times", "gids", "offsets", "counts", "values", "sources", "targets", "weights", "delays", "receptors")
        arrays = [record.times]
        for name in names[1:]:
            if name == "values" and hasattr(record, "names"):
                arrays += [record[quantity] for quantity in record.names]
            elif hasattr(type(record), name) and not callable(getattr(record, name)):
                arrays.append(getattr(record, name))
        return f"{len(arrays[0])} {digest(*arrays)}"

    @staticmethod
    def of_nodes(nodes: Any) -> str:
        try:
            entry = npl.describe(nodes.model)
        except npl.NeuropilError:
            return ""
        names = [name for name in (*entry.parameters, *entry.state) if not name.startswith("_")]
        return " ".join(f"{name} {digest(nodes.get(name))[:6]}" for name in names)

    @staticmethod
    def of_synapses(c: Any) -> list[str]:
        found = []
        for name in SYNAPSE_STATES:
            try:
                found.append(f"synapses' {name}: {digest(c.state(name))}")
            except npl.NeuropilError as error:
                found.append(f"synapses' {name}: {type(error).__name__}")
        return found

    @staticmethod
    def of_projection(made: Any) -> str:
        try:
            return f"{len(made)} {digest(made.weight, made.delay)}"
        except npl.NeuropilError as error:
            return re.sub(r"\d+ bytes", "", f"{type(error).__name__} {error}")
