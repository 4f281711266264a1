# SPDX-License-Identifier: Apache-2.0
"""The module `nest` as an object: attributes of the kernel, submodules that are loaded when used, no other attributes."""

from __future__ import annotations

import importlib
import types
from typing import Any

from .errors import NotSupported
from .kernel_status import ATTRIBUTES, GetKernelStatus, SetKernelStatus

SUBMODULES = {  # public name: where it is
    "random": "parameters.random",
    "math": "parameters.math",
    "logic": "parameters.logic",
    "spatial_distributions": "parameters.spatial_distributions",
    "spatial": "spatial",
    "raster_plot": "plots.raster_plot",
    "voltage_trace": "plots.voltage_trace",
    "visualization": "plots.visualization",
    "lib": "lib",
    "ll_api": "lib.ll_api",
}
_OF_SPACE = (
    "Displacement Distance DumpLayerConnections DumpLayerNodes FindCenterElement FindNearestElement GetPosition GetSourceNodes "
    "GetSourcePositions GetTargetNodes GetTargetPositions SelectNodesByMask"
)
FUNCTIONS = {  # functions and classes that are loaded when used: name: where it is
    "Parameter": "parameters",
    "CreateParameter": "parameters",
    **dict.fromkeys(("Compartments", "Receptors"), "shapes"),
    "SonataNetwork": "sonata",
    **dict.fromkeys(("CreateMask", "Mask"), "spatial.masks"),
    **dict.fromkeys(("PlotLayer", "PlotProbabilityParameter", "PlotSources", "PlotTargets"), "spatial.plots"),
    **dict.fromkeys(_OF_SPACE.split(), "spatial.functions"),
}
NOT_YET = {  # name: why
    "server": "`neuropil serve` is the server",
    "cycle_time_log": "timers are attributes: time_simulate, ...",
}


class NestModule(types.ModuleType):
    """Reading and setting of kernel attributes; setting anything unknown raises AttributeError."""

    @property
    def kernel_status(self) -> dict[str, Any]:
        """All attributes of the kernel."""
        found: dict[str, Any] = GetKernelStatus()
        return found

    def set(self, **kwargs: Any) -> None:
        """Sets attributes of the kernel. Raises ValueError for unknown and read-only ones."""
        SetKernelStatus(kwargs)

    def get(self, *args: Any) -> Any:
        """The kernel status: all, one value, or a tuple of several."""
        return GetKernelStatus(*args)

    def __getattr__(self, name: str) -> Any:
        if name in ATTRIBUTES:
            return GetKernelStatus(name)
        here = "neuropil.nest"
        if name in SUBMODULES:
            return self._loaded(name, importlib.import_module(f"{here}.{SUBMODULES[name]}"))
        if name in FUNCTIONS:
            return self._loaded(name, getattr(importlib.import_module(f"{here}.{FUNCTIONS[name]}"), name))
        if name in NOT_YET:
            raise NotSupported(f"nest.{name}", NOT_YET[name])
        raise AttributeError(f"module 'nest' has no attribute '{name}'")

    def _loaded(self, name: str, found: Any) -> Any:
        """Keeps what was loaded, so that it is found at once the next time."""
        vars(self)[name] = found
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ATTRIBUTES:
            if ATTRIBUTES[name].set is None:
                raise AttributeError(f"`{name}` is a read only kernel attribute.")
            SetKernelStatus({name: value})
        elif name.startswith("__") or isinstance(value, types.ModuleType) or name == "userdict":
            super().__setattr__(name, value)  # the import system sets submodules
        else:
            raise AttributeError(f"Cannot set attribute '{name}' on module 'nest'")

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *ATTRIBUTES, *SUBMODULES, *FUNCTIONS, "get", "set", "kernel_status"})
