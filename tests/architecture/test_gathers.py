# SPDX-License-Identifier: Apache-2.0
"""Law 3: nothing is gathered from all ranks but what a user asks to read there, and what a strategy that meets all ranks needs."""

import re

from architecture.sources import CPP, relative

READERS = {"linking", "reading", "recorders", "report", "weight_recorders"}  # of cpp/sim: calls with gather = true
ALL_RANKS = {"exchange/source_gids.cpp", "exchange/strategies/allgather.cpp", "circuit/spread.cpp"}
GATHERS = re.compile(r"comm::gather\(|[.>](?:i?allgatherv?)\(")


def test_only_readers_gather():
    allowed = ALL_RANKS | {f"sim/{name}.cpp" for name in READERS}
    found = {
        path.relative_to(CPP).as_posix()
        for path in sorted(CPP.rglob("*.?pp"))
        if not path.is_relative_to(CPP / "comm") and GATHERS.search(path.read_text())
    }
    assert found == allowed, [relative(CPP / name) for name in found ^ allowed]
