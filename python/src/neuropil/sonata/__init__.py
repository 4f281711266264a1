# SPDX-License-Identifier: Apache-2.0
"""Networks of point neurons in files of the SONATA format: docs/howto/sonata.md. Nothing here is imported by `import neuropil`."""

from .simulation import Simulation, load, run

__all__ = ["Simulation", "load", "run"]
