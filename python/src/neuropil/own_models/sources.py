# SPDX-License-Identifier: Apache-2.0
"""The kernel's C++ files that model files include: those of the source tree, or those that are installed with neuropil."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from .. import _core
from ..errors import BadFile

__all__ = ["fingerprint", "folder"]

_MODULES = ("base", "rng", "model", "nodes", "synapses")
_ENTRY = "nodes/loaded.hpp"


@cache
def folder() -> Path:
    """Folder that paths of headers begin in. Raises BadFile where this installation has none."""
    tree = Path(__file__).parents[4] / "cpp"
    installed = Path(_core.__file__).parent / "include"
    for place in (tree, installed):
        if (place / _ENTRY).exists():
            return place
    raise BadFile(f"{installed}: the headers of neuropil are not here; own models need them. Install neuropil again", str(installed))


@cache
def fingerprint() -> str:
    """Hash of all these files: a model is compiled again when one has changed."""
    found = hashlib.sha256()
    for module in _MODULES:
        for path in sorted((folder() / module).glob("*.?pp")):
            found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()
