# SPDX-License-Identifier: Apache-2.0
"""Contacts of segments with bsb-native (GPL-3: run in an environment of its own, never imported by neuropil). Needs numpy and bsb-native only.

python bench/peers/bsb_contacts.py SEGMENTS.npz CONTACTS.npz CONTACT_UM REPEATS: writes the pairs, prints JSON.
"""

import json
import sys
import time

import bsb_native
import numpy as np


def main(given: str, output: str, contact: float, repeats: int) -> None:
    with np.load(given) as file:
        data = {name: np.ascontiguousarray(values) for name, values in file.items()}
    cells = np.arange(len(data["morphology"]), dtype=np.int64)
    library = [data[name] for name in ("begin", "end", "radius", "section", "segment", "offsets")]
    placed = (data["rotation"], data["position"], cells)
    dendrites = data["morphology"] + len(data["offsets"]) // 2  # the second half of the library
    seconds = []
    for _ in range(repeats):
        clock = time.perf_counter()
        pre, post = bsb_native.connect_segments(*library, data["morphology"], *placed, dendrites, *placed, contact)
        seconds.append(time.perf_counter() - clock)
    np.savez(output, pre=pre, post=post)
    print(json.dumps({"seconds": seconds, "contacts": len(pre)}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4]))
