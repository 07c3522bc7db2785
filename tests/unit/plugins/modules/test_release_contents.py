# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""CredentialsRequests, lists of images, and the changes between two releases, on small releases."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._contents.images import image_finder
from ansible_collections.capability.openshift.plugins.module_utils._release.credentials_requests import (
    PLATFORMS,
    credentials_request,
)
from ansible_collections.capability.openshift.plugins.module_utils._release.manifest import Manifest
from ansible_collections.capability.openshift.plugins.module_utils._resources import ResourceId
from ansible_collections.capability.openshift.plugins.modules import release_info, release_manifests
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    IMAGES,
    documents,
    image_references,
    manifest,
    tree,
    write_files,
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


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {
                "statementEntries": [
                    statement("s3:Get", "s3:Put"),
                    statement("kms:X", policyCondition={"Bool": {"a": 1}}),
                ]
            },
            ['Allow kms:X on * if {"Bool": {"a": 1}}', "Allow s3:Get on *", "Allow s3:Put on *"],
        ),
        (
            {"predefinedRoles": ["roles/viewer"], "permissions": ["storage.get"], "skipServiceCheck": True},
            ["permission storage.get", "role roles/viewer", "skipServiceCheck=true"],
        ),
        (
            {"roleBindings": [{"role": "Contributor"}], "permissions": ["a/read"], "dataPermissions": ["b/read"]},
            ["data permission b/read", "permission a/read", "role Contributor"],
        ),
        (
            {"policies": [{"attributes": [{"name": "t", "value": "1"}, {"name": "s", "value": "2"}], "roles": ["r"]}]},
            ["role r on s=2,t=1"],
        ),
        ({"permissions": [{"privileges": ["Host.Config", "VM.Read"]}]}, ["privilege Host.Config", "privilege VM.Read"]),
        ({}, []),
        ({"statementEntries": "x", "policies": [1], "permissions": None, "new": [1]}, ["new=[1]"]),
    ],
    ids=["aws", "gcp", "azure", "ibmcloud", "vsphere", "none", "odd"],
)
def test_the_permissions_of_each_platform(spec, expected):
    found = Manifest(ResourceId(API, "CredentialsRequest", "", "x"), "v1", {}, "file.yaml")
    assert sorted(credentials_request(found, {"spec": {"providerSpec": spec}}).permissions) == expected


@pytest.mark.parametrize("body", [None, [], {"spec": None}, {"spec": {"providerSpec": [], "serviceAccountNames": 1}}])
def test_a_request_without_fields(body):
    found = Manifest(ResourceId(API, "CredentialsRequest", "", "x"), "v1", {}, "file.yaml")
    assert credentials_request(found, body)[1:] == ("", "", "", (), frozenset())


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


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"credentials_requests": True}, ["aws", "many-aws", "many-gcp"]),
        ({"credentials_requests": True, "platform": "gcp"}, ["many-gcp"]),
        ({"credentials_requests": True, "deletions": "keep"}, ["aws", "many-aws", "many-gcp", "gone"]),
        ({"credentials_requests": True, "platform": "gcp", "capabilities": {"excluded_capabilities": ["Storage"]}}, []),
    ],
)
def test_which_requests_are_returned(call, tmp_path, options, expected):
    assert names(call(release_manifests, release=write_release(tmp_path, FILES), **options)) == expected


def test_a_platform_without_only_its_requests(call, tmp_path):
    dest = tmp_path / "dest"
    outcome = call(release_manifests, release=write_release(tmp_path / "release", FILES), dest=dest, platform="gcp")
    assert "credentials_requests" not in outcome.result
    assert sorted(tree(dest)) == [".capability-openshift-files", "0000_10_a.yaml", "0000_30_c.yaml"]


def test_no_request_is_included(call, tmp_path):
    release = write_release(tmp_path / "release", FILES)
    options = {"credentials_requests": True, "platform": "vsphere", "dest": tmp_path / "dest"}
    outcome = call(release_manifests, release=release, **options)
    assert outcome.faults == [("nothing-included", "dest")]
    assert not (tmp_path / "dest").exists()


def test_an_unknown_platform(call, tmp_path):
    outcome = call(release_manifests, release=tmp_path, platform="none")
    assert ", ".join(PLATFORMS) in outcome.message


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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"image: reg/a@sha256:1", ["reg/a@sha256:1"]),
        (b"--image=reg/a@sha256:1, 'reg/a@sha256:12'", ["reg/a@sha256:1", "reg/a@sha256:12"]),
        (b"reg/a@sha256:123 xreg/a@sha256:1 reg/a@sha256:1/b", []),
        (b"", []),
    ],
)
def test_pull_specs_are_whole_words(text, found):
    assert list(image_finder(["reg/a@sha256:1", "reg/a@sha256:12", ""])(text)) == found
    assert list(image_finder([])(text)) == []


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


def test_a_release_without_image_references(call, tmp_path):
    flat = write_files(tmp_path / "flat", {"0000_10_a.yaml": manifest()})
    outcome = call(release_info, release=flat, openshift_version="4.20", images=True)
    assert outcome["release"]["images"] == []


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


def test_what_changes_in_permissions(call, both):
    changes = call(release_info, **both)["changes"]["credentials_requests"]
    found = {item["name"]: item for item in changes}
    assert list(found) == ["removed", "added", "aws"]
    assert found["aws"] == {
        "namespace": "",
        "name": "aws",
        "platform": "aws",
        "permissions": {"added": ["Allow s3:New on *"], "removed": ["Allow s3:Old on *"]},
        "service_accounts": {"added": ["three"], "removed": ["one"]},
        "secret": {"before": "openshift-x/creds", "after": "openshift-x/new"},
    }
    assert found["removed"]["permissions"] == {"added": [], "removed": ["permission a"]}
    assert found["removed"]["secret"] == {"before": "openshift-x/creds", "after": None}
    assert found["added"]["secret"] == {"before": None, "after": "openshift-x/creds"}


def test_the_changes_are_those_of_the_cluster(call, both):
    selection = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": []}
    changes = call(release_info, **both, capabilities=selection)["changes"]
    assert changes["manifests"]["added"] == []
    assert changes["credentials_requests"] == []
    assert [item["name"] for item in changes["manifests"]["changed"]] == ["changed"]


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


def test_nothing_changes(call, both):
    changes = call(release_info, release=both["release"], previous_release=both["release"])["changes"]
    assert not any(changes["images"].values())
    manifests = changes["manifests"]
    assert manifests.pop("before") == manifests.pop("after")
    assert not any(manifests.values())
    assert changes["credentials_requests"] == []


def test_the_other_release_cannot_be_read(call, both, tmp_path):
    outcome = call(release_info, release=both["release"], previous_release=tmp_path / "missing")
    assert outcome.faults == [("missing-directory", str(tmp_path / "missing"))]
