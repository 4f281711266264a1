# SPDX-License-Identifier: Apache-2.0
"""Types of nodes and edges: rows of CSV files, and the JSON files of parameters that they name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import bad_file
from ..model import sonata_files
from ..model.sonata_files import Table
from .config import Config, read_json

__all__ = ["Table", "check_types", "different", "parameters_of", "read_table", "template_of", "to_number"]

_PREFIX = "nest:"
_CLOSE = 1 << 16


def different(values: NDArray[Any]) -> NDArray[np.int64]:
    """The different whole numbers among values, ascending: those close together are counted, not sorted."""
    if not len(values):
        return np.empty(0, np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low < _CLOSE:
        return np.asarray(low + np.flatnonzero(np.bincount(values.astype(np.int64, copy=False) - low)), np.int64)
    found = np.sort(values.astype(np.int64))
    return np.asarray(found[np.append(True, found[1:] != found[:-1])], np.int64)


def read_table(path: str | None, key: str) -> Table:
    """Properties of types by id; empty without a file. Raises BadFile."""
    if path is None:
        return {}
    if not Path(path).is_file():
        raise bad_file(path, "", "there is no such file")
    try:
        return sonata_files.read_types(path, key)
    except KeyError:
        raise bad_file(path, key, "is missing: the column with the number of each type") from None
    except (ValueError, UnicodeError) as error:
        raise bad_file(path, "", f"is no table of types: columns apart by spaces, entries with spaces in quotes ({error})") from None


def check_types(file: Path | str, place: str, used: Iterable[int], types: Table) -> None:
    """Raises BadFile for a type that the table does not have."""
    for number in used:
        if number not in types:
            known = ", ".join(map(str, list(types)[:8])) or "none"
            raise bad_file(file, place, f"has type {number}, which the table of types does not have; it has {known}")


def template_of(file: Path | str, what: str, properties: dict[str, str], default: str | None = None) -> str:
    """Name of the model that a type names. Raises BadFile for models of other simulators."""
    given = properties.get("model_template", default)
    if given is None:
        raise bad_file(file, what, "has no model_template, such as nest:iaf_psc_alpha")
    prefix, colon, name = given.rpartition(":")
    if colon and prefix != "nest":
        raise bad_file(file, what, f"has the model_template {given}: point neurons have one that begins with {_PREFIX}")
    return name


def parameters_of(config: Config, folder: str, properties: dict[str, str]) -> dict[str, Any]:
    """Parameters in the JSON file `dynamics_params` of a type. Raises BadFile."""
    name = properties.get("dynamics_params")
    if name is None:
        return {}
    file = config.folder(folder) / name
    found = read_json(file)
    if not isinstance(found, dict):
        raise bad_file(file, "", "must hold a JSON object: parameters by name")
    return found


def to_number(file: Path | str, what: str, properties: dict[str, str], key: str) -> float:
    """A number of a type; nan where it has none. Raises BadFile."""
    if key not in properties:
        return np.nan
    try:
        return float(properties[key])
    except ValueError:
        raise bad_file(file, f"{what}/{key}", f"is {properties[key]!r}, must be a number") from None
