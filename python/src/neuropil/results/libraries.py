# SPDX-License-Identifier: Apache-2.0
"""The libraries that results can be handed to, imported when they are asked for: neuropil itself needs none of them."""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import MissingLibrary

__all__ = ["library"]


def library(name: str) -> Any:
    """The module h5py, neo, pandas, pyarrow.parquet, xarray, ... Raises MissingLibrary."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingLibrary(
            f'this needs {package}, which is not installed: pip install "neuropil[results]"', package, "results"
        ) from error
