# SPDX-License-Identifier: Apache-2.0
"""Neuron and synapse models from equations, as C++ files of the form that built-in models have. Nothing here is imported by `import neuropil`."""

from .errors import EquationError, UnitError
from .neuron import INTEGRATORS, NeuronModel, neuron
from .synapse import SynapseModel, synapse_model

__all__ = ["INTEGRATORS", "EquationError", "NeuronModel", "SynapseModel", "UnitError", "neuron", "synapse_model"]
