# SPDX-License-Identifier: Apache-2.0
"""How the memory of this process is paged: huge pages, and the NUMA nodes where its pages lie."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

PROCESS = Path("/proc/self")
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


@dataclass(frozen=True)
class Pages:
    """Bytes of resident memory. On systems without /proc all of it is 0.

    resident : all pages
    anonymous : those that no file backs; the tables of a network are among them
    huge : part of `anonymous` that lies in transparent huge pages (2 MiB on x86-64)
    nodes : bytes by NUMA node; empty where the system does not tell
    """

    resident: int
    anonymous: int
    huge: int
    nodes: dict[int, int] = field(default_factory=dict)

    @property
    def huge_share(self) -> float:
        """Part of the anonymous memory that lies in huge pages, 0 to 1."""
        return self.huge / self.anonymous if self.anonymous else 0.0

    def __str__(self) -> str:
        where = ", ".join(f"node {node}: {size / 1e6:.0f} MB" for node, size in sorted(self.nodes.items())) or "unknown"
        return f"{self.resident / 1e6:.0f} MB resident, {100 * self.huge_share:.0f} % of {self.anonymous / 1e6:.0f} MB in huge pages; NUMA {where}"


def pages(process: Path = PROCESS) -> Pages:
    """Pages of this process now (of this rank). Reads /proc: some ms per GB; nothing is touched or moved."""
    sizes = kilobytes(text(process / "smaps_rollup"))
    return Pages(sizes.get("Rss", 0), sizes.get("Anonymous", 0), sizes.get("AnonHugePages", 0), by_node(text(process / "numa_maps")))


def huge_page_mode() -> str:
    """When this system gives huge pages: "always", "madvise" (neuropil asks for them), "never"; "-" when unknown."""
    chosen = re.search(r"\[(\w+)\]", text(HUGE_PAGES))
    return chosen.group(1) if chosen else "-"


def text(path: Path) -> str:
    """What the file holds, "" where it cannot be read."""
    try:
        return path.read_text()
    except OSError:
        return ""


def resident(key: str = "VmRSS") -> int:
    """Resident memory of this process now, with "VmHWM" the most so far; 0 on systems without /proc."""
    return kilobytes(text(PROCESS / "status")).get(key, 0)


def kilobytes(lines: str) -> dict[str, int]:
    """`Name:  n kB` lines, in bytes."""
    return {name: 1024 * int(size) for name, size in re.findall(r"^(\w+):\s+(\d+) kB$", lines, re.MULTILINE)}


def by_node(maps: str) -> dict[int, int]:
    """Sum of the `N<node>=<pages>` of all mappings, in bytes."""
    total: dict[int, int] = {}
    for line in maps.splitlines():
        unit = re.search(r"kernelpagesize_kB=(\d+)", line)
        for node, count in re.findall(r"\bN(\d+)=(\d+)", line):
            total[int(node)] = total.get(int(node), 0) + int(count) * 1024 * (int(unit.group(1)) if unit else 4)
    return total
