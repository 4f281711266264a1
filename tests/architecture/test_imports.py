# SPDX-License-Identifier: Apache-2.0
"""Imports of the Python package: no circle among its modules, imports in functions and for type checkers counted."""

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


def absolute(module: str, path: Path, node: ast.ImportFrom) -> str | None:
    """The module that `from ... import` names, in this package; None: another one's."""
    if node.level == 0:
        root, _, name = (node.module or "").partition(".")
        return name if root == "neuropil" else None
    base = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    base = [part for part in base if part]
    return ".".join([*base[: len(base) - node.level + 1], *(node.module.split(".") if node.module else [])])


def imported(module: str, path: Path) -> set[str]:
    """Modules of the package that importing this one imports, those that hold its packages left out; "": the package itself, for names it defines."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.partition(".")[0] == "neuropil"]
            found |= {name.partition(".")[2] for name in names}
        elif isinstance(node, ast.ImportFrom) and (name := absolute(module, path, node)) is not None:
            names = [f"{name}.{alias.name}".strip(".") for alias in node.names]
            found |= {full if full in FILES else name for full in names if full != "_core"}
    return {name for name in found if name in FILES and name != module and not (name and module.startswith(f"{name}."))}


def test_no_circle():
    graph = {module: imported(module, path) for module, path in FILES.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
