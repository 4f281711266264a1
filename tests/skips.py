# SPDX-License-Identifier: Apache-2.0
"""In CI (NEUROPIL_NO_SKIPS, which ./check sets there) a skipped test is a failed test, except for the reasons of INHERENT.

tests/conftest.py imports the hooks.
"""

import os
import re

import pytest

# Pattern of a reason -> why CI cannot provide what the test needs.
INHERENT = {
    r"this machine lacks (v3|v4)": "the processor decides",
    r"\.\./shared/circuit1000 is not here": "the data are not part of the repository",
    r"no small disk can be mounted": "only root may mount, and not in every container",
    r"Brian2 cannot be imported": "a peer that users install themselves; its version 2.9 cannot be imported beside numpy 2.4",
    r"the models of nestml are not here": "a peer that users install themselves; .ci/weekly installs it",
    r"PyNN is not here": "a peer that users install themselves; .ci/weekly installs it",
    r"NEST Desktop is not here": "users install it themselves; .ci/weekly installs it",
    r"bmtk is not here": "a peer that users install themselves, as it brings pandas and others; .ci/weekly installs it",
    r"no nvcc here": "CUDA is no package of Debian main or PyPI; machines of CI may lack it",
    r"the site is not built": "./run docs takes minutes; .ci/weekly builds the site, then tests it",
    r"no browser here": "Chromium is no package that neuropil needs",
    r"root writes to any folder": "CI runs as root in containers",
}


def refused(reason: str) -> bool:
    """Whether a test may not be skipped for this reason."""
    return bool(os.environ.get("NEUROPIL_NO_SKIPS")) and not any(re.search(pattern, reason) for pattern in INHERENT)


def judged(report):
    """The report of a test or a file, failed if it was skipped (or failed as expected) for a reason that CI does not accept."""
    if report.outcome == "skipped":
        reason = report.wasxfail if hasattr(report, "wasxfail") else report.longrepr[2]
        if refused(reason):
            report.outcome, report.longrepr = "failed", f"in CI nothing is skipped; {reason}"
            vars(report).pop("wasxfail", None)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return judged((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return judged((yield))
