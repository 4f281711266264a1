# SPDX-License-Identifier: Apache-2.0
"""Numbers of a multi-area model at full scale, and the file that can hold them: JSON with the keys of the data file that Schmidt et al. publish."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from neuropil.errors import bad_parameter

LAYERS = ("23E", "23I", "4E", "4I", "5E", "5I", "6E", "6I")
KEYS = {  # of the file; it may also have synapse_weights_mean and synapse_weights_sd (pA), with the keys of synapses
    "area_list": "names of the areas",
    "structure": "area -> its populations, such as 23E",
    "neuron_numbers": "area -> population -> neurons under 1 mm^2",
    "synapses": "target area -> target population -> source area -> source population -> synapses; external -> external: those from outside",
    "distances": "area -> area -> distance (mm)",
}


@dataclass(frozen=True)
class Data:
    """A multi-area model. Populations are ordered by area and layer; arrays are (target, source).

    `area`, `layer`: of each population, shape (P,): indices into `areas`, names. `neurons`, `external`: shape (P,), the latter synapses from
    outside. `synapses`: shape (P, P). `distances`: shape (A, A), mm. `weights`, `weight_sd`: shape (P, P), pA; None: those of the job.
    """

    source: str
    areas: tuple[str, ...]
    area: np.ndarray
    layer: tuple[str, ...]
    neurons: np.ndarray
    synapses: np.ndarray
    external: np.ndarray
    distances: np.ndarray
    weights: np.ndarray | None = None
    weight_sd: np.ndarray | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the populations, such as V1-23E."""
        return tuple(f"{self.areas[a]}-{layer}" for a, layer in zip(self.area, self.layer, strict=True))

    @property
    def excitatory(self) -> np.ndarray:
        """Whether a population is excitatory, shape (P,)."""
        return np.array([layer.endswith("E") for layer in self.layer])


def read(path: Path) -> Data:
    """The model of a file. Raises BadParameter for what is no such file."""
    try:
        table: dict[str, Any] = json.loads(Path(path).read_text())
    except (OSError, ValueError) as error:
        raise bad_parameter("data", str(path), f"a JSON file with the keys {', '.join(KEYS)}: {error}") from error
    if missing := [key for key in KEYS if key not in table]:
        raise bad_parameter("data", str(path), f"a file with the keys {', '.join(KEYS)}; it lacks {', '.join(missing)}")
    areas = tuple(table["area_list"])
    pairs = [(a, layer) for a, area in enumerate(areas) for layer in _of(table, path, "structure", area)]
    if unknown := sorted({layer for _, layer in pairs} - set(LAYERS)):
        raise bad_parameter("structure", unknown[0], f"populations of {', '.join(LAYERS)}")
    keys = [(areas[a], layer) for a, layer in pairs]
    external = [_of(table, path, "synapses", *key).get("external", {}).get("external", 0.0) for key in keys]
    return Data(
        source=str(path),
        areas=areas,
        area=np.array([a for a, _ in pairs]),
        layer=tuple(layer for _, layer in pairs),
        neurons=np.array([_of(table, path, "neuron_numbers", *key) for key in keys], float),
        synapses=_matrix(table, path, "synapses", keys),
        external=np.array(external, float),
        distances=np.array([[0.0 if a == b else _of(table, path, "distances", a, b) for b in areas] for a in areas], float),
        weights=_matrix(table, path, "synapse_weights_mean", keys) if "synapse_weights_mean" in table else None,
        weight_sd=_matrix(table, path, "synapse_weights_sd", keys) if "synapse_weights_sd" in table else None,
    )


def _of(table: Mapping[str, Any], path: Path, *keys: str) -> Any:
    """An entry of the file. Raises BadParameter that names the keys."""
    found: Any = table
    for depth, key in enumerate(keys):
        if not isinstance(found, Mapping) or key not in found:
            raise bad_parameter("data", str(path), f"a file with an entry for {' / '.join(keys[: depth + 1])}")
        found = found[key]
    return found


def _matrix(table: Mapping[str, Any], path: Path, name: str, keys: Sequence[tuple[str, str]]) -> np.ndarray:
    """A table by target and source as an array; sources that are not named are 0."""
    found = np.zeros((len(keys), len(keys)))
    for i, target in enumerate(keys):
        sources = _of(table, path, name, *target)
        for j, (area, layer) in enumerate(keys):
            found[i, j] = sources.get(area, {}).get(layer, 0.0)
    if not (np.isfinite(found).all() and (name != "synapses" or (found >= 0.0).all())):
        raise bad_parameter(name, "a number that is not finite or is negative", "finite numbers, synapses at least 0")
    return found


def write(data: Data, path: Path) -> None:
    """The model as a file that `read` takes."""
    keys = [(data.areas[a], layer) for a, layer in zip(data.area, data.layer, strict=True)]
    table: dict[str, Any] = {"source": data.source, "area_list": list(data.areas), "structure": {}, "neuron_numbers": {}, "synapses": {}}
    for i, (area, layer) in enumerate(keys):
        table["structure"].setdefault(area, []).append(layer)
        table["neuron_numbers"].setdefault(area, {})[layer] = float(data.neurons[i])
        sources: dict[str, dict[str, float]] = {"external": {"external": float(data.external[i])}}
        for j in np.flatnonzero(data.synapses[i]):
            sources.setdefault(keys[j][0], {})[keys[j][1]] = float(data.synapses[i, j])
        table["synapses"].setdefault(area, {})[layer] = sources
    table["distances"] = {a: dict(zip(data.areas, row.tolist(), strict=True)) for a, row in zip(data.areas, data.distances, strict=True)}
    Path(path).write_text(json.dumps(table) + "\n")
