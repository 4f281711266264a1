# SPDX-License-Identifier: Apache-2.0
"""Formulas as MathML, which browsers show themselves: the site needs no network and no script for them."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def inline(self: Any, node: Any) -> None:
    """A formula in a line."""
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(self: Any, node: Any) -> None:
    """A formula of its own; wide ones scroll."""
    self.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Registers the renderer."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
