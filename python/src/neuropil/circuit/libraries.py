# SPDX-License-Identifier: Apache-2.0
"""The libraries of file formats, imported when they are used: neuropil itself needs none of them."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import MissingLibrary

__all__ = ["library"]


def library(name: str) -> Any:
    """The module h5py, morphio, libsonata or plotly. Raises MissingLibrary."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingLibrary(
            f'circuits need {package}, which is not installed: pip install "neuropil[circuit]"', package, "circuit"
        ) from error
