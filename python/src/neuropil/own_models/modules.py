# SPDX-License-Identifier: Apache-2.0
"""Files of C++ and of NESTML, and modules: model files that are kept under one name, for scripts that know the name only, as `nest.Install` does."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from ..errors import bad_parameter, unknown_name
from ..model import catalog
from . import store
from .loading import load_model

__all__ = ["load_file", "load_module", "make_module"]


def load_file(path: Path) -> catalog.Entry:
    """Compiles and loads a model from a file of C++, or of NESTML if its name ends with .nestml. Raises what `load_model` and `nestml.load` raise."""
    if path.suffix != ".nestml":
        return load_model(path)
    from ..nestml import load  # here: few files are NESTML

    return load(path).loaded()


def make_module(name: str, files: Iterable[Path]) -> list[catalog.Entry]:
    """Loads model files and keeps copies of them as a module, which replaces an earlier one. Raises what `load_file` raises, BadParameter."""
    if not re.fullmatch(r"\w+", name):
        raise bad_parameter("module", name, "a name of letters, digits and _")
    files = [Path(file) for file in files]
    entries = [load_file(file) for file in files]
    place = store.folder() / "modules" / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for file in files:
        shutil.copy(file, place / file.name)
    return entries


def load_module(name: str) -> list[catalog.Entry]:
    """Loads the models of a module. Raises UnknownName, and what `load_file` raises."""
    known: set[str] = set()
    for base in store.places():
        kept = base / "modules"
        if re.fullmatch(r"\w+", name) and (kept / name).is_dir():
            return [load_file(file) for file in sorted((kept / name).iterdir())]
        known |= {path.name for path in kept.iterdir()} if kept.is_dir() else set()
    raise unknown_name("module", name, sorted(known))
