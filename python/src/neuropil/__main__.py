# SPDX-License-Identifier: Apache-2.0
"""`python -m neuropil` is the command `neuropil`."""

import sys


def main() -> None:
    """Entry point. The command line alone needs typer, so that `import neuropil` does without."""
    from neuropil.base.libraries import needed
    from neuropil.errors import MissingLibrary

    try:
        needed("typer", "cli", "the command line needs")
    except MissingLibrary as error:
        sys.exit(f"neuropil: {error}")
    from neuropil.cli import main as run

    run()


if __name__ == "__main__":
    main()
