# SPDX-License-Identifier: Apache-2.0
"""How evenly the load lies on the ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.libraries import matplotlib
from ..errors import unknown_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Imbalance"]

_UNITS = {"compute": "s", "exchange": "s", "wait": "s", "bytes_sent": "B", "memory": "B"}
_ORDER = ("neurons", "synapses", "spikes", "events", "compute", "exchange", "wait", "bytes_sent", "memory")


@dataclass(frozen=True, eq=False)
class Imbalance:
    """Load of the ranks, by `Network.imbalance`.

    `loads`: arrays of shape (n_ranks,). neurons and synapses they hold, spikes and synaptic events since the network was made, seconds of
    all runs spent in compute (with collecting and scheduling spikes), exchange and wait (for threads of the rank; for other ranks only
    with `count_intervals`, else that is part of exchange), bytes sent to other ranks since routes were made, bytes of memory.
    """

    loads: Mapping[str, NDArray[np.float64]]

    @property
    def n_ranks(self) -> int:
        """Number of ranks."""
        return len(next(iter(self.loads.values())))

    def factor(self, name: str) -> float:
        """Largest load over mean: 1.0 is even, n_ranks is all on one rank; 1.0 where there is none. Raises UnknownName."""
        if name not in self.loads:
            raise unknown_name("load", name, self.loads)
        mean = float(self.loads[name].mean())
        return float(self.loads[name].max()) / mean if mean > 0 else 1.0

    def line(self) -> str:
        """The factors that tell most, in one line."""
        parts = ", ".join(f"{name} {self.factor(name):.2f}" for name in ("neurons", "synapses", "events", "compute"))
        return f"imbalance over {self.n_ranks} ranks (max / mean): {parts}"

    def __repr__(self) -> str:
        lines = [f"Imbalance over {self.n_ranks} ranks", f"  {'':16}{'min':>12}{'mean':>12}{'max':>12}{'max / mean':>12}"]
        for name, values in self.loads.items():
            unit = f" ({_UNITS[name]})" if name in _UNITS else ""
            numbers = "".join(f"{_short(x):>12}" for x in (values.min(), values.mean(), values.max()))
            lines.append(f"  {name + unit:16}{numbers}{self.factor(name):>12.2f}")
        return "\n".join(lines)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Load over its mean, a line per quantity, ranks in their order. Draws into `ax` (a new figure when None) and returns the axes."""
        from ..analysis.axes import COLOURS

        if ax is None:
            ax = matplotlib().subplots(figsize=(6.4, 3.6), layout="constrained")[1]
        ranks = np.arange(self.n_ranks)
        shown = [name for name in ("neurons", "synapses", "spikes", "events", "compute") if self.loads[name].sum() > 0]
        for name, colour in zip(shown, COLOURS, strict=False):
            label = f"{name}, max {self.factor(name):.2f}"
            ax.plot(ranks, self.loads[name] / self.loads[name].mean(), "o-", color=colour, markersize=4, linewidth=1.0, label=label)
        ax.axhline(1.0, color="0.7", linewidth=0.8, zorder=0)
        ax.set(xlabel="rank", ylabel="load / mean", ylim=(0, None))
        ax.xaxis.set_major_locator(matplotlib("ticker").MaxNLocator(integer=True))
        ax.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
        return ax


def gathered(kernel: Any) -> Imbalance:
    """Collective: the loads of all ranks, 72 bytes for each on every rank."""
    mine = kernel.load()
    table = np.asarray(kernel.gather(np.array([mine[name] for name in _ORDER]))).reshape(-1, len(_ORDER))
    return Imbalance({name: table[:, k].copy() for k, name in enumerate(_ORDER)})


def _short(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 1e5 else f"{value:.3e}"
