# SPDX-License-Identifier: Apache-2.0
"""What a case returns: plain values (equal), and arrays that say how they are compared with those of the other simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

ALPHA = 1e-3  # level of every statistical comparison; seeds are fixed, so that a pass stays a pass


class DifferenceError(AssertionError):
    """The two simulators disagree."""


@dataclass(frozen=True)
class Near:
    """Values that agree within an absolute tolerance, in their own unit; `rtol` is relative."""

    values: np.ndarray
    atol: float = 1e-9
    rtol: float = 0.0

    def compare(self, theirs: Near) -> None:
        if self.values.shape != theirs.values.shape:
            raise DifferenceError(f"shape {self.values.shape}, NEST has {theirs.values.shape}")
        np.testing.assert_allclose(self.values, theirs.values, rtol=self.rtol, atol=self.atol)


@dataclass(frozen=True)
class Spikes:
    """Spike times [ms] in ascending order; `atol` = 0.0 for exact models, one step where the solvers differ."""

    values: np.ndarray
    atol: float = 0.0

    def compare(self, theirs: Spikes) -> None:
        if len(self.values) != len(theirs.values):
            raise DifferenceError(f"{len(self.values)} spikes at {self.values[:12]}, NEST has {len(theirs.values)} at {theirs.values[:12]}")
        np.testing.assert_allclose(self.values, theirs.values, rtol=0, atol=self.atol + 1e-9)


@dataclass(frozen=True)
class Sample:
    """Independent draws of a continuous variable: two-sample Kolmogorov-Smirnov test."""

    values: np.ndarray

    def compare(self, theirs: Sample) -> None:
        enough(self.values, theirs.values)
        p = stats.ks_2samp(self.values, theirs.values).pvalue
        if p < ALPHA:
            raise DifferenceError(
                f"KS test: p = {p:.2g}; means {self.values.mean():.5g} and {theirs.values.mean():.5g} (NEST), "
                f"standard deviations {self.values.std():.5g} and {theirs.values.std():.5g}"
            )


@dataclass(frozen=True)
class Counts:
    """Independent draws of an integer: chi-square test of homogeneity; rare values are merged until each bin has 10 draws."""

    values: np.ndarray

    def compare(self, theirs: Counts) -> None:
        enough(self.values, theirs.values)
        low = min(self.values.min(), theirs.values.min())
        size = int(max(self.values.max(), theirs.values.max()) - low) + 1
        table = merged(np.array([np.bincount(part.values - low, minlength=size) for part in (self, theirs)]))
        if table.shape[1] < 2:
            return
        p = stats.chi2_contingency(table).pvalue
        if p < ALPHA:
            raise DifferenceError(
                f"chi-square test: p = {p:.2g}; means {self.values.mean():.5g} and {theirs.values.mean():.5g} (NEST), "
                f"variances {self.values.var():.5g} and {theirs.values.var():.5g}"
            )


def enough(*samples: np.ndarray, least: int = 20) -> None:
    """A comparison of a few draws proves nothing."""
    for values in samples:
        if len(values) < least or not np.isfinite(values).all():
            raise DifferenceError(f"{len(values)} draws (at least {least}, finite ones, are needed)")


def merged(table: np.ndarray, least: int = 10) -> np.ndarray:
    """Neighbouring columns of `table` (2, n) added up until each has `least` counts in both rows together."""
    columns, rest = [], np.zeros(2, dtype=np.int64)
    for column in table.T:
        rest = rest + column
        if rest.sum() >= least:
            columns.append(rest)
            rest = np.zeros(2, dtype=np.int64)
    if columns:
        columns[-1] = columns[-1] + rest
    return np.array(columns).T.reshape(2, -1)


@dataclass(frozen=True)
class Holds:
    """A dict or list of which ours may have more than theirs: extra parameters and recordables do no harm."""

    value: Any

    def compare(self, theirs: Any) -> None:
        ours = plain(self.value)
        if isinstance(ours, dict):
            wrong = [
                f"{key} = {ours.get(key)!r}, NEST has {value!r}"
                for key, value in theirs.items()
                if key not in ours or not same(ours[key], value)
            ]
        else:
            wrong = [f"no {value!r}" for value in theirs if value not in ours]
        if wrong:
            raise DifferenceError("; ".join(wrong))


KINDS = {kind.__name__.lower(): kind for kind in (Near, Spikes, Sample, Counts)}


def near(values: Any, atol: float = 1e-9, rtol: float = 0.0) -> Near:
    return Near(np.asarray(values, dtype=np.float64), atol, rtol)


def spikes(times: Any, atol: float = 0.0) -> Spikes:
    return Spikes(np.sort(np.round(np.asarray(times, dtype=np.float64), 9)), atol)


def sample(values: Any) -> Sample:
    return Sample(np.asarray(values, dtype=np.float64))


def counts(values: Any) -> Counts:
    return Counts(np.asarray(values, dtype=np.int64))


def holds(value: Any) -> Holds:
    return Holds(value)


def error(call: Callable[[], Any]) -> str:
    """Name of the class that `call` raises, "" if none. What is not there yet is no answer to the question: NotSupported goes on."""
    try:
        call()
    except Exception as raised:
        if type(raised).__name__ == "NotSupported":
            raise
        return type(raised).__name__
    return ""


def plain(value: Any) -> Any:
    """`value` as JSON keeps it: numpy numbers and arrays become Python's, tuples become lists, keys become strings."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Holds):
        return plain(value.value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"a case returned a {type(value).__name__}; only plain values can be compared")


def same(ours: Any, theirs: Any) -> bool:
    """Equality of plain values; floats within 1e-12 relative, because sums may be in another order."""
    if isinstance(ours, float) or isinstance(theirs, float):
        if isinstance(ours, bool) or isinstance(theirs, bool) or not isinstance(ours, (int, float)) or not isinstance(theirs, (int, float)):
            return False
        return ours == theirs or abs(ours - theirs) <= 1e-12 * max(abs(ours), abs(theirs)) or (ours != ours and theirs != theirs)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    return type(ours) is type(theirs) and bool(ours == theirs)


def differences(ours: dict[str, Any], theirs: dict[str, Any], left_out: Iterable[str] = ()) -> list[str]:
    """One line for each entry in which two results of a case disagree; what ours has in addition is not looked at."""
    absent = [f"no entry {key}" for key in theirs.keys() - ours.keys()]
    return absent + [line for key in theirs.keys() & ours.keys() if key not in left_out for line in difference(key, ours[key], theirs[key])]


def difference(key: str, ours: Any, theirs: Any) -> list[str]:
    if type(ours) in KINDS.values() or isinstance(ours, Holds):
        try:
            ours.compare(theirs)
        except AssertionError as raised:
            return [f"{key}: {raised}"]
        return []
    ours = plain(ours)
    return [] if same(ours, theirs) else [f"{key}: {ours!r}, NEST has {theirs!r}"]
