# SPDX-License-Identifier: Apache-2.0
"""What a simulation leaves: spikes, traces, weights. The classes of records (live) and of data (kept), and `open_results`."""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from .bins import BinnedData, BinnedRecord
    from .data import Data, Record
    from .saving import load_spikes, load_synapse_trace, load_trace, load_weights, open_results
    from .spikes import SpikeRecord, Spikes
    from .streaming import Stream
    from .synapse_trace import SynapseTrace, SynapseTraceData
    from .trace_data import Trace, TraceData
    from .weight_record import WeightData, WeightRecord

__all__ = [
    "BinnedData",
    "BinnedRecord",
    "Data",
    "Record",
    "SpikeRecord",
    "Spikes",
    "Stream",
    "SynapseTrace",
    "SynapseTraceData",
    "Trace",
    "TraceData",
    "WeightData",
    "WeightRecord",
    "load_spikes",
    "load_synapse_trace",
    "load_trace",
    "load_weights",
    "open_results",
]

__getattr__ = lazy(
    __name__,
    {
        **dict.fromkeys(("BinnedData", "BinnedRecord"), ".bins"),
        **dict.fromkeys(("Data", "Record"), ".data"),
        **dict.fromkeys(("SpikeRecord", "Spikes"), ".spikes"),
        "Stream": ".streaming",
        **dict.fromkeys(("SynapseTrace", "SynapseTraceData"), ".synapse_trace"),
        **dict.fromkeys(("Trace", "TraceData"), ".trace_data"),
        **dict.fromkeys(("WeightData", "WeightRecord"), ".weight_record"),
        **dict.fromkeys(("load_spikes", "load_synapse_trace", "load_trace", "load_weights", "open_results"), ".saving"),
    },
)


def __dir__() -> list[str]:
    """Public names only."""
    return __all__
