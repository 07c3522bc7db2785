# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The facts in ``facts/`` (see ``make_facts.py``) as the collection's own types, and where real releases are."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    Override,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.inclusion_rules import (
    CAPABILITY_ANNOTATION,
    inclusion_rules,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor, minor_of
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.directory import RELEASE_MANIFESTS
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import (
    Manifest,
    manifest_from_object,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.release import Release, release_of_version
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId

from .make_facts import DIRECTORIES, FACTS, compact

RELEASES_VARIABLE = "CAPABILITY_RELEASES"
HOW_TO = f"set {RELEASES_VARIABLE} to a folder of extracted releases (`oc adm release extract`)"
SYNTHETIC = "synthetic-decisions"
UPDATES, SYNTHETIC_UPDATES = "updates", "synthetic-updates"
OWN_CVO = "own-cvo"
CLUSTER_VERSIONS = "cluster-versions"
FACT_RELEASES = tuple(sorted(path.stem for path in FACTS.glob("*.json") if path.stem[0].isdigit()))


@dataclass(frozen=True)
class Scenario:
    """A question to the real CVO code and its answer: the first message of each manifest, "" where it is in."""

    release: str
    inputs: Mapping[str, Any]
    messages: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.release}-{self.inputs['scenario']}"

    @property
    def minor(self) -> Minor:
        return minor_of(self.release)

    @property
    def facts(self) -> InclusionContext:
        inputs = self.inputs
        gates = inputs["gates"]
        return InclusionContext(
            cluster_profile=inputs["profile"],
            feature_set=inputs["featureSet"],
            feature_gates=None if gates is None else frozenset(gates),
            exclude_identifier=inputs["excludeIdentifier"],
            capability_status=CapabilityStatus(frozenset(inputs["known"]), frozenset(inputs["enabled"])),
            overrides=overrides(inputs["overrides"]),
        )


@dataclass(frozen=True)
class ReleaseFacts:
    """What is committed of a release."""

    digest: str
    manifests: tuple[Manifest, ...]
    scenarios: tuple[Scenario, ...]


@cache
def release_facts(release: str) -> ReleaseFacts:
    data = json.loads((FACTS / f"{release}.json").read_bytes())
    annotations = [dict(data["pairs"][at] for at in pairs) for pairs in data["annotations"]]
    manifests = []
    for directory in DIRECTORIES:
        for file, rows in data[directory].items():
            for document, kind_at, namespace_at, name, at in rows:
                api_version, kind = data["kinds"][kind_at]
                group, _slash, version = api_version.rpartition("/")
                resource = ResourceId(group, kind, data["namespaces"][namespace_at], name)
                known = None if at is None else annotations[at]
                manifests.append(Manifest(resource, version, known, f"{directory}/{file}", document))
    scenarios = tuple(_scenario(release, item, len(manifests)) for item in data["scenarios"])
    return ReleaseFacts(data["digest"], tuple(manifests), scenarios)


def _scenario(release: str, item: dict[str, Any], count: int) -> Scenario:
    messages = [""] * count
    for message, runs in item.pop("excluded").items():
        for first, last in runs:
            messages[first : last + 1] = [message] * (last + 1 - first)
    return Scenario(release, item, tuple(messages))


def all_scenarios() -> tuple[Scenario, ...]:
    return tuple(scenario for release in FACT_RELEASES for scenario in release_facts(release).scenarios)


@cache
def synthetic_settings() -> tuple[tuple[InclusionContext, tuple[tuple[Manifest, str], ...]], ...]:
    """Return each synthetic setting with its manifests and their first messages."""
    data = json.loads((FACTS / f"{SYNTHETIC}.json").read_bytes())
    values = (value for key, value in data["pairs"] if key == CAPABILITY_ANNOTATION)
    names = frozenset(name for value in values for name in value.split("+"))
    settings = []
    for setting in data["settings"]:
        answers = []
        for number, (kind_at, namespace, name, pairs, message) in enumerate(setting["manifests"], 1):
            obj = _synthetic_object(data, kind_at, namespace, name, pairs)
            answers.append((_synthetic_manifest(obj, number), data["messages"][message]))
        settings.append((_synthetic_facts(setting["config"], names), tuple(answers)))
    return tuple(settings)


@dataclass(frozen=True)
class OwnAnswer:
    """A setting, and the first message of the CVO of ``minor`` to each of the same manifests, "" where it is in."""

    minor: Minor
    inputs: Mapping[str, Any]
    status: CapabilityStatus
    manifests: tuple[Manifest, ...]
    messages: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.minor}-{self.inputs['name']}"

    @property
    def context(self) -> InclusionContext:
        """The setting under the rules of the minor. Gates and major version are given; only some CVOs read them."""
        return InclusionContext(
            cluster_profile=self.inputs["profile"],
            feature_set=self.inputs["featureSet"],
            feature_gates=frozenset(),
            exclude_identifier="",
            major_version=self.minor.major,
            capability_status=self.status,
            rules=inclusion_rules(self.minor),
        )


@cache
def own_answers() -> tuple[OwnAnswer, ...]:
    data = json.loads((FACTS / f"{OWN_CVO}.json").read_bytes())
    manifests = tuple(
        _synthetic_manifest(_synthetic_object(data, *row), number) for number, row in enumerate(data["manifests"], 1)
    )
    return tuple(
        OwnAnswer(
            minor_of(item["minor"]),
            item["inputs"],
            CapabilityStatus(frozenset(item["known"]), frozenset(item["enabled"])),
            manifests,
            tuple(data["messages"][at] for at in item["messages"]),
        )
        for item in data["answers"]
    )


