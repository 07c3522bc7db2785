# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the table of the fields of an install-config from the CRDs that the installer generates from its Go types.

Usage: install_config_fields.py CRD...

Each CRD is openshift/installer:data/data/install.openshift.io_installconfigs.yaml at another commit. The table has the
fields of all of them. Then change the commits and the last minor in the file.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections import defaultdict
from pathlib import Path
from typing import Any

import yaml
from environment import ROOT

TABLE = ROOT / "plugins" / "module_utils" / "_data" / "install_config_fields.py"
ALIASES = re.compile(r"(controlPlane|arbiter|platform\.\w+\.defaultMachinePlatform)(\.|$)")
"""Their types are those of other rows."""
CHECKED_ELSEWHERE = ("capabilities", "metadata", "platform")


def add(schema: dict[str, Any], path: str, rows: dict[str, set[str]]) -> None:
    """Add a row for each object below ``path`` that is not free-form."""
    if schema.get("type") == "array":
        add(schema["items"], path, rows)
    elif schema.get("type") == "object" and not schema.keys() & {"additionalProperties"}:
        properties = schema.get("properties", {})
        rows[path] |= set(properties)
        for name, child in properties.items():
            add(child, f"{path}.{name}".lstrip("."), rows)


def main() -> None:
    """Write the table."""
    rows: dict[str, set[str]] = defaultdict(set)
    for name in sys.argv[1:]:
        crd = yaml.load(Path(name).read_text(encoding="utf-8"), yaml.CSafeLoader)
        add(crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"], "", rows)
    lines = [
        textwrap.fill(f"{path}: {' '.join(sorted(names))}", 120, subsequent_indent="  ", break_long_words=False)
        for path, names in sorted(rows.items())
        if path not in CHECKED_ELSEWHERE and not ALIASES.match(path)
    ]
    text = TABLE.read_text(encoding="utf-8")
    table = "\n".join(lines)
    TABLE.write_text(re.sub(r'(?s)(_TABLE = """\\\n).*?(""")', rf"\g<1>{table}\n\g<2>", text), encoding="utf-8")


if __name__ == "__main__":
    main()
