# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Real releases as a whole: loading them, deciding on them, writing what is included.

They are not part of the collection: CAPABILITY_RELEASES names a folder of extracted releases, of any version.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._capability.inclusion import (
    CapabilityStatus,
    InclusionContext,
    decide_all,
    included_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._capability.resolved_release import resolve_cluster
from ansible_collections.capability.openshift.plugins.module_utils._contents.comparison import ComparedSide, compare
from ansible_collections.capability.openshift.plugins.module_utils._contents.images import list_images
from ansible_collections.capability.openshift.plugins.module_utils._contents.release_summary import summarize_release
from ansible_collections.capability.openshift.plugins.module_utils._extract.release_manifests import (
    included_files,
    selector,
)
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.identity import parse_image_name
from ansible_collections.capability.openshift.plugins.module_utils._mirror_check.image_policy import (
    policies_of,
    read_image_policies,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems
from ansible_collections.capability.openshift.plugins.module_utils._release.credentials_requests import PLATFORMS
from ansible_collections.capability.openshift.plugins.module_utils._release.loader import load_release
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._release_image.verification_config import read_config
from ansible_collections.capability.openshift.tests.parity.make_facts import digest, manifest_files
from ansible_collections.capability.openshift.tests.parity.support import (
    FACT_RELEASES,
    ReleaseFacts,
    comparable,
    load,
    release_facts,
    release_folders,
)

# One worker loads a release once for all of its tests.
folders = pytest.mark.parametrize("folder", release_folders())
NO_FILTER = InclusionContext()


@folders
def test_every_file_is_loaded(folder: Path) -> None:
    problems = Problems()
    loaded = load_release(str(folder), problems)
    left_out = {str(problem.where).partition(" (line ")[0] for problem in problems if "left out" in problem.message}
    assert {path.relative_to(folder).as_posix() for path in manifest_files(folder)} == set(loaded.files) | left_out
    assert not [problem for problem in problems if problem.severity == "error"]
    assert loaded.manifests
    assert loaded.minor is not None


@folders
def test_identities_and_annotations_are_those_of_another_reader(folder: Path) -> None:
    facts = facts_of_folder(folder)
    assert list(map(comparable, load(folder).manifests)) == list(map(comparable, facts.manifests))


@folders
def test_each_filter_alone(folder: Path) -> None:
    """What holds of any release: which manifests one filter can touch, and what a wider setting lets in."""
    manifests = load(folder).manifests
    named = frozenset(name for manifest in manifests for name in manifest.capabilities)
    carriers = {place(manifest) for manifest in manifests if manifest.annotations is not None and manifest.capabilities}
    with_annotations = {place(manifest) for manifest in manifests if manifest.annotations is not None}

    assert included(manifests, NO_FILTER) == with_annotations
    assert included(manifests, with_status(named, named)) == with_annotations
    assert included(manifests, with_status(named, frozenset())) == with_annotations - carriers
    unknown = with_status(frozenset(), frozenset())
    assert included(manifests, unknown) == with_annotations - carriers
    for name in sorted(named):
        without = {place(item) for item in manifests if name in item.capabilities}
        assert included(manifests, with_status(named, named - {name})) == with_annotations - without


@folders
def test_more_capabilities_let_more_in(folder: Path) -> None:
    loaded = load(folder)
    bodies: dict[tuple[str, int], object] = {}

    def body(manifest: Manifest) -> object:
        if place(manifest) not in bodies:
            bodies[place(manifest)] = loaded.read_body(manifest)
        return bodies[place(manifest)]

    def let_in(baseline: str) -> set[tuple[str, int]]:
        options = ClusterOptions(capabilities={"baselineCapabilitySet": baseline}, always_enabled_capabilities=[])
        context, _status = resolve_cluster(options, loaded._replace(read_body=body), Problems())
        return included(loaded.manifests, context)

    none, some, everything = map(let_in, ("None", "v4.11", "vCurrent"))
    assert none < some <= everything


@folders
@pytest.mark.parametrize("baseline", ["None", "vCurrent"])
def test_written_files_hold_what_is_included_byte_for_byte(folder: Path, tmp_path: Path, baseline: str) -> None:
    loaded = load(folder)
    options = ClusterOptions(capabilities={"baselineCapabilitySet": baseline})
    context, _status = resolve_cluster(options, loaded, Problems())
    inclusions = decide_all(loaded.manifests, context)
    files = included_files(loaded, inclusions, lambda _manifest: True)
    assert 0 < len(files) < len(loaded.files)
    for name, data in files.items():
        (file,) = (item for item in loaded.files if item.rpartition("/")[2] == name)
        source = (folder / file).read_bytes()
        if b"{{" in source:
            source = loaded.read_file(file)  # as rendered
        assert is_cut_from(data, source), file
        (tmp_path / name).write_bytes(data)

    again = load_release(str(tmp_path), Problems(), openshift_version=loaded.version)
    assert again.minor == loaded.minor
    expected = [item.manifest for item in inclusions if item.included]
    assert sorted(map(content, again.manifests)) == sorted(map(content, expected))
    # The order inside a file counts, and the files stand in one directory now.
    by_name = sorted(expected, key=lambda item: item.file.rpartition("/")[2])
    assert list(map(content, again.manifests)) == list(map(content, by_name))
    assert all(decision.included for decision in decide_all(again.manifests, context))


@folders
def test_no_written_manifest_deletes_its_resource(folder: Path, tmp_path: Path) -> None:
    loaded = load(folder)
    context, _status = resolve_cluster(ClusterOptions(), loaded, Problems())
    inclusions = decide_all(loaded.manifests, context)
    for name, data in included_files(loaded, inclusions, selector(loaded)).items():
        (tmp_path / name).write_bytes(data)

    written = load_release(str(tmp_path), Problems(), openshift_version=loaded.version).manifests
    applied = [item.manifest for item in inclusions if item.included and not item.manifest.deletes]
    assert sorted(map(content, written)) == sorted(map(content, applied))


@folders
def test_each_credentials_request_goes_to_its_platform(folder: Path) -> None:
    """A YAML library decides again, on the text of whole files, which platform a request is for."""
    loaded = load(folder)
    context, _status = resolve_cluster(ClusterOptions(), loaded, Problems())
    inclusions = decide_all(loaded.manifests, context)

    def written(**options: Any) -> set[tuple[str, str]]:
        select = selector(loaded, only_credentials_requests=True, **options)
        texts = included_files(loaded, inclusions, select).values()
        bodies = [body for text in texts for body in yaml.safe_load_all(text) if body]
        assert {body["kind"] for body in bodies} <= {"CredentialsRequest"}
        return {(body["metadata"]["name"], body["spec"]["providerSpec"]["kind"]) for body in bodies}

    by_platform = {platform: written(platform=platform) for platform in PLATFORMS}
    assert set().union(*by_platform.values()) == {item for item in written() if item[1] != "Metal3ProviderSpec"}
    for platform, spec in {"aws": "AWSProviderSpec", "azure": "AzureProviderSpec", "gcp": "GCPProviderSpec"}.items():
        assert {kind for _name, kind in by_platform[platform]} == {spec}
        assert len(by_platform[platform]) > 4
    assert by_platform["powervc"] == by_platform["openstack"]


@folders
def test_every_image_of_a_release_is_in_one_list(folder: Path) -> None:
    """Only image-references has pull specs of the stored releases, so those in manifests have no name."""
    loaded = load(folder)
    context, _status = resolve_cluster(ClusterOptions(), loaded, Problems())
    lists = list_images(loaded, decide_all(loaded.manifests, context))
    found = [image.pull_spec for part in lists for image in part]
    assert len(found) == len(set(found))
    assert set(loaded.images.values()) <= set(found)
    included = {image.pull_spec for image in lists.included}
    names = ("console-operator", "cluster-ingress-operator", "cluster-monitoring-operator")
    assert all(any(name in pull_spec for pull_spec in included) for name in names)


@folders
def test_a_release_has_no_changes_from_itself(folder: Path) -> None:
    loaded = load(folder)
    manifests, status = loaded.manifests, CapabilityStatus(frozenset(), frozenset())
    # Of the same object, nothing would be read.
    before, side = (ComparedSide(release, status, manifests, "image") for release in (loaded, loaded._replace()))
    changes = compare(before, side, Problems())
    assert changes["manifests"].pop("before") == changes["manifests"].pop("after")
    assert not any((*changes["images"].values(), *changes["manifests"].values(), changes["credentials_requests"]))
    assert {tag.name: tag.pull_spec for tag in side.release.image_stream.tags} == loaded.images
    assert sum(1 for tag in side.release.image_stream.tags if tag.commit and tag.source.startswith("https://")) > 100


@folders
def test_the_counts_of_a_capability_are_those_of_the_decisions(folder: Path) -> None:
    release = load(folder)
    summary = summarize_release(release, ClusterOptions(), Problems())
    context, _status = resolve_cluster(ClusterOptions(), release, Problems())
    names = Counter(name for item in included_manifests(release.manifests, context) for name in set(item.capabilities))
    assert {name: item["manifests"] for name, item in summary["capabilities"].items() if item["manifests"]} == names


def facts_of_folder(folder: Path) -> ReleaseFacts:
    found = digest(folder)
    for release in FACT_RELEASES:
        if release_facts(release).digest == found:
            return release_facts(release)
    pytest.skip(f"no facts are committed of {folder.name}; tests/parity/make_facts.py makes them where golden data is")


def included(manifests: Iterable[Manifest], facts: InclusionContext) -> set[tuple[str, int]]:
    return {place(item.manifest) for item in decide_all(manifests, facts) if item.included}


def with_status(known: frozenset[str], enabled: frozenset[str]) -> InclusionContext:
    return InclusionContext(capability_status=CapabilityStatus(known, enabled))


def place(manifest: Manifest) -> tuple[str, int]:
    return manifest.file, manifest.document


def content(manifest: Manifest) -> str:
    return f"{manifest.resource_id!r} {manifest.version} {manifest.annotations}"


def is_cut_from(data: bytes, source: bytes) -> bool:
    """Return whether ``data`` is ``source`` without some of its documents; pieces begin at separator lines."""
    at = 0
    for piece in re.split(rb"(?m)^(?=---)", source):
        if data.startswith(piece, at):
            at += len(piece)
    return at == len(data)


@folders
def test_a_release_has_key_rings_and_stores_and_policies_that_can_be_read(folder: Path) -> None:
    release = load(folder)
    manifests = [
        (manifest.file, release.read_body(manifest))
        for manifest in release.manifests
        if manifest.resource_id.kind in ("ConfigMap", "ClusterImagePolicy")
    ]
    problems = Problems()
    config = read_config(release.shown_version, manifests, problems)
    assert config
    assert [ring.name for ring in config.key_rings] == ["verifier-public-key-redhat"]
    assert [urlsplit(url).hostname for url in config.stores] == ["storage.googleapis.com", "mirror.openshift.com"]
    image = parse_image_name(f"quay.io/openshift-release-dev/ocp-release@sha256:{'a' * 64}")
    assert image
    policies = policies_of(image, read_image_policies(manifests, problems))
    assert bool(policies) == (release.minor is not None and release.minor >= (4, 17))
    assert problems == []
