# SPDX-License-Identifier: Apache-2.0
"""`neuropil new FOLDER`: a project to begin with, from the files of neuropil/cli/project."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from neuropil.errors import bad_parameter

TEMPLATES = Path(__file__).resolve().parents[1] / "project"
NOTEBOOK = "analysis"  # cells of this template begin with `# %%`
_LICENCE = re.compile(r"^(?:# |<!-- )SPDX-License-Identifier:.*\n", re.MULTILINE)  # of the template, not of the user's project


def main(folder: Annotated[Path, typer.Argument(help="Folder to make; its last part is the name of the project.")]) -> None:
    """Make a project: model, parameters, test, notebook.

    Also a Slurm script. Parameters are typed and have limits; each is an option of model.py.
    """
    for path in make(folder):
        typer.echo(path)
    typer.echo(f"\nBegin with:\n  cd {shlex.quote(str(folder))} && python -m pytest && python model.py")


def make(folder: Path) -> list[Path]:
    """Writes the files and returns their paths. Raises BadParameter if the folder holds something or its name has odd characters."""
    name = folder.resolve().name
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", name, re.ASCII):
        raise bad_parameter("folder", str(folder), "a name of letters, digits, '-', '_' and '.'")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise bad_parameter("folder", str(folder), "a folder that does not exist or is empty")
    folder.mkdir(parents=True, exist_ok=True)
    return [write(template, folder, name) for template in sorted(TEMPLATES.glob("*.in"))]


def write(template: Path, folder: Path, name: str) -> Path:
    """Fills in one template and returns the path of the file."""
    text = _LICENCE.sub("", template.read_text(encoding="utf-8"), count=1).replace("@NAME@", name)
    target = folder / template.stem
    if template.stem == "gitignore":
        target = folder / ".gitignore"
    elif template.stem == f"{NOTEBOOK}.py":
        target, text = target.with_suffix(".ipynb"), notebook(text)
    target.write_text(text, encoding="utf-8")
    return target


def notebook(text: str) -> str:
    """A Jupyter notebook from a script whose cells begin with `# %%`, texts with `# %% [markdown]`."""
    cells: list[dict[str, Any]] = []
    for number, (kind, body) in enumerate(re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n?)*)", text, re.MULTILINE)):
        is_text = "markdown" in kind
        source = re.sub(r"^# ?", "", body, flags=re.MULTILINE) if is_text else body
        cell: dict[str, Any] = {"cell_type": "markdown" if is_text else "code", "id": f"cell-{number}", "metadata": {}}
        if not is_text:
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell | {"source": source.strip("\n").splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"
