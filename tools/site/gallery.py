# SPDX-License-Identifier: Apache-2.0
"""Pages of the gallery: each file of examples/gallery with its text, its figure, its numbers and its code.

A figure is drawn again when its file or the version of neuropil has changed.
"""

import ast
import hashlib
import importlib.util
import json
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import neuropil as npl

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "gallery"
REPOSITORY = "https://github.com/neuropil/neuropil/blob/main/examples/gallery"


def load(path: Path) -> ModuleType:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(f"gallery_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def examples() -> list[Path]:
    """Files of the gallery."""
    return sorted(FOLDER.glob("[!_]*.py"))


def drawn(path: Path, picture: Path) -> dict[str, Any]:
    """Draws the figure of an example. Returns its numbers and how long it ran; from the run before, where nothing has changed."""
    key = hashlib.sha256(path.read_bytes() + npl.__version__.encode()).hexdigest()
    note = picture.with_suffix(".json")
    if note.exists() and picture.exists() and (kept := json.loads(note.read_text()))["key"] == key:
        return dict(kept)
    import matplotlib.pyplot as plt

    module, begin = load(path), time.perf_counter()
    found = module.numbers()
    seconds = time.perf_counter() - begin
    figure = module.draw(found)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)
    plt.close(figure)
    shown = {name: value for name, value in found.items() if isinstance(value, int | float)}
    kept = {"key": key, "seconds": seconds, "numbers": shown}
    note.write_text(json.dumps(kept))
    return kept


def short_title(path: Path) -> str:
    """Authors and year."""
    return (load(path).__doc__ or "").strip().partition(":")[0]


def program(path: Path) -> str:
    """The code of an example, without the licence line and the text above it."""
    text = path.read_text()
    first = ast.parse(text).body[1].lineno - 1
    return "".join(text.splitlines(keepends=True)[first:])


def page(path: Path, result: dict[str, Any] | None) -> str:
    """The page of one example."""
    title, _, text = (load(path).__doc__ or path.stem).strip().partition("\n")
    parts = [f"# {title.strip().rstrip('.')}\n", text.strip() + "\n"]
    if result:
        parts.append(f"![{title.strip()}]({path.stem}.png)\n")
        rows = "\n".join(f"| {name} | {value:.4g} |" for name, value in result["numbers"].items())
        parts.append(f"| key number | here |\n|---|---:|\n{rows}\n")
        parts.append(f"Simulated in {result['seconds']:.0f} s when this page was made.\n")
    parts.append(f"## Program\n\n[examples/gallery/{path.name}]({REPOSITORY}/{path.name})\n\n```python\n{program(path)}```\n")
    return "\n".join(parts)


def pages(folder: Path, figures: bool = True) -> dict[str, str]:
    """All pages of the gallery, and their list; draws the figures into `folder`."""
    found, cards = {}, []
    for path in examples():
        result = drawn(path, folder / f"{path.stem}.png") if figures else None
        found[f"gallery/{path.stem}.md"] = page(path, result)
        title = (load(path).__doc__ or "").strip().partition("\n")[0].rstrip(".")
        image = f":img-top: {path.stem}.png\n" if figures else ""
        cards.append(f":::{{grid-item-card}} {title}\n{image}:link: {path.stem}\n:link-type: doc\n:::")
    toc = "\n".join(f"{short_title(path)} <{path.stem}>" for path in examples())
    head = (
        "# Gallery\n\nEach example redoes a published figure in less than a minute on two cores. Its key number is tested once a week.\n"
        "Each page says what the example leaves out of the paper.\n"
    )
    grid = "::::{grid} 1 2 2 3\n:gutter: 2\n\n" + "\n\n".join(cards) + "\n::::\n"
    found["gallery/index.md"] = f"{head}\n{grid}\n```{{toctree}}\n:hidden:\n\n{toc}\n```\n"
    return found
