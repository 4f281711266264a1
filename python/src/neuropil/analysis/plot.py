# SPDX-License-Identifier: Apache-2.0
"""Pictures, one call each. Every function draws into `ax` (a new figure when None) and returns the axes; matplotlib is imported when used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import to_time, to_times
from ..base.libraries import matplotlib
from ..base.named import named_arguments
from ..errors import bad_parameter, bad_type
from . import statistics as analysis
from . import variability
from .axes import COLOURS, axes, axes_pair, colours, histograms, legend, weight_histogram
from .inputs import Bins, Events, Samples, SpikeTrains, SynapseSamples
from .mask_patches import mask_patch
from .plot_events import spikes_over_rates, traces
from .plot_network import network
from .plot_nodes import around, graph, positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model.connections import Connections
    from ..model.nodes import Nodes

__all__ = [
    "around",
    "binned",
    "cross_correlogram",
    "fano_factor",
    "graph",
    "isi",
    "mask_patch",
    "network",
    "positions",
    "power_spectrum",
    "psth",
    "raster",
    "rates",
    "spike_count_correlation",
    "spikes_over_rates",
    "synapses",
    "trace",
    "traces",
    "transmitted",
    "weights",
]

MAX_ROWS = 2000  # more rows than this are not told apart
MAX_TRACES = 10

Groups = Mapping[str, "Nodes | ArrayLike"]


@named_arguments
def raster(
    spikes: SpikeTrains,
    groups: Groups | None = None,
    *,
    start: float | None = None,
    stop: float | None = None,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Raster plot with the rate of the population below it: a dot per spike, a row per watched node, labelled with gids.

    `groups`: name -> nodes, one colour each, in this order from the top; `start`, `stop`: part of the time (ms); `width`: bins of the rate
    (ms, default about 5). Of many nodes every k-th is shown, and the title says so. With `ax` given there is no rate.
    """
    shown = spikes.select(start=start, stop=stop)
    parts = _parts(shown, groups)
    lower = None
    if ax is None:
        ax, lower = axes_pair()
    every = max(1, -(-sum(len(part.watched) for part in parts.values()) // MAX_ROWS))
    # Dots shrink with their number, so that neither ten nor a million of them look wrong.
    size = float(np.clip(3.0e4 * every / max(len(shown), 1), 0.2, 12.0))
    row, ticks = 0, []
    for (name, part), colour in zip(parts.items(), colours(), strict=False):
        rows = _dots(ax, part, row, every, size, colour)
        ticks.append((row + rows / 2, name))
        row += rows
        if lower is not None:
            lower.plot(*analysis.population_rate(part, width), color=colour, linewidth=1.0)
    ax.set(xlim=(shown.start, max(shown.stop, shown.start + 1e-3)), ylim=(max(row, 1), 0), ylabel="" if groups else "node")
    if groups:
        ax.set_yticks([place for place, _ in ticks], [name for _, name in ticks])
    else:
        _label_rows(ax, shown.watched[::every])
    ax.set_title(f"{len(shown)} spikes" + (f", 1 of {every} nodes shown" if every > 1 else ""), fontsize=9, loc="left")
    if lower is None:
        ax.set_xlabel("time (ms)")
    else:
        ax.tick_params(labelbottom=False)
        lower.set(xlabel="time (ms)", ylabel="rate\n(spikes/s)", ylim=(0, None), xlim=ax.get_xlim())
    return ax


@named_arguments
def rates(spikes: SpikeTrains, groups: Groups | None = None, *, bins: int = 40, ax: Axes | None = None) -> Axes:
    """Histogram of the mean rates of the nodes (spikes/s); of several groups as lines, with the mean of each in the legend."""
    parts = {name: analysis.rates(part) for name, part in _parts(spikes, groups).items()}
    # Rates are whole multiples of one spike per duration: bins of another width would be a comb.
    quantum = 1e3 / spikes.duration if spikes.duration else 1.0
    top = max((float(np.nanmax(values, initial=0.0)) for values in parts.values()), default=0.0)
    width = quantum * max(1, round(top / quantum / bins))
    ax = histograms(parts, np.arange(-0.5 * quantum, top + width, width), "mean {:.2f} spikes/s", ax)
    ax.set(xlabel="rate (spikes/s)", ylabel="nodes")
    return ax


@named_arguments
def isi(spikes: SpikeTrains, groups: Groups | None = None, *, bins: int = 60, max: float | None = None, ax: Axes | None = None) -> Axes:
    """Histogram of the intervals between spikes of a node (ms), up to `max` (default: the 99th percentile), with the mean CV per group."""
    parts = _parts(spikes, groups)
    data = {_isi_label(name, part): analysis.isi(part)[0] for name, part in parts.items()}
    everything = np.concatenate(list(data.values()))
    top = to_time("max", max) if max is not None else float(np.percentile(everything, 99)) if len(everything) else 1.0
    ax = histograms({name: values[values <= top] for name, values in data.items()}, bins, None, ax, (0.0, top))
    ax.set(xlabel="interval between spikes (ms)", ylabel="intervals")
    return ax


@named_arguments
def psth(
    spikes: SpikeTrains,
    events: ArrayLike,
    groups: Groups | None = None,
    *,
    before: float | None = None,
    after: float = 200.0,
    width: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Mean rate of the nodes around events (spikes/s), see `neuropil.analysis.psth`; a line per group."""
    ax = axes(ax)
    parts = _parts(spikes, groups)
    for (name, part), colour in zip(parts.items(), colours(len(parts)), strict=True):
        middles, found = variability.psth(part, events, before, after, width)
        half = 0.5 * (middles[1] - middles[0]) if len(middles) > 1 else 0.5
        edges = np.append(middles - half, middles[-1] + half)
        alone = len(parts) == 1
        ax.stairs(found.mean(axis=1), edges, baseline=0.0 if alone else None, fill=alone, color=colour, linewidth=1.4, label=name or None)
        ax.set_xlim(edges[0], edges[-1])
    ax.axvline(0.0, color="0.3", linewidth=0.8, linestyle="--")
    n = len(to_times("events", events))
    ax.set_title(f"{n} event{'s' if n != 1 else ''}", fontsize=9, loc="left")
    ax.set(xlabel="time after the event (ms)", ylabel="rate (spikes/s)", ylim=(0, None))
    return legend(ax)


@named_arguments
def power_spectrum(
    spikes: SpikeTrains,
    groups: Groups | None = None,
    *,
    width: float | None = None,
    segment: float | None = None,
    pooled: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Power spectra of the trains, mean over the nodes (spikes^2/s), see `neuropil.analysis.power_spectrum`; a line per group.

    `pooled`: of the summed trains. The dashed line is the rate: the spectrum of a Poisson process.
    """
    ax = axes(ax)
    parts = _parts(spikes, groups)
    for (name, part), colour in zip(parts.items(), colours(len(parts)), strict=True):
        frequencies, power = variability.power_spectrum(part, width, segment, pooled)
        ax.plot(frequencies, power.mean(axis=1), color=colour, linewidth=1.2, label=name or None)
        flat = analysis.rates(part).sum() if pooled else analysis.rates(part).mean()
        ax.axhline(flat, color=colour, linewidth=0.8, linestyle="--")
    ax.set(xlabel="frequency (Hz)", ylabel="power (spikes$^2$/s)", xscale="log", ylim=(0, None))
    ax.margins(x=0)
    return legend(ax)


@named_arguments
def fano_factor(
    spikes: SpikeTrains, groups: Groups | None = None, *, width: float | None = None, bins: int = 40, ax: Axes | None = None
) -> Axes:
    """Histogram of the Fano factors of the nodes, see `neuropil.analysis.fano_factor`, with the mean of each group."""
    parts = {name: variability.fano_factor(part, width) for name, part in _parts(spikes, groups).items()}
    ax = histograms(parts, bins, "mean {:.2f}", ax)
    ax.set(xlabel="Fano factor", ylabel="nodes")
    return ax


@named_arguments
def spike_count_correlation(
    spikes: SpikeTrains, groups: Groups | None = None, *, width: float | None = None, bins: int = 60, ax: Axes | None = None
) -> Axes:
    """Histogram of the correlations of the spike counts of pairs within each group, see `neuropil.analysis.spike_count_correlation`."""
    parts = {name: variability.spike_count_correlation(part, width) for name, part in _parts(spikes, groups).items()}
    ax = histograms(parts, bins, "mean {:.3f}", ax)
    ax.axvline(0.0, color="0.3", linewidth=0.8, linestyle="--")
    ax.set(xlabel="correlation of spike counts", ylabel="pairs")
    return ax


@named_arguments
def cross_correlogram(
    spikes: SpikeTrains,
    a: Nodes | ArrayLike,
    b: Nodes | ArrayLike,
    *,
    width: float | None = None,
    max_lag: float | None = None,
    normalized: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Pairs of spikes of a and b by their lag, see `neuropil.analysis.cross_correlogram`; the dashed line: independent trains, if normalized."""
    lags, pairs = variability.cross_correlogram(spikes, a, b, width, max_lag, normalized)
    ax = axes(ax)
    half = 0.5 * (lags[1] - lags[0]) if len(lags) > 1 else 0.5
    ax.stairs(pairs, np.append(lags - half, lags[-1] + half), fill=True, color=COLOURS[0])
    if normalized:
        ax.axhline(1.0, color="0.3", linewidth=0.8, linestyle="--")
    ax.axvline(0.0, color="0.3", linewidth=0.8, linestyle="--")
    ylabel = "pairs of spikes / expected" if normalized else "pairs of spikes"
    ax.set(xlabel="lag of b (ms)", ylabel=ylabel, xlim=(lags[0] - half, lags[-1] + half), ylim=(0, None))
    return ax


@named_arguments
def trace(trace: Samples, name: str | None = None, *, nodes: Sequence[int] | None = None, ax: Axes | None = None) -> Axes:
    """A state variable over time, one line per node; `nodes`: positions of columns to show, default the first ten.

    `name` may be left out when only one quantity was recorded.
    """
    if name is None:
        if len(trace.names) > 1:
            raise bad_parameter("name", name, f"one of {', '.join(trace.names)}")
        name = trace.names[0]
    values, gids = trace[name], trace.watched
    columns = list(range(min(len(gids), MAX_TRACES))) if nodes is None else list(nodes)
    ax = axes(ax)
    for column, colour in zip(columns, colours(len(columns)), strict=True):
        ax.plot(trace.times, values[:, column], color=colour, linewidth=1.0, label=str(gids[column]))
    if 1 < len(columns) <= len(COLOURS):
        ax.legend(title="gid", frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    left_out = len(gids) - len(columns)
    ax.set_title(f"{left_out} more nodes not shown" if left_out else "", fontsize=9, loc="left")
    unit = trace.units[name]
    ax.set(xlabel="time (ms)", ylabel=f"{name} ({unit})" if unit else name)
    ax.margins(x=0)
    return ax


@named_arguments
def binned(bins: Bins, *, ax: Axes | None = None) -> Axes:
    """The rate of a `BinnedRecord` over time (spikes/s), as steps that are as wide as its bins."""
    ax = axes(ax)
    edges = np.append(bins.times, bins.times[-1:] + bins.bin) if len(bins) else np.zeros(1)
    ax.stairs(bins.rate, edges, fill=True, color=COLOURS[0])
    ax.set(xlabel="time (ms)", ylabel="rate (spikes/s)", ylim=(0, None))
    ax.margins(x=0)
    return ax


@named_arguments
def synapses(trace: SynapseSamples, name: str | None = None, *, most: int = 50, ax: Axes | None = None) -> Axes:
    """A sampled quantity of synapses over time: a thin line for each of at most `most` connections, the mean of all as a thick one."""
    shown = trace.names[0] if name is None else name
    values = trace[shown]
    every = -(-values.shape[1] // most) if values.shape[1] else 1
    ax = axes(ax)
    ax.plot(trace.times, values[:, ::every], color=COLOURS[0], linewidth=0.5, alpha=0.5)
    if values.size:
        ax.plot(trace.times, np.nanmean(values, axis=1), color=COLOURS[1], linewidth=2.0, label=f"mean of {values.shape[1]}")
        ax.legend(frameon=False)
    ax.set(xlabel="time (ms)", ylabel=shown)
    return ax


@named_arguments
def transmitted(weights: Events, *, most: int = 50, ax: Axes | None = None) -> Axes:
    """Weights that synapses have sent over time (unit of the targets): a thin line for each of at most `most` pairs of source and target."""
    pairs, index = np.unique(np.stack([weights.source, weights.target]), axis=1, return_inverse=True)
    n = pairs.shape[1]
    ax = axes(ax)
    for k in range(0, n, max(1, -(-n // most))):
        mine = np.ravel(index) == k
        ax.plot(weights.times[mine], weights.weight[mine], ".-", color=COLOURS[0], markersize=2.0, linewidth=0.5, alpha=0.5)
    ax.set_title(f"{len(weights)} transmissions of {n} pairs", fontsize=9, loc="left")
    ax.set(xlabel="time (ms)", ylabel="weight")
    return ax


@named_arguments
def weights(connections: Connections | ArrayLike, *, bins: int = 60, ax: Axes | None = None) -> Axes:
    """Histogram of the weights of connections, in the unit of their targets, or of an array of weights."""
    values, unit = getattr(connections, "weight", connections), getattr(connections, "weight_unit", "")
    return weight_histogram(values, unit, bins=bins, ax=ax)


def _parts(spikes: SpikeTrains, groups: Groups | None) -> dict[str, SpikeTrains]:
    if groups and not isinstance(groups, Mapping):
        raise bad_type("groups", groups, 'a dict of names and nodes, e.g. {"exc": exc}')
    return {name: spikes.select(nodes) for name, nodes in groups.items()} if groups else {"": spikes}


def _dots(ax: Axes, spikes: SpikeTrains, first_row: int, every: int, size: float, colour: str) -> int:
    """Draws every k-th node; returns the number of rows."""
    positions = spikes.positions()
    mine = positions % every == 0
    rows = -(-len(spikes.watched) // every)
    y = first_row + positions[mine] // every + 0.5
    ax.scatter(spikes.times[mine], y, s=size, color=colour, linewidths=0, rasterized=True)
    if first_row:
        ax.axhline(first_row, color="0.85", linewidth=0.6, zorder=0)
    return rows


def _label_rows(ax: Axes, gids: NDArray[np.int64]) -> None:
    """Ticks at some rows, with the gids that are there: round ones where rows are successive gids."""
    if len(gids) == 0:
        ax.set_yticks([])
        return
    places = matplotlib("ticker").MaxNLocator(6, integer=True, min_n_ticks=1)
    straight = len(gids) > 1 and (np.diff(gids) == gids[1] - gids[0]).all() and gids[1] > gids[0]
    if straight:
        wanted = (places.tick_values(int(gids[0]), int(gids[-1])) - gids[0]) / (gids[1] - gids[0])
    else:
        wanted = places.tick_values(0, len(gids) - 1)
    rows = np.unique(np.rint(wanted).astype(np.int64))
    rows = rows[(rows >= 0) & (rows < len(gids))]
    ax.set_yticks((rows + 0.5).tolist(), [str(gid) for gid in gids[rows]])


def _isi_label(name: str, spikes: SpikeTrains) -> str:
    cv = analysis.cv_isi(spikes)
    text = f"CV {np.nanmean(cv):.2f}" if np.isfinite(cv).any() else ""
    return ", ".join(part for part in (name, text) if part)
