# SPDX-License-Identifier: Apache-2.0
"""Libraries that are imported when they are asked for: neuropil itself needs none of them."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import MissingLibrary

__all__ = ["matplotlib", "needed"]


def needed(name: str, extra: str, text: str) -> Any:
    """The module called `name`. Raises MissingLibrary, which names the package and the extra of neuropil that has it; `text`: what it begins with."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingLibrary(f'{text} {package}, which is not installed: pip install "neuropil[{extra}]"', package, extra) from error


def matplotlib(module: str = "pyplot") -> Any:
    """A module of matplotlib. Raises MissingLibrary."""
    return needed(f"matplotlib.{module}", "plot", "pictures need")
