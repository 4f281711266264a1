# SPDX-License-Identifier: Apache-2.0
"""Reads tests/peers/data."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parent / "data"


@functools.cache
def _arrays(file: str) -> dict[str, np.ndarray]:
    with np.load(DATA / f"{file}.npz") as data:
        return {key: data[key] for key in data.files}


def stored(protocol: str) -> dict[str, np.ndarray]:
    """What NEST gave for a protocol of protocols.ALL."""
    prefix = f"{protocol}:"
    return {key.removeprefix(prefix): value for key, value in _arrays("traces").items() if key.startswith(prefix)}


def stored_network(name: str) -> dict[str, np.ndarray]:
    """Quantiles and mean rates of a network of networks.NETWORKS, by population/quantity/seed."""
    return _arrays(name)


@functools.cache
def stored_defaults() -> dict[str, dict]:
    return json.loads((DATA / "defaults.json").read_text())["models"]
