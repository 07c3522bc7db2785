# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of the checkout that a tool writes, and that the gate compares."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from environment import ROOT

BEGIN, END = "<!-- begin generated -->\n", "<!-- end generated -->\n"
"""The lines around the part of a page that a tool writes."""


class GeneratedError(Exception):
    """A file cannot be generated; the message says why."""


def with_part(page: Path, content: str) -> str:
    """Return the text of a page with another content in its generated part. Raises ``GeneratedError``."""
    before, _begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _old, end, after = rest.partition(END)
    if not end:
        raise GeneratedError(f"{page.relative_to(ROOT)} has no generated part between {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n{content}\n{END}{after}"


def draw(source: str) -> str:
    """Return a drawing in the language of Graphviz as SVG. Raises ``GeneratedError``."""
    try:
        done = subprocess.run(["dot", "-Tsvg"], input=source, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise GeneratedError("dot is missing; install graphviz (Debian: apt-get install graphviz)") from None
    if done.returncode or done.stderr:
        raise GeneratedError(f"dot: {done.stderr.strip()}, in a drawing that begins with {source[:80]!r}")
    return done.stdout


def write_or_compare(texts: Mapping[Path, str]) -> int:
    """Write files or, with the argument --check, print those that are not current. Return the exit status."""
    if "--check" not in sys.argv[1:]:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    outdated = [path for path, text in texts.items() if not path.exists() or not same(path, text)]
    tool = Path(sys.argv[0]).name
    for path in outdated:
        print(f"{path.relative_to(ROOT)} is not current. Run .venv/bin/python tools/{tool}", file=sys.stderr)
    return int(bool(outdated))


def same(path: Path, text: str) -> bool:
    """Whether a file has a text; of a picture, whether it has the same nodes, edges and labels.

    Their places depend on the version of Graphviz, and on the fonts of the machine.
    """
    now = path.read_text(encoding="utf-8")
    return labels(now) == labels(text) if path.suffix == ".svg" else now == text


def labels(svg: str) -> list[str]:
    """Return the texts of a picture, with the names of its nodes and edges, in the order of the alphabet."""
    return sorted(re.findall(r">([^<>\n]+)<", re.sub(r"(?s)<!--.*?-->", "", svg)))
