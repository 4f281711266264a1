# SPDX-License-Identifier: Apache-2.0
"""What strangers see first: the top folder, versions, the pages that every project has; and imports that cost nothing."""

import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

import neuropil as npl
import strays
from architecture.sources import ROOT

TOP = {
    *(".ci", ".clang-format", ".github", ".gitignore", ".pre-commit-config.yaml"),
    *("AGENTS.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md"),
    *("CMakeLists.txt", "CMakePresets.json", "pyproject.toml", "check", "run"),
    *("bench", "bindings", "cmake", "cpp", "docs", "examples", "packaging", "plugins", "python", "tests", "tools"),
}
RESULTS = {".npz", ".npy", ".h5", ".npc", ".parquet", ".dat", ".nrn", ".log", ".so", ".o"}  # what programs write
STORED = ("tests/", "bench/results/")  # data of tests and benchmarks


def tracked() -> list[str]:
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "--cached"], capture_output=True, text=True, check=False)
    return [name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def test_the_top_folder_holds_what_is_listed():
    """A new entry belongs into TOP; a file that a program left does not."""
    assert {name.partition("/")[0] for name in tracked()} <= TOP
    assert {name for name in TOP if not (ROOT / name).exists()} == set()


def test_no_output_of_programs_is_tracked():
    assert [name for name in tracked() if not name.startswith(STORED) and any(name.endswith(suffix) for suffix in RESULTS)] == []


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_a_file_that_a_test_leaves_fails_the_run_in_ci(tmp_path):
    (tmp_path / "strays.py").write_text((ROOT / "tests/strays.py").read_text().replace("parents[1]", "parents[0]"))
    (tmp_path / "conftest.py").write_text("from strays import *\nfrom strays import pytest_sessionfinish, pytest_sessionstart\n")
    (tmp_path / "test_it.py").write_text("def test(): open('left.npz', 'w').close()\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", tmp_path, tmp_path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    codes = []
    for ci in ("1", "1", ""):
        (tmp_path / "left.npz").unlink(missing_ok=len(codes) != 1)
        if len(codes) == 1:
            (tmp_path / "left.npz").touch()  # it was there before: not the test's
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment | {"NEUROPIL_NO_SKIPS": ci})
        codes.append((done.returncode, "left.npz" in done.stdout))
    assert codes == [(1, True), (0, False), (0, True)]
    assert strays.untracked(tmp_path / "nowhere") == set()


def test_all_versions_are_one():
    cmake = re.search(r"project\(neuropil VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    dated = re.search(r"^## ([0-9.]+) - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text()
    assert cmake is not None
    assert dated is not None
    assert npl.__version__ == cmake[1] == dated[1]
    assert f"\nversion: {dated[1]}\ndate-released: {dated[2]}\n" in citation


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_lines_are_short_and_links_lead_somewhere(name):
    text = (ROOT / name).read_text()
    assert [line for line in text.splitlines() if len(line) > 120] == []
    links = [link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("http")]
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_package_says_whose_it_is_and_where():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["authors"] == [{"name": "The neuropil developers"}]
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(project["urls"])


def test_hooks_before_a_commit_run_what_the_check_demands():
    hooks, check = (ROOT / ".pre-commit-config.yaml").read_text(), (ROOT / "check").read_text()
    for stage, entry in {
        "ruff check": "ruff check",
        "ruff format": "ruff format",
        "mypy": "mypy",
        "clang-format": "clang-format -i",
        "pytest": "pytest -q tests/architecture",
    }.items():
        assert stage in check
        assert f"entry: .venv/bin/{entry}" in hooks or f"entry: .venv/bin/python -m {entry}" in hooks


@pytest.mark.parametrize("module", ["neuropil", "neuropil.nest"])
def test_importing_loads_no_library_for_pictures_and_command_lines(module):
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"matplotlib", "rich", "typer", "click", "pandas", "scipy", "h5py", "xarray", "neo"} & set(loaded)
    assert "numpy" in loaded
