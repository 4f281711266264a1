# SPDX-License-Identifier: Apache-2.0
"""Modules whose names are imported when they are first used, and names that have moved."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import unknown_attribute

__all__ = ["Former", "lazy", "moved"]


def lazy(package: str, places: Mapping[str, str], module: str = "") -> Callable[[str], Any]:
    """`__getattr__` for a module, by default the package itself. places : name -> module that has it, relative to the package."""
    module = module or package

    def find(name: str) -> Any:
        if name not in places:
            if name.startswith("_"):  # Python asks for those
                raise AttributeError(f"module {module!r} has no attribute {name!r}")
            raise unknown_attribute(module, name, sorted(places))
        return getattr(importlib.import_module(places[name], package), name)

    return find


def moved(old: str, new: str) -> None:
    """Warns that a name of version 0.2 will go."""
    warnings.warn(f"neuropil.{old} is now neuropil.{new}; the old name goes with version 0.4", DeprecationWarning, stacklevel=4)


class Former(property):
    """An attribute of version 0.2 that has another name now; it goes with version 0.4."""

    def __init__(self, new: str) -> None:
        super().__init__(doc=f"Former name of `{new}`.")
        self._new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self._old = name

    def __get__(self, data: Any, kind: type | None = None) -> Any:
        """The value of the new name, with a warning."""
        if data is None:
            return self
        warnings.warn(f"{type(data).__name__}.{self._old} is now {self._new}", DeprecationWarning, stacklevel=2)
        return getattr(data, self._new)
