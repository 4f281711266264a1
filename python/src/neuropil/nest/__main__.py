# SPDX-License-Identifier: Apache-2.0
"""`python -m neuropil.nest script.py [arguments]`: runs a script that says `import nest` on neuropil."""

import sys
from pathlib import Path

from ..nest_alias import run

if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    print("usage: python -m neuropil.nest script.py [arguments]", file=sys.stderr)
    sys.exit(2)
if not Path(sys.argv[1]).is_file():
    print(f"neuropil.nest: there is no file {sys.argv[1]}", file=sys.stderr)
    sys.exit(2)
run(sys.argv[1], sys.argv[2:])
