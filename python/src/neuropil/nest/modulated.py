# SPDX-License-Identifier: Apache-2.0
"""Synapses that change between spikes, as NEST shows them: as they were when their volume_transmitter was last delivered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import Connections
from ..engine import own_values
from .kernel import session
from .models.synapse_models import TRANSMITTER

MODULATED = ("c", "n")  # what such synapses show besides their weight


def modulated(name: str, c: Connections) -> NDArray[np.float64]:
    """weight, c or n of connections; nan where they have no transmitter. Deliveries are every deliver_interval times min_delay."""
    s, found = session(), np.full(len(c), np.nan)
    transmitters = own_values(c, "parameter", TRANSMITTER)
    now, interval = int(s.engine.kernel.step), s.slice_steps
    for gid in np.unique(transmitters[~np.isnan(transmitters)]).astype(np.int64):
        row = s.registry.row(int(gid))
        every = int(row.extra("deliver_interval", np.array([gid]))[0]) * interval
        own = transmitters == gid
        found[own] = own_values(c, "state", name, when=(now - interval, now // every * every))[own]
    return found
