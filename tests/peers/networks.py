# SPDX-License-Identifier: Apache-2.0
"""Random networks for statistical comparison: Brunel (2000) with iaf_psc_delta, the microcircuit scaled down, the plastic hpc_benchmark.

Stored per network, by population: of many seeds of NEST the means over neurons of rate, CV of ISI and correlation (and of plastic weights), of some of
them quantiles, too. The scatter of NEST's seeds is the yardstick of both comparisons: for means (`wrong_means`) their standard error, for distributions the
Kolmogorov-Smirnov distance between two seeds. python tests/peers/networks.py prints all of it.
"""

from __future__ import annotations

import itertools
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2]))  # bench/

from peers import measures
from peers.stored import stored_network

# Seeds of NEST, the first of which with quantiles, and of neuropil: so many that a rate that differs by a tenth is seen in every population.
SEEDS = {"brunel": 24, "microcircuit": 64, "plastic": 48}
WITH_QUANTILES = {"brunel": 16, "microcircuit": 8, "plastic": 12}
OWN_SEEDS = {"brunel": 16, "microcircuit": 48, "plastic": 32}
FEW_SEEDS = {"brunel": 8, "microcircuit": 24, "plastic": 16}  # of each check
LEVEL = 4.0  # standard errors that a mean may be off

Found = dict[str, dict[str, np.ndarray]]  # population -> quantity -> values of neurons, pairs or synapses


@dataclass(frozen=True)
class Brunel:
    """Sparse random network of excitatory and inhibitory delta neurons with Poisson drive; the state is asynchronous irregular."""

    ne: int = 2000
    ni: int = 500
    ke: int = 200
    ki: int = 50
    j: float = 0.4  # mV
    g: float = 6.0
    eta: float = 1.5  # external rate relative to threshold rate
    delay: float = 1.5  # ms
    warm_up: float = 200.0
    duration: float = 2000.0

    neuron: ClassVar[dict[str, float]] = {"tau_m": 20.0, "C_m": 1.0, "E_L": 0.0, "V_m": 0.0, "V_reset": 10.0, "V_th": 20.0, "t_ref": 2.0}

    @property
    def external_rate(self) -> float:
        """Rate of the one Poisson generator [spikes/s]."""
        return 1000.0 * self.eta * self.neuron["V_th"] / (self.j * self.neuron["tau_m"])


@dataclass(frozen=True)
class Microcircuit:
    scale: float = 0.05
    k_scale: float = 0.2
    warm_up: float = 200.0
    duration: float = 2000.0
    weights: float = 1.0  # factor of the weights between the neurons


@dataclass(frozen=True)
class Plastic:
    neurons: int = 1500
    indegree: int = 750
    warm_up: float = 10.0
    duration: float = 1000.0
    inhibition: float = 1.0  # factor of the inhibitory in-degree


BRUNEL, MICROCIRCUIT, PLASTIC = Brunel(), Microcircuit(), Plastic()


def brunel_nest(seed: int, b: Brunel = BRUNEL) -> Found:
    from peers.simulators import Nest

    nest = Nest(0.1, seed, threads=1, min_delay=b.delay, max_delay=b.delay).nest
    exc, inh = nest.Create("iaf_psc_delta", b.ne, params=b.neuron), nest.Create("iaf_psc_delta", b.ni, params=b.neuron)
    recorder = nest.Create("spike_recorder", params={"start": b.warm_up})
    drive = nest.Create("poisson_generator", params={"rate": b.external_rate})
    nest.Connect(drive, exc + inh, syn_spec={"weight": b.j, "delay": b.delay})
    for source, k, w in ((exc, b.ke, b.j), (inh, b.ki, -b.g * b.j)):
        nest.Connect(source, exc + inh, {"rule": "fixed_indegree", "indegree": k}, {"weight": w, "delay": b.delay})
    nest.Connect(exc + inh, recorder, syn_spec={"delay": b.delay})
    nest.Simulate(b.warm_up + b.duration)
    events = recorder.get("events")
    return split(
        events["times"],
        events["senders"].astype(int),
        {"E": (exc[0].global_id, b.ne), "I": (inh[0].global_id, b.ni)},
        b.warm_up,
        b.duration,
    )


def microcircuit_nest(seed: int, m: Microcircuit = MICROCIRCUIT) -> Found:
    from bench.peers import nest_microcircuit, potjans

    arguments = [
        "--scale",
        m.scale,
        "--k-scale",
        m.k_scale,
        "--warmup",
        m.warm_up,
        "--duration",
        m.duration,
        "--seed",
        seed,
        "--threads",
        1,
    ]
    _, times, senders = nest_microcircuit.run(nest_microcircuit.parser().parse_args([str(a) for a in arguments]))
    sizes = potjans.circuit(m.scale, m.k_scale).sizes
    first = np.concatenate([[1], 1 + np.cumsum(sizes)[:-1]])
    return split(times, senders, {name: (f, n) for name, f, n in zip(potjans.NAMES, first, sizes, strict=True)}, m.warm_up, m.duration)


