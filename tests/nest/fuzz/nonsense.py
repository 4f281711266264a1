# SPDX-License-Identifier: Apache-2.0
"""Nonsense for every public call: python -m tests.nest.fuzz.nonsense nest|native SEED CALLS.

A call that works is taken and one or two of its arguments, or parts of them, are replaced by what no caller should give. It may work; if it
raises, the error is one that a caller can expect, and the state (a checkpoint, without its identity) is as it was before.
"""

from __future__ import annotations

import collections
import contextlib
import io
import os
import signal
import sys
import tempfile
import traceback
import zipfile
import zlib
from concurrent.futures import Future
from typing import Any

import numpy as np
from tests.nest.fuzz.scripts import Dice

import neuropil as npl
import neuropil.nest as nest
from neuropil.checkpoint import container
from neuropil.checkpoint.disk import Disk
from neuropil.errors import NeuropilError
from neuropil.nest import checkpoints

LIMIT = 20  # seconds for one call
ALLOWED = (NeuropilError, nest.NESTError, TypeError, ValueError, OverflowError, MemoryError)
# As NEST: reading what is not there; comparing with what is no collection.
OF_READING = (KeyError, AttributeError, IndexError, NotImplementedError)
ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    3,
    2**31,
    2**63,
    2**70,
    -(2**63) - 1,
    0.05,
    -1.5,
    1e-320,
    1e300,
    float("nan"),
    float("inf"),
    -float("inf"),
    1j,
    "",
    "nonsense",
    "V_m",
    "ä\0",
    b"bytes",
    [],
    [None],
    [float("nan")],
    [1, 2, 3],
    [[1.0], [2.0, 3.0]],
    ["a", 1],
    (),
    {},
    {"nonsense": 1},
    {1: 2},
    {"weight": float("nan")},
    {"rule": "nonsense"},
    set(),
    object(),
    object,
    len,
    Ellipsis,
    range(10**12),
    slice(None),
    np.array(3),
    np.array([]),
    np.array([1.5, np.nan]),
    np.array([[1, 2], [3, 4]]),
    np.array([1 + 2j]),
    np.array(["x"]),
    np.array([None]),
    np.broadcast_to(np.int64(1), 2**40),
    np.float32(2.5),
    np.int8(-3),
    np.datetime64("2020-01-01"),
]


class Of:
    """One kernel under test: how it is made, hashed, and which calls it has."""

    calls: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]]

    def build(self) -> None:
        raise NotImplementedError

    def save(self, path: str) -> None:
        raise NotImplementedError

    def settings(self) -> Any:
        """Parameters of the devices."""
        raise NotImplementedError


