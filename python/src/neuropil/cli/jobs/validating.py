# SPDX-License-Identifier: Apache-2.0
"""Whether two simulators differ by more than two seeds of one: distributions over neurons, after Dasbach et al. (2021), Front. Comput. Neurosci. 15."""

import itertools
import json
import multiprocessing
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from neuropil.analysis import cv_isi, spike_count_correlation
from neuropil.errors import bad_parameter
from neuropil.parallel.ranks import launched

if TYPE_CHECKING:
    from rich.table import Table

    from neuropil import Network, Nodes
    from neuropil.cli.jobs.session import Session
    from neuropil.results import Spikes

QUANTITIES = {"rate": "rate", "cv": "CV of intervals", "correlation": "correlation of counts"}
COUNT_BIN = 2.0  # ms
PAIRED = 200  # neurons of a population among which correlations are taken: the first that spike

Found = dict[str, dict[str, np.ndarray]]  # population -> quantity -> values of neurons or pairs


def ks_distance(a: np.ndarray, b: np.ndarray) -> float:
    """Kolmogorov-Smirnov distance: the largest difference of the shares of two samples up to a value. NaN without samples."""
    if not len(a) or not len(b):
        return float("nan")
    a, b = np.sort(a), np.sort(b)
    every = np.concatenate([a, b])
    return float(np.abs(np.searchsorted(a, every, "right") / len(a) - np.searchsorted(b, every, "right") / len(b)).max())


def measured(spikes: "Spikes") -> dict[str, np.ndarray]:
    """Rates of all neurons, CVs of those with at least three spikes, correlations of pairs; values that do not exist are left out."""
    active = spikes.watched[np.bincount(spikes.positions(), minlength=len(spikes.watched)) > 0][:PAIRED]
    values = {
        "rate": spikes.rates(),
        "cv": cv_isi(spikes),
        "correlation": spike_count_correlation(spikes.select(active), COUNT_BIN) if len(active) > 1 else np.empty(0),
    }
    return {name: each[np.isfinite(each)] for name, each in values.items()}


def distances(one: Sequence[Found], other: Sequence[Found] | None = None) -> dict[str, dict[str, np.ndarray]]:
    """KS distances by quantity and population: between all pairs of runs of one simulator, or of each run of one to each run of the other."""
    pairs = list(itertools.combinations(one, 2) if other is None else itertools.product(one, other))
    return {kind: {name: np.array([ks_distance(a[name][kind], b[name][kind]) for a, b in pairs]) for name in one[0]} for kind in QUANTITIES}


def validate(session: "Session", seeds: int, sides: Mapping[str, Callable[[int], Found]], parameters: dict[str, Any]) -> dict[str, Any]:
    """Runs "neuropil" and "NEST" of `sides` with `seeds` seeds each, prints the distances, writes validation.json. Raises BadParameter."""
    if launched():
        raise bad_parameter("validate", True, "used on one rank")
    runs: dict[str, list[Found]] = {}
    for name, simulate in sides.items():
        runs[name] = []
        for seed in range(session.seed, session.seed + seeds):
            session.say(f"{name}, seed {seed}")
            runs[name].append(simulate(seed))
    found = {
        "between": distances(runs["neuropil"], runs["NEST"]),
        "NEST": distances(runs["NEST"]),
        "neuropil": distances(runs["neuropil"]),
    }
    for kind, title in QUANTITIES.items():
        session.say(f"\nKolmogorov-Smirnov distances, {title}")
        session.console.print(table({name: each[kind] for name, each in found.items()}))
    session.say(f"\n{verdict(found)}")
    result = as_json(session, parameters, found, runs)
    path = session.output / "validation.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    session.say(f"written: {path}")
    return result


def on_neuropil(session: "Session", describe: "Callable[[Network], Mapping[str, Nodes]]", seed: int) -> Found:
    """One run of neuropil; describe : makes the network, returns its populations."""
    from neuropil import Network

    net = Network(resolution=session.resolution, seed=seed, threads=session.threads)
    populations = describe(net)
    spikes = net.record(net.nodes(), start=session.warmup)
    net.run(session.warmup + session.duration)
    return {name: measured(spikes.select(nodes)) for name, nodes in populations.items()}


