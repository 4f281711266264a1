# SPDX-License-Identifier: Apache-2.0
"""From a NESTML file to a neuron or synapse model."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path

from ..equations.description import Description
from ..equations.neuron import NeuronModel, made_model
from ..equations.synapse import SynapseModel, modelled
from ..errors import BadFile, bad_parameter, nearest
from .errors import NestmlError, UnitsDifferError
from .parsing import read_model
from .statements import StatementTranslation
from .synapses import is_synapse, synapse_rule
from .syntax import Model
from .translating import Translation
from .vectors import without_vectors

__all__ = ["load"]


def load(path: str | os.PathLike[str], *, integrator: str = "auto", seen: str | None = None) -> NeuronModel | SynapseModel:
    """The neuron or synapse model of a NESTML file; `Network.create`, or `Network.connect`, takes it.

    path : of a file with one model; integrator : of a neuron, as of `neuropil.neuron`; seen : state of a neuron that synapses read as a
    continuous input

    Raises BadFile; NestmlError with the line, for what is no NESTML and for what neuropil cannot express.
    """
    place = Path(path)
    try:
        text = place.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{place}: cannot be read: {error}", str(place)) from error
    return load_text(text, place.name, integrator, seen)


def described(model: Model, checked: bool) -> Description:
    """With threshold, reset and refractoriness where the statements are these; else with the statements themselves."""
    try:
        return Translation(model, checked).description()
    except UnitsDifferError:
        raise
    except NestmlError:
        return StatementTranslation(model, checked).description()


def load_text(text: str, file: str, integrator: str = "auto", seen: str | None = None) -> NeuronModel | SynapseModel:
    """The same for the text of such a file. file : its name, for messages. Raises NestmlError."""
    try:
        model = read_model(text, file)
        if is_synapse(model):
            return modelled(synapse_rule(model))
        model = without_vectors(model)
        try:
            made = described(model, checked=True)
        except UnitsDifferError as error:
            made = described(model, checked=False)
            warnings.warn(f"{error}\nNumbers are taken in mV, ms, pA and mM, as NESTML does", stacklevel=3)
        if seen is not None and seen not in made.state_names:
            raise bad_parameter(
                "seen", seen, f"a state of {made.name}{nearest(seen, made.state_names)}: {', '.join(sorted(made.state_names))}"
            )
        return made_model(replace(made, seen=seen), integrator)
    except RecursionError:
        raise NestmlError(f"{file}: an expression is too long", file) from None
