#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the check of add-ons: CPU time beyond loading the release, and memory of the process.

    .venv/bin/python tests/benchmarks/check_addons.py RELEASE

The directory has 500 files, of which 100 define a kind with a schema of 30 KB. The catalogs have 100 MB.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.capability.openshift.plugins.module_utils._addons.run import check_addons
from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.tests.unit.builders.addons import (
    LINK,
    ONLY_OLM,
    OPTIONS,
    catalog_bundle,
    csv,
    own_definition,
    thing,
)

FILES, DEFINITIONS = 500, 100
MEGABYTES = 100
MOST_SECONDS, MOST_MEGABYTES = 1.0, 200
_FIELDS = {f"field{at}": {"type": "string", "description": "What it is for, in a sentence. " * 4} for at in range(200)}
_METADATA = {"type": "olm.csv.metadata", "value": {"description": "What it is for, in a sentence. " * 600}}


def main() -> int:
    """Print a line for each add-on, or measure the one that the command line names."""
    release, *addon = sys.argv[1:]
    if addon:
        one(release, *addon)
        return 0
    print(f"\nChecking add-ons against {Path(release).name}, CPU beyond the release")
    print(f"  {'':<24} {'objects':>9} {'CPU s':>7} {'MB':>5}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_directory(folder / "directory")
        for form in ("json", "yaml"):
            write_catalog(folder / f"catalog.{form}", form, embedded=True)
            write_catalog(folder / f"metadata.{form}", form, embedded=False)
        failed = False
        one_run = [sys.executable, __file__, release]
        subprocess.run([*one_run, str(folder / "directory"), name], check=True, capture_output=True)  # writes the index
        for path in sorted(folder.iterdir()):
            if path.stem in ("directory", "catalog", "metadata"):
                done = subprocess.run([*one_run, str(path), name], check=True, capture_output=True, text=True)
                objects, seconds, megabytes = done.stdout.split()
                print(f"  {path.name:<24} {objects:>9} {float(seconds):>7.2f} {megabytes:>5}")
                failed |= int(megabytes) > MOST_MEGABYTES
                failed |= path.stem == "directory" and float(seconds) > MOST_SECONDS
    return int(failed)


def one(release: str, addon: str, index: str) -> None:
    """Print the number of objects, the CPU seconds and the megabytes of one check."""
    loaded = load_release(release, Problems(), index_directory=index)
    begun = time.process_time()
    result = check_addons([addon], loaded, ClusterOptions(capabilities=ONLY_OLM), OPTIONS, Problems())
    spent = time.process_time() - begun
    print(result.objects, spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def write_directory(folder: Path) -> None:
    """Write the files of a GitOps directory."""
    folder.mkdir()
    for at in range(FILES):
        body: Any = thing("ConfigMap", f"map-{at}", "fresh", data={"text": "some text\n" * 40})
        if at < DEFINITIONS:
            body = own_definition(f"Kind{at}")
            schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": _FIELDS}}}
            body["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
        elif at % 5 == 0:
            rule = {"apiGroups": ["console.openshift.io"], "resources": ["consolelinks"], "verbs": ["get"]}
            body = thing("ClusterRole", f"role-{at}", api="rbac.authorization.k8s.io/v1", rules=[rule] * 10)
        elif at % 5 == 1:
            body = {**LINK, "metadata": {"name": f"link-{at}"}}
        (folder / f"{at:03}.yaml").write_text(yaml.dump(body, Dumper=yaml.CSafeDumper), "utf-8")


def write_catalog(path: Path, form: str, *, embedded: bool) -> None:
    """Write a catalog whose bundles have their objects, or only metadata."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for bundle in bundles(embedded=embedded):
            is_json = form == "json"
            text = (
                json.dumps(bundle, indent=4) + "\n" if is_json else "---\n" + yaml.dump(bundle, Dumper=yaml.CSafeDumper)
            )
            written += file.write(text)
            if written > MEGABYTES * 10**6:
                return


def bundles(*, embedded: bool) -> Iterator[dict[str, Any]]:
    """Yield bundles without end."""
    definition = own_definition()
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = _FIELDS
    number = 0
    while True:
        name = f"widgets.v{number}"
        yield (
            catalog_bundle(name, csv(name), LINK, definition)
            if embedded
            else catalog_bundle(name, properties=[_METADATA])
        )
        number += 1


if __name__ == "__main__":
    sys.exit(main())