def on_nest(session: "Session", simulate: Callable[..., Any], given: tuple[Any, ...], sizes: Mapping[str, int], seed: int) -> Found:
    """One run of NEST, in a process of its own: it keeps the memory of a network. given : first arguments of `simulate`."""
    from neuropil.results import Spikes

    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        recorded = pool.submit(_as_plain, simulate, *given, seed, session.warmup, session.duration, session.threads).result()
    window: dict[str, Any] = {"start": session.warmup, "stop": session.warmup + session.duration, "resolution": session.resolution}
    return {
        name: measured(Spikes(times, neurons, np.arange(n), **window))
        for (name, n), (times, neurons) in zip(sizes.items(), recorded, strict=True)
    }


def _as_plain(simulate: Callable[..., Any], *given: Any) -> Any:
    """Calls simulate; what NEST raises becomes a RuntimeError: its classes cannot go to another process."""
    try:
        return simulate(*given)
    except Exception as error:
        if type(error).__module__.startswith("neuropil"):
            raise
        raise RuntimeError(f"NEST: {type(error).__name__}: {error}") from None


def table(of_kind: Mapping[str, Mapping[str, np.ndarray]]) -> "Table":
    """Mean distance between simulators, mean and largest between seeds of each."""
    from rich.table import Table

    made = Table(box=None, header_style="bold", pad_edge=False)
    made.add_column("population")
    for header in ("neuropil to NEST", "seeds of NEST", "largest", "seeds of neuropil", "largest"):
        made.add_column(header, justify="right")
    for name in of_kind["between"]:
        cells = [of_kind["between"][name].mean()]
        for simulator in ("NEST", "neuropil"):
            cells += [of_kind[simulator][name].mean(), of_kind[simulator][name].max()]
        made.add_row(name, *(f"{value:.3f}" for value in cells))
    return made


def within(found: Mapping[str, Mapping[str, Mapping[str, np.ndarray]]]) -> list[tuple[str, str, bool]]:
    """(quantity, population, whether the mean distance between the simulators is within the distances between seeds of one)."""
    return [
        (kind, name, bool(each.mean() <= max(found["NEST"][kind][name].max(), found["neuropil"][kind][name].max())))
        for kind in QUANTITIES
        for name, each in found["between"][kind].items()
        if np.isfinite(each).all()
    ]


def verdict(found: Mapping[str, Mapping[str, Mapping[str, np.ndarray]]]) -> str:
    """The distributions that differ, in a sentence."""
    judged = within(found)
    if not judged:
        return "no distribution has values: simulate longer, or more neurons"
    outside = [f"{name} {QUANTITIES[kind]}" for kind, name, well in judged if not well]
    ratios = [_ratio(found, kind, name) for kind, name, _ in judged]
    low, middle, high = np.quantile(ratios, [0.0, 0.5, 1.0])
    text = (
        f"{len(judged) - len(outside)} of {len(judged)} distributions: the mean distance between simulators is within those between seeds"
    )
    more = f"\nmean distance between simulators over mean distance between seeds of NEST: {low:.2f} to {high:.2f}, median {middle:.2f}"
    return text + more + (f"\noutside: {', '.join(outside)}" if outside else "")


def _ratio(found: Mapping[str, Mapping[str, Mapping[str, np.ndarray]]], kind: str, name: str) -> float:
    return float(found["between"][kind][name].mean() / max(found["NEST"][kind][name].mean(), 1e-12))


def as_json(
    session: "Session", parameters: dict[str, Any], found: Mapping[str, Any], runs: Mapping[str, Iterable[Found]]
) -> dict[str, Any]:
    """What validation.json holds."""
    from importlib.metadata import version

    from neuropil.cli.jobs import result

    return {
        "parameters": parameters,
        "duration_ms": session.duration,
        "warmup_ms": session.warmup,
        "first_seed": session.seed,
        "versions": result.versions() | {"nest-simulator": version("nest-simulator")},
        "machine": session.machine,
        "distances": {name: {kind: {p: d.tolist() for p, d in each.items()} for kind, each in by.items()} for name, by in found.items()},
        "means": {
            name: [{p: {kind: float(v.mean()) if len(v) else None for kind, v in of.items()} for p, of in run.items()} for run in all_runs]
            for name, all_runs in runs.items()
        },
        "within": [list(each) for each in within(found)],
    }
