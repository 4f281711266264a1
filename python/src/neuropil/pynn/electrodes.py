# SPDX-License-Identifier: Apache-2.0
"""Current sources of PyNN as devices of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyNN.common import Assembly
from pyNN.common.populations import BasePopulation
from pyNN.parameters import ParameterSpace
from pyNN.standardmodels import build_translations, electrodes

from .. import Nodes
from ..errors import BadLength, BadParameter
from .errors import refuse
from .populations import nodes_of
from .simulator import state

__all__ = ["ACSource", "DCSource", "NoisyCurrentSource", "StepCurrentSource"]

Floats = NDArray[np.floating[Any]]
_FOREVER = 1e12  # ms


class _Source:
    """A current source. Its device sends a step earlier than the current acts, which is the delay of the connection."""

    device: str
    _native: dict[str, Any]
    _node: Nodes | None
    _recorded: bool
    _trace: Any

    def __init__(self, **parameters: Any) -> None:
        self._node, self._recorded, self._trace = None, False, None
        super().__init__(**parameters)
        space = self.native_parameters  # type: ignore[attr-defined]  # PyNN's
        space.shape = (1,)
        space.evaluate(simplify=True)
        self._native = space.as_dict()
        self.device_values()  # refuses wrong ones

    def inject_into(self, cells: Any) -> None:
        parts = [cells] if isinstance(cells, BasePopulation | Assembly) else [cell.as_view() for cell in cells]
        for part in parts:
            for population in part.populations if isinstance(part, Assembly) else [part]:
                if not population.celltype.injectable:
                    raise TypeError("Can't inject current into a spike source.")
        state.do(lambda: self._inject(parts))

    inject_into.__doc__ = electrodes.DCSource.inject_into.__doc__

    def _inject(self, parts: list[Any]) -> None:
        if self._node is None or self._node.network is not state.net or not self._is_made():
            self._node = state.net.create(self.device, 1)
            self._apply()
        assert self._node is not None
        for part in parts:
            state.net.connect(self._node, nodes_of(part), weight=1.0, delay=state.dt)

    def _is_made(self) -> bool:
        """Whether the device is in the network: `reset` takes away what was made after time 0."""
        assert self._node is not None
        return int(self._node.gids[0]) <= state.net.n_nodes and self._node.models == (self.device,)

    def set_native_parameters(self, parameters: ParameterSpace) -> None:
        """Sets parameters by native names."""
        parameters.evaluate(simplify=True)
        values = parameters.as_dict()

        def operation() -> None:
            self._native = {**self._native, **values}
            self.device_values()
            if self._node is not None:
                self._apply()

        state.do(operation)

    def get_parameters(self) -> dict[str, Any]:
        return dict(self._native)

    def _apply(self) -> None:
        """Gives the device its parameters."""
        assert self._node is not None
        self._node.set(self.device_values())

    def device_values(self) -> dict[str, Any]:
        """Parameters of the device."""
        raise NotImplementedError

    def window(self) -> dict[str, float]:
        """When the device sends."""
        start, stop = state.on_grid([self._native["start"], min(self._native["stop"], _FOREVER)]) - state.dt
        return {"start": max(float(start), 0.0), "stop": max(float(stop), 0.0)}

    def record(self) -> None:
        """Keeps the current, for `get_data`."""
        self._recorded = True

    def _get_data(self) -> tuple[Floats, Floats]:
        if not self._recorded:
            refuse("get_data", "call record() first")
        times = np.arange(round(state.t / state.dt) + 1) * state.dt
        return times, self.current(times)

    def current(self, times: Floats) -> Floats:
        """The current (nA) at times."""
        raise NotImplementedError

    def _active(self, times: Floats) -> NDArray[np.bool_]:
        start, stop = self._native["start"] - 0.5 * state.dt, self._native["stop"] - 0.5 * state.dt
        return (times > start) & (times < stop)


class DCSource(_Source, electrodes.DCSource):
    __doc__ = electrodes.DCSource.__doc__
    translations = build_translations(("amplitude", "amplitude"), ("start", "start"), ("stop", "stop"))
    device = "dc_generator"

    def device_values(self) -> dict[str, Any]:
        return {"amplitude": 1000.0 * self._native["amplitude"], **self.window()}

    def current(self, times: Floats) -> Floats:
        return np.where(self._active(times), self._native["amplitude"], 0.0)


class ACSource(_Source, electrodes.ACSource):
    __doc__ = electrodes.ACSource.__doc__
    translations = build_translations(*((name, name) for name in ("amplitude", "start", "stop", "frequency", "offset", "phase")))
    device = "ac_generator"

    def device_values(self) -> dict[str, Any]:
        """The phase is that at `start`; the kernel's is that at time 0."""
        p = self._native
        turns = p["frequency"] * (p["start"] - state.dt) / 1000.0
        scaled = {"amplitude": 1000.0 * p["amplitude"], "offset": 1000.0 * p["offset"]}
        return {**scaled, "frequency": p["frequency"], "phase": p["phase"] - 360.0 * turns, **self.window()}

    def current(self, times: Floats) -> Floats:
        p = self._native
        wave = p["offset"] + p["amplitude"] * np.sin(2e-3 * np.pi * p["frequency"] * (times - p["start"]) + np.deg2rad(p["phase"]))
        return np.where(self._active(times), wave, 0.0)


