# SPDX-License-Identifier: Apache-2.0
"""Libraries that are imported when they are asked for: neuropil itself needs none of them."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from ..errors import MissingLibrary

__all__ = ["matplotlib", "needed", "pip_install"]


def needed(name: str, extra: str, text: str) -> Any:
    """The module called `name`. Raises MissingLibrary, which names the package and the extra of neuropil that has it; `text`: what it begins with."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingLibrary(f"{text} {package}, which is not installed: {pip_install(f'neuropil[{extra}]')}", package, extra) from error


def pip_install(package: str) -> str:
    """The command that installs a package for this Python. It names the interpreter where `pip` on the path is that of another Python."""
    import shlex
    import shutil
    from pathlib import Path

    found = shutil.which("pip")
    own = found is not None and Path(found).parent.resolve() == Path(sys.executable).parent.resolve()
    return f'{"pip" if own else f"{shlex.quote(sys.executable)} -m pip"} install "{package}"'


def matplotlib(module: str = "pyplot") -> Any:
    """A module of matplotlib. Raises MissingLibrary."""
    return needed(f"matplotlib.{module}", "plot", "pictures need")
