# SPDX-License-Identifier: Apache-2.0
"""Long names in headings and lists of pages break behind an underscore or a dot, not in the middle of a word."""

import re
from typing import Any

TEXT = re.compile(r"(?<=>)[^<>]+(?=<)")
PLACE = re.compile(r"(?<=\w)_(?=\w)|(?<=[a-z_])\.(?=[a-z_])", re.IGNORECASE)  # not in numbers
HEADING = re.compile(r"<h[1-6]\b.*?</h[1-6]>", re.DOTALL)


def softened(html: str) -> str:
    """HTML with a place to break a line behind each underscore and dot of the names in its texts."""
    return TEXT.sub(lambda text: PLACE.sub(r"\g<0><wbr>", text[0]), html)


def process(_app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """For Sphinx: lists of pages, the contents of the page and its headings."""
    for name in ("furo_navigation_tree", "toc"):
        if context.get(name):
            context[name] = softened(context[name])
    if context.get("body"):
        context["body"] = HEADING.sub(lambda heading: softened(heading[0]), context["body"])
    for name in ("next", "prev"):
        if context.get(name):
            context[name] = {**context[name], "title": softened(f">{context[name]['title']}<")[1:-1]}


def setup(app: Any) -> dict[str, bool]:
    """Registers the function, behind that of the theme."""
    app.connect("html-page-context", process, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
