# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What release_info and release_manifests return of small releases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._capability.cluster_options import ClusterOptions
from ansible_collections.capability.openshift.plugins.module_utils._extract.release_info import (
    ReleaseInfoOptions,
    ResourceQuery,
    release_info_spec,
    run_release_info,
)
from ansible_collections.capability.openshift.plugins.module_utils._extract.release_manifests import (
    ReleaseManifestsOptions,
    release_manifests_spec,
    run_release_manifests,
)
from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import ReleaseOptions
from ansible_collections.capability.openshift.plugins.module_utils._problems import CapabilityError, Problems
from ansible_collections.capability.openshift.plugins.module_utils._release_image.release_source import ReleaseSource
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    IMAGES,
    documents,
    manifest,
    write_release,
)

NOTHING = ClusterOptions(capabilities={"baseline_capability_set": "None"})
IMAGE = "registry.example/release@sha256:12"


def request(name: str, provider: str) -> str:
    api, more = "cloudcredential.openshift.io/v1", f"spec: {{providerSpec: {{kind: {provider}}}}}\n"
    return manifest(name, kind="CredentialsRequest", api=api, namespace="x", more=more)


FILES = {
    "0000_10_a.yaml": documents(manifest("a", more=f"data: {{image: {IMAGES['cli']}}}\n"), manifest("b", "Console")),
    "0000_20_s.yaml": manifest("s", kind="Secret", namespace="x"),
    "0000_30_d.yaml": manifest("d", annotations={DELETE: "true"}),
    "0000_40_r.yaml": documents(request("aws", "AWSProviderSpec"), request("gcp", "GCPProviderSpec")),
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "4.20.3", FILES)


def options_of(release: Path, image: str | None = None) -> ReleaseOptions:
    return ReleaseOptions(str(release), None, image, "", ReleaseSource())


def manifests(
    release: Path, problems: Problems | None = None, *, check_mode: bool = False, diff_mode: bool = False, **given: Any
) -> dict[str, Any]:
    usual = {name: option.get("default") for name, option in release_manifests_spec().items()}
    own = {name: {**usual, **given}[name] for name in ReleaseManifestsOptions._fields[2:]}
    options = ReleaseManifestsOptions(options_of(release), given.get("cluster", NOTHING), **own)
    reported = Problems() if problems is None else problems
    return run_release_manifests(options, reported, check_mode=check_mode, diff_mode=diff_mode)


def test_manifests_are_counted_and_nothing_is_written_without_dest(release: Path) -> None:
    result = manifests(release)
    counts = {name: result[name] for name in ("changed", "version", "included", "deletions", "excluded")}
    assert counts == {"changed": False, "version": "4.20.3", "included": 5, "deletions": 1, "excluded": 1}
    assert result["enabled_capabilities"] == ["Ingress"]  # of every self-managed cluster
    assert "Console" in result["known_capabilities"]
    assert result.keys().isdisjoint({"decisions", "images", "credentials_requests", "diff"})
    more = manifests(release, cluster=ClusterOptions(capabilities={"baseline_capability_set": "vCurrent"}))
    assert (more["included"], more["excluded"]) == (6, 0)
    assert "Console" in more["enabled_capabilities"]


def test_each_option_adds_its_key_to_the_result(release: Path) -> None:
    result = manifests(release, decisions=True, images=True)
    decided = {item["name"]: (item["included"], item["deletes"]) for item in result["decisions"]}
    assert (decided["a"], decided["b"], decided["d"]) == ((True, False), (False, False), (True, True))
    assert [item["rule"] for item in result["decisions"] if not item["included"] for item in item["reasons"]]
    found = {kind: [item["name"] for item in items] for kind, items in result["images"].items()}
    assert found == {"included": ["cli"], "excluded": [], "unreferenced": ["console"]}


def test_included_manifests_are_written_once_and_a_secret_for_its_owner(release: Path, tmp_path: Path) -> None:
    dest = tmp_path / "dest"
    check = manifests(release, dest=str(dest), check_mode=True, diff_mode=True)
    assert (check["changed"], dest.exists(), bool(check["diff"])) == (True, False, True)
    assert manifests(release, dest=str(dest))["changed"]
    written = {path.name: path for path in dest.iterdir() if path.suffix == ".yaml"}
    assert written.keys() == {"0000_10_a.yaml", "0000_20_s.yaml", "0000_40_r.yaml"}
    assert "Console" not in written["0000_10_a.yaml"].read_text()
    assert written["0000_20_s.yaml"].stat().st_mode & 0o077 == 0
    again = manifests(release, dest=str(dest), diff_mode=True)
    assert (again["changed"], again["diff"]) == (False, [])


