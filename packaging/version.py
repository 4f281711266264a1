# SPDX-License-Identifier: Apache-2.0
"""Version of the package from git tags `vX.Y.Z`; scikit-build-core calls `Version` (pyproject.toml, dynamic-metadata)."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


class Version:
    """Provider of the field `version`. An editable install has the version of CMakeLists.txt, so that a commit compiles nothing anew."""

    def __init__(self) -> None:
        self.state = ""

    def build_state(self, build_state: str) -> None:
        """What is built: sdist, wheel, editable, metadata_wheel or metadata_editable."""
        self.state = build_state

    def dynamic_metadata(self, settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, str]:
        """The field and its value."""
        return {"version": of_sources(ROOT) if self.state.endswith("editable") else of_tree(ROOT)}


def of_tree(root: Path) -> str:
    """Version of a folder: an sdist keeps its own, a git tree has that of its tags, a tree without tags that of CMakeLists.txt."""
    return of_sdist(root) or of_tags(root) or of_sources(root)


def of_sdist(root: Path) -> str | None:
    """Version in PKG-INFO, which only an sdist has."""
    info = root / "PKG-INFO"
    found = re.search(r"^Version: (\S+)$", info.read_text(), re.MULTILINE) if info.is_file() else None
    return found[1] if found else None


def of_tags(root: Path) -> str | None:
    """`0.3.0` at the tag v0.3.0, `0.3.1.dev2+gHASH` two commits after it; None without git, without tags, or in a folder of another project."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != root.resolve():
        return None
    described = git(root, "describe", "--tags", "--long", "--match", "v[0-9]*", "--exclude", "v*[!0-9.]*") or ""
    found = re.fullmatch(r"v(\d+(?:\.\d+)*)-(\d+)-(g\w+)", described)
    if found is None:
        return None
    tag, distance, commit = found.groups()
    if distance == "0":
        return tag
    *first, last = map(int, tag.split("."))
    return ".".join(map(str, [*first, last + 1])) + f".dev{distance}+{commit}"


def of_sources(root: Path) -> str:
    """Version in CMakeLists.txt. Raises ValueError where it is missing."""
    found = re.search(r"^project\(neuropil VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    if found is None:
        raise ValueError(f"{root / 'CMakeLists.txt'} has no line `project(neuropil VERSION X.Y.Z`")
    return found[1]


def git(root: Path, *words: str) -> str | None:
    """What git prints; None where it fails."""
    try:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


if __name__ == "__main__":
    print(of_tree(ROOT))
