# SPDX-License-Identifier: Apache-2.0
"""What C++ files of rules share whose synapses are updated in vectors."""

from __future__ import annotations

from .synapse_file import RuleFile

__all__ = ["VectorFile"]


class VectorFile(RuleFile):
    """Writes the file of a rule that is made anew for each synapse of a vector, so it has no defaults; it knows no times of spikes."""

    def struct_head(self, kind: str) -> list[str]:
        """The first lines of the struct."""
        return [f"struct {kind} {{"]

    def constructor_head(self, kind: str) -> str:
        """Its name and arguments."""
        return f"NPL_INLINE explicit {kind}([[maybe_unused]] const double* p)"

    def check(self) -> list[str]:
        """Values that are refused."""
        return super().check() or ["static void check(const double*) {}"]

    @property
    def tells_time(self) -> bool:
        """Whether the time of an event is needed."""
        return False
