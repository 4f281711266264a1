# SPDX-License-Identifier: Apache-2.0
"""Neuron and synapse models from NESTML files, versions 8 and 9 of the language: docs/howto/own_models.md. Nothing here is imported by `import neuropil`."""

from .errors import NestmlError
from .loading import load, load_text

__all__ = ["NestmlError", "load", "load_text"]
