# SPDX-License-Identifier: Apache-2.0
"""Results as Neo objects; Neo is imported here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import neo

    from .recorders import Trace
    from .spikes import Spikes

__all__ = ["spikes_to_neo", "trace_to_neo"]

_UNITS = {"spikes/s": "Hz", "": "dimensionless", "steps": "dimensionless"}


def _neo() -> Any:
    try:
        import neo
    except ImportError as error:
        raise ImportError("to_neo needs the package neo: pip install neo") from error
    return neo


def spikes_to_neo(spikes: Spikes) -> neo.Segment:
    """neo.Segment with one SpikeTrain (ms) per watched node, annotated with its gid."""
    library = _neo()
    segment = library.Segment(name="spikes")
    # Neo wants t_start <= times; ours are in (start, stop].
    for gid, times in zip(spikes.watched.tolist(), spikes.trains(), strict=True):
        segment.spiketrains.append(library.SpikeTrain(times, units="ms", t_start=spikes.start, t_stop=spikes.stop, gid=gid))
    return segment


def trace_to_neo(trace: Trace) -> neo.Segment:
    """neo.Segment with one AnalogSignal of shape (n_samples, n_nodes) per quantity, named like it, annotated with the gids."""
    import quantities

    library = _neo()
    segment = library.Segment(name="trace")
    first = float(trace.times[0]) if len(trace) else 0.0
    for name in trace.names:
        unit = trace.units[name]
        signal = library.AnalogSignal(
            trace[name],
            units=_UNITS.get(unit, unit),
            t_start=first * quantities.ms,
            sampling_period=trace.interval * quantities.ms,
            name=name,
            gids=trace.nodes.gids,
        )
        segment.analogsignals.append(signal)
    return segment
