# SPDX-License-Identifier: Apache-2.0
"""Pages fit a screen: lines of at most 120 columns, tables of at most 5 columns and 8 rows.

Tables of benchmarks may have more columns and rows. No line of any page has more than 200 columns, code and links of figures included.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").rglob("*.md"))]
MAX_COLUMNS, MAX_ANY_COLUMNS, MAX_TABLE_COLUMNS, MAX_TABLE_ROWS = 120, 200, 5, 8


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
    found = [place for page in PAGES for place in too_large(page)]
    assert not found, "\n".join(found)


def test_no_line_is_longer_than_200_columns():
    lines = [(page, number, len(line)) for page in PAGES for number, line in enumerate(page.read_text().splitlines(), 1)]
    found = [f"{page.relative_to(ROOT)}:{number}: {columns} columns" for page, number, columns in lines if columns > MAX_ANY_COLUMNS]
    assert not found, "\n".join(found)
