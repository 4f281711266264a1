# SPDX-License-Identifier: Apache-2.0
"""Ranks: how many there are, how programs are launched on them, how nodes and spikes are spread over them; pages of their memory."""

from typing import TYPE_CHECKING

from ..base.lazy import lazy

if TYPE_CHECKING:
    from ..base.paging import pages
    from .exchanging import by_area, exchange, layouts, strategies
    from .ranks import n_ranks, rank
    from .sweeping import sweep

__all__ = ["by_area", "exchange", "layouts", "n_ranks", "pages", "rank", "strategies", "sweep"]

__getattr__ = lazy(
    __name__,
    {
        **dict.fromkeys(("by_area", "exchange", "layouts", "strategies"), ".exchanging"),
        **dict.fromkeys(("n_ranks", "rank"), ".ranks"),
        "pages": "..base.paging",
        "sweep": ".sweeping",
    },
)


def __dir__() -> list[str]:
    """Public names only."""
    return __all__
