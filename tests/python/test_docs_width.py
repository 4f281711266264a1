# SPDX-License-Identifier: Apache-2.0
"""Pages fit a screen: lines of at most 120 columns, tables of at most 5 columns and 8 rows. Code, figures and the tables of benchmarks may be larger."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
MAX_COLUMNS, MAX_TABLE_COLUMNS, MAX_TABLE_ROWS = 120, 5, 8

# Pages that still have longer lines or larger tables. Pages may leave this list, none may enter.
NOT_YET = {"docs/howto/nest_tables.md"}


def tables_are_numbers(page: Path) -> bool:
    return page.stem == "benchmarks" or "benchmarks" in page.parts


def prose(page: Path):
    """(number, line) outside of fenced blocks, figures and the numbers that a benchmark has printed into the page."""
    fenced = printed = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        printed = line == "<!-- numbers: begin -->" or (printed and line != "<!-- numbers: end -->")
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not (fenced or printed) and not line.startswith(("![", "<")):
            yield number, line


def too_large(page: Path) -> list[str]:
    found, rows = [], 0
    for number, line in prose(page):
        table = line.startswith("|")
        rows = rows + 1 if table else 0
        if table and tables_are_numbers(page):
            continue
        if len(line) > MAX_COLUMNS:
            found.append(f"{page.relative_to(ROOT)}:{number}: {len(line)} columns")
        if table and len(re.findall(r"(?<!\\)\|", line)) - 1 > MAX_TABLE_COLUMNS:
            found.append(f"{page.relative_to(ROOT)}:{number}: a table of more than {MAX_TABLE_COLUMNS} columns")
        if rows == MAX_TABLE_ROWS + 3:  # the head and the line below it
            found.append(f"{page.relative_to(ROOT)}:{number}: a table of more than {MAX_TABLE_ROWS} rows")
    return found


def test_pages_fit_a_screen():
    found = [place for page in PAGES if str(page.relative_to(ROOT)) not in NOT_YET for place in too_large(page)]
    assert not found, "\n".join(found)


def test_the_list_of_larger_pages_only_shrinks():
    fit = [name for name in sorted(NOT_YET) if not (ROOT / name).exists() or not too_large(ROOT / name)]
    assert not fit, f"take out of NOT_YET: {', '.join(fit)}"
