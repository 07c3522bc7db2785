# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""CredentialsRequests and lists of images, on small releases."""

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


def test_the_images_of_a_release(call, tmp_path):
    references = image_references("4.20.3", IMAGES)
    references["spec"]["tags"][0]["annotations"] = {
        "io.openshift.build.commit.id": "0123",
        "io.openshift.build.source-location": "https://git.example/cli",
    }
    release = write_release(tmp_path, IMAGE_FILES, references=references)

    images = call(release_info, release=release, images=True)["release"]["images"]
    assert {image.pop("name"): image for image in images} == {
        "cli": {"pull_spec": IMAGES["cli"], "commit": "0123", "source": "https://git.example/cli"},
        "console": {"pull_spec": IMAGES["console"], "commit": "", "source": ""},
    }
    assert "images" not in call(release_info, release=release)["release"]
