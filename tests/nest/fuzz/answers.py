# SPDX-License-Identifier: Apache-2.0
"""What NEST gave for a fixed set of seeds, with the scripts (data/answers.json.xz): the test of CI needs no NEST."""

from __future__ import annotations

import json
import lzma
from typing import Any

from tests.nest.fuzz.models import DATA
from tests.nest.fuzz.scripts import script
from tests.nest.fuzz.worker import Worker

FILE = DATA / "answers.json.xz"


def store(seeds: range) -> None:
    """Runs the scripts of the seeds on NEST."""
    worker = Worker("nest")
    found = [{"seed": seed, "script": script(seed), "outcome": worker.run(script(seed))} for seed in seeds]
    found = [entry for entry in found if not (entry["outcome"][-1:] and is_lost(entry["outcome"][-1]))]
    FILE.write_bytes(lzma.compress(json.dumps(found).encode(), preset=9))


def is_lost(last: Any) -> bool:
    """Whether NEST crashed or hung: that is no answer."""
    return isinstance(last, dict) and last.get("error") in ("crash", "hang")


def load() -> list[dict[str, Any]]:
    return json.loads(lzma.decompress(FILE.read_bytes())) if FILE.exists() else []
