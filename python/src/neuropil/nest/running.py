# SPDX-License-Identifier: Apache-2.0
"""Running scripts that say `import nest`: the name stands for neuropil.nest."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

from ..nest_alias import Alias, trace_in


def install() -> None:
    """Lets `import nest` mean neuropil.nest in this process, from now on."""
    if not any(isinstance(finder, Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, Alias())
    import nest  # noqa: F401


def run(script: str, arguments: Sequence[str]) -> None:
    """Runs a script as `python script arguments` would, with neuropil as nest."""
    install()
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    try:
        runpy.run_path(script, run_name="__main__")
    except Exception as error:
        # The user sees his own script on top, not how we came to run it.
        trace = trace_in(script, error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        sys.exit(1)
