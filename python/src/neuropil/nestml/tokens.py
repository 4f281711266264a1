# SPDX-License-Identifier: Apache-2.0
"""Words of a NESTML file, with the beginning and end of indented blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..equations.errors import Place
from ..equations.parsing import Token
from .errors import NestmlError, refuse

__all__ = ["tokens_of"]

LONGEST = 200_000  # characters of a file
TOKEN = re.compile(
    r'(?P<space>[ \t\r]+|\#[^\n]*|\\[ \t\r]*\n|"""(?s:.*?)""")|(?P<text>"[^"\n]*")|(?P<end>\n)'
    r"|(?P<number>(?:\d+(?:\.(?!\.))?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*\$*'*)"
    r"|(?P<sign>\.\.\.|<-|\[\[|\]\]|\*\*|<>|<=|>=|==|!=|<<|>>|[-+*/%]=|[-+*/%<>=():,?.;@&|^~\[\]{}])",
    re.ASCII,
)
OPENING, CLOSING = ("(", "[", "[["), (")", "]", "]]")


def tokens_of(text: str, file: str) -> list[Token]:
    """Kinds: "number", "name", "sign", "text", "end" of a line, "indent", "dedent"; at last an "end". Raises NestmlError."""
    if len(text) > LONGEST:
        raise NestmlError(f"{file}: has {len(text)} characters, at most {LONGEST} are allowed", file)
    found: list[Token] = []
    levels, new_line = [0], True
    for token in words(text, file):
        if token.kind == "end" and token.text:
            if found and found[-1].text == ",":
                continue  # the line goes on
            if not new_line:
                found.append(token)
            new_line = True
            continue
        if new_line:
            width = token.place.column - 1 if token.kind != "end" else 0
            found += blocks(levels, width, token.place)
            new_line = False
        found.append(token)
    return found


def blocks(levels: list[int], width: int, place: Place) -> Iterator[Token]:
    """Blocks that begin or end with a line that is indented by `width`."""
    if width > levels[-1]:
        levels.append(width)
        yield Token("indent", "", place)
    while width < levels[-1]:
        levels.pop()
        yield Token("dedent", "", place)
    if width != levels[-1]:
        refuse(place, "this line is indented as no line of a block around it")


def words(text: str, file: str) -> Iterator[Token]:
    """Without spaces, comments and texts on the model; newlines within parentheses do not count. At last an end of a line, and an end without text."""
    lines, at, begin, number, depth = text.split("\n"), 0, 0, 1, 0
    while at < len(text):
        place = Place(file, number, at - begin + 1, lines[number - 1])
        word = TOKEN.match(text, at)
        if not word:
            refuse(place, f"{text[at]!r} is no part of NESTML")
        depth = max(0, depth + (word[0] in OPENING) - (word[0] in CLOSING))
        if word.lastgroup != "space" and not (word[0] == "\n" and depth > 0):
            yield Token(str(word.lastgroup), "!=" if word[0] == "<>" else word[0], place)
        at = word.end()
        if "\n" in word[0]:
            number += word[0].count("\n")
            begin = text.rindex("\n", 0, at) + 1
    last = Place(file, number, 1, lines[-1])
    yield Token("end", "\n", last)
    yield Token("end", "", last)
