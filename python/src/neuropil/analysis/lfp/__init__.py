# SPDX-License-Identifier: Apache-2.0
"""Local field potentials predicted from spikes of populations, by kernels.

The potential at an electrode is the sum over presynaptic populations X of their numbers of spikes, convolved with a kernel of X (Hagen et al. 2022,
PLoS Comput. Biol. 18:e1010353). A kernel is what one spike of X adds on average: its synapses drive currents through membranes of passive cells
(`kernel`), which are line sources in a conductor (`line_source`). `predict` takes recorded spikes, `Online` those of the last interval of a run.

Units: µm, ms, pA, mV; potentials at electrodes in µV. z points to the surface of the cortex. Needs numpy alone.
"""

from .cells import Cell, ball_and_stick
from .kernels import Synapses, disc, kernel
from .potentials import line_source
from .predicting import Online, predict

__all__ = ["Cell", "Online", "Synapses", "ball_and_stick", "disc", "kernel", "line_source", "predict"]
