# SPDX-License-Identifier: Apache-2.0
"""Every file carries its licence line, every kernel module has tests, files, functions and lines stay small."""

import functools
import json
from pathlib import Path

import pytest

from architecture.sources import CPP, ROOT, modules, relative, source_files

MAX_FILE_LINES = 700
MAX_KERNEL_FILE_LINES = 400  # cpp/
MAX_COLUMNS = 140  # C++; ruff has Python's
MAX_FUNCTION_LINES = 80
MAX_PARAMETERS = 10
MAX_SIM_PARAMETERS = 6  # cpp/sim/


def cpp_sources() -> list[Path]:
    """C++ of the project, tests included; bench/ may have longer lines."""
    return [path for path in source_files() if path.suffix in {".cpp", ".hpp", ".h"} and path.parts[len(ROOT.parts)] != "bench"]


@functools.cache
def functions() -> list:
    """(path, lizard's record) of every named function; lizard does not see lambdas."""
    lizard = pytest.importorskip("lizard")
    paths = [str(path) for path in source_files() if path.suffix in {".cpp", ".hpp", ".py"}]
    return [(Path(file.filename), function) for file in lizard.analyze_files(paths) for function in file.function_list]


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
    long = {f"{relative(path)}:{f.start_line} {f.name}": f.length for path, f in functions() if f.length > MAX_FUNCTION_LINES}
    assert long == {}


def test_functions_take_few_parameters():
    def limit(path: Path) -> int:
        return MAX_SIM_PARAMETERS if path.is_relative_to(CPP / "sim") else MAX_PARAMETERS

    kernel = [(path, f) for path, f in functions() if path.suffix != ".py"]
    many = {
        f"{relative(path)}:{f.start_line} {f.name}": len(f.full_parameters) for path, f in kernel if len(f.full_parameters) > limit(path)
    }
    assert many == {}


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
