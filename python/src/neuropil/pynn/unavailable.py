# SPDX-License-Identifier: Apache-2.0
"""Standard models of PyNN that the kernel does not have: making one raises NotSupported."""

from __future__ import annotations

from typing import Any

from pyNN.standardmodels import cells, synapses

from .errors import refuse

__all__ = ["SpikeSourceInhGamma", "StochasticTsodyksMarkramSynapse"]


class _Unavailable:
    def __init__(self, *args: Any, **given: Any) -> None:
        refuse(type(self).__name__, "the kernel has no such model")


class SpikeSourceInhGamma(_Unavailable, cells.SpikeSourceInhGamma):
    __doc__ = cells.SpikeSourceInhGamma.__doc__


class StochasticTsodyksMarkramSynapse(_Unavailable, synapses.StochasticTsodyksMarkramSynapse):
    __doc__ = synapses.StochasticTsodyksMarkramSynapse.__doc__
