# SPDX-License-Identifier: Apache-2.0
"""Scripts without files, other modules and the inside of Python: what is refused before they run, and what they are given.

This keeps accidents and simple attacks away. Python has no sandbox: who may send scripts must be trusted all the same.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
import types
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from neuropil import nest

from .errors import SCRIPT, Refused

__all__ = ["Facade", "checked", "names"]

_BUILTINS = re.findall(
    r"\w+",
    """abs all any bool complex dict divmod enumerate filter float frozenset int isinstance iter len list map max min next pow print range repr
    reversed round set slice sorted str sum tuple zip ArithmeticError AssertionError AttributeError Exception ImportError IndexError KeyError
    LookupError NameError NotImplementedError RuntimeError StopIteration TypeError ValueError ZeroDivisionError""",
)
# Attributes of frames, code and generators, through which a script would reach everything; and methods of arrays that use files.
_INSIDE = ("_", "ag_", "co_", "cr_", "f_", "gi_", "tb_")
_INSIDE_NAMES = {"ctypes", "dump", "format", "format_map", "mro", "tofile"}
_FILES_OF_NUMPY = set(
    re.findall(r"\w+", "DataSource fromfile fromregex genfromtxt get_include info load loadtxt memmap save savetxt savez savez_compressed")
)
_OF_NEST = ("logic", "math", "random", "spatial", "spatial_distributions")
_NOT_OF_NEST = {"DumpLayerConnections", "DumpLayerNodes", "NestModule", "SonataNetwork", "help", "set_communicator"}
_DRAWING = {"lib", "ll_api", "raster_plot", "visualization", "voltage_trace"}


class Facade:
    """Some names of a module. `setting` : sets an attribute of the module, where that is allowed."""

    __slots__ = ("_get", "_names", "_setting")

    def __init__(
        self, name: str, get: Callable[[str], Any], known: frozenset[str], setting: Callable[[str, Any], None] | None = None
    ) -> None:
        put = object.__setattr__
        put(self, "_get", get)
        put(self, "_names", (name, known))
        put(self, "_setting", setting)

    def __getattr__(self, name: str) -> Any:
        module, known = self._names
        if name not in known:
            raise AttributeError(f"{module}.{name} is not there for restricted scripts")
        return self._get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._setting is None:
            raise AttributeError(f"{self._names[0]}.{name} cannot be set by restricted scripts")
        self._setting(name, value)

    def __dir__(self) -> list[str]:
        return sorted(self._names[1])


def _of_module(module: types.ModuleType, without: set[str], inner: tuple[str, ...] = ()) -> Facade:
    """The public names of a module that are no modules, and facades of `inner` ones."""
    offered = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    found = {name: value for name in offered if not isinstance(value := getattr(module, name), types.ModuleType) and name not in without}
    found |= {name: _of_module(getattr(module, name), without) for name in inner}
    return Facade(module.__name__.removeprefix("neuropil."), found.__getitem__, frozenset(found))


def _nest() -> Facade:
    attributes = frozenset(nest.GetKernelStatus())
    inner = {name: _of_module(getattr(nest, name), set()) for name in _OF_NEST}
    plain = {name for name in dir(nest) if not name.startswith(("_", "Plot"))} - _NOT_OF_NEST - _DRAWING
    known = {name for name in plain - attributes if not isinstance(getattr(nest, name), types.ModuleType)}
    known |= {"NESTErrors", "get", "set", "kernel_status", *attributes, *inner}
    return Facade("nest", lambda name: inner[name] if name in inner else getattr(nest, name), frozenset(known), _set_nest)


def _set_nest(name: str, value: Any) -> None:
    setattr(nest, name, value)  # refuses all but attributes of the kernel


@cache
def _modules() -> dict[str, Facade]:
    found = {"nest": _nest(), "numpy": _of_module(np, _FILES_OF_NUMPY, ("linalg", "random")), "math": _of_module(math, set())}
    return found | {f"numpy.{name}": getattr(found["numpy"], name) for name in ("linalg", "random")}


def _import(name: str, own: Any = None, local: Any = None, wanted: Any = (), level: int = 0) -> Any:
    modules = _modules()
    if name not in modules or level:
        raise ImportError(f"restricted scripts import {', '.join(modules)}, not {name}")
    return modules[name] if wanted else modules[name.partition(".")[0]]


def names() -> dict[str, Any]:
    """What a restricted script finds when it begins."""
    allowed = {name: getattr(builtins, name) for name in _BUILTINS}
    return {"__builtins__": {**allowed, "__import__": _import}, "nest": _modules()["nest"]}


def checked(source: str) -> ast.Module:
    """The parsed script. Raises SyntaxError, and Refused for classes and for names that reach the inside of Python."""
    tree = ast.parse(source, SCRIPT)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            raise Refused(f"restricted scripts cannot define classes ({node.name})", node.lineno)
        for name in _named(node):
            if name != "_" and (name in _INSIDE_NAMES or name.startswith(_INSIDE)):
                raise Refused(f"restricted scripts cannot use the name {name}", getattr(node, "lineno", -1))
    return tree


def _named(node: ast.AST) -> list[str]:
    """Attributes that a node reads, and its names with an underscore."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.MatchClass):
        return node.kwd_attrs
    found: list[str] = []
    if isinstance(node, ast.Name):
        found = [node.id]
    elif isinstance(node, ast.ImportFrom | ast.Import):
        found = [part for alias in node.names for part in (*alias.name.split("."), alias.asname or "")]
    elif isinstance(node, ast.FunctionDef):
        found = [node.name]
    return [name for name in found if name.startswith("_")]
