# SPDX-License-Identifier: Apache-2.0
"""The engine of equations, for front ends: what neuropil.brian2 uses beside the public names of neuropil.equations, and what others may use.

A script has no need of it. Neurons: `describe` makes a Description of texts, `Deferred` the order of events of other simulators, `made_model` a
model of it. Synapses: `describe_synapse`, `settable_rule`, `modelled`; `after_events` carries out what spikes make of them. Trees of expressions
are in neuropil.equations.expressions and parsing. What is written here stays when the inside of neuropil.equations changes.
"""

from .deferred import LAST as LAST_SPIKE
from .deferred import SETTLED_AT, WAITING, after_step, parameters_of, sample_name
from .describing import describe
from .description import Deferred, Description
from .errors import Place
from .evaluating import value_of
from .inference import Unchecked
from .names import forbidden, is_noise
from .neuron import NeuronModel, made_model
from .synapse import SynapseModel, modelled
from .synapse_events import EARLY, EPOCH, LAST, LATE, SETTLED, set_name, settable_rule
from .synapse_history import NO_SPIKES, Events, Spikes, after_events, events_at, values_at
from .synapse_reading import describe_synapse

__all__ = [
    "EARLY",
    "EPOCH",
    "LAST",
    "LAST_SPIKE",
    "LATE",
    "NO_SPIKES",
    "SETTLED",
    "SETTLED_AT",
    "WAITING",
    "Deferred",
    "Description",
    "Events",
    "NeuronModel",
    "Place",
    "Spikes",
    "SynapseModel",
    "Unchecked",
    "after_events",
    "after_step",
    "describe",
    "describe_synapse",
    "events_at",
    "forbidden",
    "is_noise",
    "made_model",
    "modelled",
    "parameters_of",
    "sample_name",
    "set_name",
    "settable_rule",
    "value_of",
    "values_at",
]
