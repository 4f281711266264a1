# SPDX-License-Identifier: Apache-2.0
"""A process that runs scripts, one a line, on the simulator of its argument: python -m tests.nest.fuzz.worker nest|neuropil.nest.

`Worker` is the other end: it starts the process, sends scripts, and starts it anew when a script crashes or hangs.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
LIMIT = 30.0  # seconds for one script, generous: the machine may be busy


def with_root() -> dict[str, str]:
    """The environment for programs that import `tests`."""
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}


def serve(simulator: str) -> None:
    """Reads scripts from stdin and writes outcomes to what was stdout; the simulator's own output goes to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from tests.nest.fuzz.runner import Runner

    nest = importlib.import_module(simulator)
    for line in sys.stdin:
        answers.write(json.dumps(Runner(nest).run(json.loads(line))) + "\n")
        answers.flush()


class Worker:
    """A simulator in a process of its own."""

    def __init__(self, simulator: str, limit: float = LIMIT):
        self.simulator, self.limit = simulator, limit
        self.process: subprocess.Popen[str] | None = None
        self.scratch = tempfile.TemporaryDirectory()

    def start(self) -> subprocess.Popen[str]:
        environment = with_root() | {"PYNEST_QUIET": "1", "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-W", "ignore", "-m", "tests.nest.fuzz.worker", self.simulator]
        return subprocess.Popen(
            command,
            cwd=self.scratch.name,
            env=environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def send(self, script: list[Any]) -> None:
        if self.process is None:
            self.process = self.start()
        assert self.process.stdin
        self.process.stdin.write(json.dumps(script) + "\n")
        self.process.stdin.flush()

    def receive(self) -> list[Any]:
        """The outcome; [{"error": "crash"}] or [{"error": "hang"}] where there is none."""
        assert self.process and self.process.stdout
        ready, _, _ = select.select([self.process.stdout], [], [], self.limit)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.close()
        return [{"error": "crash" if ready else "hang", "base": [], "said": ""}]

    def run(self, script: list[Any]) -> list[Any]:
        self.send(script)
        return self.receive()

    def close(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


if __name__ == "__main__":
    serve(sys.argv[1])
