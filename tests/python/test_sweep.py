# SPDX-License-Identifier: Apache-2.0
"""Sweeps: as a loop, in other processes."""

import io
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest

import neuropil as npl
from neuropil.base import progress


def spikes(rate, seed, duration=20.0):
    """Number of spikes, and all of them."""
    net = npl.Network(seed=seed)
    cell = net.create("iaf_psc_exp", I_e=350.0)
    net.stimulate(cell, npl.poisson(rate), weight=100.0)
    record = net.record(cell)
    net.run(duration)
    return {"n": len(record), "record": record, "threads": net.threads, "process": os.getpid()}


def square(x):
    return x * x


def fails(x):
    if x == 2:
        raise npl.errors.BadParameter("x = 2: must be another", "x", x, "another")
    return x


def ends(x):
    if x == 1:
        os._exit(3)
    return x


class OddError(Exception):
    def __init__(self, a, b):
        super().__init__(a)


def raises_what_cannot_be_sent(x):
    raise OddError("cannot", "be sent")


def test_results_are_those_of_a_loop_in_order():
    grid = {"rate": [2000.0, 8000.0], "seed": [3, 4]}
    found = npl.sweep(spikes, grid, processes=2)
    points = [{"rate": rate, "seed": seed} for rate in (2000.0, 8000.0) for seed in (3, 4)]
    assert found.parameters == points and len(found) == 4 and not found.failures
    for point, result in zip(points, found, strict=True):
        here = spikes(**point)
        assert result["n"] == here["n"] > 0 and (result["record"].times == here["record"].times).all()
        assert isinstance(result["record"], npl.results.Spikes) and result["threads"] == 1 and result["process"] != os.getpid()
    assert len({result["process"] for result in found}) <= 2
    assert repr(found) == "Sweep(4 runs; rate, seed)" and len(found[1:3]) == 2
    table = found.to_pandas()
    assert list(table["seed"]) == [3, 4, 3, 4] and list(table["n"]) == [result["n"] for result in found]


def test_here_and_there_are_the_same():
    points = [{"x": 3}, {"x": np.arange(4)}, {"x": 0.5}]
    here, there = npl.sweep(square, points, processes=0), npl.sweep(square, points, processes=3)
    assert all(np.array_equal(a, b) for a, b in zip(here, there, strict=True))
    assert list(here.to_pandas()["result"])[2] == 0.25


def test_seeds():
    assert [p["seed"] for p in npl.sweep(spikes, {"rate": [0.0]}, seeds=3, processes=0).parameters] == [1, 2, 3]
    found = npl.sweep(spikes, [{"rate": 0.0}, {"rate": 1.0}], seeds=[7, 5], processes=0, threads=2)
    assert [(p["rate"], p["seed"]) for p in found.parameters] == [(0.0, 7), (0.0, 5), (1.0, 7), (1.0, 5)]
    assert found[0]["threads"] == 2 and npl.Network().threads == len(os.sched_getaffinity(0))
    with pytest.raises(npl.errors.BadParameter, match="seed"):
        npl.sweep(spikes, {"rate": [0.0], "seed": [1]}, seeds=2)


@pytest.mark.parametrize("processes", [0, 2])
def test_the_first_run_that_fails_ends_it(processes):
    with pytest.raises(npl.errors.SweepError, match="x=2") as caught:
        npl.sweep(fails, {"x": range(5)}, processes=processes)
    assert caught.value.parameters == {"x": 2}
    cause = caught.value.__cause__
    assert type(cause) is npl.errors.BadParameter and cause.parameter == "x" and cause.value == 2
    assert "in fails" in str(caught.value)  # where it was


@pytest.mark.parametrize("processes", [0, 2])
def test_others_go_on(processes):
    found = npl.sweep(fails, {"x": range(5)}, processes=processes, errors="keep")
    assert [r for r in found if not isinstance(r, npl.classes.Failure)] == [0, 1, 3, 4]
    (failure,) = found.failures
    assert (
        failure is found[2]
        and failure.parameters == {"x": 2}
        and isinstance(failure.error, npl.errors.BadParameter)
        and "fails" in failure.text
    )
    assert found.to_pandas()["result"].isna().tolist() == [False, False, True, False, False]
    assert "1 failed" in repr(found)


