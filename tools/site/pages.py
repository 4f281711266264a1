# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ as Sphinx reads them: links to files outside docs/ lead to the repository, folders have an index."""

import re
import shutil
from pathlib import Path

from tools.site import notebooks

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REPOSITORY = "https://github.com/neuropil/neuropil/blob/main"
LEFT_OUT = {"README.md"}  # the list of all pages, which the navigation of the site has
COPIED = {".png", ".svg", ".css", ".js", ".py"}
LINK = re.compile(r"\]\(([^)#\s]+)((?:#[^)\s]*)?)\)")

BENCHMARKS = """
```{toctree}
:hidden:
:glob:

[a-z]*
```
"""

ADR_INDEX = """# Decisions

Each page is one decision: its context, what was decided, and what follows.

```{toctree}
:glob:

[0-9]*
```
"""


def of_docs() -> dict[str, str]:
    """Text of each page of docs/ by its path."""
    found = {}
    for page in sorted(DOCS.rglob("*.md")):
        name = page.relative_to(DOCS).as_posix()
        if name not in LEFT_OUT:
            found[name] = with_links(page, re.sub(r"\A<!-- SPDX[^\n]*-->\n", "", page.read_text()))
    found["benchmarks/README.md"] += BENCHMARKS
    found["adr/index.md"] = ADR_INDEX
    return found


def with_notebooks(texts: dict[str, str]) -> dict[str, str]:
    """Pages with a link to their notebook, where they run, and these notebooks."""
    found = dict(texts)
    for name, text in texts.items():
        if notebooks.has_cells(text):
            found[name] = notebooks.with_download(name, text)
            path = DOCS / name
            made = notebooks.notebook(path.read_text(), path.parent.relative_to(ROOT).as_posix(), REPOSITORY)
            found[f"{notebooks.FOLDER}/{name.removesuffix('.md')}.ipynb"] = made
    return found


def with_links(page: Path, text: str) -> str:
    """The text with links that work on the site. Code is left as it is."""
    parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else LINK.sub(lambda found: site_link(page, found), part) for part in parts)


def site_link(page: Path, found: re.Match[str]) -> str:
    """A link to a page of the site, or to a file of the repository."""
    target, anchor = found[1], found[2]
    if "://" in target or target.startswith("mailto:"):
        return found[0]
    path = (page.parent / target).resolve()
    if path == DOCS / "adr":
        return f"]({target}/index.md)"
    if path == DOCS / "README.md":
        return f"]({'../' * (len(page.relative_to(DOCS).parts) - 1)}index.md)"
    if path.is_relative_to(DOCS) or not path.exists():  # pages that are generated are not there
        return found[0]
    return f"]({REPOSITORY}/{path.relative_to(ROOT).as_posix()}{anchor})"


def write(texts: dict[str, str], source: Path) -> None:
    """Writes pages and copies figures; deletes pages that are no more. Files that have not changed are not touched."""
    source.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_changed(source / name, text.encode())
    for page in source.rglob("*.md"):
        if page.relative_to(source).as_posix() not in texts:
            page.unlink()
    for file in DOCS.rglob("*"):
        if file.suffix in COPIED:
            copy_changed(file, source / file.relative_to(DOCS))


def write_changed(path: Path, content: bytes) -> None:
    """Writes a file, unless it has this content."""
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def copy_changed(file: Path, path: Path) -> None:
    """Copies a file, unless the copy is the same."""
    if not path.exists() or path.read_bytes() != file.read_bytes():
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, path)
