# SPDX-License-Identifier: Apache-2.0
"""Builds the site into out/docs: pages of docs/ and generated pages go to out/docs-source, which Sphinx reads.

Run: ./run docs [--quick] [--links]; --quick leaves out pictures, tutorials and gallery, for a look at the pages.
--links then asks other sites whether the pages that are linked exist.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tools.site import api, commands, gallery, links, models, pages

ROOT = Path(__file__).resolve().parents[2]


def stage(source: Path, quick: bool) -> None:
    """Writes all pages that Sphinx reads. A page that has not changed keeps its time, so that it is not built again."""
    texts = pages.with_notebooks(pages.of_docs())
    texts |= models.pages(source / "reference" / "models", not quick)
    texts |= commands.pages()
    texts |= api.pages()
    texts |= gallery.pages(source / "gallery", not quick)
    pages.write(texts, source)


def quiet_kernels(folder: Path) -> str:
    """A folder of settings for IPython: those of the user do not count, and kernels tell errors only."""
    profile = folder / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n")
    return str(folder)


def sphinx(builder: str, source: Path, target: Path, quick: bool, *options: str) -> int:
    """Runs Sphinx. Returns its exit status."""
    command = [sys.executable, "-m", "sphinx", "-b", builder, "-q", "-d", str(target.parent / "docs-trees"), *options]
    command += ["-D", "nb_execution_mode=off"] if quick else []
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}  # notebooks draw into the page
    environment["IPYTHONDIR"] = quiet_kernels(target.parent / "docs-ipython")
    return subprocess.run([*command, str(source), str(target)], check=False, env=environment).returncode


def check_links(source: Path, target: Path, quick: bool) -> int:
    """Prints links to other sites that lead nowhere or could not be checked. Returns 1 for the former."""
    report = target.parent / "docs-links"
    sphinx("linkcheck", source, report, quick, "-Q")  # what it finds is told below
    gone, unsure = links.judged(report / "output.json")
    print(
        "\n".join([*(f"not checked: {link}" for link in unsure), *(f"leads nowhere: {link}" for link in gone)])
        or "all links lead to a page"
    )
    return 1 if gone else 0


def main() -> int:
    """Stages the pages, then runs Sphinx, whose warnings are errors. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="./run docs", description="Build the site into out/docs.")
    parser.add_argument("--quick", action="store_true", help="without pictures, tutorials and gallery")
    parser.add_argument("--links", action="store_true", help="then check links to other sites; needs the network")
    parser.add_argument("--output", type=Path, default=ROOT / "out" / "docs", help="folder for the site")
    options = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    target = options.output.resolve()
    source = target.parent / "docs-source"
    stage(source, options.quick)
    status = sphinx("html", source, target, options.quick, "-W", "--keep-going")
    print(f"the site is in {target}: open {target / 'index.html'}" if status == 0 else "the site was not built without warnings")
    if options.links:
        status = check_links(source, target, options.quick) or status
    return status


if __name__ == "__main__":
    sys.exit(main())
