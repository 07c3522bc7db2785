# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A dry run of release 1.0.0."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://forge.example/capability/openshift"
TARBALL = "capability-openshift-1.0.0.tar.gz"
WHEEL = "capability_openshift-1.0.0-py3-none-any.whl"
BUNDLE = "capability-openshift-1.0.0-offline"
SIGNATURE = "MANIFEST.json.asc"


class Release(NamedTuple):
    """What the tool wrote, and the folder with the keys."""

    folder: Path
    keys: Path
    status: tuple[str, str]


def run(*command: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command, from the checkout."""
    return subprocess.run(
        [*map(str, command)], cwd=ROOT, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )


def prepare(*options: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the tool."""
    return run(sys.executable, "tools/release.py", *options, env=env)
