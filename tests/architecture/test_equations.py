# SPDX-License-Identifier: Apache-2.0
"""Equations of neuron models are pure, but for a few (`cuda/models.py`): what a model file includes before it defines the model, in `cpp/model`,
neither allocates nor throws. The last header that it includes, behind the model, runs and registers it."""

import re

import pytest

from architecture.sources import CPP
from cuda.models import COMPILED

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# Headers of the standard library whose types allocate or throw.
FORBIDDEN = set(
    re.findall(
        r"\w+", "any deque forward_list functional list map memory optional set sstream stdexcept string unordered_map variant vector"
    )
)


def split(text: str) -> tuple[str, str]:
    """A model file: the equations, and what follows its last include."""
    at = text.rindex("\n#include")
    return text[:at], text[text.index("\n", at + 1) :]


def reachable(text: str, found: dict[str, str]) -> dict[str, str]:
    """Text of every header of the project that this one includes, by name."""
    for quote, name in INCLUDE.findall(text):
        if quote == '"' and name not in found:
            found[name] = (CPP / name).read_text()
            reachable(found[name], found)
    return found


def impure(text: str) -> list[str]:
    """What this text uses that may allocate or throw."""
    code = re.sub(r"//.*", "", text)
    used = [f"<{name}>" for quote, name in INCLUDE.findall(code) if quote == "<" and name in FORBIDDEN]
    return used + re.findall(r"\bthrow\b|\bnew\b|\bstd::string\b(?!_)|\bstd::vector\b", code)


@pytest.mark.parametrize("model", sorted(COMPILED))
def test_equations_are_pure(model):
    equations, _ = split((CPP / "nodes/models" / f"{model}.cpp").read_text())
    texts = {model: equations} | reachable(equations, {})
    assert {name: used for name, text in texts.items() if (used := impure(text))} == {}


@pytest.mark.parametrize("path", sorted((CPP / "model").glob("*.*")), ids=lambda path: path.name)
def test_what_models_share_is_pure(path):
    assert impure(path.read_text()) == []


@pytest.mark.parametrize("model", sorted(COMPILED))
def test_nothing_but_registration_follows_the_last_include(model):
    _, rest = split((CPP / "nodes/models" / f"{model}.cpp").read_text())
    assert not re.search(r"^\s*struct\b", rest, re.MULTILINE)
    assert re.search(r"^NPL_\w+\(" + model + r"\b", rest, re.MULTILINE)


@pytest.mark.parametrize(
    "text", ["#include <vector>\n", "if (x) throw Error();", "std::string s;", "std::vector<int> v;", "auto p = new int;"]
)
def test_what_allocates_or_throws_is_seen(text):
    assert impure(text)


@pytest.mark.parametrize("text", ["#include <array>\n", "std::string_view s;", "// would throw V far below", "double renewed;"])
def test_the_rest_is_not(text):
    assert not impure(text)
