# SPDX-License-Identifier: Apache-2.0
"""Standard models of PyNN that the kernel does not have: making one raises NotSupported."""

from __future__ import annotations

from typing import Any

from pyNN.standardmodels import cells, synapses

from .errors import refuse

__all__ = ["ElectricalSynapse", "SpikeSourceInhGamma", "StochasticTsodyksMarkramSynapse"]


class _Unavailable:
    reason = "the kernel has no such model"

    def __init__(self, *args: Any, **given: Any) -> None:
        refuse(type(self).__name__, self.reason)


class ElectricalSynapse(_Unavailable, synapses.ElectricalSynapse):
    __doc__ = synapses.ElectricalSynapse.__doc__ or "A gap junction."
    reason = "standard cells of neuropil have no gap junctions; net.connect(synapse='gap_junction') connects those of neuropil that have"


class SpikeSourceInhGamma(_Unavailable, cells.SpikeSourceInhGamma):
    __doc__ = cells.SpikeSourceInhGamma.__doc__


class StochasticTsodyksMarkramSynapse(_Unavailable, synapses.StochasticTsodyksMarkramSynapse):
    __doc__ = synapses.StochasticTsodyksMarkramSynapse.__doc__