def test_only_credentials_requests_of_a_platform_can_be_written(release: Path, tmp_path: Path) -> None:
    def names(**given: Any) -> list[str]:
        return [item["name"] for item in manifests(release, credentials_requests=True, **given)["credentials_requests"]]

    assert (names(), names(platform="gcp")) == (["aws", "gcp"], ["gcp"])
    manifests(release, credentials_requests=True, platform="aws", dest=str(tmp_path / "dest"))
    text = (tmp_path / "dest" / "0000_40_r.yaml").read_text()
    assert ("AWSProviderSpec" in text, "GCPProviderSpec" in text) == (True, False)
    assert not (tmp_path / "dest" / "0000_10_a.yaml").exists()


def test_a_platform_that_needs_no_credentials_leaves_out_all_requests(release: Path, tmp_path: Path) -> None:
    manifests(release, platform="none", dest=str(tmp_path / "dest"))
    written = {path.name for path in (tmp_path / "dest").glob("*.yaml")}
    assert written == {"0000_10_a.yaml", "0000_20_s.yaml"}


def test_an_empty_destination_is_an_error(release: Path, tmp_path: Path) -> None:
    with pytest.raises(CapabilityError) as error:
        manifests(release, dest=str(tmp_path / "dest"), credentials_requests=True, platform="azure", cluster=NOTHING)
    (found,) = (item for item in error.value.problems if item.severity == "error")
    assert (found.code, str(found.where)) == ("nothing-included", "dest")
    assert found.message == "would be left empty: none of the requested CredentialsRequests is included"
    assert found.hint == "Check platform and the enabled capabilities, or omit dest"
    assert not (tmp_path / "dest").exists()


def test_files_of_one_name_in_both_directories_are_an_error(tmp_path: Path) -> None:
    path = write_release(tmp_path / "r", {"0000_10_a.yaml": manifest("a")}, cvo={"0000_10_a.yaml": manifest("b")})
    with pytest.raises(CapabilityError) as error:
        manifests(path, dest=str(tmp_path / "dest"))
    assert [item.code for item in error.value.problems if item.severity == "error"] == ["duplicate-file"]


def info(release: Path, image: str | None = None, **given: Any) -> tuple[dict[str, Any], Problems]:
    options = {
        "images": False,
        "query": ResourceQuery(),
        "previous_release": None,
        "previous_capabilities": None,
        **given,
    }
    problems = Problems()
    return run_release_info(ReleaseInfoOptions(options_of(release, image), NOTHING, **options), problems), problems


def test_the_image_of_a_directory_is_the_one_that_is_named(release: Path) -> None:
    result, _problems = info(release, IMAGE, images=True)
    found = result["release"]
    assert (result["changed"], found["version"]) == (False, "4.20.3")
    assert (found["digest"], found["pull_spec"], found["signed_by"]) == ("sha256:12", IMAGE, [])
    assert [found[name] for name in ("architecture", "source")] == [None] * 2
    assert [item["name"] for item in found["images"]] == ["cli", "console"]
    without, _problems = info(release)
    assert (without["release"]["digest"], without["release"]["pull_spec"]) == (None, None)
    assert "images" not in without["release"]
    assert "changes" not in without


def test_a_release_is_compared_with_another_for_the_cluster(release: Path, tmp_path: Path) -> None:
    admin = "subjects: [{kind: ServiceAccount, name: s, namespace: x}]\n"
    admin += "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\n"
    binding = manifest("admin", kind="ClusterRoleBinding", api="rbac.authorization.k8s.io/v1", more=admin)
    console = manifest("new-console", "Console")
    files = {**FILES, "0000_50_n.yaml": documents(manifest("new"), console, binding)}
    new = write_release(tmp_path / "4.20.4", files, "4.20.4")
    result, problems = info(new, previous_release=str(release))
    changes = result["changes"]
    assert [item["name"] for item in changes["manifests"]["added"]] == ["new", "admin"]
    assert changes["previous_version"] == "4.20.3"
    assert (changes["accounts"]["do_everything"]["added"], problems.has_errors) == (["x/s"], False)
    _result, problems = info(new, previous_capabilities={"excluded_capabilities": ["Ingress"]})
    found = [str(item.where) for item in problems if item.code == "ineffective-exclusion"]
    assert found == ["previous_capabilities.excluded_capabilities"]


def test_the_options_are_those_of_the_module() -> None:
    params = {name: option.get("default") for name, option in release_info_spec().items()}
    options = ReleaseInfoOptions.from_params({**params, "release": "/r", "images": True, "previous_release": "/o"})
    assert (options.release.release, options.images, options.previous_release) == ("/r", True, "/o")
    params = {name: option.get("default") for name, option in release_manifests_spec().items()}
    given = ReleaseManifestsOptions.from_params({**params, "release": "/r", "dest": "/d"})
    assert given[2:] == ("/d", False, None, False, False)


def test_a_release_that_only_deletes_leaves_an_empty_destination(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", {"a.yaml": manifest("gone", annotations={DELETE: "true"})})
    with pytest.raises(CapabilityError) as error:
        manifests(release, dest=str(tmp_path / "dest"))
    assert [item.code for item in error.value.problems if item.severity == "error"] == ["nothing-included"]
