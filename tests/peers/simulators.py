# SPDX-License-Identifier: Apache-2.0
"""One small interface over NEST and neuropil, so that a protocol is written once and runs on either.

Units: ms, mV, pA, nS. Times that come back are rounded to the grid of 1e-6 ms, traces and weights are as the simulator gives them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

Trace = dict[str, np.ndarray]


def both(times: np.ndarray, senders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By time, then sender; times rounded to 1e-6 ms."""
    times = np.round(times, 6)
    order = np.lexsort((senders, times))
    return times[order], senders[order]


class Nest:
    """NEST 3.10. Data of the last min_delay of a run are only delivered by the next one, so reading runs on a little and cuts."""

    name = "nest"
    lacks: frozenset[str] = frozenset()  # parameters of devices and recorders that the simulator does not have

    def __init__(self, resolution: float = 0.1, seed: int = 1, threads: int = 1, min_delay: float = 0.1, max_delay: float = 10.0):
        os.environ.setdefault("PYNEST_QUIET", "1")
        import nest

        nest.verbosity = nest.VerbosityLevel.ERROR
        nest.ResetKernel()
        nest.set(resolution=resolution, local_num_threads=threads, rng_seed=seed)
        nest.set(min_delay=max(min_delay, resolution), max_delay=max_delay)
        self.nest, self.resolution, self.models = nest, resolution, 0
        self.stop: float | None = None

    def create(self, model: str, n: int = 1, **params: Any):
        return self.nest.Create(model, n, params=params or None)

    device = create

    def set(self, nodes, **params: Any) -> None:
        nodes.set(params)

    def set_post_trace(self, nodes, tau_minus: float) -> None:
        """The time constant of depression belongs to the neuron here."""
        nodes.tau_minus = tau_minus

    def get(self, nodes, name: str) -> np.ndarray:
        return np.atleast_1d(np.array(nodes.get(name)))

    def ids(self, nodes) -> np.ndarray:
        return np.array(nodes.tolist())

    def connect(self, pre, post, weight: float = 1.0, delay: float = 1.0) -> None:
        self.nest.Connect(pre, post, syn_spec={"weight": weight, "delay": delay})

    def connect_pairs(
        self, sources, targets, weights, delays, synapse: str = "static_synapse", params: dict[str, float] | None = None
    ) -> None:
        """sources[i] to targets[i] (arrays of ids); tau_minus among the parameters is left to the targets."""
        self.models += 1
        name = f"{synapse}_{self.models}"
        self.nest.CopyModel(synapse, name, {key: value for key, value in (params or {}).items() if key != "tau_minus"})
        self.nest.Connect(sources, targets, "one_to_one", {"synapse_model": name, "weight": weights, "delay": delays})

    def connect_plastic(self, pre, post, synapse: str, params: dict[str, float], weight: float, delay: float) -> Any:
        """One plastic connection; tau_minus is a parameter of the target here. Its weight is noted at each presynaptic spike."""
        recorder = self.nest.Create("weight_recorder")
        self.models += 1
        name = f"{synapse}_{self.models}"
        own = {key: value for key, value in params.items() if key != "tau_minus"}
        self.nest.CopyModel(synapse, name, own | {"weight_recorder": recorder})
        post.tau_minus = params["tau_minus"]
        self.nest.Connect(pre, post, syn_spec={"synapse_model": name, "weight": weight, "delay": delay})
        return recorder

    def weights_after(self, plastic: list, pre_stamps: list[np.ndarray], delays: list[float], duration: float) -> list[np.ndarray]:
        """Runs; for each plastic connection its weight after each presynaptic spike."""
        self.run(duration)
        found = []
        for recorder, stamps in zip(plastic, pre_stamps, strict=True):
            events = recorder.get("events")
            assert np.allclose(events["times"], stamps), "the presynaptic train is not the one asked for"
            found.append(np.array(events["weights"]))
        return found

    def trace(self, nodes, names, interval: float = 0.1, **window: float):
        meter = self.nest.Create("multimeter", params={"record_from": list(names), "interval": interval, **window})
        self.nest.Connect(meter, nodes)
        return meter, list(names), self.ids(nodes)

    def spikes(self, nodes, **window: float):
        recorder = self.nest.Create("spike_recorder", params=window or None)
        self.nest.Connect(nodes, recorder)
        return recorder

    def run(self, ms: float) -> None:
        assert self.stop is None, "results were read already"
        self.nest.Simulate(ms)

    def _flush(self) -> float:
        if self.stop is None:
            self.stop = self.nest.biological_time
            self.nest.Simulate(self.nest.max_delay)
        return self.stop + 1e-6

    def read_trace(self, handle) -> Trace:
        """times (n,) [ms] and each quantity as (nodes, n)."""
        meter, names, ids = handle
        stop = self._flush()
        events = meter.get("events")
        keep = events["times"] <= stop
        rows = [keep & (events["senders"] == i) for i in ids]
        found = {name: np.array([events[name][row] for row in rows]) for name in names}
        return {"times": np.round(events["times"][rows[0]], 6)} | found

    def read_spikes(self, recorder) -> tuple[np.ndarray, np.ndarray]:
        """times [ms] and senders, by time, then sender."""
        stop = self._flush()
        events = recorder.get("events")
        keep = events["times"] <= stop
        return both(events["times"][keep], events["senders"][keep].astype(np.int64))