class OfNest(Of):
    """neuropil.nest with neurons, devices, recorders, plastic connections, positions."""

    def build(self) -> None:
        nest.ResetKernel()
        nest.verbosity = nest.VerbosityLevel.QUIET
        for model in ("iaf_psc_exp_multisynapse", "voltmeter", "static_synapse", "stdp_synapse"):
            nest.GetDefaults(model)  # models are read when they are asked for first
        n = self.cells = nest.Create("iaf_psc_exp", 4, {"I_e": 400.0})
        self.more = nest.Create("aeif_cond_alpha_multisynapse", 2, {"tau_syn": [2.0, 8.0], "E_rev": [0.0, -85.0]})
        self.grid = nest.Create("iaf_psc_alpha", positions=nest.spatial.grid([3, 3]))
        self.train = nest.Create("spike_generator", params={"spike_times": [1.0, 2.0, 7.0]})
        self.step = nest.Create("step_current_generator", params={"amplitude_times": [1.0], "amplitude_values": [100.0]})
        self.recorder = nest.Create("spike_recorder")
        self.meter = nest.Create("multimeter", params={"record_from": ["V_m"]})
        nest.Connect(self.train, n, syn_spec={"weight": 100.0})
        nest.Connect(self.step, n)
        nest.Connect(n, n, {"rule": "fixed_indegree", "indegree": 2}, {"synapse_model": "stdp_synapse", "weight": 5.0, "delay": 1.5})
        nest.Connect(n, self.more, syn_spec={"receptor_type": 2})
        nest.Connect(n, self.recorder)
        nest.Connect(self.meter, n)
        nest.Simulate(5.0)
        self.conns = nest.GetConnections(n, n)
        self.calls = self.listed()

    def save(self, path: str) -> None:
        checkpoints.save(path)

    def settings(self) -> Any:
        return [sorted((str(key), str(value)) for key, value in device.get().items()) for device in (self.train, self.step)]

    def of_collections(self) -> dict[str, Any]:
        n, c = self.cells, self.conns
        return {
            "nodes.set": (n.set, ({"V_m": [-60.0, -61.0, -62.0, -63.0]},), {}),
            "nodes.set several": (n.set, (), {"V_m": -60.0, "tau_m": 11.0}),
            "nodes.set dicts": (n.set, ([{"V_m": -60.0}, {}, {"t_ref": 1.0}, {}],), {}),
            "nodes.get": (n.get, (["V_m", "tau_m"],), {"output": "json"}),
            "train.set": (self.train.set, ({"spike_times": [9.0, 10.0]},), {}),
            "step.set": (self.step.set, ({"amplitude_times": [9.0], "amplitude_values": [3.0]},), {}),
            "meter.set": (self.meter.set, ({"interval": 2.0},), {}),
            "recorder.set": (self.recorder.set, ({"n_events": 0},), {}),
            "nodes[]": (n.__getitem__, ([0, 2],), {}),
            "nodes +": (n.__add__, (self.more,), {}),
            "nodes ==": (n.__eq__, (self.more,), {}),
            "nodes.index": (n.index, (2,), {}),
            "nodes in": (n.__contains__, (2,), {}),
            "conns.set": (c.set, ({"weight": 3.0, "delay": 2.0},), {}),
            "conns.set list": (c.set, (), {"weight": [1.0] * len(c)}),
            "conns.get": (c.get, (["weight", "source"],), {"output": "pandas"}),
            "conns[]": (c.__getitem__, (slice(0, 2),), {}),
        }

    def of_space(self) -> dict[str, Any]:
        return {
            "GetPosition": (nest.GetPosition, (self.grid,), {}),
            "Distance": (nest.Distance, (self.grid[:2], self.grid[1:3]), {}),
            "CreateMask": (nest.CreateMask, ("circular", {"radius": 0.3}), {"anchor": [0.1, 0.1]}),
            "SelectNodesByMask": (nest.SelectNodesByMask, (self.grid, [0.0, 0.0], nest.CreateMask("circular", {"radius": 0.3})), {}),
            "FindNearestElement": (nest.FindNearestElement, (self.grid, [0.1, 0.1], True), {}),
            "GetTargetNodes": (nest.GetTargetNodes, (self.grid, self.grid, "static_synapse"), {}),
            "spatial.grid": (nest.spatial.grid, ([2, 2], [0.0, 0.0], [1.0, 1.0], True), {}),
            "spatial.free": (nest.spatial.free, (nest.random.uniform(), [1.0, 1.0], True), {"num_dimensions": 2}),
            "CreateParameter": (nest.CreateParameter, ("uniform", {"min": 0.0, "max": 1.0}), {}),
            "random.uniform": (nest.random.uniform, (0.0, 1.0), {}),
            "random.normal": (nest.random.normal, (0.0, 1.0), {}),
            "random.lognormal": (nest.random.lognormal, (0.0, 1.0), {}),
            "math.redraw": (nest.math.redraw, (nest.random.normal(), -1.0, 1.0), {}),
            "math.exp": (nest.math.exp, (nest.random.normal(),), {}),
            "logic.conditional": (nest.logic.conditional, (nest.random.uniform() > 0.5, 1.0, 2.0), {}),
            "spatial_distributions.gaussian": (nest.spatial_distributions.gaussian, (nest.spatial.distance, 0.0, 0.5), {}),
            "CollocatedSynapses": (nest.CollocatedSynapses, ({"weight": 1.0}, {"weight": 2.0}), {}),
        }

    def of_connections(self) -> dict[str, Any]:
        n = self.cells
        return {
            "Connect": (nest.Connect, (n, n, "all_to_all", {"weight": 2.0, "delay": 1.0}), {}),
            "Connect rule": (nest.Connect, (n, self.grid, {"rule": "fixed_total_number", "N": 5, "allow_multapses": True}), {}),
            "Connect plastic": (
                nest.Connect,
                (n, n, {"rule": "pairwise_bernoulli", "p": 0.5}, {"synapse_model": "stdp_synapse", "Wmax": 9.0}),
                {},
            ),
            "Connect arrays": (
                nest.Connect,
                (np.array([1, 2]), np.array([2, 3]), "one_to_one", {"weight": np.ones(2), "delay": np.ones(2)}),
                {},
            ),
            "Connect space": (
                nest.Connect,
                (self.grid, self.grid, {"rule": "pairwise_bernoulli", "p": 1.0, "mask": {"circular": {"radius": 0.4}}}),
                {},
            ),
            "Connect port": (nest.Connect, (n, self.more, "all_to_all", {"receptor_type": 1, "weight": 1.0}), {}),
            "Connect device": (nest.Connect, (self.train, self.grid), {"syn_spec": {"weight": 3.0}}),
            "TripartiteConnect": (
                nest.TripartiteConnect,
                (
                    n,
                    self.grid,
                    self.more,
                    {"rule": "pairwise_bernoulli", "p": 0.5},
                    {"rule": "third_factor_bernoulli_with_pool", "p": 0.5, "pool_size": 1},
                ),
                {},
            ),
            "Disconnect": (nest.Disconnect, (n, n, "all_to_all", "stdp_synapse"), {}),
            "GetConnections": (nest.GetConnections, (n, n, "stdp_synapse"), {}),
        }

    def listed(self) -> dict[str, Any]:
        n = self.cells
        calls: dict[str, Any] = {
            **self.of_collections(),
            **self.of_space(),
            **self.of_connections(),
            "Create": (nest.Create, ("iaf_psc_exp", 2, {"V_m": -60.0, "tau_m": [10.0, 12.0]}), {}),
            "Create devices": (nest.Create, ("spike_generator", 1), {"params": {"spike_times": [8.0, 9.0], "spike_weights": [1.0, 2.0]}}),
            "Create meter": (nest.Create, ("multimeter", 1, {"record_from": ["V_m"], "interval": 0.5}), {}),
            "Create ports": (nest.Create, ("iaf_psc_exp_multisynapse", 1, {"tau_syn": [1.0, 2.0]}), {}),
            "Create layer": (nest.Create, ("iaf_psc_exp",), {"positions": nest.spatial.free([[0.0, 0.1], [0.2, 0.3]])}),
            "SetDefaults": (nest.SetDefaults, ("iaf_psc_exp", {"tau_m": 12.0}), {}),
            "SetDefaults synapse": (nest.SetDefaults, ("stdp_synapse", {"tau_plus": 12.0, "weight": 2.0}), {}),
            "GetDefaults": (nest.GetDefaults, ("iaf_psc_exp", ["tau_m", "V_th"]), {}),
            "CopyModel": (nest.CopyModel, ("iaf_psc_exp", "copied", {"tau_m": 9.0}), {}),
            "SetStatus": (nest.SetStatus, (n, {"V_m": -60.0}), {}),
            "GetStatus": (nest.GetStatus, (n, ["V_m", "tau_m"]), {}),
            "SetKernelStatus": (nest.SetKernelStatus, ({"rng_seed": 3, "overwrite_files": True},), {}),
            "GetKernelStatus": (nest.GetKernelStatus, (["rng_seed", "resolution"],), {}),
            "set": (nest.set, (), {"rng_seed": 5, "min_delay": 1.0, "resolution": 0.1}),
            "GetNodes": (nest.GetNodes, ({"model": "iaf_psc_exp"},), {"local_only": True}),
            "NodeCollection": (nest.NodeCollection, ([1, 2, 4],), {}),
            "Simulate": (nest.Simulate, (1.0,), {}),
            "set_verbosity": (nest.set_verbosity, ("M_QUIET",), {}),
            "checkpoints.load": (checkpoints.load, ("no_such_file",), {"threads": 1}),
        }
        for name in (
            "resolution",
            "local_num_threads",
            "rng_seed",
            "min_delay",
            "data_path",
            "print_time",
            "overwrite_files",
            "wfr_tol",
            "biological_time",
        ):
            calls[f"nest.{name}"] = (setattr, (nest, name, getattr(nest, name)), {})
        return calls

    def odd(self, dice: Dice) -> Any:
        mine = [
            self.cells,
            self.more,
            self.grid[:2],
            self.train,
            self.recorder,
            self.conns,
            nest.NodeCollection(),
            nest.random.uniform(),
            nest.spatial.distance,
        ]
        return dice.pick([*mine, *ODD])


