# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""CredentialsRequests, lists of images, and the changes between two releases, on small releases."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    IMAGES,
    documents,
    image_references,
    manifest,
    tree,
    write_release,
)

API = "cloudcredential.openshift.io/v1"


def request(name: str, kind: str, capability: str = "CloudCredential", *, accounts=(), secret="creds", **spec: Any):
    """Return a CredentialsRequest as YAML."""
    content = {
        "providerSpec": {"apiVersion": API, "kind": kind, **spec},
        "secretRef": {"namespace": "openshift-x", "name": secret},
        "serviceAccountNames": list(accounts),
    }
    return manifest(name, capability, kind="CredentialsRequest", api=API, more=f"spec: {json.dumps(content)}\n")


def statement(*actions: str, **more: Any) -> dict[str, Any]:
    return {"effect": "Allow", "action": list(actions), "resource": "*", **more}


FILES = {
    "0000_10_a.yaml": manifest("config"),
    "0000_20_b.yaml": request("aws", "AWSProviderSpec", accounts=["one"], statementEntries=[statement("s3:Get")]),
    "0000_30_c.yaml": documents(
        request("many-aws", "AWSProviderSpec", "CloudCredential+Storage"),
        request("many-gcp", "GCPProviderSpec", "CloudCredential+Storage"),
    ),
    "0000_40_d.yaml": manifest("gone", kind="CredentialsRequest", api=API, annotations={DELETE: "true"}),
}


def names(outcome):
    return [item["name"] for item in outcome["credentials_requests"]]


def test_the_requests_of_one_platform(call, tmp_path):
    release = write_release(tmp_path / "release", FILES)
    dest = tmp_path / "dest"

    outcome = call(release_manifests, release=release, dest=dest, credentials_requests=True, platform="aws")

    assert names(outcome) == ["aws", "many-aws"]
    assert outcome["credentials_requests"][0] == {
        "file": "release-manifests/0000_20_b.yaml",
        "namespace": "",
        "name": "aws",
        "capabilities": ["CloudCredential"],
        "platform": "aws",
        "secret_namespace": "openshift-x",
        "secret_name": "creds",
        "service_accounts": ["one"],
        "permissions": ["Allow s3:Get on *"],
    }
    written = tree(dest)
    assert sorted(written) == [".capability-openshift-files", "0000_20_b.yaml", "0000_30_c.yaml"]
    assert "many-gcp" not in str(written["0000_30_c.yaml"])
    assert (
        call(release_manifests, release=release, dest=dest, credentials_requests=True, platform="aws")["changed"]
        is False
    )


def test_a_platform_without_only_its_requests(call, tmp_path):
    dest = tmp_path / "dest"
    outcome = call(release_manifests, release=write_release(tmp_path / "release", FILES), dest=dest, platform="gcp")
    assert "credentials_requests" not in outcome.result
    assert sorted(tree(dest)) == [".capability-openshift-files", "0000_10_a.yaml", "0000_30_c.yaml"]


STREAM = f"spec: {{tags: [{{name: latest, from: {{kind: DockerImage, name: '{IMAGES['cli']}'}}}}]}}\n"
TAGS = {**IMAGES, "unused": "registry.example/unused@sha256:3333", "gone": "registry.example/gone@sha256:4444"}


def pod(image: str) -> str:
    return f"spec: {{template: {{spec: {{containers: [{{image: '{image}'}}]}}}}}}\n"


IMAGE_FILES = {
    "0000_10_stream.yaml": manifest("cli", kind="ImageStream", api="image.openshift.io/v1", more=STREAM),
    "0000_20_console.yaml": manifest(
        "console", "Console", kind="Deployment", api="apps/v1", more=pod(IMAGES["console"])
    ),
    "0000_30_both.yaml": manifest("both", "Console", more=f"data: {{args: '--cli={IMAGES['cli']}'}}\n"),
    "0000_40_other.yaml": manifest("other", kind="Deployment", api="apps/v1", more=pod("else.example/app:1")),
    "0000_50_gone.yaml": manifest(
        "gone", kind="Deployment", api="apps/v1", annotations={DELETE: "true"}, more=pod(TAGS["gone"])
    ),
}


@pytest.mark.parametrize(
    ("capabilities", "included", "excluded"),
    [([], ["", "cli"], ["console"]), (["Console"], ["", "cli", "console"], [])],
)
def test_the_images_of_a_selection(call, tmp_path, capabilities, included, excluded):
    release = write_release(tmp_path, IMAGE_FILES, references=image_references("4.20.3", TAGS))
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": capabilities}

    images = call(release_manifests, release=release, images=True, capabilities=selection)["images"]

    assert {field: [image["name"] for image in images[field]] for field in images} == {
        "included": included,
        "excluded": excluded,
        "unreferenced": ["gone", "unused"],
    }
    assert images["included"][0]["pull_spec"] == "else.example/app:1"


def test_the_release_image_is_needed(call, tmp_path):
    cvo = {"0000_00_cvo.yaml": manifest("cvo", kind="Deployment", api="apps/v1", more=pod("{{.ReleaseImage}}"))}
    release = write_release(tmp_path, IMAGE_FILES, cvo=cvo)
    needed = {"name": "", "pull_spec": "reg.example/ocp@sha256:5555"}

    known = call(release_manifests, release=release, images=True, release_image=needed["pull_spec"])
    unknown = call(release_manifests, release=release, images=True)

    assert needed in known["images"]["included"]
    assert "<unset>" not in json.dumps(unknown["images"])