@dataclass(frozen=True)
class SyntheticUpdate:
    """Two made-up releases and what the real CVO code calls implicitly enabled, that of before included."""

    config: Mapping[str, Any]
    current: tuple[dict[str, Any], ...]
    update: tuple[dict[str, Any], ...]
    implicit: tuple[str, ...]

    @property
    def facts(self) -> InclusionContext:
        return _synthetic_facts(dict(self.config))

    @property
    def enabled(self) -> frozenset[str]:
        return frozenset(self.config["enabled"])

    def manifests(self, side: tuple[dict[str, Any], ...]) -> tuple[Manifest, ...]:
        return tuple(_synthetic_manifest(obj, number) for number, obj in enumerate(side, 1))


@cache
def synthetic_updates() -> tuple[SyntheticUpdate, ...]:
    data = json.loads((FACTS / f"{SYNTHETIC_UPDATES}.json").read_bytes())
    return tuple(
        SyntheticUpdate(
            case["config"],
            tuple(_synthetic_object(data, *row) for row in case["current"]),
            tuple(_synthetic_object(data, *row) for row in case["update"]),
            tuple(case["implicit"]),
        )
        for case in data["cases"]
    )


def _synthetic_object(
    data: dict[str, Any], kind_at: int, namespace: str | None, name: str, pairs: list[int] | None
) -> dict[str, Any]:
    api_version, kind = data["kinds"][kind_at]
    metadata: dict[str, Any] = {"name": name}
    if namespace is not None:
        metadata["namespace"] = namespace
    if pairs is not None:
        metadata["annotations"] = dict(data["pairs"][at] for at in pairs)
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def _synthetic_manifest(obj: dict[str, Any], number: int) -> Manifest:
    manifest = manifest_from_object(obj, "synthetic.yaml", number, Problems())
    assert manifest is not None
    return manifest


@dataclass(frozen=True)
class Update:
    """An update between releases of the facts and what the real CVO code enables implicitly."""

    inputs: Mapping[str, Any]

    def __str__(self) -> str:
        start, end = self.path
        return "-".join((start, end, self.inputs["baseline"], *self.inputs["additional"]))

    @property
    def path(self) -> tuple[str, str]:
        return self.inputs["frm"], self.inputs["to"]


@cache
def updates() -> tuple[Update, ...]:
    return tuple(map(Update, json.loads((FACTS / f"{UPDATES}.json").read_bytes())["cases"]))


@cache
def fact_release(release: str) -> Release:
    """Return a release of the facts, whose manifests have empty bodies."""
    return release_of_version(minor_of(release))._replace(
        path=release, version=f"{release}.0", manifests=release_facts(release).manifests, read_body=lambda _manifest: {}
    )


def _synthetic_facts(config: dict[str, Any], names: frozenset[str] = frozenset()) -> InclusionContext:
    """The context of ``config``. If it allows unknown names, which no cluster does, the CVO knows ``names``."""
    known, enabled, implicit = (frozenset(config[name] or ()) for name in ("known", "enabled", "implicit"))
    if config["allowUnknown"]:
        known |= names
    return InclusionContext(
        cluster_profile=config["profile"],
        feature_set=config["featureSet"],
        feature_gates=None if config["gates"] is None else frozenset(config["gates"]),
        exclude_identifier=config["exclude"],
        major_version=config["major"],
        capability_status=None if config["capsNil"] else CapabilityStatus(known, enabled, implicit),
        overrides=overrides(config["overrides"]),
    )


def cluster_versions() -> tuple[dict[str, Any], ...]:
    """Return real ClusterVersion objects, cut down to what they say of capabilities."""
    return tuple(json.loads((FACTS / f"{CLUSTER_VERSIONS}.json").read_bytes())["objects"])


def overrides(given: list[dict[str, Any]]) -> tuple[Override, ...]:
    return tuple(Override(**item) for item in given or ())


def comparable(manifest: Manifest) -> tuple[object, ...]:
    """Return a manifest as the facts have it: prose in annotations as its digest."""
    annotations = None if manifest.annotations is None else dict(compact(dict(manifest.annotations)))
    return manifest.file, manifest.document, manifest.resource_id, manifest.version, annotations


def release_folders() -> list[Any]:
    """Return the folders of real releases, as parameters of a test; one that is skipped where there are none."""
    root = os.environ.get(RELEASES_VARIABLE)
    if not root:
        return [_skipped(f"no real releases: {HOW_TO}")]
    if not os.path.isdir(root):
        return [_skipped(f"{RELEASES_VARIABLE}={root} is no folder: {HOW_TO}")]
    folders = [path for path in sorted(Path(root).iterdir()) if (path / RELEASE_MANIFESTS).is_dir()]
    if not folders:
        return [_skipped(f"no folder in {RELEASES_VARIABLE}={root} has {RELEASE_MANIFESTS}/: {HOW_TO}")]
    return [pytest.param(path, id=path.name) for path in folders]


def _skipped(reason: str) -> Any:
    return pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))


@cache
def load(folder: Path) -> Release:
    """Load a release once for all tests."""
    return load_release(str(folder), Problems())


def options_of(inputs: Mapping[str, Any], gates: Sequence[str]) -> ClusterOptions:
    """Return the options of a cluster with these inputs of a decision. The facts are those of the CVO alone."""
    return ClusterOptions(
        capabilities={
            "baselineCapabilitySet": inputs["baseline"],
            "additionalEnabledCapabilities": inputs["additional"],
        },
        cluster_profile=inputs["profile"],
        feature_set=inputs["featureSet"],
        feature_gates=gates,
        exclude_identifier=inputs.get("excludeIdentifier") or "",
        overrides=inputs.get("overrides", []),
        always_enabled_capabilities=[],
        hosted_control_plane=False,  # whatever HyperShift does before
    )
