# SPDX-License-Identifier: Apache-2.0
"""Loading of a model from a C++ file: docs/howto/own_models.md."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _core
from ..base.named import named_arguments
from ..errors import BadFile, BadParameter, ModelError, bad_parameter
from ..model import catalog
from .building import built, digest_of

__all__ = ["bring", "load_model", "load_source", "source_of"]

_NO_SPIKES = re.compile(r"^\s*static constexpr bool takes_spikes = false;", re.MULTILINE)
_sources: dict[str, str] = {}
"""Text of each model that was loaded, by digest."""


@named_arguments
def load_model(path: str | os.PathLike[str]) -> catalog.Entry:
    """Compiles a neuron or synapse model from a C++ file and loads it: docs/howto/add_neuron.md, docs/howto/own_models.md.

    From then on `Network.create` or `Network.connect` takes its name, or what this returns. It is compiled once per content, compiler and instruction set; a file
    that has changed is loaded anew, for networks that have none of that name yet. Call it on every rank, with the same file.

    Raises BadFile, MissingCompiler, ModelError with the messages of the compiler, BadParameter for the name of a model that is built in.
    """
    place = Path(path)
    if place.suffix == ".nestml":
        raise bad_parameter("path", str(place), "a file of C++; neuropil.nestml.load reads NESTML")
    try:
        text = place.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{place}: cannot be read: {error}", str(place)) from error
    return load_source(text, place.name)


def load_source(text: str, name: str) -> catalog.Entry:
    """The same for the text of such a file. name : of the file, for messages."""
    digest = digest_of(text)
    found = _loaded(built(text, name), name, digest)
    entry = catalog.add_model(found | {"takes_spikes": not _NO_SPIKES.search(text)})
    _sources[digest] = text
    return entry


def _loaded(place: Path, name: str, digest: str) -> dict[str, Any]:
    """What the kernel knows of a compiled file. name : of its source. Raises ModelError, BadParameter."""
    try:
        return _core.load_model(str(place), digest)
    except BadParameter as error:
        if error.value != str(place):
            raise
        reason = error.allowed.removeprefix("a compiled model: ")
        if "neither" in reason:
            reason = (
                "it registers no model. A neuron model ends with NPL_NEURON(name, Struct), or with the macro of another header of "
                "cpp/nodes; a synapse model ends with NPL_SYNAPSE(name, ...). See docs/howto/add_neuron.md"
            )
        raise ModelError(f"{name} cannot be loaded: {reason}") from error


def source_of(digest: str) -> str:
    """The C++ text of the model with this digest that was loaded; "" for one that is built in."""
    return _sources.get(digest, "")


def bring(models: Mapping[str, Sequence[str]], trust: bool) -> None:
    """Sees to it that the models of a checkpoint are loaded. trust : their C++ is compiled where they are not. Raises ModelError."""
    for name, (digest, text) in models.items():
        known = catalog.models().get(name) or catalog.synapses().get(name)
        if known is not None and known.digest == digest:
            continue
        if not trust:
            state = "is not loaded" if known is None else "is another one than the one that is loaded"
            raise ModelError(
                f"model '{name}' of this checkpoint {state}: call neuropil.load_model with its file first, or, if you trust the "
                "checkpoint, load it with trust=True (neuropil checkpoint resume --trust): its C++ is compiled and runs"
            )
        load_source(text, f"{name}.cpp")
