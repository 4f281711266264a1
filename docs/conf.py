# SPDX-License-Identifier: Apache-2.0
"""Settings of Sphinx. `./run docs` stages this folder and the generated pages in out/docs-source, and builds the site from there."""

import os
from pathlib import Path

from tools.site import docstrings

import neuropil

project = "neuropil"
author = copyright = "The neuropil developers"
version = release = neuropil.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "tools.site.mathml", "tools.site.breaks", "sphinx_design"]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_block", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_cache_path = os.environ.get("NEUROPIL_DOCS_CACHE", str(Path(__file__).resolve().parents[1] / "docs-cache"))
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_typehints = "none"
autodoc_member_order = "groupwise"
default_role = "code"
smartquotes_action = "q"  # options have two dashes
html_math_renderer = "mathml"

# ./run docs --links. Links into the repository are made of files that exist (tools/site/pages.py).
linkcheck_ignore = [r"https?://localhost", r"https://github\.com/neuropil/neuropil"]
linkcheck_anchors = False  # many sites make their anchors by scripts
linkcheck_retries = 3
linkcheck_timeout = 30
linkcheck_rate_limit_timeout = 120.0  # s that a site may ask to wait
linkcheck_report_timeouts_as_broken = False

html_theme = "furo"
html_title = "neuropil"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1a5e8f", "color-brand-content": "#1a5e8f"},
    "dark_css_variables": {"color-brand-primary": "#7fc1ea", "color-brand-content": "#7fc1ea"},
    "navigation_with_keys": True,
}


def setup(app):
    """Docstrings of neuropil are plain text with names in backticks: made safe for reStructuredText."""
    app.connect("autodoc-process-docstring", docstrings.process)
