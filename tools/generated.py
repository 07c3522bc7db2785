# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of the checkout that a tool writes, and that the gate compares."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from environment import ROOT


def write_or_compare(texts: Mapping[Path, str]) -> int:
    """Write files or, with the argument --check, print those that are not current. Return the exit status."""
    if "--check" not in sys.argv[1:]:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    outdated = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    tool = Path(sys.argv[0]).name
    for path in outdated:
        print(f"{path.relative_to(ROOT)} is not current. Run .venv/bin/python tools/{tool}", file=sys.stderr)
    return int(bool(outdated))