class OfNative(Of):
    """The public names of neuropil."""

    def build(self) -> None:
        net = self.net = npl.Network(seed=3, threads=1)
        n = self.cells = net.create("iaf_psc_exp", 5, I_e=400.0)
        self.layer = net.create("iaf_psc_alpha", positions=npl.grid((3, 3)))
        self.links = net.connect(n, n, npl.fixed_indegree(2), weight=5.0, synapse=npl.stdp(Wmax=20.0))
        self.device = net.stimulate(n, npl.poisson(rate=500.0), weight=20.0).pre
        self.spikes = net.record(n)
        self.trace = net.record(n[0], "V_m", interval=0.5)
        net.run(5.0)
        self.conns = net.connections(n, n)
        self.other = npl.Network(seed=4).create("iaf_psc_exp", 2)
        self.calls = self.listed()

    def save(self, path: str) -> None:
        self.net.save(path)

    def settings(self) -> Any:
        return [self.device.get(name) for name in ("rate", "start", "stop")]

    def listed(self) -> dict[str, Any]:
        net, n, c = self.net, self.cells, self.conns
        calls = {
            "Network": (npl.Network, (), {"resolution": 0.1, "seed": 1, "threads": 2}),
            "create": (net.create, ("iaf_psc_exp", 3), {"V_m": -60.0, "tau_m": [10.0, 11.0, 12.0], "name": "x"}),
            "create drawn": (net.create, ("iaf_psc_alpha", 3), {"V_m": npl.normal(-65.0, 5.0)}),
            "create device": (net.create, ("spike_generator",), {"spike_times": [7.0, 8.0]}),
            "create layer": (net.create, ("iaf_psc_exp",), {"positions": npl.grid((2, 2))}),
            "connect": (net.connect, (n, n), {"weight": 2.0, "delay": 1.0, "receptor": 0, "label": "l"}),
            "connect rule": (net.connect, (n, self.layer, npl.fixed_total_number(5)), {"weight": npl.normal(1.0, 0.1)}),
            "connect synapse": (net.connect, (n, n, npl.pairwise_bernoulli(0.5)), {"synapse": npl.stdp(Wmax=9.0), "double_weights": True}),
            "connect_gids": (net.connect_gids, ([1, 2], [2, 3]), {"weight": [1.0, 2.0], "delay": [1.0, 1.5]}),
            "connect_tripartite": (net.connect_tripartite, (n, n, self.layer, "all_to_all"), {"p": 0.5, "pool_size": 1, "pool": "random"}),
            "stimulate": (net.stimulate, (n, npl.dc(amplitude=3.0)), {"weight": 1.0, "delay": 1.0}),
            "record": (net.record, (n,), {}),
            "record state": (net.record, (n, ["V_m"]), {"interval": 0.5}),
            "nodes": (net.nodes, ("iaf_psc_exp",), {}),
            "nodes gids": (net.nodes, (), {"gids": [1, 2]}),
            "plan": (net.plan, (), {"ranks": 2, "threads": 2, "rate": 5.0, "time": 10.0}),
            "run": (net.run, (1.0,), {}),
            "every": (net.every, (1.0, lambda net: None), {}),
            "connections": (net.connections, (n, n), {}),
            "disconnect": (net.disconnect, (c[:1],), {}),
            "name_of": (net.name_of, (n,), {}),
            "set": (n.set, (), {"V_m": -60.0, "tau_m": 11.0}),
            "get": (n.get, ("V_m",), {}),
            "nodes[]": (n.__getitem__, ([0, 2],), {}),
            "nodes +": (n.__add__, (self.layer,), {}),
            "device.set": (self.device.set, (), {"rate": 300.0}),
            "fixed_indegree": (npl.fixed_indegree, (2,), {}),
            "pairwise_bernoulli": (npl.pairwise_bernoulli, (0.5,), {}),
            "normal": (npl.normal, (0.0, 1.0), {}),
            "uniform": (npl.uniform, (0.0, 1.0), {}),
            "lognormal": (npl.lognormal, (0.0, 1.0), {}),
            "stdp": (npl.stdp, (), {"Wmax": 3.0, "lambda_": 0.1}),
            "synapse": (npl.synapse, ("tsodyks_synapse",), {"U": 0.3}),
            "device": (npl.device, ("ac_generator",), {"amplitude": 3.0}),
            "poisson": (npl.poisson, (), {"rate": 3.0}),
            "describe": (npl.describe, ("iaf_psc_exp",), {}),
            "grid": (npl.grid, ((2, 2),), {}),
            "free": (npl.free, (npl.uniform(0.0, 1.0),), {"dims": 2}),
            "tree": (npl.describe, ("stdp_synapse",), {}),
        }
        for name in ("weight", "delay"):
            if hasattr(self.links, name):
                calls[f"projection.{name}"] = (setattr, (self.links, name, 3.0), {})
            if hasattr(c, name):
                calls[f"connections.{name}"] = (setattr, (c, name, 3.0), {})
        return calls

    def odd(self, dice: Dice) -> Any:
        mine = [
            self.cells,
            self.layer,
            self.device,
            self.other,
            self.conns,
            self.spikes,
            self.net,
            npl.normal(0.0, 1.0),
            npl.poisson(rate=3.0),
            npl.distance,
        ]
        return dice.pick([*mine, *ODD])


