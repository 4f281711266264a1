# SPDX-License-Identifier: Apache-2.0
"""Imports of the Python package: no circle among its native modules, none in nest when it is imported; circles of all imports of nest only shrink."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from architecture.sources import ROOT

PACKAGE = ROOT / "python/src/neuropil"


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in PACKAGE.rglob("*.py")}


def statements(body: list[ast.stmt]):
    """What runs when the module is imported."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        for inner in ("body", "orelse", "handlers"):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from statements(getattr(node, inner, []))


def every_statement(body: list[ast.stmt]):
    """Those in functions and under TYPE_CHECKING, too."""
    for node in body:
        yield from ast.walk(node)


def absolute(module: str, path: Path, node: ast.ImportFrom) -> str | None:
    """The module that `from ... import` names, in this package; None: another one's."""
    if node.level == 0:
        root, _, name = (node.module or "").partition(".")
        return name if root == "neuropil" else None
    base = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    base = [part for part in base if part]
    return ".".join([*base[: len(base) - node.level + 1], *(node.module.split(".") if node.module else [])])


def imported(module: str, path: Path, statements=statements) -> set[str]:
    """Modules of the package that importing this one imports, those that hold its packages left out; "": the package itself, for names it defines."""
    found = set()
    for node in statements(ast.parse(path.read_text()).body):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.partition(".")[0] == "neuropil"]
            found |= {name.partition(".")[2] for name in names}
        elif isinstance(node, ast.ImportFrom) and (name := absolute(module, path, node)) is not None:
            names = [f"{name}.{alias.name}".strip(".") for alias in node.names]
            found |= {full if full in FILES else name for full in names if full != "_core"}
    return {name for name in found if name in FILES and name != module and not (name and module.startswith(f"{name}."))}


def test_no_circle():
    """Native modules by all that they import, in functions and for type checkers, too; modules of nest by what runs when they are imported."""
    graph = {
        module: imported(module, path, statements if module.partition(".")[0] == "nest" else every_statement)
        for module, path in FILES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


# Modules in a circle when imports in functions and under TYPE_CHECKING count, by the part of the package that most of them are in.
# These numbers only fall.
CIRCLES = {"nest": 31}


def circles() -> list[set[str]]:
    """Groups of modules each of which reaches all others of its group, the largest first."""
    graph = {module: imported(module, path, every_statement) for module, path in FILES.items()}

    def reached(start: str) -> set[str]:
        found, rest = set(), [start]
        while rest:
            new = graph[rest.pop()] - found
            found |= new
            rest += new
        return found

    reach = {module: reached(module) for module in graph}
    groups = {frozenset(other for other in reach[module] if module in reach[other]) for module in graph}
    return sorted((set(group) for group in groups if len(group) > 1), key=len, reverse=True)


def test_circles_of_all_imports_shrink():
    found = circles()
    assert len(found) >= len(CIRCLES), "fewer circles: take one out of CIRCLES"
    for part, most in CIRCLES.items():
        group = max(found, key=lambda group: sum(module.split(".")[0] == part for module in group))
        assert len(group) == most, f"{part}: {len(group)} modules import each other in a circle, not {most}: {sorted(group)}"
    assert all(len(group) <= 4 for group in found[len(CIRCLES) :])
