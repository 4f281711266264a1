# SPDX-License-Identifier: Apache-2.0
"""Checkpoints in memory: what the ranks of a network have saved, as the kernel reads it."""

import numpy as np

PIECE = 1000  # values


class Saved:
    """The columns of snapshots, one per rank; they are copied."""

    def __init__(self, *snapshots):
        self.shards = len(snapshots)
        self._of = [_taken(s, common=False) for s in snapshots] + [_taken(snapshots[0], common=True)]  # shard -1: common

    def __getitem__(self, key):
        shard, path = key
        return self._of[shard][path]

    def columns(self, shard):
        return [(path, values.dtype.str, len(values)) for path, values in self._of[shard].items()]

    def read(self, shard, path, begin, out):
        out[:] = self._of[shard][path][begin : begin + len(out)]


def _taken(snapshot, common):
    found = {}
    for path, dtype, n in snapshot.columns(common):
        found[path] = np.empty(n, dtype)
        for begin in range(0, n, PIECE):
            snapshot.read(common, path, begin, found[path][begin : begin + PIECE])
    return found


def continued(net, made, store_all=False):
    """The state of a kernel in another one, which `made()` makes."""
    saved = Saved(net.snapshot(store_all))
    fresh = made()
    fresh.restore(saved)
    return fresh