class AtOnce:
    """Writes a checkpoint in the thread that saves: most of the time of small ones goes to waiting for the other one."""

    def __init__(self, *_: Any) -> None: ...

    def submit(self, function: Any, *args: Any) -> Future[None]:
        done: Future[None] = Future()
        done.set_result(function(*args))
        return done

    def shutdown(self, **_: Any) -> None: ...


def digest(kernel: Of, folder: str) -> int:
    """Of all that a checkpoint holds but its own identity."""
    path = f"{folder}/state"
    kernel.save(path)
    found = 0
    with zipfile.ZipFile(path) as parts:
        for name in sorted(parts.namelist()):
            if name not in LEFT_OUT and "device/history" not in name:
                found = zlib.crc32(parts.read(name), zlib.crc32(name.encode(), found))
    return zlib.crc32(repr(kernel.settings()).encode(), found)


# The identity of the file; the fingerprint of calls, refused ones, too, which ranks compare. Settings of devices: as they are shown.
LEFT_OUT = ("index.json", "common/described.npy")
LONG = ("Simulate", "run", "every")  # a large number is a long run, no nonsense


def mutated(dice: Dice, kernel: Any, value: Any, depth: int = 0) -> Any:
    """An argument with one part replaced, or something else altogether."""
    if depth < 3 and isinstance(value, dict) and value and dice.chance(0.75):
        value = dict(value)
        key = dice.pick(sorted(value, key=str))
        what = dice.random()
        if what < 0.75:
            value[key] = mutated(dice, kernel, value[key], depth + 1)
        elif what < 0.9:
            value[dice.pick(["nonsense", "weight", "delay", "V_m", "p", "rule", "model", "n", ""])] = kernel.odd(dice)
        else:
            value[str(key) + "x"] = value.pop(key)
        return value
    if depth < 3 and isinstance(value, (list, tuple)) and value and dice.chance(0.6):
        items = list(value)
        items[dice.whole(0, len(items) - 1)] = kernel.odd(dice)
        return items if isinstance(value, list) else tuple(items)
    return kernel.odd(dice)


