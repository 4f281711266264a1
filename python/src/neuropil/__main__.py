# SPDX-License-Identifier: Apache-2.0
"""`python -m neuropil` is the command `neuropil`."""

from neuropil.cli import main

if __name__ == "__main__":
    main()
