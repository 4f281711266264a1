# SPDX-License-Identifier: Apache-2.0
"""One call after the other: nest has one network, which is not for several calls at once."""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from .errors import Gone, Unavailable

__all__ = ["Abandoned", "Turns"]

MOST_WAITING = 4096  # calls; more are refused at once


class Abandoned(BaseException):
    """Raised in a call whose client has gone. No Exception, so that scripts do not catch it by chance."""


@dataclass(slots=True, eq=False)
class Call:
    """One call: what it is called, what it does, and its answer."""

    what: str
    work: Callable[[], bytes]
    done: Future[bytes] = field(default_factory=Future)
    began: float = 0.0  # s, by time.monotonic
    abandoned: bool = False


class Turns:
    """A queue of calls. `work` makes them in the thread that calls it, `turn` waits for one in the event loop of the server.

    wait : seconds that a call waits for its turn
    interrupt : lets the working thread call `stop_abandoned`, if that can be done: by a signal
    """

    def __init__(self, wait: float = 300.0, interrupt: Callable[[], None] = lambda: None) -> None:
        self.wait = wait
        self.interrupt = interrupt
        self._waiting: queue.SimpleQueue[Call | None] = queue.SimpleQueue()
        self._now: Call | None = None

    # --- in the working thread

    def work(self) -> None:
        """Makes calls until `close`. KeyboardInterrupt ends it; the call that was running then has failed."""
        while (call := self._waiting.get()) is not None:
            if call.done.set_running_or_notify_cancel():
                self._make(call)

    def close(self) -> None:
        """Ends `work` after the calls that wait."""
        self._waiting.put(None)

    def _make(self, call: Call) -> None:
        try:
            try:
                call.began, self._now = time.monotonic(), call
                found = call.work()
            finally:
                self._now = None
        except Abandoned:
            call.done.set_exception(Gone(f"{call.what} was stopped: its client has gone"))
        except KeyboardInterrupt:
            call.done.set_exception(Unavailable(f"{call.what} was stopped: the server ends"))
            raise
        except BaseException as error:
            call.done.set_exception(error)
        else:
            call.done.set_result(found)

    def stop_abandoned(self) -> None:
        """Raises Abandoned, once, if the client of the running call has gone. For the working thread, from a handler of signals."""
        if self._now is not None and self._now.abandoned:
            self._now = None
            raise Abandoned

    # --- in the event loop

    async def turn(self, what: str, work: Callable[[], bytes], gone: Awaitable[Any]) -> bytes:
        """The answer of a call. `gone` ends when its client goes. Raises Unavailable, Gone and what the call raises."""
        if self._waiting.qsize() >= MOST_WAITING:
            raise Unavailable(f"{what}: {MOST_WAITING} calls wait, which is the most; try again later")
        call = Call(what, work)
        self._waiting.put(call)
        left = asyncio.ensure_future(gone)
        try:
            return await self._waited(call, left)
        finally:
            left.cancel()

    async def _waited(self, call: Call, left: asyncio.Future[Any]) -> bytes:
        done = asyncio.wrap_future(call.done)
        await asyncio.wait({done, left}, timeout=self.wait, return_when=asyncio.FIRST_COMPLETED)
        if not done.done():
            if call.done.cancel():  # its turn has not come
                raise Gone(f"{call.what}: its client has gone") if left.done() else Unavailable(self._why(call))
            await asyncio.wait({done, left}, return_when=asyncio.FIRST_COMPLETED)
        if not done.done():
            call.abandoned = True
            self.interrupt()
        return await done

    def _why(self, call: Call) -> str:
        running = self._now
        since = f": {running.what} has been running for {time.monotonic() - running.began:.0f} s" if running else ""
        return (
            f"{call.what} waited {self.wait:g} s for its turn, as the server makes one call at a time{since}. "
            "Try again, or start the server with a longer --wait"
        )