OLD = {
    "0000_10_same.yaml": manifest("same", more=f"data: {{image: '{IMAGES['cli']}', version: 4.18.9}}\n"),
    "0000_20_changed.yaml": manifest("changed", more="data: {a: 1}\n"),
    "0000_30_removed.yaml": manifest("removed"),
    "0000_40_deleted.yaml": manifest("deleted"),
    "0000_50_hosted.yaml": manifest("hosted", profile="hypershift", more="data: {a: 1}\n"),
    "0000_60_aws.yaml": request(
        "aws", "AWSProviderSpec", accounts=["one", "two"], statementEntries=[statement("s3:Get", "s3:Old")]
    ),
    "0000_61_comment.yaml": request("comment", "AWSProviderSpec"),
    "0000_62_removed.yaml": request("removed", "GCPProviderSpec", permissions=["a"]),
}
NEW_TAGS = {"cli": "registry.example/cli@sha256:9999", "new": "registry.example/new@sha256:1234"}
NEW = {
    "0000_10_same.yaml": manifest("same", more=f"data: {{image: '{NEW_TAGS['cli']}', version: 4.20.3}}\n"),
    "0000_20_changed.yaml": manifest("changed", more="data: {a: 2}\n"),
    "0000_40_deleted.yaml": manifest("deleted", annotations={DELETE: "true"}),
    "0000_50_hosted.yaml": manifest("hosted", profile="hypershift", more="data: {a: 2}\n"),
    "0000_60_aws.yaml": request(
        "aws",
        "AWSProviderSpec",
        accounts=["two", "three"],
        secret="new",
        statementEntries=[statement("s3:Get", "s3:New")],
    ),
    "0000_61_comment.yaml": request("comment", "AWSProviderSpec") + "# new\n",
    "0000_70_added.yaml": manifest("added", "Console"),
    "0000_71_added.yaml": request("added", "VSphereProviderSpec"),
}


def references(version: str, tags):
    made = image_references(version, tags)
    made["spec"]["tags"][0]["annotations"] = {
        "io.openshift.build.commit.id": f"commit of {version}",
        "io.openshift.build.source-location": "https://git.example/cli",
    }
    return made


@pytest.fixture
def both(tmp_path):
    old = write_release(tmp_path / "old", OLD, "4.18.9", references=references("4.18.9", IMAGES))
    new = write_release(tmp_path / "new", NEW, references=references("4.20.3", NEW_TAGS))
    return {"release": new, "previous_release": old}


def test_the_images_of_a_release(call, both):
    found = call(release_info, release=both["release"], images=True)["release"]
    assert found["images"] == [
        {
            "name": "cli",
            "pull_spec": NEW_TAGS["cli"],
            "commit": "commit of 4.20.3",
            "source": "https://git.example/cli",
        },
        {"name": "new", "pull_spec": NEW_TAGS["new"], "commit": "", "source": ""},
    ]
    without = call(release_info, release=both["previous_release"])["release"]
    assert "images" not in without


def test_what_changes_between_two_releases(call, both):
    changes = call(release_info, **both)["changes"]

    assert changes["previous_version"] == "4.18.9"
    assert {field: [item["name"] for item in found] for field, found in changes["images"].items()} == {
        "added": ["new"],
        "removed": ["console"],
        "changed": ["cli"],
    }
    assert changes["images"]["changed"][0]["before"] == {
        "pull_spec": IMAGES["cli"],
        "commit": "commit of 4.18.9",
        "source": "https://git.example/cli",
    }
    manifests = changes["manifests"]
    assert (manifests.pop("before"), manifests.pop("after")) == (7, 6)
    found = {field: [(item["kind"], item["name"]) for item in items] for field, items in manifests.items()}
    assert found == {
        "added": [("ConfigMap", "added"), ("CredentialsRequest", "added")],
        "removed": [("ConfigMap", "removed"), ("ConfigMap", "deleted"), ("CredentialsRequest", "removed")],
        "deleted": [("ConfigMap", "deleted")],
        "changed": [("ConfigMap", "changed"), ("CredentialsRequest", "aws")],
    }


@pytest.mark.parametrize(
    ("options", "known", "enabled"),
    [
        ({}, ["OperatorLifecycleManagerV1"], ["OperatorLifecycleManagerV1"]),
        ({"known_capabilities": ["Console"], "enabled_capabilities": []}, [], []),
        ({"capabilities": {"baselineCapabilitySet": "None"}}, ["OperatorLifecycleManagerV1"], []),
    ],
)
def test_the_changes_have_the_capabilities_that_only_one_release_has(call, both, options, known, enabled):
    changes = call(release_info, **both, **options)["changes"]
    found = [call(release_info, release=release, **options)["release"] for release in both.values()]
    new, old = ({key: set(side[f"{key}_capabilities"]) for key in ("known", "enabled")} for side in found)
    for key in ("known", "enabled"):
        assert changes[f"{key}_capabilities"] == {
            "added": sorted(new[key] - old[key]),
            "removed": sorted(old[key] - new[key]),
        }
