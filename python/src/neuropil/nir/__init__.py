# SPDX-License-Identifier: Apache-2.0
"""Spiking networks in the Neuromorphic Intermediate Representation (Pedersen et al. 2024): docs/howto/nir.md. Nothing here is imported by `import neuropil`."""

from .network import NirNetwork, from_nir
from .writing import to_nir

__all__ = ["NirNetwork", "from_nir", "to_nir"]
