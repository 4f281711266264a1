# SPDX-License-Identifier: Apache-2.0
"""Tests leave no files in the tree: what appears while they run is listed at the end, and in CI (NEUROPIL_NO_SKIPS) the run fails.

tests/conftest.py imports the hooks.
"""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BEFORE = pytest.StashKey[set[str]]()


def untracked(folder: Path = ROOT) -> set[str]:
    """Files that git neither tracks nor ignores; none where there is no checkout."""
    command = ["git", "-C", str(folder), "ls-files", "--others", "--exclude-standard"]
    try:
        return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())
    except (OSError, subprocess.CalledProcessError):
        return set()


def pytest_sessionstart(session):
    if not hasattr(session.config, "workerinput"):  # the process that starts the workers looks for all
        session.config.stash[BEFORE] = untracked()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    appeared = untracked() - session.config.stash.get(BEFORE, untracked())
    if not appeared:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.write_line(f"\nfiles that appeared in the tree while tests ran: {', '.join(sorted(appeared))}", red=True)
    if os.environ.get("NEUROPIL_NO_SKIPS") and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
