# SPDX-License-Identifier: Apache-2.0
"""The program of docs/howto/pynn.md and the example run; the page does not promise names that are not there."""

import importlib.util
import re
from pathlib import Path

import pytest

from neuropil import pynn

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/howto/pynn.md").read_text()


def test_the_programs_run(capsys):
    shared = {}
    for program in re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
        exec(compile(program, "pynn.md", "exec"), shared)
    assert len(shared["cells"]) == 10  # of the last one
    assert capsys.readouterr().out == "100 (2001, 100)\n"


def test_names_are_there():
    named = set(re.findall(r"`([A-Z]\w+|native_\w+)`", PAGE)) - {"NotSupported", "RankError"}
    assert len(named) > 20
    assert [name for name in named if not hasattr(pynn, name)] == []


def test_the_example_runs():
    spec = importlib.util.spec_from_file_location("pynn_balanced", ROOT / "examples/pynn_balanced.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.main(n=500, duration=100.0) == pytest.approx(50.0, abs=40.0)
