# SPDX-License-Identifier: Apache-2.0
"""Docstrings as reStructuredText: lines "name : meaning" become a list, names in backticks code, all other signs are text."""

import re
from typing import Any

TERM = re.compile(r"[\w*]+(, [\w*]+)*")
FIELD = re.compile(r"([\w*][\w., *]*?) : (.*)")


def inline(text: str) -> str:
    """One line of prose: what stands in single backticks is code, signs with a meaning in reStructuredText are escaped."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", text)
    return "".join(
        f"``{part.strip('`').strip()}``" if part.startswith("`") and part.endswith("`") and len(part) > 2 else escaped(part)
        for part in parts
    )


def escaped(text: str) -> str:
    """Prose without signs that reStructuredText would read."""
    return re.sub(r"([\\*|_`])", r"\\\1", text)


class Text:
    """Lines of reStructuredText as they grow."""

    def __init__(self) -> None:
        """Nothing so far."""
        self.lines: list[str] = []
        self.in_item = self.in_code = False

    def gap(self) -> None:
        """An empty line, unless there is one."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def item(self, text: str) -> None:
        """An entry of a list."""
        if not self.in_item:
            self.gap()
        self.lines.append(f"- {text}")
        self.in_item, self.in_code = True, False

    def code(self, line: str) -> None:
        """A line of an example."""
        if not self.in_code:
            self.gap()
            self.lines += [".. code-block:: python", ""]
        self.lines.append(line)
        self.in_code = True

    def prose(self, text: str) -> None:
        """A line of a paragraph."""
        if self.in_item or self.in_code:
            self.gap()
        self.lines.append(text)
        self.in_item = self.in_code = False


def to_rst(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText."""
    made = Text()
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        text, indent = line.strip(), len(line) - len(line.lstrip())
        if not text:
            made.lines.append("")
            made.in_item = False
        elif set(text) == {"-"}:
            made.gap()
        elif set(below.strip()) == {"-"}:
            made.gap()
            made.prose(f"**{escaped(text)}**")
        elif indent and made.in_item:
            made.lines.append(f"  {inline(text)}")
        elif indent >= 4:
            made.code(line)
        elif field := FIELD.fullmatch(text):
            made.item(f"``{field[1]}``: {inline(field[2])}")
        elif TERM.fullmatch(text) and below.startswith("    "):
            made.item(f"``{text}``:")
        elif text.startswith("- "):
            made.item(inline(text[2:]))
        else:
            made.prose(inline(text))
    return made.lines


def process(_app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """For autodoc: replaces the lines in place. Fields of a tuple have a text of Python's that says nothing: it is left out."""
    lines[:] = to_rst([line for line in lines if not line.startswith("Alias for field number")])
