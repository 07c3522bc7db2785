# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs a program of ``tests/parity/go`` in a checkout of the component whose code it calls."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ansible_collections.capability.openshift.tests.parity.make_facts import FACTS

_PROGRAMS = FACTS.parent / "go"


def run_in_checkout(
    name: str,
    checkout: Path,
    given: object,
    *,
    package: str = "cmd/parity",
    files: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    """Return what the program answers to ``given``, both as JSON. It is copied into ``checkout``, and removed.

    ``package``: where it is copied to, because Go restricts who imports an internal package. ``files``: the text of
    more files of the program, by name. Raises ``subprocess.CalledProcessError``.
    """
    copy = checkout / package
    shutil.copytree(_PROGRAMS / name, copy)
    try:
        for file, text in files.items():
            (copy / file).write_text(text, encoding="utf-8")
        command = ["go", "run", "-trimpath", f"./{package}"]  # with the cache of another checkout
        done = subprocess.run(
            command, cwd=checkout, input=json.dumps(given), capture_output=True, text=True, check=True
        )
    finally:
        shutil.rmtree(copy)
    return json.loads(done.stdout)
