# SPDX-License-Identifier: Apache-2.0
"""Charts of what was recorded: spikes, traces, weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..analysis import statistics, variability
from ..results import Spikes, TraceData
from .charts import Chart, bars, dots, histogram, lines, packed
from .folder import Run

__all__ = ["activity", "correlations", "spectrum"]

MOST_DOTS = 120_000
MOST_TRACES = 12
PAIRED = 100  # neurons of a population whose pairs are correlated
COUNT_BIN = 2.0  # ms
WATCHED = 20_000.0  # ms; the end of a longer run stands for all of it where memory grows with the length
SEGMENT, SHORTEST = 500.0, 50.0  # ms; windows of the spectrum, and the shortest run that gets one


def activity(run: Run) -> Iterator[tuple[str, Chart]]:
    """(section, chart) of everything that was recorded."""
    spikes = {name: each for name, each in run.spikes.items() if len(each.watched)}
    if spikes:
        yield "Spikes", raster(spikes)
        yield "Spikes", over_time(spikes)
        yield from (("Rates and irregularity", chart) for chart in rates(spikes, run.result.get("reference") or {}))
        yield from (("Correlation and rhythm", chart) for chart in together(spikes))
    if run.bins:
        yield "Spikes", lines("Rates in bins", "time (ms)", "spikes/s", {name: (each.times, each.rate) for name, each in run.bins.items()})
    for name, trace in run.traces.items():
        yield from (("Traces", chart) for chart in traces(name, trace))
    yield from (("Weights", chart) for chart in weights(run))


def raster(spikes: Mapping[str, Spikes]) -> Chart:
    """Every n-th neuron of every population, so that no more than MOST_DOTS spikes are drawn."""
    stride = max(1, -(-sum(map(len, spikes.values())) // MOST_DOTS))
    points, ticks, row = {}, [], 0
    for name, each in spikes.items():
        shown = each.select(each.watched[::stride])
        points[name] = (shown.times, row + shown.positions())
        ticks.append((row + len(shown.watched) / 2, name))
        row += len(shown.watched)
    note = "every neuron" if stride == 1 else f"one of {stride} neurons"
    return dots("Raster", "time (ms)", points, ticks, note)


def over_time(spikes: Mapping[str, Spikes]) -> Chart:
    """Rate of each population in bins."""
    longest = max(each.duration for each in spikes.values())
    width = max(5.0, 5.0 * round(longest / 1000.0 / 5.0))
    curves = {name: statistics.population_rate(each, _near(each, width)) for name, each in spikes.items()}
    return lines("Rate of populations", "time (ms)", "spikes/s", curves, f"mean of the neurons in bins of {width:g} ms", wide=True)


def rates(spikes: Mapping[str, Spikes], reference: Mapping[str, Any]) -> Iterator[Chart]:
    """Means beside published values, and distributions over neurons."""
    found = {name: each.rates() for name, each in spikes.items()}
    yield bars("Mean rate", "spikes/s", {name: float(each.mean()) for name, each in found.items()}, reference.get("rate"), True)
    yield histogram("Rates of neurons", "spikes/s", found)
    variation = {name: statistics.cv_isi(each).round(9) for name, each in spikes.items()}  # 0, not the rounding errors of a regular train
    means = {name: float(np.nanmean(each)) if np.isfinite(each).any() else float("nan") for name, each in variation.items()}
    yield bars("Mean CV of intervals", "CV", means, reference.get("cv_isi"), True)
    yield histogram("CV of intervals", "CV", variation, "neurons with at least three spikes")
    yield histogram("Intervals between spikes", "ms", {name: statistics.isi(each)[0] for name, each in spikes.items()})


def together(spikes: Mapping[str, Spikes]) -> Iterator[Chart]:
    """Correlations of pairs and spectra of populations."""
    pairs = {name: correlations(_end(each)) for name, each in spikes.items()}
    note = f"counts in bins of {COUNT_BIN:g} ms, pairs of up to {PAIRED} neurons"
    yield histogram("Correlation of spike counts", "Pearson correlation", pairs, note, 0.005)
    curves = {name: spectrum(_end(each)) for name, each in spikes.items()}
    curves = {name: curve for name, curve in curves.items() if len(curve[0])}
    if curves:
        note = "1 for independent Poisson processes of the same rate"
        yield lines("Spectrum of the population rate", "frequency (Hz)", "power / that of Poisson", curves, note, log=True)


def correlations(spikes: Spikes, most: int = PAIRED, width: float = COUNT_BIN) -> np.ndarray:
    """Pearson correlation of each pair of `most` neurons that spiked, evenly spaced among them; shape (n_pairs,)."""
    active = spikes.watched[np.bincount(spikes.positions(), minlength=len(spikes.watched)) > 0]
    chosen = active[:: max(1, len(active) // most)][:most]
    if len(chosen) < 2 or spikes.duration < 2 * width:
        return np.empty(0)
    return variability.spike_count_correlation(spikes.select(chosen), _near(spikes, width))


def spectrum(spikes: Spikes) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies (Hz) and power of the population's spikes over that of a Poisson process of their rate; empty for short runs and without spikes."""
    if spikes.duration < SHORTEST or not len(spikes):
        return np.empty(0), np.empty(0)
    width = _near(spikes, 1.0)
    segment = width * int(min(SEGMENT, spikes.duration) / width + 1e-9)
    frequencies, power = variability.power_spectrum(spikes, width, segment, pooled=True)
    return frequencies, power.ravel() / (len(spikes) / (1e-3 * spikes.duration))


def traces(name: str, trace: TraceData) -> Iterator[Chart]:
    """A chart per quantity, of the first nodes."""
    nodes = trace.watched[:MOST_TRACES]
    note = name if len(nodes) == len(trace.watched) else f"{name}: {len(nodes)} of {len(trace.watched)} nodes"
    for quantity in trace.names:
        curves = {f"node {gid}": (trace.times, trace[quantity][:, k]) for k, gid in enumerate(nodes.tolist())}
        unit = trace.units.get(quantity, "")
        yield lines(quantity, "time (ms)", f"{quantity} ({unit})" if unit else quantity, curves, note, wide=True)


def weights(run: Run) -> Iterator[Chart]:
    """Histograms of weights: of a job's projections, of samples, of what was sent."""
    for title, each in (run.result.get("weights") or {}).items():
        chart = Chart("steps", f"Weights {title}", each["unit"] or "weight", "share of synapses", note=each["note"])
        chart.series = [_given(curve) for curve in each["histograms"]]
        yield chart
    for name, sampled in run.synapses.items():
        for quantity in sampled.names:
            if len(sampled.times):
                ends = {f"{sampled.times[k]:g} ms": sampled[quantity][k] for k in (0, -1)}
                yield histogram(f"{name}: {quantity}", quantity, ends, "first and last sample")
                mean = np.nanmean(sampled[quantity], axis=1)
                yield lines(f"{name}: mean {quantity}", "time (ms)", quantity, {"mean of the connections": (sampled.times, mean)})
    for name, sent in run.weights.items():
        yield histogram(f"{name}: weights sent", "weight", {"all": sent.weight})


def _given(curve: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": curve["name"], "x": packed(curve["edges"]), "y": packed(curve["shares"])}


def _near(spikes: Spikes, width: float) -> float:
    """The width, rounded to the grid."""
    step = spikes.resolution
    return width if step is None else max(1, round(width / step)) * step


def _end(spikes: Spikes) -> Spikes:
    """The last WATCHED ms."""
    return spikes if spikes.duration <= WATCHED else spikes.select(start=_near(spikes, spikes.stop - WATCHED))