def test_errors_that_cannot_be_sent_are_told():
    with pytest.raises(npl.errors.SweepError, match="OddError: cannot") as caught:
        npl.sweep(raises_what_cannot_be_sent, {"x": [1]}, processes=1)
    assert caught.value.__cause__ is None


def test_a_process_that_ends_is_an_error_and_no_hang():
    with pytest.raises(npl.errors.SweepError, match="ended"):
        npl.sweep(ends, {"x": range(4)}, processes=2)


def test_functions_of_notebooks_go_by_value():
    factor = 3
    assert list(npl.sweep(lambda x: factor * x, {"x": [1, 2]}, processes=1)) == [3, 6]


def test_without_loky_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "loky", None)
    with pytest.raises(npl.errors.MissingLibrary, match=r"neuropil\[sweep\]"):
        npl.sweep(square, {"x": [1]}, processes=1)
    assert list(npl.sweep(square, {"x": [3]}, processes=0)) == [9]


@pytest.mark.parametrize(
    ("error", "words", "how"),
    [
        (npl.errors.BadType, "function", {"function": 3}),
        (npl.errors.BadType, "parameters", {"parameters": 3}),
        (npl.errors.BadType, "parameters", {"parameters": "abc"}),
        (npl.errors.BadType, r"parameters\['x'\]", {"parameters": {"x": 3}}),
        (npl.errors.BadType, r"parameters\[1\]", {"parameters": [{"x": 1}, 2]}),
        (npl.errors.BadType, "whose names are texts", {"parameters": [{1: 1}]}),
        (npl.errors.BadType, "x", {"parameters": {"x": [threading.Lock()]}}),
        (npl.errors.BadParameter, "processes", {"processes": -1}),
        (npl.errors.BadType, "processes", {"processes": 1.5}),
        (npl.errors.BadParameter, "threads", {"threads": 0}),
        (npl.errors.BadParameter, "errors", {"errors": "ignore"}),
    ],
)
def test_bad_arguments(error, words, how):
    with pytest.raises(error, match=words):
        npl.sweep(**{"function": square, "parameters": {"x": [1]}, "processes": 1, **how})


def test_nothing_to_do():
    assert list(npl.sweep(square, {"x": []})) == [] and len(npl.sweep(square, [])) == 0


def test_the_bar_ends_at_100(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(progress.sys, "stderr", stream)
    npl.sweep(square, {"x": range(3)}, processes=1, progress=True)
    assert re.findall(r"(\d+) %", stream.getvalue())[-1] == "100" and "sweep" in stream.getvalue()


def test_several_ranks_are_refused(monkeypatch):
    monkeypatch.setattr(npl._core, "launched_ranks", lambda: 4)
    with pytest.raises(npl.errors.SweepError, match="4 ranks"):
        npl.sweep(square, {"x": [1]})


def script(tmp_path, text):
    (tmp_path / "script.py").write_text(text)
    return subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=120, check=False)


def test_from_a_script(tmp_path):
    text = "import neuropil as npl\ndef double(x):\n    return 2 * x\n"
    for before in ('if __name__ == "__main__":\n    ', ""):
        done = script(tmp_path, f'{text}{before}print(list(npl.sweep(double, {{"x": [1, 2]}}, processes=1)))\n')
        assert done.stdout == "[2, 4]\n" and not done.stderr, done.stderr


def test_from_a_prompt():
    """As in a notebook: __main__ is no file."""
    text = "import neuropil as npl\ndef double(x):\n    return 2 * x\nprint(list(npl.sweep(double, {'x': [1, 2]}, processes=1)))\n"
    done = subprocess.run([sys.executable, "-"], input=text, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "[2, 4]\n", done.stderr
