# SPDX-License-Identifier: Apache-2.0
"""Modules use only what lies below them: base <- rng, comm, checkpoint <- model <- growth, nodes, synapses, exchange <- tables <- pathways, connect, devices, record
<- sim <- bindings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from architecture.sources import CPP, ROOT, cpp_files, modules, relative

LAYERS = [
    ["base"],
    ["rng", "comm", "checkpoint"],
    ["model"],
    ["growth", "nodes", "synapses", "exchange"],
    ["tables", "circuit"],
    ["pathways", "continuous", "connect", "devices", "record"],
    ["sim"],
    ["bindings"],
]
RANK = {module: rank for rank, layer in enumerate(LAYERS) for module in layer}
# Used by others besides what their rank says, or not used at all: the reference kernel is an oracle, so it shares nothing but base.
ONLY_BASE = {"reference"}
MAX_OWN_HEADERS = 25
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def module_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0] if path.is_relative_to(ROOT / "bindings") else path.relative_to(CPP).parts[0]


def project_includes(text: str) -> list[str]:
    return [name for quote, name in INCLUDE.findall(text) if quote == '"']


def allowed(module: str, used: str) -> bool:
    """Own module and lower ranks; siblings do not know each other."""
    if used == module:
        return True
    if module in ONLY_BASE:
        return used == "base"
    if used in ONLY_BASE:
        return module == "bindings"  # for tests, which compare from Python
    return RANK[used] < RANK[module]


def violations() -> list[str]:
    found = []
    for path in cpp_files():
        module = module_of(path)
        for name in project_includes(path.read_text()):
            used = Path(name).parts[0] if "/" in name else module
            if used not in RANK and used not in ONLY_BASE:
                found.append(f"{relative(path)} includes {name}: no such module; write paths from cpp/")
            elif not allowed(module, used):
                found.append(f"{relative(path)} includes {name}: {module} may not use {used}")
    return found


def test_the_figure_of_modules_is_drawn_from_the_links():
    """If not: python tools/draw_modules.py, and look at it."""
    drawn = subprocess.run([sys.executable, "tools/draw_modules.py", "--print"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert drawn.stdout == (ROOT / "docs/figures/architecture_modules.svg").read_text()


def test_includes_go_only_downward():
    assert violations() == []


def test_few_own_headers_per_file():
    counts = {relative(path): len(project_includes(path.read_text())) for path in cpp_files()}
    assert {name: n for name, n in counts.items() if n > MAX_OWN_HEADERS} == {}


@pytest.mark.parametrize(
    ("module", "used", "expected"),
    [
        ("sim", "connect", True),
        ("base", "rng", False),
        ("connect", "tables", True),
        ("tables", "pathways", False),
        ("connect", "pathways", False),
        ("reference", "rng", False),
        ("sim", "reference", False),
        ("bindings", "reference", True),
    ],
)
def test_the_rule_itself(module, used, expected):
    assert allowed(module, used) is expected


def test_every_module_has_a_rank():
    assert set(modules()) <= set(RANK) | ONLY_BASE


def test_only_the_bindings_know_python():
    kernel = [path for path in cpp_files() if path.is_relative_to(CPP)]
    guilty = [relative(path) for path in kernel if re.search(r"#\s*include\s*<(nanobind|Python\.h|mpi\.h)", path.read_text())]
    assert guilty == []


def test_cmake_links_what_the_layers_allow():
    text = (ROOT / "CMakeLists.txt").read_text()
    linked = re.findall(r"^npl_module\((.+)\)", text, re.MULTILINE)
    assert linked, "npl_module lines not found"
    for line in linked:
        module, *used = line.split()
        assert [name for name in used if not allowed(module, name)] == [], f"npl_module({line})"
