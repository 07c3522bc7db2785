#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the lint on real releases: its time, its errors, and how many forgotten annotations it finds.

    .venv/bin/python tests/benchmarks/lint_releases.py [TRIALS]    every folder of $CAPABILITY_RELEASES

TRIALS annotations, 150 by default, are taken away from each release, one at a time.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from ansible_collections.capability.openshift.plugins.module_utils._lint.source import read_source
from ansible_collections.capability.openshift.tests.unit.builders.lint_trials import (
    errors,
    sample,
    without_annotation,
)


def main() -> int:
    """Print a line for each release."""
    root = os.environ.get("CAPABILITY_RELEASES")
    if not root:
        print("set CAPABILITY_RELEASES to a folder of extracted releases", file=sys.stderr)
        return 2
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    print("release  load s  lint s  errors  trials  found alone  found against the previous release")
    for folder in sorted(path for path in Path(root).iterdir() if (path / "release-manifests").is_dir()):
        measure(folder, trials)
    return 0


def measure(folder: Path, trials: int) -> None:
    """Print the figures of one release."""
    began = time.process_time()
    source = read_source(str(folder), None)
    loaded = time.process_time()
    known = errors(source)
    linted = time.process_time()
    alone = against = 0
    chosen = sample(source, trials)
    for manifest in chosen:
        changed = without_annotation(source, manifest)
        alone += bool(errors(changed) - known)
        lost = {finding.resource for finding in errors(changed, source) if finding.rule == "loses-capability"}
        against += str(manifest.resource_id) in lost
    figures = f"{loaded - began:6.2f}  {linted - loaded:6.2f}  {len(known):6}  {trials:6}  {alone:11}  {against:5}"
    print(f"{folder.name:7}  {figures}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
