# SPDX-License-Identifier: Apache-2.0
"""Jobs of the command line: one module each, with a function `main` whose signature gives the options and whose docstring gives the help.

A module of this package is a job when it has `main`; a new job is one new file. The decorator `parallel.job` adds the options that all jobs have.
"""

import importlib
import pkgutil
from collections.abc import Callable


def discover() -> dict[str, Callable[..., None]]:
    """Jobs by name, in alphabetical order. Job modules import what is slow only when they run."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    return {module.__name__.rpartition(".")[2]: module.main for module in modules if hasattr(module, "main")}