def plastic_nest(seed: int, m: Plastic = PLASTIC) -> Found:
    from bench.peers import nest_hpc_benchmark

    arguments = ["--neurons", m.neurons, "--indegree", m.indegree, "--duration", m.duration, "--seed", seed, "--threads", 1]
    result, times, senders = nest_hpc_benchmark.run(nest_hpc_benchmark.parser().parse_args([str(a) for a in arguments]))
    import nest

    weights = np.array(nest.GetConnections(synapse_model="plastic").weight)
    ne = round(0.8 * m.neurons)
    found = split(times, senders, {"E": (1, ne), "I": (1 + ne, m.neurons - ne)}, m.warm_up, m.duration)
    found["E"]["weight"] = weights / result["je_pA"]
    return found


def plastic_neuropil(seed: int, m: Plastic = PLASTIC, threads: int = 1) -> Found:
    import neuropil
    from neuropil.cli.jobs import hpc_benchmark as job

    plan = job.plan(m.neurons, m.indegree)
    plan = replace(plan, indegree_inh=round(m.inhibition * plan.indegree_inh))
    net = neuropil.Network(resolution=0.1, seed=seed, threads=threads)
    nodes = job.build(net, plan)
    record = net.record(nodes["E"] + nodes["I"], start=m.warm_up)
    net.run(m.warm_up + m.duration, progress=False)
    first = {name: (int(group.gids[0]), len(group)) for name, group in nodes.items()}
    found = split(record.times, record.gids, first, m.warm_up, m.duration)
    found["E"]["weight"] = net.connections(synapse="stdp_pl_synapse_hom").weight / plan.weight
    return found


def split(times, ids, populations: dict[str, tuple[int, int]], begin: float, duration: float) -> Found:
    """Distributions per population; populations: name to (first id, number)."""
    found = {}
    for name, (first, n) in populations.items():
        mine = (ids >= first) & (ids < first + n)
        found[name] = measures.distributions(times[mine], ids[mine] - first, int(n), begin, duration)
    return found


def brunel_neuropil(seed: int, b: Brunel = BRUNEL, threads: int = 1) -> Found:
    import neuropil

    net = neuropil.Network(resolution=0.1, seed=seed, threads=threads)
    exc, inh = net.create("iaf_psc_delta", b.ne, **b.neuron), net.create("iaf_psc_delta", b.ni, **b.neuron)
    net.stimulate(exc + inh, neuropil.poisson(rate=b.external_rate), weight=b.j, delay=b.delay)
    for source, k, w in ((exc, b.ke, b.j), (inh, b.ki, -b.g * b.j)):
        net.connect(source, exc + inh, neuropil.fixed_indegree(k), weight=w, delay=b.delay)
    record = net.record(exc + inh, start=b.warm_up)
    net.run(b.warm_up + b.duration, progress=False)
    first = {name: (int(nodes.gids[0]), len(nodes)) for name, nodes in (("E", exc), ("I", inh))}
    return split(record.times, record.gids, first, b.warm_up, b.duration)


def microcircuit_neuropil(seed: int, m: Microcircuit = MICROCIRCUIT, threads: int = 1) -> Found:
    import neuropil
    from neuropil.cli.jobs import microcircuit as job

    plan = job.plan(m.scale, m.k_scale)
    plan = replace(plan, weights=m.weights * plan.weights)
    net = neuropil.Network(resolution=0.1, seed=seed, threads=threads)
    nodes = job.create(net, plan)
    job.connect(net, plan, nodes)
    record = net.record(net.nodes(), start=m.warm_up)
    net.run(m.warm_up + m.duration, progress=False)
    first = {name: (int(group.gids[0]), len(group)) for name, group in zip(job.POPULATIONS, nodes, strict=True)}
    return split(record.times, record.gids, first, m.warm_up, m.duration)


NETWORKS = {"brunel": brunel_nest, "microcircuit": microcircuit_nest, "plastic": plastic_nest}
NEUROPIL = {"brunel": brunel_neuropil, "microcircuit": microcircuit_neuropil, "plastic": plastic_neuropil}


# About 10 % fewer spikes in at least one population.
MUTANTS = {
    "brunel": replace(BRUNEL, g=1.06 * BRUNEL.g),
    "microcircuit": replace(MICROCIRCUIT, weights=1.1),
    "plastic": replace(PLASTIC, inhibition=1.07),
}


