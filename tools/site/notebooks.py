# SPDX-License-Identifier: Apache-2.0
"""Pages that run, as Jupyter notebooks for download. Code cells stay code, all between is Markdown."""

import json
import re
from pathlib import Path
from typing import Any

CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
HEADER = re.compile(r"\A---\n.*?^---\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]\n]*)\]\((?![a-z]+:)([^)#\s]+)((?:#[^)\s]*)?)\)")
ROOT = Path(__file__).resolve().parents[2]
FOLDER = "_static/notebooks"  # which Sphinx does not search for pages


def has_cells(text: str) -> bool:
    """Whether a page runs."""
    return CELL.search(text) is not None


def notebook(text: str, folder: str, repository: str) -> str:
    """The notebook of a page that lies in `folder` of the repository, to which its links lead."""
    parts = CELL.split(HEADER.sub("", text))  # text, code, text, ...
    cells: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        code = number % 2 == 1
        source = part.strip("\n") if code else LINK.sub(lambda found: absolute(found, folder, repository), part.strip("\n"))
        cell: dict[str, Any] = {"cell_type": "code" if code else "markdown", "id": f"cell-{number}", "metadata": {}}
        if code:
            cell |= {"execution_count": None, "outputs": []}
        if source:
            cells.append(cell | {"source": source.splitlines(keepends=True)})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def absolute(found: re.Match[str], folder: str, repository: str) -> str:
    """A link of a page as one to the repository; its text alone, where it leads to a page that only the site has."""
    path = (ROOT / folder / found[2]).resolve()
    return f"[{found[1]}]({repository}/{path.relative_to(ROOT).as_posix()}{found[3]})" if path.exists() else found[1]


def with_download(name: str, text: str) -> str:
    """The page with a link to its notebook. As HTML, since Markdown would take the notebook for a page of the site."""
    address = f"{'../' * name.count('/')}{FOLDER}/{name.removesuffix('.md')}.ipynb"
    return f'{text.rstrip()}\n\n<a href="{address}" download>Download this page as a notebook</a>\n'
