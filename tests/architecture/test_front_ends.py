# SPDX-License-Identifier: Apache-2.0
"""Front ends are built on what every user and every other front end has: public names of neuropil, and of neuropil.engine."""

import ast
import importlib
from pathlib import Path

import pytest

from architecture.sources import ROOT

PACKAGE = ROOT / "python/src/neuropil"
FRONT_ENDS = ["nest", "brian2", "pynn", "serve"]
PUBLIC = [
    "neuropil",
    "neuropil.engine",
    "neuropil.equations",
    "neuropil.equations.engine",
    "neuropil.equations.expressions",
    "neuropil.equations.parsing",
    "neuropil.space",
    "neuropil.space.engine",
    "neuropil.errors",
    "neuropil.analysis",
    "neuropil.nest_alias",
    "neuropil.classes",
    "neuropil.nestml",
]
BELOW = {"serve": ("neuropil.nest",)}  # front ends on which another is built, by their public names
MAX_LINES = {"nest": 10656, "brian2": 1540, "pynn": 3000, "serve": 1100}  # a front end translates


def files(front_end: str) -> list[Path]:
    return sorted((PACKAGE / front_end).rglob("*.py"))


def module_of(path: Path, node: ast.ImportFrom) -> str:
    """Full name of the module that is imported from."""
    if not node.level:
        return node.module or ""
    package = ["neuropil", *path.relative_to(PACKAGE).parent.parts]
    return ".".join([*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else [])])


def imports(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, module_of(path, node), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "") for alias in node.names)


def is_public(front_end: str, module: str, name: str) -> bool:
    """Whether a front end may import a name of a module, or the module itself (no name)."""
    whole = f"{module}.{name}".rstrip(".")
    if whole in PUBLIC or whole in BELOW.get(front_end, ()):
        return True
    return module in PUBLIC and name in importlib.import_module(module).__all__


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_imports_are_public(front_end):
    own = f"neuropil.{front_end}"
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}: {module} {name}"
        for path in files(front_end)
        for line, module, name in imports(path)
        if module.split(".")[0] == "neuropil"
        and not f"{module}.".startswith(f"{own}.")
        and f"{module}.{name}" != own
        and not is_public(front_end, module, name)
    ]
    assert not wrong


def defined(tree: ast.Module) -> set[str]:
    """Names with an underscore that a module gives to its own functions, attributes and slots."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "made")
        ):
            found.add(node.attr)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            found |= {t.id for t in targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # slots, and names for setattr
    return found


def private_of(node: ast.Attribute) -> set[str]:
    """The attribute itself where it is one of a network or of connections, whatever attributes of that name the front end has."""
    held = getattr(node.value, "attr", getattr(node.value, "id", ""))
    return {node.attr} if held in ("net", "network", "now") else set()


@pytest.mark.parametrize("front_end", ["nest"])  # Brian2 has no public names for some of what a device needs
def test_no_private_attributes_of_others(front_end):
    trees = {path: ast.parse(path.read_text()) for path in files(front_end)}
    own = set().union(*(defined(tree) for tree in trees.values()))
    wrong = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: .{node.attr}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.endswith("__")
        and node.attr not in own - private_of(node)
    ]
    assert not wrong


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_front_ends_are_small(front_end):
    assert sum(len(path.read_text().splitlines()) for path in files(front_end)) <= MAX_LINES[front_end]