class Neuropil:
    """neuropil through its Python front end."""

    name = "neuropil"
    lacks = frozenset({"spike_weights", "meter_window"})

    def __init__(self, resolution: float = 0.1, seed: int = 1, threads: int = 1, min_delay: float = 0.1, max_delay: float = 10.0):
        import neuropil

        self.neuropil = neuropil
        self.net = neuropil.Network(resolution=resolution, seed=seed, threads=threads)
        self.resolution = resolution

    def create(self, model: str, n: int = 1, **params: Any):
        return self.net.create(model, n, **params)

    device = create

    def set(self, nodes, **params: Any) -> None:
        nodes.set(**params)

    def set_post_trace(self, nodes, tau_minus: float) -> None:
        """The time constant of depression belongs to the synapse here."""

    def get(self, nodes, name: str) -> np.ndarray:
        return np.atleast_1d(nodes.get(name))

    def ids(self, nodes) -> np.ndarray:
        return np.array(nodes.gids)

    def connect(self, pre, post, weight: float = 1.0, delay: float = 1.0) -> None:
        self.net.connect(pre, post, weight=weight, delay=delay)

    def connect_pairs(
        self, sources, targets, weights, delays, synapse: str = "static_synapse", params: dict[str, float] | None = None
    ) -> None:
        model = self.neuropil.synapse(synapse, **(params or {}))
        models = np.array([self.net.nodes(gids=[gid]).model for gid in sources])
        for name in dict.fromkeys(models):  # sources of one call have to be of one kind
            k = models == name
            self.net.connect_gids(sources[k], targets[k], weight=weights[k], delay=delays[k], synapse=model, double_weights=True)

    def connect_plastic(self, pre, post, synapse: str, params: dict[str, float], weight: float, delay: float) -> Any:
        model = self.neuropil.synapse(synapse, **params)
        self.net.connect(pre, post, weight=weight, delay=delay, synapse=model, double_weights=True)
        return pre, post, synapse

    def weights_after(self, plastic: list, pre_stamps: list[np.ndarray], delays: list[float], duration: float) -> list[np.ndarray]:
        """A weight changes when the spike reaches the target, stamp + delay; so it is read just after that."""
        chosen = [self.net.connections(pre, post, synapse) for pre, post, synapse in plastic]
        due = [np.rint((stamps + delay) / self.resolution).astype(int) for stamps, delay in zip(pre_stamps, delays, strict=True)]
        found: list[list[float]] = [[] for _ in plastic]
        now, end = 0, round(duration / self.resolution)
        for step in sorted({int(step) for steps in due for step in steps}):
            self._run_steps(step + 1 - now)
            now = step + 1
            for k, steps in enumerate(due):
                if len(found[k]) < len(steps) and steps[len(found[k])] == step:
                    found[k].append(float(chosen[k].weight[0]))
        self._run_steps(end - now)
        return [np.array(weights) for weights in found]

    def trace(self, nodes, names, interval: float = 0.1, offset: float = 0.0):
        return self.net.record(nodes, list(names), interval=interval, offset=offset)

    def spikes(self, nodes, start: float = 0.0, stop: float = np.inf, origin: float = 0.0):
        return self.net.record(nodes, start=round(origin + start, 6), stop=round(origin + stop, 6))

    def run(self, ms: float) -> None:
        self.net.run(ms, progress=False)

    def _run_steps(self, steps: int) -> None:
        self.run(round(steps * self.resolution, 6))

    def read_trace(self, trace) -> Trace:
        return {"times": np.round(trace.times, 6)} | {name: np.array(trace[name]).T for name in trace.names}

    def read_spikes(self, record) -> tuple[np.ndarray, np.ndarray]:
        return both(record.times, record.gids)