def attempt(dice: Dice, kernel: Any, name: str) -> tuple[str, Any]:
    """Makes one mutated call; returns "" or what is wrong, and what came of it."""
    function, args, kwargs = kernel.calls[name]
    args, kwargs = list(args), dict(kwargs)
    for _ in range(dice.pick([1, 1, 1, 2])):
        places: list[Any] = [2] if function is setattr else [*range(len(args)), *kwargs]
        if not places:
            break
        at = dice.pick(places)
        box: Any = args if isinstance(at, int) else kwargs
        box[at] = mutated(dice, kernel, box[at])
    if name in LONG and args and isinstance(args[0], (int, float)) and 100 < abs(args[0]) < 1e18:
        return "", "left out"
    if dice.chance(0.05):
        kwargs["nonsense"] = kernel.odd(dice)
    elif dice.chance(0.05):
        args = args[:-1]
    shown = f"{name}{said(args)} {said(kwargs)}"
    try:
        signal.alarm(LIMIT)
        with contextlib.redirect_stdout(io.StringIO()):
            function(*args, **kwargs)
        signal.alarm(0)
        return "", "worked"
    except ALLOWED as raised:
        signal.alarm(0)
        return "", raised
    except OF_READING as raised:
        signal.alarm(0)
        return (
            ""
            if meant(raised) or name.startswith(("Get", "set_verbosity")) or name.endswith("[]")
            else f"{shown}: {type(raised).__name__} {raised} {where(raised)}"
        ), raised
    except Exception as raised:
        signal.alarm(0)
        return f"{shown}: {type(raised).__name__} {raised} {where(raised)}", raised


