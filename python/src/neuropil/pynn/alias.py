# SPDX-License-Identifier: Apache-2.0
"""Lets `import pyNN.neuropil` find neuropil.pynn where PyNN and neuropil are installed in different folders."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Sequence

__all__ = ["install"]

_NAME, _HERE = "pyNN.neuropil", "neuropil.pynn"


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds pyNN.neuropil and its modules in neuropil.pynn."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The specification of pyNN.neuropil and what is in it."""
        if fullname != _NAME and not fullname.startswith(f"{_NAME}."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The module of neuropil.pynn that is meant."""
        module = importlib.import_module(_HERE + spec.name.removeprefix(_NAME))
        self._own = (module.__spec__, module.__loader__, module.__package__)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing: it was run under its own name, which is put back."""
        module.__spec__, module.__loader__, module.__package__ = self._own


def install() -> None:
    """Lets `import pyNN.neuropil` mean neuropil.pynn in this process, from now on."""
    if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Alias())  # before Python looks into the folder of neuropil.pynn and loads its modules once more
