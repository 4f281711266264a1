# SPDX-License-Identifier: Apache-2.0
"""Ranks as threads of this interpreter: the whole of a multi-rank program without MPI."""

import threading
from collections.abc import Callable
from typing import Any

from neuropil import _core

TIME_LIMIT = 120  # seconds; a rank that waits longer hangs


def on_ranks(n: int, program: Callable[[Any], Any], ranks_per_node: int = 0) -> list[Any]:
    """Results (or exceptions) of program(communicator), one per rank."""
    results: list[Any] = [TimeoutError("this rank hangs")] * n

    def run(rank: int, comm: Any) -> None:
        try:
            results[rank] = program(comm)
        except BaseException as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(_core.thread_ranks(n, ranks_per_node))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIME_LIMIT)
    return results


def the_same(results: list[Any]) -> Any:
    """What all ranks returned; raises what a rank raised."""
    for result in results:
        if isinstance(result, BaseException):
            raise result
    assert all(result == results[0] for result in results), results
    return results[0]
