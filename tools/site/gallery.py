# SPDX-License-Identifier: Apache-2.0
"""Pages of the gallery: each file of examples/gallery with its text, its figure, its numbers and its code.

A figure is drawn again when its file or the version of neuropil has changed.
"""

import ast
import hashlib
import importlib.util
import json
import os
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import neuropil as npl

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "gallery"
REPOSITORY = "https://github.com/neuropil/neuropil/blob/main/examples/gallery"

LIMIT = 120.0  # s of processor time, above which the weekly test fails: twice the minute of the page, as machines differ


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


def cpu_seconds() -> float:
    """Processor time that this process, its threads and its finished children have used."""
    return sum(os.times()[:4])


def computed(path: Path) -> dict[str, Any]:
    """Runs an example. Returns its module, its numbers, and its time on the clock and of the processor (s)."""
    module, begin, used = load(path), time.perf_counter(), cpu_seconds()
    found = module.numbers()
    return {"module": module, "found": found, "seconds": time.perf_counter() - begin, "cpu_seconds": cpu_seconds() - used}


def drawn(path: Path, picture: Path) -> dict[str, Any]:
    """Draws the figure of an example. Returns its numbers and its times; from the run before, where nothing has changed."""
    key = hashlib.sha256(path.read_bytes() + npl.__version__.encode() + b"cpu_seconds").hexdigest()
    note = picture.with_suffix(".json")
    if note.exists() and picture.exists() and (kept := json.loads(note.read_text()))["key"] == key:
        return dict(kept)
    import matplotlib.pyplot as plt

    run = computed(path)
    found = run["found"]
    figure = run["module"].draw(found)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)
    plt.close(figure)
    shown = {name: value for name, value in found.items() if isinstance(value, int | float)}
    kept = {"key": key, "seconds": run["seconds"], "cpu_seconds": run["cpu_seconds"], "numbers": shown}
    note.write_text(json.dumps(kept))
    return kept


def shown_seconds(seconds: float) -> str:
    """A time for readers."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def title(path: Path) -> str:
    """Authors, year and what the example shows."""
    return (load(path).__doc__ or "").strip().partition("\n")[0].rstrip(".")


def short_titles() -> dict[Path, str]:
    """Authors and year of each example; examples of one paper keep their whole titles."""
    short = {path: title(path).partition(":")[0] for path in examples()}
    several = {name for name, count in Counter(short.values()).items() if count > 1}
    return {path: title(path) if name in several else name for path, name in short.items()}


def program(path: Path) -> str:
    """The code of an example, without the licence line and the text above it."""
    text = path.read_text()
    first = ast.parse(text).body[1].lineno - 1
    return "".join(text.splitlines(keepends=True)[first:])


def page(path: Path, result: dict[str, Any] | None) -> str:
    """The page of one example."""
    text = (load(path).__doc__ or "").strip().partition("\n")[2]
    parts = [f"# {title(path)}\n", text.strip() + "\n"]
    if result:
        parts.append(f"![{title(path)}]({path.stem}.png)\n")
        rows = "\n".join(f"| {name} | {value:.4g} |" for name, value in result["numbers"].items())
        parts.append(f"| key number | here |\n|---|---:|\n{rows}\n")
        used, waited = shown_seconds(result["cpu_seconds"]), shown_seconds(result["seconds"])
        parts.append(f"This example took {used} of processor time and {waited} on the clock when this page was made.\n")
    parts.append(f"## Program\n\n[examples/gallery/{path.name}]({REPOSITORY}/{path.name})\n\n```python\n{program(path)}```\n")
    return "\n".join(parts)


def pages(folder: Path, figures: bool = True) -> dict[str, str]:
    """All pages of the gallery, and their list; draws the figures into `folder`."""
    found, cards = {}, []
    for path in examples():
        result = drawn(path, folder / f"{path.stem}.png") if figures else None
        found[f"gallery/{path.stem}.md"] = page(path, result)
        image = f":img-top: {path.stem}.png\n" if figures else ""
        used = f"\n{shown_seconds(result['cpu_seconds'])} of processor time\n" if result else ""
        cards.append(f":::{{grid-item-card}} {title(path)}\n{image}:link: {path.stem}\n:link-type: doc\n{used}:::")
    toc = "\n".join(f"{short} <{path.stem}>" for path, short in short_titles().items())
    head = (
        "# Gallery\n\nEach example redoes a published figure in less than a minute of processor time.\n"
        "Each card shows the processor time of its example when this page was made.\n"
        f"A weekly test checks the key numbers, and fails for an example that takes more than {LIMIT:.0f} s.\n"
        "Each page says what the example leaves out of the paper.\n"
    )
    grid = "::::{grid} 1 2 2 3\n:gutter: 2\n\n" + "\n\n".join(cards) + "\n::::\n"
    found["gallery/index.md"] = f"{head}\n{grid}\n```{{toctree}}\n:hidden:\n\n{toc}\n```\n"
    return found
