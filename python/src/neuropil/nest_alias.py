# SPDX-License-Identifier: Apache-2.0
"""Lets scripts say `import nest` and get neuropil.nest, which is imported only when they do."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import runpy
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Alias", "install", "nest_alias", "run", "trace_in"]

_HERE = "neuropil.nest"


class Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds nest and nest.* in neuropil.nest."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The specification of nest and what is in it."""
        if fullname != "nest" and not fullname.startswith("nest."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The module of neuropil.nest that is meant."""
        _, _, rest = spec.name.partition(".")
        first, _, more = rest.partition(".")
        if more.startswith("hl_api_"):  # nest.lib.hl_api_connections and the like: their functions are those of nest
            first, more = "", ""
        from .nest.module import SUBMODULES

        where = SUBMODULES.get(first, first) + (f".{more}" if more else "")
        module = importlib.import_module(f"{_HERE}.{where}" if where else _HERE)
        self._spec = (module.__spec__, module.__loader__, module.__package__)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing: it was run under its own name, which is put back."""
        module.__spec__, module.__loader__, module.__package__ = self._spec


@contextmanager
def nest_alias() -> Iterator[None]:
    """For the block; nothing where a module called nest was imported already."""
    if "nest" in sys.modules:
        yield
        return
    finder = Alias()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name == "nest" or name.startswith("nest.")]:
            del sys.modules[name]


def install() -> None:
    """Lets `import nest` mean neuropil.nest in this process, from now on."""
    if not any(isinstance(finder, Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, Alias())
    import nest  # noqa: F401


def run(script: str, arguments: Sequence[str]) -> None:
    """Runs a script as `python script arguments` would, with neuropil as nest."""
    install()
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    try:
        runpy.run_path(script, run_name="__main__")
    except Exception as error:
        # The user sees his own script on top, not how we came to run it.
        trace = trace_in(script, error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)


def trace_in(script: str, trace: types.TracebackType | None) -> types.TracebackType | None:
    """The part of a traceback that begins in the script; all of it when the script was not reached."""
    inner = trace
    while inner is not None and inner.tb_frame.f_code.co_filename != script:
        inner = inner.tb_next
    return inner or trace
