# SPDX-License-Identifier: Apache-2.0
"""Neuron models from equations, as C++ files of the form that built-in models have. Nothing here is imported by `import neuropil`."""

from .errors import EquationError, UnitError
from .neuron import INTEGRATORS, NeuronModel, neuron

__all__ = ["INTEGRATORS", "EquationError", "NeuronModel", "UnitError", "neuron"]