def refresh(folder: Path, network: str) -> None:
    numbers = range(1, SEEDS[network] + 1)
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        runs = list(pool.map(NETWORKS[network], numbers))
    arrays = {f"{population}/means/{kind}": values for population, found in means(runs).items() for kind, values in found.items()}
    for seed, run in zip(numbers, runs[: WITH_QUANTILES[network]], strict=False):
        for population, found in run.items():
            arrays |= {f"{population}/{kind}/{seed}": measures.quantiles(sample) for kind, sample in found.items()}
    for key in (key for key in arrays if "/means/" in key):
        print(
            f"{network} {key}: {arrays[key].mean():.4g}, seeds scatter by {100 * arrays[key].std(ddof=1) / abs(arrays[key].mean()):.1f} %"
        )
    np.savez_compressed(folder / f"{network}.npz", **arrays)


def means(runs: list[Found]) -> dict[str, dict[str, np.ndarray]]:
    """Mean of each quantity in each run, by population and quantity: arrays (runs,)."""
    return {
        population: {kind: np.array([run[population][kind].mean() for run in runs]) for kind in found}
        for population, found in runs[0].items()
    }


def stored_means(arrays) -> dict[str, dict[str, np.ndarray]]:
    """The same of the stored runs."""
    return {
        population: {kind: arrays[f"{population}/means/{kind}"] for kind in kinds(arrays, population)} for population in populations(arrays)
    }


def standard_error(theirs: np.ndarray, number: int) -> float:
    """Of the difference between the mean of `number` runs and of theirs, if all are of one network."""
    return float(theirs.std(ddof=1) * np.sqrt(1 / number + 1 / len(theirs)))


def wrong_means(ours: dict[str, dict[str, np.ndarray]], theirs: dict[str, dict[str, np.ndarray]]) -> list[str]:
    """The criterion: a line for each mean of ours that is more than LEVEL standard errors from theirs."""
    lines = []
    for population, found in theirs.items():
        for kind, values in found.items():
            mine = ours[population][kind]
            off = (mine.mean() - values.mean()) / standard_error(values, len(mine))
            if not abs(off) < LEVEL:
                lines.append(f"{population} {kind}: {mine.mean():.4g}, NEST {values.mean():.4g}: {off:+.1f} standard errors")
    return lines


def populations(arrays) -> list[str]:
    return list(dict.fromkeys(key.split("/")[0] for key in arrays))


def seeds(arrays, population: str) -> list[int]:
    """Seeds of the stored runs with quantiles."""
    return [int(key.rsplit("/", 1)[1]) for key in arrays if key.startswith(f"{population}/rate/")]


def kinds(arrays, population: str) -> list[str]:
    """Quantities that are stored: rate, cv, correlation, for plastic populations weight."""
    return [kind for kind in ("rate", "cv", "correlation", "weight") if any(key.startswith(f"{population}/{kind}/") for key in arrays)]


def yardstick(arrays, population: str, kind: str) -> tuple[float, float]:
    """Mean and largest KS distance between two seeds of the stored simulator."""
    reduced = [measures.quantiles(arrays[f"{population}/{kind}/{seed}"]) for seed in seeds(arrays, population)]
    distances = [measures.ks_of_quantiles(a, b) for a, b in itertools.combinations(reduced, 2)]
    return float(np.mean(distances)), float(np.max(distances))


def distances(arrays, population: str, kind: str, sample: np.ndarray) -> np.ndarray:
    """KS distance of a fresh sample to each stored seed."""
    own = measures.quantiles(sample)
    stored = [measures.quantiles(arrays[f"{population}/{kind}/{seed}"]) for seed in seeds(arrays, population)]
    return np.array([measures.ks_of_quantiles(each, own) for each in stored])


def comparison(network: str, own_seeds: tuple[int, ...] = (1, 2, 3)) -> list[tuple[str, str, float, float, float]]:
    """(population, quantity, mean and largest distance between seeds of NEST, mean distance of neuropil's seeds to NEST's)."""
    data, found = stored_network(network), [NEUROPIL[network](seed) for seed in own_seeds]
    rows = []
    for population in populations(data):
        for kind in kinds(data, population):
            between = np.mean([distances(data, population, kind, run[population][kind]) for run in found])
            rows.append((population, kind, *yardstick(data, population, kind), float(between)))
    return rows


if __name__ == "__main__":
    for name in NETWORKS:
        ours, theirs = means([NEUROPIL[name](seed) for seed in range(1, OWN_SEEDS[name] + 1)]), stored_means(stored_network(name))
        print(f"{name}: means over seeds, neuropil and NEST, and how far off they may be")
        for population, found in theirs.items():
            for kind, values in found.items():
                error = standard_error(values, len(ours[population][kind]))
                print(f"  {population:5} {kind:12} {ours[population][kind].mean():.4f} {values.mean():.4f} +- {LEVEL * error:.4f}")
        print(f"{name}: Kolmogorov-Smirnov distances, mean (largest) between seeds of NEST, and of neuropil to NEST")
        for population, kind, mean, largest, between in comparison(name):
            print(f"  {population:5} {kind:12} {mean:.3f} ({largest:.3f})   {between:.3f}   ratio {between / mean:.2f}")
