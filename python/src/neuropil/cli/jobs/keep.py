# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of a job."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Keep:
    """Checkpoints of a job: where, after how many ms, whether it goes on from one, and again when a rank dies."""

    folder: Path | None = None
    every: float = 1000.0
    resume: bool = False
    restart: bool = False

    def __post_init__(self) -> None:
        from neuropil.errors import bad_parameter

        for name, given in (("resume", self.resume), ("restart", self.restart)):
            if given and self.folder is None:
                raise bad_parameter(name, given, "given with --checkpoint FOLDER")

    @property
    def file(self) -> Path | None:
        """The checkpoint."""
        return None if self.folder is None else self.folder / "run.npc"
