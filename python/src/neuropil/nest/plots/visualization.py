# SPDX-License-Identifier: Apache-2.0
"""nest.visualization: a network as a picture of nodes and arrows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ... import errors as native
from ... import plot
from ...engine import needed
from ..errors import NESTErrors
from ..node_collection import NodeCollection, checked
from ..synapse_collection import GetConnections

__all__ = ["plot_network"]


def plot_network(nodes: NodeCollection, filename: str, ext_conns: bool = False, plot_modelnames: bool = False) -> None:
    """Draws nodes on a circle and their connections as arrows into a file (png, pdf, svg, ...).

    ext_conns : also connections to nodes that are not in `nodes`, which are drawn outside; plot_modelnames : models instead of ids

    Raises TypeError, ValueError for files of other kinds, BadParameter for too many nodes.
    """
    plt = needed("matplotlib.pyplot", "plot", "pictures need")

    found = GetConnections(source=checked(nodes, "nodes"), target=None if ext_conns else nodes)
    names = dict(zip(nodes.tolist(), np.atleast_1d(nodes.get("model")), strict=True)) if plot_modelnames else {}
    try:
        figure: Any = plot.graph(list(zip(found.sources(), found.targets(), strict=True)), nodes.tolist(), names=names).figure
    except native.BadParameter as error:
        raise NESTErrors.BadParameter(str(error)) from None
    try:
        kinds = figure.canvas.get_supported_filetypes()
        if Path(filename).suffix.removeprefix(".") not in kinds:
            raise ValueError(f"Filename must end in one of {', '.join('.' + kind for kind in kinds)}")
        figure.savefig(filename)
    finally:
        plt.close(figure)