class StepCurrentSource(_Source, electrodes.StepCurrentSource):
    __doc__ = electrodes.StepCurrentSource.__doc__
    translations = build_translations(("amplitudes", "amplitudes"), ("times", "times"))
    device = "step_current_generator"

    def _steps(self) -> tuple[Floats, Floats]:
        """Times on the grid and amplitudes (nA); of times in one step the last counts."""
        times = state.on_grid(self._native["times"].value)
        amplitudes = np.asarray(self._native["amplitudes"].value, np.float64)
        if len(times) != len(amplitudes):
            raise BadLength(f"amplitudes: {len(amplitudes)} values for {len(times)} times", "amplitudes", len(amplitudes), len(times))
        if (np.diff(self._native["times"].value) < 0.0).any() or (times < 0.0).any():
            given = self._native["times"].value
            raise BadParameter(f"times = {given}: must ascend and not be negative", "times", given, "ascending and not negative")
        last = np.append(np.diff(times) > 0.5 * state.dt, True)[: len(times)]
        return times[last], amplitudes[last]

    def get_parameters(self) -> dict[str, Any]:
        """Times and amplitudes as they are used: on the grid of time steps, one for each step."""
        times, amplitudes = self._steps()
        return {"times": times, "amplitudes": amplitudes}

    def device_values(self) -> dict[str, Any]:
        times, amplitudes = self._steps()
        sent = np.maximum(np.rint(times / state.dt) - 1.0, round(state.t / state.dt) + 1.0)
        last = np.append(np.diff(sent) > 0.5, True)[: len(sent)]
        return {"amplitude_times": sent[last] * state.dt, "amplitude_values": 1000.0 * amplitudes[last]}

    def current(self, times: Floats) -> Floats:
        at, amplitudes = self._steps()
        return np.concatenate([[0.0], amplitudes])[np.searchsorted(at - 0.5 * state.dt, times, side="right")]


class NoisyCurrentSource(_Source, electrodes.NoisyCurrentSource):
    __doc__ = electrodes.NoisyCurrentSource.__doc__
    translations = build_translations(*((name, name) for name in ("mean", "stdev", "start", "stop", "dt")))
    device = "noise_generator"

    def device_values(self) -> dict[str, Any]:
        """Each cell gets noise of its own, as of `pyNN.nest`."""
        p = self._native
        return {"mean": 1000.0 * p["mean"], "std": 1000.0 * p["stdev"], "dt": float(state.on_grid(p["dt"])), **self.window()}

    def _inject(self, parts: list[Any]) -> None:
        super()._inject(parts)
        if self._recorded and self._trace is None:
            self._begin()

    def record(self) -> None:
        super().record()
        if self._node is not None:
            state.do(self._begin)

    def _begin(self) -> None:
        assert self._node is not None
        self._trace = state.net.record(self._node, "I", interval=state.dt)

    def current(self, times: Floats) -> Floats:
        """What the device has sent, a step later."""
        found = np.zeros(len(times))
        if self._trace is not None and len(times) > 1:
            sent = 1e-3 * self._trace["I"][:-1, 0]
            found[len(times) - len(sent) :] = sent
        return found
