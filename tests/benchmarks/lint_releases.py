#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the lint on real releases: its time, its errors, and how many forgotten annotations it finds.

    .venv/bin/python tests/benchmarks/lint_releases.py [TRIALS]    every folder of $CAPABILITY_RELEASES

TRIALS annotations, 150 by default, are taken away from each release, one at a time. 150 need about a minute for each
release. Every annotation that is not found against the previous release is printed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ansible_collections.capability.openshift.plugins.module_utils._lint.source import read_source
from ansible_collections.capability.openshift.tests.unit.builders.lint_trials import Trial, errors, trials


def main() -> int:
    """Print a line for each release."""
    root = os.environ.get("CAPABILITY_RELEASES")
    if not root:
        print("set CAPABILITY_RELEASES to a folder of extracted releases", file=sys.stderr)
        return 2
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    print("release  load s  lint s     errors     trials  deletions      alone  against the previous release")
    for folder in sorted(path for path in Path(root).iterdir() if (path / "release-manifests").is_dir()):
        measure(folder, number)
    return 0


def measure(folder: Path, number: int) -> None:
    """Print the figures of one release."""
    began = time.process_time()
    source = read_source(str(folder), None)
    loaded = time.process_time()
    known = errors(source)
    linted = time.process_time()
    tried = list(trials(source, number))
    alone, against = sum(bool(trial.alone) for trial in tried), sum(bool(trial.against) for trial in tried)
    deletions = sum(trial.manifest.deletes for trial in tried)
    counted = "  ".join(f"{figure:>9}" for figure in (len(known), len(tried), deletions, _of(alone, tried), against))
    print(f"{folder.name:7}  {loaded - began:6.2f}  {linted - loaded:6.2f}  {counted}", flush=True)
    for trial in tried:
        if not trial.against:
            print(f"    not found: {trial.manifest.resource_id} in {trial.manifest.file}", flush=True)


def _of(found: int, tried: Sequence[Trial]) -> str:
    return f"{found} ({found / len(tried):.0%})"


if __name__ == "__main__":
    sys.exit(main())
