# SPDX-License-Identifier: Apache-2.0
"""neuropil as a simulator of PyNN: `import pyNN.neuropil as sim`, see docs/howto/pynn.md. Nothing here is imported by `import neuropil`.

PyNN is installed by the user: pip install pynn
"""

from ..errors import MissingLibrary

try:
    import pyNN.common  # noqa: F401
except ImportError as error:
    raise MissingLibrary(f"neuropil.pynn needs PyNN (pip install pynn), which cannot be imported: {error}", "pyNN") from error

from pyNN import errors, random, space
from pyNN.connectors import (
    CloneConnector,
    CSAConnector,
    DisplacementDependentProbabilityConnector,
    IndexBasedProbabilityConnector,
    SmallWorldConnector,
)
from pyNN.parameters import ArrayParameter, LazyArray, ParameterSpace, Sequence
from pyNN.random import GSLRNG, NumpyRNG, RandomDistribution
from pyNN.space import Space
from pyNN.standardmodels import StandardCellType

from . import alias, cells, composed, connectors, control, electrodes, synapses, unavailable
from .cells import *
from .composed import *
from .connectors import *
from .control import *
from .electrodes import *
from .errors import NotSupported
from .native import native_cell_type, native_synapse_type
from .populations import Assembly, Population, PopulationView
from .projections import Projection
from .simulator import state
from .synapses import *
from .unavailable import *
from .values import NativeRNG

__all__ = [
    "GSLRNG",
    "ArrayParameter",
    "Assembly",
    "CSAConnector",
    "CloneConnector",
    "DisplacementDependentProbabilityConnector",
    "IndexBasedProbabilityConnector",
    "LazyArray",
    "NativeRNG",
    "NotSupported",
    "NumpyRNG",
    "ParameterSpace",
    "Population",
    "PopulationView",
    "Projection",
    "RandomDistribution",
    "Sequence",
    "SmallWorldConnector",
    "Space",
    "StandardCellType",
    "errors",
    "native_cell_type",
    "native_synapse_type",
    "random",
    "space",
    "state",
]
__all__ += cells.__all__ + composed.__all__ + connectors.__all__ + control.__all__ + electrodes.__all__ + synapses.__all__
__all__ += unavailable.__all__

alias.install()
