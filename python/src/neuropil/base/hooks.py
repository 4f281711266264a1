# SPDX-License-Identifier: Apache-2.0
"""What a command (`plan`, `dryrun`) does with the networks that a user's script makes. Without a command nothing is in force."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from .progress import Poll
    from .watching import Watch

Network = Any  # stands for neuropil.Network, which modules below it do not import


class ScriptDone(BaseException):
    """Ends a script whose command has what it wants. No Exception, so that no script catches it."""


class Hook:
    """Called by networks while it is in force. This one changes nothing; commands derive from it and may raise ScriptDone in all but `settings`."""

    checkpoint: tuple[Path, float] | None = None  # file that networks save to while they run, and after how many ms
    watch: Watch | None = None  # writes how far networks are
    ranks: int | None = None  # what n_ranks() tells; None: the ranks this process runs on
    rank: int = 0  # what rank() tells, where `ranks` is given

    def settings(self, given: dict[str, Any]) -> dict[str, Any]:
        """Keyword arguments of the kernel of a network that the script makes: those in force instead of `given`."""
        return given

    def made(self, network: Network) -> None:
        """A network was made."""

    def building(self, network: Network) -> None:
        """A network is about to be built, by build(), run() or connections()."""

    def running(self, network: Network, duration: float) -> float:
        """A network is about to run, and then to be built if it is not; returns the biological time (ms) that it will run."""
        return duration

    def ran(self, network: Network) -> None:
        """A network has run."""


_current: Hook | None = None


def current() -> Hook | None:
    """The hook in force."""
    return _current


def watched(poll: Poll, rank: int) -> Poll:
    """The poll of a network; where someone watches, it also tells how far the network is."""
    watch = None if _current is None else _current.watch
    return poll if watch is None else watch.poll(poll, rank)


@contextmanager
def in_force(hook: Hook) -> Iterator[None]:
    """Puts a hook in force for the block."""
    global _current
    before, _current = _current, hook
    try:
        yield
    finally:
        _current = before
