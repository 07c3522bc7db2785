# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""``release_verify`` reports the changes of objects that the CVO reverts, and no others.

``facts/merging.json`` has random changes of objects, and whether the resource builders of the CVO revert them. The
manifests are in ``kinds``, one of each kind, and in real releases. The facts of older minors, whose builders know
fewer kinds, are in other files, for ``kinds`` only. ``make_merges.py`` makes the facts again, also after a change of
these manifests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.injected_config import InjectedConfig
from ansible_collections.capability.openshift.plugins.module_utils._data.version import minor_of
from ansible_collections.capability.openshift.plugins.module_utils._kubernetes.schema import Schema, schema_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release
from ansible_collections.capability.openshift.plugins.module_utils._rollout.desired_object import (
    OwnershipMetadata,
    build_apply_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._verify.compare import (
    CheckedResource,
    as_declared,
    different_fields,
)
from ansible_collections.capability.openshift.tests.parity.make_facts import digest, read
from ansible_collections.capability.openshift.tests.parity.mutations import OWNER, changed, owned
from ansible_collections.capability.openshift.tests.parity.support import (
    FACT_RELEASES,
    load,
    release_facts,
    release_folders,
)

GOLDEN = read("merging.json")
OLDER = tuple(read(f"merging_{minor}.json") for minor in ("4.12", "4.13"))
KINDS = Path(__file__).parent / "kinds"
ADDED_BY_THE_CVO = ("allowPrivilegeEscalation", "backoffLimit", "completionMode", "hostPort", "importMode", "suspend")
"""Defaults that only the CVO adds. An object without them is not different, because that of a rollout lacks them."""


def schemas_of(release: Release) -> dict[tuple[str, str, str], Schema]:
    """The schemas of the first definition of each kind in a release, by group, version and kind."""
    found: dict[tuple[str, str, str], Schema] = {}
    for manifest in release.manifests:
        if manifest.resource_id.kind == "CustomResourceDefinition" and not manifest.deletes:
            spec = release.read_body(manifest)["spec"]
            for version in spec["versions"]:
                schema = Schema(schema_of({"spec": spec}, version["name"]))
                found.setdefault((spec["group"], version["name"], spec["names"]["kind"]), schema)
    return found


def is_reported(schema: Schema, manifest: Manifest, body: dict[str, Any], live: dict[str, Any], minor: str) -> bool:
    """Whether an object with the owner of this cluster is different."""
    ownership = OwnershipMetadata("", str(OWNER["uid"]), InjectedConfig(), is_created=False)
    problems = Problems()
    desired = build_apply_object(
        manifest, body, ownership, "", problems, namespaced=bool(manifest.resource_id.namespace)
    )
    assert not problems.has_errors
    fields = different_fields(manifest, desired, live, minor_of(minor))
    return bool(as_declared(schema, CheckedResource(manifest, fields=fields)).fields)


def is_on_purpose(operations: list[Any]) -> bool:
    """Whether a change only removes what the CVO adds, or is a certificate that an operator replaces."""
    return bool(operations) and all(
        (name == "remove" and path[-1] in ADDED_BY_THE_CVO) or path[-1] == "caBundle"
        for name, path, _value in operations
    )


def check(folder: Path, name: str, facts: Mapping[str, Any] = GOLDEN) -> Counter[tuple[str, bool]]:
    """Compare all answers for the manifests of a folder; return how many changes are reverted, by minor."""
    release = load(folder)
    schemas = schemas_of(release)
    manifests = {(manifest.file, manifest.document): manifest for manifest in release.manifests}
    wrong = []
    seen: Counter[tuple[str, bool]] = Counter()
    for source, file, document, fields, changes in facts["cases"]:
        if source != name:
            continue
        manifest = manifests[file, document]
        kind = (manifest.resource_id.group, manifest.version, manifest.resource_id.kind)
        body = release.read_body(manifest)
        live = changed(owned(body), fields)
        # The API server drops fields that it does not declare. Of built-in kinds, only its OpenAPI document shows them.
        body = changed(body, [item for item in fields if item[0] == "remove"])
        schema = schemas.get(kind, Schema(None))
        for operations, reverted in changes:
            for minor, expected in zip(facts["minors"], reverted, strict=True):
                found = is_reported(schema, manifest, body, changed(live, operations), minor)
                seen[minor, expected] += bool(operations)
                if found != expected and not (expected and is_on_purpose(operations)):
                    wrong.append((minor, file, document, operations, expected))
    assert wrong == []
    return seen


@pytest.mark.parametrize("facts", [GOLDEN, *OLDER], ids=lambda facts: " ".join(facts["minors"]))
def test_changes_of_each_kind_that_the_cvo_reverts_are_reported_and_no_others(facts: Mapping[str, Any]) -> None:
    seen = check(KINDS, "kinds", facts)
    assert min(seen.values()) > 70
    assert len(seen) == 2 * len(facts["minors"])


@pytest.mark.parametrize("folder", release_folders())
def test_changes_of_real_objects_that_the_cvo_reverts_are_reported_and_no_others(folder: Path) -> None:
    sources = {row[0] for row in GOLDEN["cases"]}
    names = [name for name in FACT_RELEASES if release_facts(name).digest == digest(folder) and name in sources]
    if not names:
        pytest.skip(f"facts/merging.json does not have {folder.name}")
    assert min(check(folder, names[0]).values()) > 100
