# SPDX-License-Identifier: Apache-2.0
"""What NEST gave, as files: data/THEME.json with the plain values, data/THEME.npz with the arrays."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
from tests.nest.corpus.values import KINDS, plain

DATA = Path(__file__).resolve().parent / "data"


def save(theme: str, version: str, results: dict[str, dict[str, Any]], folder: Path = DATA) -> None:
    """Writes the results of all cases of a theme and the version of NEST they come from."""
    arrays, kept = {}, {}
    for case, found in results.items():
        kept[case] = {key: described(value) for key, value in found.items()}
        arrays |= {f"{case}/{key}": value.values for key, value in found.items() if type(value) in KINDS.values()}
    lines = [f"  {json.dumps(case)}: {{\n{entries(found)}\n  }}" for case, found in kept.items()]
    (folder / f"{theme}.json").write_text(f'{{"nest": {json.dumps(version)}, "cases": {{\n' + ",\n".join(lines) + "\n}}\n")
    if arrays:
        np.savez_compressed(folder / f"{theme}.npz", **arrays)


def entries(found: dict[str, Any]) -> str:
    """One entry a line, so that a difference shows what changed."""
    return ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())


def described(value: Any) -> Any:
    if type(value) not in KINDS.values():
        return plain(value)
    return {"kind": type(value).__name__.lower(), "size": int(value.values.size)}


@functools.cache
def load(theme: str, folder: Path = DATA) -> dict[str, dict[str, Any]]:
    """The stored results of a theme: case -> entry -> value, as the case returned them."""
    kept = json.loads((folder / f"{theme}.json").read_text())["cases"]
    arrays = np.load(folder / f"{theme}.npz") if (folder / f"{theme}.npz").exists() else {}
    return {case: {key: restored(value, arrays, f"{case}/{key}") for key, value in found.items()} for case, found in kept.items()}


def restored(value: Any, arrays: Any, name: str) -> Any:
    if isinstance(value, dict) and value.get("kind") in KINDS:
        return KINDS[value["kind"]](arrays[name])
    return value
