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

from . import alias, cells, composed, connectors, control, electrodes, native, populations, projections, synapses, values
from .cells import *
from .composed import *
from .connectors import *
from .control import *
from .electrodes import *
from .errors import NotSupported
from .native import *
from .populations import *
from .projections import *
from .simulator import state
from .synapses import *
from .values import *

__all__ = [
    "GSLRNG",
    "ArrayParameter",
    "CSAConnector",
    "CloneConnector",
    "DisplacementDependentProbabilityConnector",
    "IndexBasedProbabilityConnector",
    "LazyArray",
    "NotSupported",
    "NumpyRNG",
    "ParameterSpace",
    "RandomDistribution",
    "Sequence",
    "SmallWorldConnector",
    "Space",
    "StandardCellType",
    "errors",
    "random",
    "space",
    "state",
]
__all__ += cells.__all__ + composed.__all__ + connectors.__all__ + control.__all__ + electrodes.__all__ + native.__all__
__all__ += populations.__all__ + projections.__all__ + synapses.__all__ + values.__all__

alias.install()
