# SPDX-License-Identifier: Apache-2.0
"""Scripts of NEST on neuropil: `import neuropil.nest as nest`, or `python -m neuropil.nest script.py` for a script that says `import nest`.

Same functions, models, parameters, units and errors as NEST 3.10. What is not there yet raises NotSupported, a NESTError that names it.
Results do not depend on threads and ranks. Units: ms, mV, pA, nS, pF, spikes/s. Node ids count from 1.
"""

from __future__ import annotations

import sys

from . import node_setting  # noqa: F401  (lets collections read and set values)
from .attributes import DisableStructuralPlasticity, EnableStructuralPlasticity
from .connect import Connect, Disconnect, TripartiteConnect
from .create import Create, GetLocalNodeCollection, GetNodes, PrintNodes
from .defaults import ConnectionRules, CopyModel, GetDefaults, Models, SetDefaults
from .errors import NESTError, NESTErrors, NotSupported
from .info import (
    GetLocalVPs,
    GetStatus,
    Install,
    NumProcesses,
    Rank,
    ResetKernel,
    SetAcceptableLatency,
    SetMaxBuffered,
    SetStatus,
    SyncProcesses,
    VerbosityLevel,
    get_verbosity,
    help,
    message,
    serialize_data,
    set_communicator,
    set_verbosity,
)
from .kernel_status import GetKernelStatus, SetKernelStatus
from .module import NestModule
from .node_collection import NodeCollection, to_json
from .simulate import Cleanup, Prepare, Run, RunManager, Simulate
from .specs import CollocatedSynapses
from .synapse_collection import GetConnections, SynapseCollection

__version__ = "3.10.0"
userdict: dict[object, object] = {}

__all__ = [
    "Cleanup",
    "CollocatedSynapses",
    "Connect",
    "ConnectionRules",
    "CopyModel",
    "Create",
    "DisableStructuralPlasticity",
    "Disconnect",
    "EnableStructuralPlasticity",
    "GetConnections",
    "GetDefaults",
    "GetKernelStatus",
    "GetLocalNodeCollection",
    "GetLocalVPs",
    "GetNodes",
    "GetStatus",
    "Install",
    "Models",
    "NESTError",
    "NESTErrors",
    "NestModule",
    "NodeCollection",
    "NotSupported",
    "NumProcesses",
    "Prepare",
    "PrintNodes",
    "Rank",
    "ResetKernel",
    "Run",
    "RunManager",
    "SetAcceptableLatency",
    "SetDefaults",
    "SetKernelStatus",
    "SetMaxBuffered",
    "SetStatus",
    "Simulate",
    "SynapseCollection",
    "SyncProcesses",
    "TripartiteConnect",
    "VerbosityLevel",
    "get_verbosity",
    "help",
    "message",
    "serialize_data",
    "set_communicator",
    "set_verbosity",
    "to_json",
    "userdict",
]

sys.modules[__name__].__class__ = NestModule
