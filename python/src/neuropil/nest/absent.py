# SPDX-License-Identifier: Apache-2.0
"""Classes of NEST that neuropil.nest does not have: making one raises NotSupported."""

from __future__ import annotations

from typing import Any

from .errors import NotSupported

__all__ = ["Compartments", "Receptors", "SonataNetwork"]


class Compartments:
    """Compartments of cm_default."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotSupported("Compartments")


class Receptors:
    """Receptors of cm_default."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotSupported("Receptors")


class SonataNetwork:
    """Networks in SONATA files; neuropil itself reads them: neuropil.circuit."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotSupported("SonataNetwork")
