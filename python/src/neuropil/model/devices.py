# SPDX-License-Identifier: Apache-2.0
"""Stimulating devices as values, for `Network.stimulate`. Each is active in the window (start, stop] ms of the simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from ..base.named import named_arguments
from . import catalog
from .constructors import Constructors

__all__ = ["Device", "dc", "device", "device_hint", "noise", "poisson", "spike_train", "step_current"]


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the kernel by its name (see `neuropil.devices()`), with the parameters that differ from the defaults."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"


device: Constructors[Device] = Constructors("device", catalog.devices, Device)
"""Any device: device("ac_generator", amplitude=50.0) or device.ac_generator(amplitude=50.0)."""


@named_arguments
def poisson(rate: float, *, start: float = 0.0, stop: float = math.inf) -> Device:
    """Poisson spike trains, independent for each target, of `rate` >= 0 spikes/s."""
    return Device("poisson_generator", {"rate": rate, **_window(start, stop)})


@named_arguments
def dc(amplitude: float, *, start: float = 0.0, stop: float = math.inf) -> Device:
    """Constant current of `amplitude` pA (times the weight of the connection)."""
    return Device("dc_generator", {"amplitude": amplitude, **_window(start, stop)})


@named_arguments
def step_current(times: ArrayLike, amplitudes: ArrayLike, *, start: float = 0.0, stop: float = math.inf) -> Device:
    """Current that is amplitudes[k] pA from times[k] ms on, 0 before times[0].

    `times`: strictly ascending, positive, multiples of the resolution; `amplitudes`: as many.
    """
    return Device("step_current_generator", {"amplitude_times": times, "amplitude_values": amplitudes, **_window(start, stop)})


@named_arguments
def noise(mean: float = 0.0, std: float = 1.0, *, dt: float = 1.0, start: float = 0.0, stop: float = math.inf) -> Device:
    """Gaussian white noise current: a new value of mean + std * N(0, 1) pA every `dt` ms, independent for each target."""
    return Device("noise_generator", {"mean": mean, "std": std, "dt": dt, **_window(start, stop)})


@named_arguments
def spike_train(times: ArrayLike, multiplicities: ArrayLike | None = None, *, start: float = 0.0, stop: float = math.inf) -> Device:
    """Spikes at given `times` (ms; ascending, positive, multiples of the resolution), the same for all targets.

    `multiplicities`: how many spikes there are at each time, as many whole numbers as times; default one each.
    """
    several = {} if multiplicities is None else {"spike_multiplicities": multiplicities}
    return Device("spike_generator", {"spike_times": times, **several, **_window(start, stop)})


def _window(start: float, stop: float) -> dict[str, float]:
    # Defaults are left to the kernel, so that the window is always and forever open.
    return {**({"start": start} if start != 0.0 else {}), **({"stop": stop} if stop != math.inf else {})}


def device_hint(name: str, value: object) -> str:
    """What to do with an argument of `stimulate` that belongs to a device; "" for one that does not."""
    known = any(name in entry.names for entry in catalog.devices().values())
    return f"it belongs to the device: stimulate(targets, npl.device(model, {name}=...))" if known else ""
