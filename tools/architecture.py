#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Draw the pictures of docs/images with Graphviz: the packages from their imports, and all others from *.dot.

Usage: .venv/bin/python tools/architecture.py [--check]    --check: change nothing, end with 1 if one is not current.
"""

from __future__ import annotations

import re
import subprocess
import sys

from environment import CACHE, NAME, NAMESPACE, ROOT, tool_environment

IMAGES = ROOT / "docs" / "images"
PACKAGES = f"ansible_collections.{NAMESPACE}.{NAME}.plugins.module_utils"
STYLE = """\
  node [shape=box, style="rounded,filled", fillcolor="#eef4fb", color="#5b7ea8", fontname="sans-serif", fontsize=12]
  edge [color="#888899"]"""


def main() -> int:
    """Draw the pictures, or compare them."""
    sources = {path.with_suffix(".svg"): path.read_text("utf-8") for path in IMAGES.glob("*.dot")}
    sources[IMAGES / "architecture.svg"] = packages()
    outdated = []
    for path, source in sources.items():
        picture = run("dot", "-Tsvg", text=source)
        if "--check" not in sys.argv[1:]:
            path.write_text(picture, encoding="utf-8")
        elif labels(picture) != labels(path.read_text("utf-8")):
            outdated.append(path)
    for path in outdated:
        print(f"{path.relative_to(ROOT)} is not current. Run .venv/bin/python tools/architecture.py", file=sys.stderr)
    return int(bool(outdated))


def packages() -> str:
    """Return the packages and their imports in the language of Graphviz, without arrows that follow from two others."""
    graph = run("tred", text=run("import-linter", "drawgraph", PACKAGES))
    lines = [line for line in graph.splitlines() if '"' in line]
    return "\n".join(["digraph {", STYLE, *(re.sub(r'"\.(\w+)/?"', r'"\1"', line) for line in lines), "}"])


def run(*command: str, text: str = "") -> str:
    """Return what a program prints for a text. import-linter writes its cache to the directory in which it runs."""
    env = tool_environment()
    return subprocess.run(command, cwd=CACHE, env=env, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def labels(svg: str) -> list[str]:
    """Return the nodes, edges and labels of a picture: their places depend on the version and fonts of Graphviz."""
    return sorted(re.findall(r">([^<>\n]+)<", re.sub(r"(?s)<!--.*?-->", "", svg)))


if __name__ == "__main__":
    sys.exit(main())
