# SPDX-License-Identifier: Apache-2.0
"""One function for many parameters, in several processes."""

from __future__ import annotations

import itertools
import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from .. import _core
from ..base.checks import to_whole
from ..base.libraries import needed
from ..base.named import named_arguments
from ..base.progress import Poll, Progress, polling
from ..errors import SweepError, bad_parameter, bad_type
from . import ranks

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pandas

__all__ = ["Failure", "Sweep", "sweep"]

Point = dict[str, Any]


class Failure(NamedTuple):
    """What a run of a sweep has raised."""

    parameters: Point
    error: BaseException | None  # None: it could not be sent from its process
    text: str  # as Python prints it


class Sweep(Sequence[Any]):
    """The results of a sweep, in the order of its parameters."""

    __slots__ = ("_parameters", "_results")

    def __init__(self, parameters: list[Point], results: list[Any]) -> None:
        self._parameters, self._results = parameters, results

    @property
    def parameters(self) -> list[Point]:
        """What the function was called with, run by run."""
        return self._parameters

    @property
    def failures(self) -> list[Failure]:
        """The runs that have raised something, whose results are these."""
        return [result for result in self._results if isinstance(result, Failure)]

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, key: int) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Sweep: ...
    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, slice):
            return Sweep(self._parameters[key], self._results[key])
        return self._results[key]

    def to_pandas(self) -> pandas.DataFrame:
        """DataFrame with a row per run.

        Its parameters, then what it has returned: the entries of a dict, or one column `result`. Runs that failed have none. Raises
        MissingLibrary.
        """
        rows = []
        for point, result in zip(self._parameters, self._results, strict=True):
            found = {} if isinstance(result, Failure) else result if isinstance(result, Mapping) else {"result": result}
            rows.append({**point, **found})
        table: pandas.DataFrame = needed("pandas", "results", "this needs").DataFrame(rows)
        return table

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        names = ", ".join(dict.fromkeys(name for point in self._parameters for name in point))
        return f"Sweep({len(self)} runs{failed}{f'; {names}' if names else ''})"


