# SPDX-License-Identifier: Apache-2.0
"""Every file carries its licence line, every kernel module has tests, files, functions and lines stay small."""

import ast
import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from architecture.sources import CPP, ROOT, modules, relative, source_files

MAX_FILE_LINES = 700
MAX_KERNEL_FILE_LINES = 400  # cpp/
MAX_COLUMNS = 140  # C++; ruff has Python's
MAX_FUNCTION_LINES = 60
MAX_PARAMETERS = 10
MAX_SIM_PARAMETERS = 6  # cpp/sim/


def cpp_sources() -> list[Path]:
    """C++ of the project, tests included; bench/ may have longer lines."""
    return [path for path in source_files() if path.suffix in {".cpp", ".hpp", ".h"} and path.parts[len(ROOT.parts)] != "bench"]


class Function(NamedTuple):
    path: Path
    line: int
    name: str
    length: int
    parameters: int

    def __str__(self) -> str:
        return f"{relative(self.path)}:{self.line} {self.name}"


# Functions of the files that stdin names, as JSON.
COUNT = """
import json, lizard, sys
files = lizard.analyze_files(sys.stdin.read().split("\\n"))
print(json.dumps([(file.filename, f.start_line, f.name, f.length, len(f.full_parameters)) for file in files for f in file.function_list]))
"""


def python_functions(path: Path) -> list[Function]:
    """By Python itself, which is several times as fast as lizard. Parameters are not counted."""
    found, left = [], [ast.parse(path.read_text())]
    while left:
        node = left.pop()
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            left += [inner for inner in getattr(node, block, []) if isinstance(inner, (ast.stmt, ast.excepthandler, ast.match_case))]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append(Function(path, node.lineno, node.name, (node.end_lineno or node.lineno) - node.lineno + 1, 0))
    return found


@functools.cache
def functions() -> list[Function]:
    """Every named function; lizard does not see lambdas. In a process of its own, as measuring coverage makes lizard three times slower."""
    pytest.importorskip("lizard")
    paths = "\n".join(str(path) for path in source_files() if path.suffix in {".cpp", ".hpp"})
    done = subprocess.run([sys.executable, "-c", COUNT], input=paths, capture_output=True, text=True, check=True)
    kernel = [Function(Path(path), *rest) for path, *rest in json.loads(done.stdout)]
    return kernel + [f for path in source_files() if path.suffix == ".py" for f in python_functions(path)]


def test_one_licence_line_per_file():
    # Written in two parts so that this file, too, holds the line once.
    line = "SPDX-License-" + "Identifier: Apache-2.0"
    heads = {relative(path): path.read_text().splitlines()[:3] for path in source_files() if path.stat().st_size}
    assert [name for name, head in heads.items() if sum(line in text for text in head) != 1] == []


def max_lines(path: Path) -> int:
    return MAX_KERNEL_FILE_LINES if path.is_relative_to(CPP) else MAX_FILE_LINES


def test_files_stay_short():
    lengths = {path: len(path.read_text().splitlines()) for path in source_files()}
    assert {relative(path): lines for path, lines in lengths.items() if lines > max_lines(path)} == {}


def test_lines_stay_short():
    lines = [(f"{relative(path)}:{n}", line) for path in cpp_sources() for n, line in enumerate(path.read_text().splitlines(), 1)]
    assert [place for place, line in lines if len(line) > MAX_COLUMNS] == []


def test_functions_stay_short():
    assert len(functions()) > 5000
    assert {str(f): f.length for f in functions() if f.length > MAX_FUNCTION_LINES} == {}


def test_functions_take_few_parameters():
    def limit(path: Path) -> int:
        return MAX_SIM_PARAMETERS if path.is_relative_to(CPP / "sim") else MAX_PARAMETERS

    kernel = [f for f in functions() if f.path.suffix != ".py"]
    assert {str(f): f.parameters for f in kernel if f.parameters > limit(f.path)} == {}


@pytest.mark.parametrize("module", modules())
def test_every_module_has_tests(module):
    assert list((ROOT / "tests" / "cpp" / module).glob("test_*.cpp")), f"no tests/cpp/{module}/test_*.cpp"


def test_kernel_is_compiled_for_speed_and_one_result():
    """gcc 12 vectorises at -O3 only, and contraction would make results depend on the instruction set (law 1)."""
    database = ROOT / "build" / "release" / "compile_commands.json"
    if not database.exists():
        pytest.skip("no build/release here: made by ./run and ./check")
    kernel = [entry for entry in json.loads(database.read_text()) if entry["file"].startswith(str(CPP))]
    assert kernel
    for entry in kernel:
        flags = entry["command"].split()
        assert "-ffp-contract=off" in flags, entry["file"]
        assert [flag for flag in flags if flag.startswith("-O")][-1] == "-O3", entry["file"]
        assert not {"-ffast-math", "-funsafe-math-optimizations", "-march=native"} & set(flags), entry["file"]


@pytest.mark.parametrize("path", sorted((ROOT / "tests/cpp").glob("*/test_*.cpp")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cpp_tests_have_namespaces_of_their_own(path):
    """They are compiled several together (tests/cpp/CMakeLists.txt): names of one file must not meet those of another."""
    lines = path.read_text().splitlines()
    opened = [line for line in lines if line.startswith("namespace npl") and line.endswith(f"::{path.stem} {{")]
    alone = path.name in (ROOT / "tests/cpp/CMakeLists.txt").read_text()
    assert alone or (len(opened) == 1 and "namespace {" in lines)
