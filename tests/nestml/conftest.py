# SPDX-License-Identifier: Apache-2.0
"""Compiled models of the tests are kept in the build folder, not in the home of who runs them."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ["NEUROPIL_CACHE"] = str(ROOT / "build/check/models")
