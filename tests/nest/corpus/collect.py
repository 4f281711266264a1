# SPDX-License-Identifier: Apache-2.0
"""The cases: functions `case_NAME(nest) -> dict` of the files of cases/, each given a simulator that was reset."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
Case = Callable[[Any], dict[str, Any]]


def themes() -> list[str]:
    """Names of the files of cases/."""
    return sorted(path.stem for path in (HERE / "cases").glob("[a-z]*.py"))


def cases(theme: str) -> dict[str, Case]:
    """The cases of one file by name, in its order."""
    module = importlib.import_module(f"tests.nest.corpus.cases.{theme}")
    return {name.removeprefix("case_"): value for name, value in vars(module).items() if name.startswith("case_")}


def run(nest: Any, case: Case) -> dict[str, Any]:
    """What the case returns in a fresh kernel that says nothing."""
    nest.ResetKernel()
    nest.set(verbosity=nest.VerbosityLevel.QUIET, data_path="", data_prefix="")  # these two outlive ResetKernel
    return case(nest)
