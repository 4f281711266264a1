# SPDX-License-Identifier: Apache-2.0
"""Node sets of SONATA: named selections of cells in a JSON file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import unknown_name
from .config import Nodes
from .errors import bad_file
from .libraries import library

__all__ = ["select"]


def select(sets: Path | None, name: str, nodes: Nodes) -> NDArray[np.int64]:
    """Ids of the cells of the node set `name`, ascending. Raises BadFile, UnknownName."""
    if sets is None:
        raise bad_file(nodes.config, "node_sets_file", f"is missing, but node set {name!r} is asked for")
    text = _text(sets)
    sonata = library("libsonata")
    try:
        known = sonata.NodeSets(text)
        if name not in known.names:
            raise unknown_name(f"node set of {sets}", name, sorted(known.names))
        chosen = known.materialize(name, sonata.NodeStorage(str(nodes.file)).open_population(nodes.population))
    except sonata.SonataError as error:
        raise bad_file(sets, name, str(error)) from None
    return np.unique(np.asarray(chosen.flatten(), np.int64))


def _text(sets: Path) -> str:
    try:
        text = sets.read_text()
        json.loads(text)
    except OSError as error:
        raise bad_file(sets, "", f"cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise bad_file(sets, f"line {error.lineno}", f"is not JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise bad_file(sets, "", f"is not JSON: {error}") from None
    return text
