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

from . import alias
from .cells import (
    EIF_cond_alpha_isfa_ista,
    EIF_cond_exp_isfa_ista,
    GIF_cond_exp,
    HH_cond_exp,
    IF_cond_alpha,
    IF_cond_exp,
    IF_cond_exp_gsfa_grr,
    IF_curr_alpha,
    IF_curr_delta,
    IF_curr_exp,
    IF_facets_hardware1,
    Izhikevich,
    SpikeSourceArray,
    SpikeSourceGamma,
    SpikeSourcePoisson,
    SpikeSourcePoissonRefractory,
)
from .composed import (
    LIF,
    AdExp,
    AlphaPSR,
    BetaPSR,
    CondAlphaPostSynapticResponse,
    CondBetaPostSynapticResponse,
    CondExpPostSynapticResponse,
    CurrExpPostSynapticResponse,
    ExpPSR,
    PointNeuron,
)
from .connectors import (
    AllToAllConnector,
    ArrayConnector,
    DistanceDependentProbabilityConnector,
    FixedNumberPostConnector,
    FixedNumberPreConnector,
    FixedProbabilityConnector,
    FixedTotalNumberConnector,
    FromFileConnector,
    FromListConnector,
    OneToOneConnector,
)
from .control import (
    connect,
    create,
    end,
    get_current_time,
    get_max_delay,
    get_min_delay,
    get_time_step,
    initialize,
    list_standard_models,
    num_processes,
    rank,
    record,
    record_gsyn,
    record_v,
    reset,
    run,
    run_for,
    run_until,
    set,
    setup,
)
from .electrodes import ACSource, DCSource, NoisyCurrentSource, StepCurrentSource
from .errors import NotSupported
from .native import native_cell_type, native_synapse_type
from .populations import Assembly, Population, PopulationView
from .projections import Projection
from .simulator import state
from .synapses import (
    AdditivePotentiationMultiplicativeDepression,
    AdditiveWeightDependence,
    GutigWeightDependence,
    MultiplicativeWeightDependence,
    MultiQuantalSynapse,
    SimpleStochasticSynapse,
    SpikePairRule,
    StaticSynapse,
    STDPMechanism,
    TsodyksMarkramSynapse,
    Vogels2011Rule,
)
from .unavailable import ElectricalSynapse, SpikeSourceInhGamma, StochasticTsodyksMarkramSynapse
from .values import NativeRNG

__all__ = [
    "GSLRNG",
    "LIF",
    "ACSource",
    "AdExp",
    "AdditivePotentiationMultiplicativeDepression",
    "AdditiveWeightDependence",
    "AllToAllConnector",
    "AlphaPSR",
    "ArrayConnector",
    "ArrayParameter",
    "Assembly",
    "BetaPSR",
    "CSAConnector",
    "CloneConnector",
    "CondAlphaPostSynapticResponse",
    "CondBetaPostSynapticResponse",
    "CondExpPostSynapticResponse",
    "CurrExpPostSynapticResponse",
    "DCSource",
    "DisplacementDependentProbabilityConnector",
    "DistanceDependentProbabilityConnector",
    "EIF_cond_alpha_isfa_ista",
    "EIF_cond_exp_isfa_ista",
    "ElectricalSynapse",
    "ExpPSR",
    "FixedNumberPostConnector",
    "FixedNumberPreConnector",
    "FixedProbabilityConnector",
    "FixedTotalNumberConnector",
    "FromFileConnector",
    "FromListConnector",
    "GIF_cond_exp",
    "GutigWeightDependence",
    "HH_cond_exp",
    "IF_cond_alpha",
    "IF_cond_exp",
    "IF_cond_exp_gsfa_grr",
    "IF_curr_alpha",
    "IF_curr_delta",
    "IF_curr_exp",
    "IF_facets_hardware1",
    "IndexBasedProbabilityConnector",
    "Izhikevich",
    "LazyArray",
    "MultiQuantalSynapse",
    "MultiplicativeWeightDependence",
    "NativeRNG",
    "NoisyCurrentSource",
    "NotSupported",
    "NumpyRNG",
    "OneToOneConnector",
    "ParameterSpace",
    "PointNeuron",
    "Population",
    "PopulationView",
    "Projection",
    "RandomDistribution",
    "STDPMechanism",
    "Sequence",
    "SimpleStochasticSynapse",
    "SmallWorldConnector",
    "Space",
    "SpikePairRule",
    "SpikeSourceArray",
    "SpikeSourceGamma",
    "SpikeSourceInhGamma",
    "SpikeSourcePoisson",
    "SpikeSourcePoissonRefractory",
    "StandardCellType",
    "StaticSynapse",
    "StepCurrentSource",
    "StochasticTsodyksMarkramSynapse",
    "TsodyksMarkramSynapse",
    "Vogels2011Rule",
    "connect",
    "create",
    "end",
    "errors",
    "get_current_time",
    "get_max_delay",
    "get_min_delay",
    "get_time_step",
    "initialize",
    "list_standard_models",
    "native_cell_type",
    "native_synapse_type",
    "num_processes",
    "random",
    "rank",
    "record",
    "record_gsyn",
    "record_v",
    "reset",
    "run",
    "run_for",
    "run_until",
    "set",
    "setup",
    "space",
    "state",
]

alias.install()