def where(raised: BaseException) -> str:
    last = traceback.extract_tb(raised.__traceback__)[-1]
    return f"({last.filename}:{last.lineno})"


def meant(raised: BaseException) -> bool:
    """Whether the error was raised on purpose, and is no slip of the code within."""
    last = traceback.extract_tb(raised.__traceback__)[-1]
    return (last.line or "").startswith("raise ")


def said(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 300 else text[:300] + "..."


def hang(*_: Any) -> None:
    raise SystemExit("a call takes too long")


def run(kind: str, seed: int, calls: int) -> list[str]:
    """What is wrong, one line each."""
    kernel: Any = OfNest() if kind == "nest" else OfNative()
    dice, wrong = Dice(seed), []
    signal.signal(signal.SIGALRM, hang)
    vars(container)["ThreadPoolExecutor"] = AtOnce
    setattr(Disk, "sync", lambda *_: None)  # noqa: B010
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        kernel.build()
        before = digest(kernel, folder)
        for number in range(calls):
            name = dice.pick(sorted(kernel.calls))
            print(f"{number}: {name}", file=sys.stderr, flush=True)  # the last line of a crash
            problem, came = attempt(dice, kernel, name)
            counts[came if isinstance(came, str) else type(came).__name__] += 1
            after = digest(kernel, folder)
            if problem:
                wrong.append(f"{number} {problem}")
            elif after != before and isinstance(came, Exception):
                wrong.append(f"{number} {name}: {type(came).__name__} {came}: the state has changed")
            if after != before or came == "worked":
                kernel.build()
                after = digest(kernel, folder)
            before = after
    print(f"{calls} calls: {dict(counts)}")
    return wrong


if __name__ == "__main__":
    found = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    print(*found, sep="\n")
    sys.exit(bool(found))
