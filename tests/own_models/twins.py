# SPDX-License-Identifier: Apache-2.0
"""Models of the kernel under another name, loaded as own models."""

import re

from architecture.sources import CPP
from neuropil.own_models.loading import load_source

NAMED = re.compile(r"(static constexpr const char\* name = )[^;]+;")


def twin_text(model: str, name: str) -> str:
    """The text of a built-in model with another name. The struct with the equations is in the file, or its base is."""
    text = (CPP / f"nodes/models/{model}.cpp").read_text()
    named, n = NAMED.subn(rf'\1"{name}";', text, count=1)
    assert n == 1, model
    return named


def twin(model: str):
    return load_source(twin_text(model, f"own_{model}"), f"own_{model}.cpp")
