# SPDX-License-Identifier: Apache-2.0
"""Every file carries its licence line, every kernel module has tests, files and functions stay small."""

import json

import pytest

from architecture.sources import CPP, ROOT, modules, relative, source_files

MAX_FILE_LINES = 700
MAX_KERNEL_FILE_LINES = 400
MAX_FUNCTION_LINES = 80


def test_one_licence_line_per_file():
    # Written in two parts so that this file, too, holds the line once.
    line = "SPDX-License-" + "Identifier: Apache-2.0"
    heads = {relative(path): path.read_text().splitlines()[:3] for path in source_files() if path.stat().st_size}
    assert [name for name, head in heads.items() if sum(line in text for text in head) != 1] == []


def test_files_stay_short():
    lengths = {relative(path): len(path.read_text().splitlines()) for path in source_files()}
    most = {name: MAX_KERNEL_FILE_LINES if name.startswith("cpp/") else MAX_FILE_LINES for name in lengths}
    assert {name: lines for name, lines in lengths.items() if lines > most[name]} == {}


def test_functions_stay_short():
    lizard = pytest.importorskip("lizard")
    paths = [str(path) for path in source_files() if path.suffix in {".cpp", ".hpp", ".py"}]
    long = {
        f"{relative(ROOT / file.filename)}:{function.start_line} {function.name}": function.length
        for file in lizard.analyze_files(paths)
        for function in file.function_list
        if function.length > MAX_FUNCTION_LINES
    }
    assert long == {}


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
