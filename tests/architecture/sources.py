# SPDX-License-Identifier: Apache-2.0
"""The files that the architecture tests read."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP = ROOT / "cpp"
SUFFIXES = {".cpp", ".hpp", ".h", ".in", ".py", ".sh"}
SCRIPTS = ("run", "check", ".ci/run", "CMakeLists.txt", "pyproject.toml")


def cpp_files() -> list[Path]:
    """Kernel and bindings: what the layer rules are about."""
    return sorted(path for folder in (CPP, ROOT / "bindings") for path in folder.rglob("*") if path.suffix in {".cpp", ".hpp", ".h", ".in"})


def source_files() -> list[Path]:
    """Every file that someone wrote by hand and that has a comment syntax."""
    folders = ("cpp", "bindings", "plugins", "python", "tests", "bench", "examples", "packaging", "tools")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES or path.name == "CMakeLists.txt"]
    return sorted(found + [ROOT / name for name in SCRIPTS])


def modules() -> list[str]:
    """Kernel modules: the folders of cpp/ that hold sources."""
    return sorted(path.name for path in CPP.iterdir() if path.is_dir() and any(path.rglob("*.[ch]pp")))


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))
