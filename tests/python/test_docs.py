# SPDX-License-Identifier: Apache-2.0
"""Programs in README.md and docs/ run as they are printed: every python block that imports neuropil, in docs/howto with the blocks that follow it."""

import re
from pathlib import Path

import pytest

from neuropil.errors import MissingLibrary

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "plan" not in path.parts)]


# Pages that ./run docs makes; Sphinx checks their links.
MADE = {ROOT / "docs" / "gallery" / "index.md", *(ROOT / "docs" / "reference" / name for name in ("api.md", "command_line.md"))}
MADE |= {ROOT / "docs" / "reference" / "models" / f"{kind}.md" for kind in ("neurons", "devices", "synapses", "rules")}


def programs():
    for page in PAGES:
        found: list[str] = []
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            if "import neuropil" in block or "from neuropil" in block:
                found.append(block)
            elif found and page.parent.name == "howto":
                found[-1] += block
        for i, program in enumerate(found):
            yield pytest.param(program, id=f"{page.relative_to(ROOT)}-{i}")


def needs_brian2():
    """Skips where Brian2, which users install themselves, is missing."""
    try:
        import neuropil.brian2  # noqa: F401
    except MissingLibrary as error:
        pytest.skip(f"Brian2 cannot be imported: {error}")


MODEL_FILES = re.findall(r"^```cpp (\w+)\n(.*?)^```", (ROOT / "docs/howto/add_neuron.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("program", list(programs()))
def test_programs_in_the_docs_run(program, tmp_path, monkeypatch):
    import matplotlib

    from neuropil import nest

    if "neuropil.brian2" in program:
        needs_brian2()
    nest.ResetKernel()
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    for name, text in MODEL_FILES:  # that a reader has
        (tmp_path / f"{name}.cpp").write_text(text)
    # Shorter than printed: what is tested is that the calls exist and fit together.
    short = re.sub(r"\.run\(([\d.]+)\)", lambda found: f".run({min(float(found[1]), 50.0)})", program)
    exec(compile(short, "program", "exec"), {"__name__": "__main__"})


def test_links_between_pages_lead_somewhere():
    broken = []
    for page in PAGES:
        prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
            if "://" not in link and not (page.parent / link).exists() and (page.parent / link).resolve() not in MADE:
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []
