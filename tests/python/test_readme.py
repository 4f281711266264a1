# SPDX-License-Identifier: Apache-2.0
"""README.md stays two screens long; its program stays one that a scientist would write."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
LINES = README.splitlines()
MAX_LINES, MAX_COLUMNS, MAX_ROWS, MAX_PROGRAM_LINES = 110, 120, 8, 20


def programs():
    return re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def tables():
    return re.findall(r"(?:^\|.*\n)+", README, re.MULTILINE)


def comment_of(line):
    code, sign, comment = line.partition("#")
    return (len(code.strip()), len(comment.strip())) if sign else (0, 0)


def test_the_readme_fits_two_screens():
    assert len(LINES) <= MAX_LINES
    assert [line for line in LINES if len(line) > MAX_COLUMNS] == []


def test_one_table_and_one_picture():
    (table,) = tables()
    assert len(table.splitlines()) - 2 <= MAX_ROWS
    assert len(re.findall(r"!\[", README)) == 1


def test_the_program_is_short_and_its_comments_are_no_longer_than_its_code():
    (program,) = programs()
    lines = program.splitlines()
    assert len(lines) <= MAX_PROGRAM_LINES
    assert [line for line in lines if comment_of(line)[1] > comment_of(line)[0]] == []


def test_every_page_is_in_the_index():
    docs = ROOT / "docs"
    linked = set(re.findall(r"\]\(([^)#]+)", (docs / "README.md").read_text()))
    pages = {str(page.relative_to(docs)) for folder in ("howto", "concepts") for page in (docs / folder).glob("*.md")} - {"howto/index.md"}
    assert sorted(pages - linked) == []
    benchmarks = docs / "benchmarks"
    linked = set(re.findall(r"\]\(([^)#]+)", (benchmarks / "README.md").read_text()))
    assert sorted({page.name for page in benchmarks.glob("*.md")} - linked - {"README.md"}) == []
