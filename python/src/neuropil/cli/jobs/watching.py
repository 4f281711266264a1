# SPDX-License-Identifier: Apache-2.0
"""Jobs and scripts that tell how far they are, for `neuropil top`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuropil.base.hooks import Hook, current, in_force


@contextmanager
def telling(hook: Hook, folder: Path, name: str, until: float | None = None) -> Iterator[None]:
    """Networks write their status into `folder` while the hook is in force. until : biological time at which all is done (ms)."""
    from neuropil.base.watching import Watch

    watch = hook.watch = Watch(folder, name, until)
    try:
        yield
    except BaseException as error:
        done = isinstance(error, SystemExit) and not error.code
        watch.end("done" if done else "interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
        raise
    watch.end("done")


@contextmanager
def watched(folder: Path, name: str, until: float) -> Iterator[None]:
    """Networks of the block write their status into `folder`; not those of a plan or a dry run, which simulate nothing."""
    if current() is not None:
        yield
        return
    hook = Hook()
    with telling(hook, folder, name, until), in_force(hook):
        yield
