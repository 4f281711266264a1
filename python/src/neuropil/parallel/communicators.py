# SPDX-License-Identifier: Apache-2.0
"""Networks on the ranks of a communicator of mpi4py, which has opened MPI before."""

from __future__ import annotations

import sys
from typing import Any

from .. import _core
from ..errors import bad_parameter, bad_type

__all__ = ["adopted"]


def adopted(comm: Any) -> Any:
    """The kernel's ranks of an intracommunicator of mpi4py, of a duplicate that lives until the end of the process. Made once per communicator.

    Raises BadType, BadParameter, MpiError where no plug-in fits the MPI of mpi4py. Collective over the communicator.
    """
    mpi = sys.modules.get("mpi4py.MPI")  # never imported here: that initialises MPI
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise bad_type("comm", comm, "a communicator of mpi4py, such as MPI.COMM_WORLD")
    if comm == mpi.COMM_NULL or comm.Is_inter():
        raise bad_parameter("comm", comm, "an intracommunicator that this process belongs to")
    key = _key(mpi)
    if comm.Get_attr(key) is None:
        _all.append(_core.adopted_ranks(mpi._addressof(comm)))
        comm.Set_attr(key, len(_all) - 1)
    return _all[comm.Get_attr(key)]


def _key(mpi: Any) -> int:
    """Under which a communicator keeps the number of its ranks: attributes end after Python, where objects would count as leaked."""
    global _made
    if _made is None:
        _made = mpi.Comm.Create_keyval()
    return _made


_made: int | None = None
_all: list[Any] = []
