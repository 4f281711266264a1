# SPDX-License-Identifier: Apache-2.0
"""Imports of the Python package: no circle among its modules. Imports in functions and under TYPE_CHECKING do not count."""

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


def imported(module: str, path: Path) -> set[str]:
    """Modules of the package that importing this one imports, those that hold its packages left out."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in statements(ast.parse(path.read_text()).body):
        if isinstance(node, ast.ImportFrom):
            base = package.split(".") if package else []
            base = base[: len(base) - (node.level - 1)] if node.level else []
            name = ".".join([*base, *(node.module.split(".") if node.module else [])])
            if node.level == 0:
                if name.partition(".")[0] != "neuropil":
                    continue
                name = name.partition(".")[2]
            found |= {f"{name}.{alias.name}".strip(".") if f"{name}.{alias.name}".strip(".") in FILES else name for alias in node.names}
    return {name for name in found if name in FILES and name != module and not module.startswith(f"{name}.") and name}


def test_no_circle():
    try:
        TopologicalSorter({module: imported(module, path) for module, path in FILES.items()}).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
