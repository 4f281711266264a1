# SPDX-License-Identifier: Apache-2.0
"""Neuron models whose equations compile for any device, and the few that do not."""

from architecture.sources import CPP

MODELS = {path.stem for path in (CPP / "nodes/models").glob("*.cpp")}
# May only become shorter.
NOT_COMPILED = {
    "cm_default": "its step is a loop over the compartments of a tree, whose number is known when the model is made",
    "gif_pop_psc_exp": "its step is a loop over a history, whose length is known when the model is made",
    "iaf_bw_2001_exact": "its step is a loop over synapses, whose number is known when the model is made",
    "parrot_neuron_ps": "it has no equations: it copies a list of events",
}
COMPILED = MODELS - set(NOT_COMPILED)
