# SPDX-License-Identifier: Apache-2.0
"""The bar ends at 100 %, wherever it is drawn."""

import io
import re
import sys
import types

import pytest

import neuropil as npl
from neuropil.base import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def shown(text):
    """What is left on the screen, line by line: the last that was drawn over each."""
    return [line.split("\r")[-1].rstrip() for line in ESCAPE.sub("", text).split("\n")]


class Cell:
    """The output of a cell: what IPython's display and its handle are called with."""

    def __init__(self):
        self.elements = []

    def display(self, data, raw, display_id):
        assert raw and display_id is True
        element = [data]
        self.elements.append(element)
        return types.SimpleNamespace(update=lambda data, raw: element.append(data))


def shell(monkeypatch, cell, kernel):
    """As if IPython were running, in a notebook when there is a kernel."""
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=kernel)
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = cell.display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)


def drawn(monkeypatch, stream, option=True, error=None, last=7):
    """Polls of two phases that the kernel does not end with a full one; the second raises `error`."""
    clock = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(progress.sys, "stderr", stream)
    try:
        with progress.polling(option) as poll:
            for phase, until in (("building", 6), ("simulating", last)):
                for k in range(until + 1):
                    poll(phase, k, 10)
                    clock[0] += 1.0
            if error:
                raise error
    except ValueError:
        pass
    return stream.getvalue()


def test_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    text = drawn(monkeypatch, Terminal())
    lines = shown(text)
    assert [re.findall(r"\d+ %", line)[-1] for line in lines[:2]] == ["100 %", "100 %"] and lines[2] == ""
    assert text.count("\r") >= 16 and lines[1].startswith("simulating ") and lines[1].endswith("100 %  8.0 s")


def test_in_a_log(monkeypatch):
    lines = drawn(monkeypatch, io.StringIO()).splitlines()
    assert lines[0] == "building      10 %  1.0 s  9.0 s left" and lines[6] == "building     100 %  7.0 s"
    assert (
        len(lines) == 16
        and lines[7] == "simulating     0 %  0.0 s"
        and lines[-1] == "simulating   100 %  8.0 s"
        and not any("\r" in line for line in lines)
    )
    assert drawn(monkeypatch, io.StringIO(), option=None) == ""


def test_in_a_notebook(monkeypatch):
    cell = Cell()
    shell(monkeypatch, cell, object())
    assert drawn(monkeypatch, io.StringIO(), option=None) == ""
    assert len(cell.elements) == 2
    for phase, element in zip(("building", "simulating"), cell.elements, strict=True):
        assert element[-1]["text/plain"].startswith(f"{phase} 100 %")
        assert 'value="1.0000"' in element[-1]["text/html"] and "100 %" in element[-1]["text/html"]
    assert re.search(r'value="0\.4000".*40 %.*6\.0 s left', cell.elements[1][3]["text/html"])


def test_a_shell_of_ipython_is_a_terminal(monkeypatch):
    cell = Cell()
    shell(monkeypatch, cell, None)
    assert "100 %" in drawn(monkeypatch, Terminal()) and cell.elements == []


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_not_after_an_error(monkeypatch, stream):
    monkeypatch.setenv("TERM", "xterm")
    *_, last, end = shown(drawn(monkeypatch, stream(), error=ValueError()))
    assert last.startswith("simulating ") and "70 %" in last and end == ""


def test_once_when_the_kernel_tells_it(monkeypatch):
    assert drawn(monkeypatch, io.StringIO(), last=10).count("100 %") == 2


def test_of_a_run(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(progress.sys, "stderr", stream)
    net = npl.Network(seed=1, threads=1)
    cells = net.create("iaf_psc_exp", 20_000)
    net.run(300.0, progress=True)
    assert cells is not None and re.findall(r"\d+ %", stream.getvalue())[-1:] in ([], ["100 %"])


@pytest.mark.parametrize("of_terminal", [False, True])
def test_what_is_always_shown_is_shown_for_the_shortest_run(monkeypatch, of_terminal):
    stream = Terminal() if of_terminal else io.StringIO()
    monkeypatch.setattr(progress.sys, "stderr", stream)
    net = npl.Network(threads=1)
    net.create("iaf_psc_exp")
    net.build(progress=True)
    net.run(0.1, progress=True)
    lines = [*filter(None, shown(stream.getvalue()))]
    assert [line.split()[0] for line in lines] == ["building", "simulating"]
    assert all("100 %" in line for line in lines)
    net.run(0.1)
    assert [*filter(None, shown(stream.getvalue()))] == lines


def test_an_interrupted_run_does_not_say_that_it_was_done(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(progress.sys, "stderr", stream)
    with pytest.raises(ValueError), progress.polling(True, last="simulating"):
        raise ValueError
    assert "100 %" not in stream.getvalue()
