# SPDX-License-Identifier: Apache-2.0
"""Programs that simulate a network and change it meanwhile, for tests in which they are cut and go on elsewhere."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from lowlevel import kernel
from snapshots import Saved, continued
from thread_ranks import on_ranks, the_same


class Program:
    """A network `net` that is simulated for `steps` steps and changed at some of them."""

    net: Any
    steps: int
    changes: tuple[int, ...] = ()

    def change(self, step: int) -> None:
        """What users do between."""

    def run(self, cuts=None, until=None):
        """Up to a step. `cuts`: by step, what takes the network and returns the one to go on with."""
        cuts, until = cuts or {}, self.steps if until is None else until
        for stop in sorted({*self.changes, *cuts, until}):
            if not self.net.step <= stop <= until:
                continue
            self.net.run(stop - self.net.step, None)
            if stop in cuts:
                self.net = cuts[stop](self.net)
            if stop < until and stop in self.changes:
                self.change(stop)
        return self


def restored(resolution=0.1, seed=3, store_all=False, **settings):
    """A cut: the network goes on in another kernel."""
    return lambda net: continued(net, lambda: kernel(resolution, seed=seed, **settings), store_all)


def on_other_ranks(
    made: Callable[..., Program], finish: Callable, step: int, ranks=2, to_ranks=3, resolution=0.1, seed=3, **settings
) -> Any:
    """What `finish` says of a program that was saved at a step on some ranks, and went on on others with these settings of the kernel."""
    programs = on_ranks(ranks, lambda comm: made(comm=comm).run(until=step))
    saved = Saved(*on_ranks(ranks, lambda comm: programs[comm.rank].net.snapshot()))

    def go_on(comm):
        own = copy.copy(programs[0])
        own.net = kernel(resolution, seed=seed, comm=comm, **settings)
        own.net.restore(saved)
        return finish(own.run())

    return the_same(on_ranks(to_ranks, go_on))