@named_arguments
def sweep(
    function: Callable[..., Any],
    parameters: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
    *,
    seeds: int | Sequence[int] | None = None,
    processes: int | None = None,
    threads: int = 1,
    errors: str = "raise",
    progress: Progress = None,
) -> Sweep:
    """Calls `function(**point)` for each point of a grid, or each of a list, in several processes. Returns the results in order.

    Parameters
    ----------
    function : makes a network, runs it and returns what can be pickled: numbers, arrays, a dict, records (which arrive as data). It may be
        defined anywhere: in a script, a notebook or another function
    parameters : name -> values: all combinations, of which the last name changes fastest; or a list of dicts
    seeds : each point is run with each of these seeds, given as `seed`; a number n: with 1, ..., n
    processes : default: the cores this process may use, divided by `threads`; 0: one run after the other in this process, to look for errors,
        which needs no library
    threads : of networks that do not ask for a number
    errors : "raise": the first run that fails ends the sweep; "keep": others go on, and the results of those that fail are `Failure`
    progress : as in `Network.run`

    Raises SweepError, which has the parameters of the run that failed and is raised from its exception; BadParameter, BadType, MissingLibrary.
    """
    if not callable(function):
        raise bad_type("function", function, "a function that takes the parameters by name")
    if errors not in ("raise", "keep"):
        raise bad_parameter("errors", errors, '"raise" or "keep"')
    points = _points(parameters, seeds)
    each = _at_least("threads", threads, 1)
    wanted = max(1, ranks.default_threads() // each) if processes is None else _at_least("processes", processes, 0)
    if (launched := _core.launched_ranks()) > 1:
        raise SweepError(f"sweep: this program runs on {launched} ranks; start it without mpiexec, a sweep has processes of its own")
    with polling(progress) as poll:
        if not points:
            return Sweep([], [])
        poll("sweep", 0, len(points))
        results = _here(function, points, each, errors, poll) if wanted == 0 else _elsewhere(function, points, wanted, each, errors, poll)
    return Sweep(points, results)


def _points(parameters: Any, seeds: int | Sequence[int] | None) -> list[Point]:
    """The parameters of each run. Raises BadType, BadParameter."""
    if isinstance(parameters, Mapping):
        for name, values in parameters.items():
            if isinstance(values, str) or not hasattr(values, "__iter__"):
                raise bad_type(f"parameters[{name!r}]", values, "a list of values")
        points = [dict(zip(parameters, values, strict=True)) for values in itertools.product(*parameters.values())]
    elif isinstance(parameters, str) or not hasattr(parameters, "__iter__"):
        raise bad_type("parameters", parameters, "a dict of lists or a list of dicts")
    else:
        points = []
        for k, point in enumerate(parameters):
            if not isinstance(point, Mapping):
                raise bad_type(f"parameters[{k}]", point, "a dict")
            points.append(dict(point))
    for name in (name for point in points for name in point if not isinstance(name, str)):
        raise bad_type("parameters", name, "a dict whose names are texts")
    if seeds is None:
        return points
    numbers = range(1, seeds + 1) if isinstance(seeds, int) else [to_whole("seeds", seed) for seed in seeds]
    if any("seed" in point for point in points):
        raise bad_parameter("seeds", seeds, "left out when `seed` is among the parameters")
    return [{**point, "seed": seed} for point in points for seed in numbers]


def _at_least(name: str, value: int, least: int) -> int:
    if (number := to_whole(name, value)) < least:
        raise bad_parameter(name, value, f"at least {least}")
    return number


def _here(function: Callable[..., Any], points: list[Point], threads: int, errors: str, poll: Poll) -> list[Any]:
    results: list[Any] = []
    with ranks.threads_by_default(threads):
        for k, point in enumerate(points):
            try:
                results.append(function(**point))
            except Exception as error:
                results.append(_judged(Failure(point, error, traceback.format_exc()), errors))
            poll("sweep", k + 1, len(points))
    return results


def _elsewhere(function: Callable[..., Any], points: list[Point], processes: int, threads: int, errors: str, poll: Poll) -> list[Any]:
    from concurrent.futures import BrokenExecutor, as_completed  # here: programs without a sweep do not pay for it

    loky = needed("loky", "sweep", "a sweep over several processes needs")
    packed = _packed("function", function)
    sent = [{name: _packed(f"parameters: {name}", value) for name, value in point.items()} for point in points]
    results: list[Any] = [None] * len(points)
    workers = min(processes, len(points))
    pool = loky.ProcessPoolExecutor(workers, initializer=_begin, initargs=(packed, threads), env={"NEUROPIL_MPI": "off"})
    try:
        places: dict[Future[Any], int] = {pool.submit(_one, point): k for k, point in enumerate(sent)}
        for n, future in enumerate(as_completed(places)):
            k = places[future]
            try:
                good, found = pickle.loads(future.result())
            except BrokenExecutor as error:
                text = f"sweep: a process ended, at {_text(points[k])} or runs beside it; perhaps it was out of memory"
                raise SweepError(text, points[k]) from error
            results[k] = found if good else _judged(Failure(points[k], *found), errors)
            poll("sweep", n + 1, len(points))
    except BaseException:
        pool.shutdown(kill_workers=True)
        raise
    pool.shutdown()
    return results


def _packed(name: str, value: Any) -> bytes:
    """A function or a value for another process, where it need not be importable. Raises BadType."""
    import cloudpickle  # loky brings it

    try:
        return bytes(cloudpickle.dumps(value))
    except Exception as error:
        raise bad_type(name, value, f"one that can be sent to another process ({error})") from error


def _judged(failure: Failure, errors: str) -> Failure:
    if errors == "keep":
        return failure
    last = failure.text.strip().splitlines()[-1] if failure.error is None else f"{type(failure.error).__name__}: {failure.error}"
    raise SweepError(f"sweep: the run at {_text(failure.parameters)} failed: {last}\n{failure.text}", failure.parameters) from failure.error


def _text(point: Point) -> str:
    shown = ", ".join(f"{name}={value!r}" for name, value in point.items())
    return shown if len(shown) <= 300 else f"{shown[:297]}..."


# --- in a process of the pool

_function: Callable[..., Any] | None = None


def _begin(packed: bytes, threads: int) -> None:
    global _function
    ranks.set_default_threads(threads)
    _function = pickle.loads(packed)


def _one(point: dict[str, bytes]) -> bytes:
    """Whether a run succeeded, and its result; else its error and what Python prints of it. Pickled here, so that what cannot be is an error of it."""
    import cloudpickle

    try:
        assert _function is not None
        return bytes(cloudpickle.dumps((True, _function(**{name: pickle.loads(value) for name, value in point.items()}))))
    except Exception as error:
        text = traceback.format_exc()
        try:
            pickle.loads(found := cloudpickle.dumps((False, (error, text))))
            return bytes(found)
        except Exception:
            return pickle.dumps((False, (None, text)))
