# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the data of the multi-area model of macaque visual cortex (Schmidt et al. 2018), made from formulas and guesses.

The published data (densities, thicknesses, counts of labelled neurons, distances) are NOT in this file. From the papers: the 32 areas, that
only TH lacks layer 4, the largest and the smallest number of neurons, both totals, and the two rules for connections between areas.
"""

from functools import cache
from math import erf, sqrt

import numpy as np

from neuropil.cli.jobs import microcircuit
from neuropil.cli.jobs.multi_area_data import LAYERS, Data

NAME = "stand-in, not the published data"
# Area -> type and place (mm, from posterior to anterior and from ventral to dorsal). GUESSED by hand from the order of the areas in the
# hierarchy: types and places are not the published ones. Type 8 is the densest, type 2 the sparsest.
AREAS: dict[str, tuple[int, float, float]] = {
    "V1": (8, 0, 0), "V2": (7, 8, 0), "VP": (7, 10, -8), "V3": (7, 10, 8), "V3A": (6, 13, 12), "MT": (6, 22, 6), "V4t": (6, 20, 3),
    "V4": (6, 18, -2), "VOT": (6, 20, -10), "MSTd": (5, 25, 8), "PIP": (6, 15, 14), "PO": (6, 14, 18), "DP": (5, 18, 14), "MIP": (5, 19, 18),
    "MDP": (5, 17, 20), "VIP": (5, 22, 16), "LIP": (5, 23, 14), "PITv": (5, 27, -12), "PITd": (5, 27, -8), "MSTl": (5, 25, 5),
    "CITv": (4, 34, -14), "CITd": (4, 34, -10), "FEF": (4, 48, 12), "TF": (4, 30, -16), "AITv": (4, 41, -16), "FST": (5, 25, 2),
    "7a": (4, 25, 16), "STPp": (4, 32, 2), "STPa": (4, 40, -4), "46": (4, 55, 10), "AITd": (4, 41, -12), "TH": (2, 28, -18),
}  # fmt: skip
MOST, FEWEST, NEURONS = 197_936.0, 73_251.0, 4.13e6  # published: neurons under 1 mm^2 of V1 and of TH; of all areas
SYNAPSES = 2.42e10  # published, of all areas
BETWEEN = 0.21  # share of synapses that come from other areas: Markov et al. (2011) find 79 % of labelled neurons in the injected area
DECAY = 0.11  # 1/mm, exponential distance rule
SLN_OFFSET, SLN_SLOPE = -0.152, -1.534  # of the probit of the supragranular share over the log of the ratio of densities
FORWARD, BACK = 0.65, 0.35  # supragranular share above which a connection is feedforward, below which it is feedback


@cache
def exponent() -> float:
    """Exponent of the law from type to neurons for which the areas have 4.13 million neurons in all; by bisection."""
    low, high = 0.1, 10.0
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if area_neurons(middle).sum() > NEURONS else (low, middle)
    return low


def area_neurons(power: float) -> np.ndarray:
    """Neurons under 1 mm^2 of each area: geometric between TH (type 2) and V1 (type 8)."""
    share = (np.array([kind for kind, _, _ in AREAS.values()]) - 2.0) / 6.0
    return np.asarray(FEWEST * (MOST / FEWEST) ** (share**power))


def distances() -> np.ndarray:
    """Between the guessed places (mm)."""
    at = np.array([place for _, *place in AREAS.values()])
    return np.asarray(np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1)))


def supragranular(density: np.ndarray) -> np.ndarray:
    """Share of the neurons of a connection in layer 2/3 of the source, (target area, source area)."""
    argument = SLN_OFFSET + SLN_SLOPE * np.log(density[:, None] / density[None])
    return np.asarray(0.5 * (1.0 + np.vectorize(erf)(argument / sqrt(2.0))))


def target_layers(share: float, has_layer_4: bool) -> tuple[str, ...]:
    """Layers of the target: 4 of feedforward connections (2/3 where it lacks), all but 4 of feedback, else all."""
    if share > FORWARD:
        return ("4",) if has_layer_4 else ("23",)
    return ("23", "5", "6") if share < BACK else ("23", "4", "5", "6")


def data() -> Data:
    """The stand-in at full scale."""
    areas, per_area = tuple(AREAS), area_neurons(exponent())
    places = [(a, k) for a, name in enumerate(areas) for k in range(8) if name != "TH" or not LAYERS[k].startswith("4")]
    area, kind = (np.array(column) for column in zip(*places, strict=True))
    neurons = per_area[area] * microcircuit.NEURONS[kind] / np.bincount(area, microcircuit.NEURONS[kind])[area]
    synapses = within(area, kind, neurons) + from_other_areas(area, kind, neurons, distances(), per_area)
    external = from_outside(area, kind, synapses / neurons[:, None]) * neurons
    return Data(NAME, areas, area, tuple(LAYERS[k] for k in kind), neurons, synapses, external, distances())


def within(area: np.ndarray, kind: np.ndarray, neurons: np.ndarray) -> np.ndarray:
    """Synapses inside areas: in-degrees relative to each other as in the microcircuit, as many synapses in every area."""
    relative = microcircuit.full_synapses() / microcircuit.NEURONS[:, None]
    found = np.where(area[:, None] == area[None], relative[np.ix_(kind, kind)] * neurons[:, None], 0.0)
    wanted = (1.0 - BETWEEN) * SYNAPSES / (area.max() + 1)
    return np.asarray(found * (wanted / np.bincount(area, found.sum(axis=1)))[area][:, None])


def from_other_areas(area: np.ndarray, kind: np.ndarray, neurons: np.ndarray, mm: np.ndarray, density: np.ndarray) -> np.ndarray:
    """Synapses between areas: by the distance rule, from the layers that the ratio of densities gives, spread evenly over target neurons."""
    rule = np.exp(-DECAY * mm) * ~np.eye(len(mm), dtype=bool)
    number = BETWEEN * SYNAPSES / len(mm) * rule / rule.sum(axis=1, keepdims=True)
    upper, found = supragranular(density), np.zeros((len(area), len(area)))
    layer = np.array([LAYERS[k][:-1] for k in kind])
    mine = {(a, name): np.flatnonzero((area == a) & (layer == name)) for a in range(len(mm)) for name in np.unique(layer)}
    for a, b in np.argwhere(number > 0.0):
        targets = np.concatenate([mine[a, name] for name in target_layers(upper[a, b], len(mine[a, "4"]) > 0)])
        for share, names in ((upper[a, b], ("23",)), (1.0 - upper[a, b], ("5", "6"))):
            sources = np.concatenate([mine[b, name] for name in names])
            sources = sources[kind[sources] % 2 == 0]
            weights = np.outer(neurons[targets] / neurons[targets].sum(), neurons[sources] / neurons[sources].sum())
            found[np.ix_(targets, sources)] += number[a, b] * share * weights
    return found


def from_outside(area: np.ndarray, kind: np.ndarray, indegrees: np.ndarray) -> np.ndarray:
    """In-degrees of the input from outside that give each population the mean input of the microcircuit, at the microcircuit's rates."""
    model = microcircuit.plan()
    weights, rates = model.weights / model.external_weight, microcircuit.PUBLISHED_RATES
    wanted = model.external_rate + (weights * model.synapses / model.neurons[:, None]) @ rates
    inside = area[:, None] == area[None]
    given = (np.where(inside, weights[np.ix_(kind, kind)], 1.0) * indegrees) @ rates[kind]
    return np.asarray(np.maximum(wanted[kind] - given, 0.0) / microcircuit.BACKGROUND_RATE)
