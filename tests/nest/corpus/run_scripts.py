# SPDX-License-Identifier: Apache-2.0
"""A script for NEST that runs other scripts for NEST, one after the other, and prints as JSON what each printed."""

import contextlib
import io
import json
import runpy
import sys
import time
from pathlib import Path

import nest

nest.verbosity = nest.VerbosityLevel.QUIET
found = {}
for path in sys.argv[1:]:
    said, begin = io.StringIO(), time.perf_counter()
    entry = found[Path(path).stem] = {}
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(path, run_name="__main__")
    except Exception as raised:
        entry["raised"] = f"{type(raised).__name__}: {raised}"
    entry |= {"printed": said.getvalue().splitlines(), "seconds": time.perf_counter() - begin}
print(json.dumps({"nest": nest.__version__, "scripts": found}))
