# SPDX-License-Identifier: Apache-2.0
"""What a package offers is there and says what it is."""

import importlib
import inspect
from pathlib import Path

import pytest

import neuropil
from architecture.sources import ROOT
from neuropil.errors import MissingLibrary

PACKAGE = ROOT / "python/src/neuropil"


def is_there(name: str) -> bool:
    """Whether a package can be imported here: some need packages that users install themselves, or FastAPI."""
    try:
        importlib.import_module(name)
    except MissingLibrary:
        return name not in ("neuropil.brian2", "neuropil.pynn", "neuropil.serve")
    return True


def packages() -> list[str]:
    folders = sorted(path.parent.relative_to(PACKAGE) for path in PACKAGE.rglob("__init__.py"))
    return [name for folder in folders if is_there(name := ".".join(("neuropil", *folder.parts)))]


def undocumented(module, name: str) -> bool:
    """Constants need no docstring; what has been given a module's or a base class's own counts as documented."""
    value = getattr(module, name)
    return (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)) and not inspect.getdoc(value)


@pytest.mark.parametrize("name", packages())
def test_what_a_package_offers(name):
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} does not say what it is"
    offered = getattr(module, "__all__", [])
    assert len(set(offered)) == len(offered)
    assert [each for each in offered if not hasattr(module, each)] == []
    assert [each for each in offered if undocumented(module, each)] == []


def test_packages_that_users_import_say_what_they_offer():
    for name in ("neuropil", "neuropil.nest", "neuropil.circuit", "neuropil.analysis"):
        assert importlib.import_module(name).__all__, name


def members(module):
    """Public classes of __all__ with their public attributes."""
    for name in module.__all__:
        if inspect.isclass(getattr(module, name)):
            for attribute, value in vars(getattr(module, name)).items():
                if not attribute.startswith("_") and (inspect.isroutine(value) or isinstance(value, property)):
                    yield f"{name}.{attribute}", value


def test_methods_and_properties_are_documented():
    for module in (neuropil, importlib.import_module("neuropil.circuit")):
        assert [name for name, value in members(module) if not inspect.getdoc(value)] == [], module.__name__


def test_an_undocumented_name_is_seen():
    """A test of the test."""

    class Module:
        @staticmethod
        def silent():
            pass

        number = 3

    assert undocumented(Module, "silent")
    assert not undocumented(Module, "number")
    assert len(packages()) > 10
    assert Path(neuropil.__file__).parent == PACKAGE
