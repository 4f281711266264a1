# SPDX-License-Identifier: Apache-2.0
"""Types of edges: synapse model, parameters, and what gives weight and delay where edges have none of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile, bad_file, near_names, unknown_text
from ..model import catalog
from ..model.synapses import Synapse, synapse
from .config import Config
from .tables import Table, parameters_of, template_of, to_number

__all__ = ["EdgeType", "Functions", "WeightFunction", "edge_types"]

WeightFunction = Callable[[Mapping[str, NDArray[Any]], Mapping[str, NDArray[Any]], Mapping[str, NDArray[Any]]], Any]
"""Weights or delays of edges, shape (n,), of their properties and those of their sources and targets, all by name and of shape (n,)."""


class Functions(NamedTuple):
    """Functions that types may name, by name."""

    weight: Mapping[str, WeightFunction]
    delay: Mapping[str, WeightFunction]


_PLAIN = ("wmax", "default_weight_fnc")  # the weight is syn_weight
_AROUND = {"weight", "delay", "receptor_type", "synapse_model"}  # entries of a JSON file that are no parameters of a synapse model


class EdgeType(NamedTuple):
    """A type. weight, delay, nsyns: nan where only edges have them; function, delay_function: None for syn_weight and delay themselves."""

    number: int
    synapse: Synapse
    receptor: int
    weight: float
    delay: float
    nsyns: float
    function: WeightFunction | None
    delay_function: WeightFunction | None
    double_weights: bool
    properties: dict[str, str]

    @property
    def key(self) -> tuple[Any, ...]:
        """Types with equal keys can be connected together, with arrays of weights and delays."""
        parameters = tuple(sorted(self.synapse.parameters.items()))
        return (
            self.synapse.name,
            parameters,
            self.receptor,
            self.function,
            self.delay_function,
            self.double_weights,
            self.properties.get("link"),
        )


def edge_types(config: Config, file: Path, types: Table, functions: Functions) -> list[EdgeType | BadFile]:
    """All types of a table, ascending; in the place of one that cannot be used the error, which matters where edges have it."""
    found: list[EdgeType | BadFile] = []
    for number in sorted(types):
        try:
            found.append(_type(config, file, number, types[number], functions))
        except BadFile as error:
            found.append(error)
    return found


def _type(config: Config, file: Path, number: int, row: dict[str, str], functions: Functions) -> EdgeType:
    what = f"edge type {number}"
    model = template_of(file, what, row, "static_synapse")
    if model not in catalog.synapses():
        raise bad_file(file, what, f"names the synapse model {model}: {unknown_text('synapse', model, [*catalog.synapses()])[0]}")
    given = parameters_of(config, "synaptic_models_dir", row)
    parameters = {key: value for key, value in given.items() if key not in _AROUND}
    known = catalog.synapses()[model]
    for key in parameters:
        if key not in known.parameters:
            near = near_names(key, known.parameters)
            raise bad_file(
                file, what, f"gives {model} the parameter {key}, which it does not have" + (f"; nearest: {', '.join(near)}" if near else "")
            )
    weight, delay, nsyns = (to_number(file, what, row, key) for key in ("syn_weight", "delay", "nsyns"))
    return EdgeType(
        number,
        synapse(model, **parameters),
        int(given.get("receptor_type", 0)),
        float(given.get("weight", np.nan)) if np.isnan(weight) else weight,
        float(given.get("delay", np.nan)) if np.isnan(delay) else delay,
        nsyns,
        _function(file, what, row, "weight", functions.weight),
        _function(file, what, row, "delay", functions.delay),
        row.get("double_weights", "").lower() in ("1", "1.0", "true"),
        row,
    )


def _function(file: Path, what: str, row: dict[str, str], of: str, functions: Mapping[str, WeightFunction]) -> WeightFunction | None:
    """What a type names as its weight_function or delay_function. Raises BadFile."""
    name = row.get(f"{of}_function")
    if name is None or (name in _PLAIN and name not in functions):
        return None
    if name in functions:
        return functions[name]
    there = f"{' and '.join(_PLAIN)} are there, others" if of == "weight" else "functions"
    raise bad_file(file, what, f"names the {of}_function {name}: {there} are given to load({of}_functions={{{name!r}: function}})")
