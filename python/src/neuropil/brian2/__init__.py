# SPDX-License-Identifier: Apache-2.0
"""Scripts of Brian2 run by neuropil: docs/howto/brian2.md. Nothing here is imported by `import neuropil`.

import neuropil.brian2
set_device("neuropil")
"""

from ..errors import MissingLibrary

try:
    import brian2 as _brian2  # noqa: F401
except Exception as error:  # Brian2 2.9 raises AttributeError beside numpy 2.4
    raise MissingLibrary(f"neuropil.brian2 needs Brian2 (pip install brian2), which cannot be imported: {error}", "brian2") from error

from .device import NeuropilDevice, register
from .errors import NotSupported

__all__ = ["NeuropilDevice", "NotSupported"]

register()
