# SPDX-License-Identifier: Apache-2.0
"""The functions of `nest` that look at nodes in space."""

from __future__ import annotations

from .distances import Displacement, Distance, FindCenterElement, FindNearestElement, GetPosition, SelectNodesByMask
from .dumping import DumpLayerConnections, DumpLayerNodes
from .mask_creation import CreateMask
from .masks import Mask
from .partners import GetSourceNodes, GetSourcePositions, GetTargetNodes, GetTargetPositions
from .plots import PlotLayer, PlotProbabilityParameter, PlotSources, PlotTargets

__all__ = [
    "CreateMask",
    "Displacement",
    "Distance",
    "DumpLayerConnections",
    "DumpLayerNodes",
    "FindCenterElement",
    "FindNearestElement",
    "GetPosition",
    "GetSourceNodes",
    "GetSourcePositions",
    "GetTargetNodes",
    "GetTargetPositions",
    "Mask",
    "PlotLayer",
    "PlotProbabilityParameter",
    "PlotSources",
    "PlotTargets",
    "SelectNodesByMask",
]
