# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings of a whole release, and the options of a lint."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._lint.lint import LintOptions, lint
from ansible_collections.capability.openshift.plugins.module_utils._lint.source import LintSource, read_source
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Problem,
    Problems,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    cluster_version_crd,
    image_references,
    manifest,
    write_files,
    write_release,
)


def source(path, version: str | None = None) -> LintSource:
    return read_source(str(path), version)


def rejected(checked: LintSource, previous: LintSource | None, options: LintOptions) -> tuple[Problem, ...]:
    """The problems of options that a lint rejects."""
    with pytest.raises(InvalidOptionError) as caught:
        lint(checked, previous, options, Problems())
    return caught.value.problems


def test_a_capability_without_manifests(tmp_path):
    definition = yaml.safe_dump(yaml.safe_load(cluster_version_crd(["Console", "Storage"])))
    release = write_release(tmp_path, {"a.yaml": manifest("one", "Console"), "b.yaml": definition}, "4.20.1")
    found = lint(source(release), None, LintOptions(), Problems())
    (unused,) = [item for item in found if item.code == "unused-capability"]
    assert (unused.severity, unused.where.field) == ("warning", "Storage")
    lines = (release / "release-manifests" / "b.yaml").read_text().splitlines()
    assert (unused.where.source, lines[unused.where.line - 1].strip()) == ("release-manifests/b.yaml", "- Storage")


@pytest.mark.parametrize(("version", "codes"), [("4.14.1", []), ("4.15.1", ["unused-capability"])])
def test_a_capability_that_every_update_to_the_minor_enables_needs_no_manifest(tmp_path, version, codes):
    files = {"a.yaml": manifest("one"), "b.yaml": cluster_version_crd(["DeploymentConfig"])}
    found = lint(source(write_release(tmp_path, files, version)), None, LintOptions(), Problems())
    assert [item.code for item in found if item.where.field == "DeploymentConfig"] == codes


def test_a_capability_that_vanishes(tmp_path):
    def files(names: list[str]) -> dict[str, str]:
        return {"a.yaml": manifest("one"), "b.yaml": cluster_version_crd(names)}

    old, new = (
        source(write_release(tmp_path / version, files(names), version))
        for version, names in (("4.19.1", ["Console", "Storage"]), ("4.20.1", ["Console", "Disks"]))
    )
    problems = Problems()
    found = lint(new, old, LintOptions(), problems)
    # The definitions of both releases lack most capabilities of their versions.
    assert [item.code for item in problems].count("different-capabilities") == 3
    (finding,) = [item for item in found if item.code == "vanished-capability"]
    assert (finding.severity, finding.where.field, finding.where.source) == (
        "error",
        "Storage",
        "release-manifests/b.yaml",
    )
    assert finding.message == (
        "is a capability of the previous release, but not of this one: the API server rejects every write to a "
        "ClusterVersion that contains it"
    )
    problems = Problems()
    assumed = lint(new, old, LintOptions(known_capabilities=["Storage"]), problems)
    assert "vanished-capability" not in {item.code for item in assumed}
    assert [item.code for item in problems] == ["different-capabilities"]  # of the previous release


def test_the_previous_release_is_not_the_later_one(tmp_path):
    old, new = (
        source(write_release(tmp_path / version, {"a.yaml": manifest("one")}, version))
        for version in ("4.19.1", "4.20.1")
    )
    (problem,) = rejected(old, new, LintOptions())
    assert (problem.code, str(problem.where)) == ("later-release", "previous_release")
    assert problem.message == "is 4.20.1, expected a release that is not later than 4.19.1"


def two_components(folder):
    names, faulty = ("console-operator", "storage"), {DELETE: "yes"}
    files = {f"0000_50_{name}_01.yaml": manifest(name, annotations=faulty) for name in names}
    return source(write_files(folder / "manifests", files), "4.20")


@pytest.mark.parametrize(
    ("components", "found"),
    [([], ["console-operator", "storage"]), (["storage"], ["storage"]), (["storage", "storage"], ["storage"])],
)
def test_only_findings_of_the_given_components_are_returned(components, found, tmp_path):
    findings = lint(two_components(tmp_path), None, LintOptions(components=components), Problems())
    invalid = [item.where.source for item in findings if item.code == "invalid-deletion"]
    assert invalid == [f"0000_50_{name}_01.yaml" for name in found]


def test_an_unknown_component_is_an_error(tmp_path):
    (problem,) = rejected(two_components(tmp_path), None, LintOptions(components=["console"]))
    assert (problem.code, str(problem.where), problem.hint) == (
        "unknown-component",
        "components",
        "Did you mean console-operator?",
    )


def test_without_a_version_the_names_are_not_known(tmp_path):
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one")})
    (problem,) = rejected(source(directory), None, LintOptions())
    assert (problem.code, str(problem.where)) == ("missing-version", "openshift_version")
    (problem,) = rejected(source(directory, "4.20"), source(directory), LintOptions())
    assert (problem.code, str(problem.where)) == ("missing-version", "previous_openshift_version")


@pytest.mark.parametrize(("version", "code"), [("4.99", "unknown-version"), ("4.5", "unsupported-version")])
def test_a_version_that_is_not_known_is_that_of_its_option(tmp_path, version, code):
    images = yaml.safe_dump(image_references("0.0.1", {"cli": "quay.io/cli"}))  # of an operator
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one"), "image-references": images})
    (problem,) = rejected(source(directory, version), None, LintOptions())
    assert (problem.code, str(problem.where)) == (code, "openshift_version")
    (problem,) = rejected(source(directory, "5.0"), source(directory, version), LintOptions())
    assert (problem.code, str(problem.where)) == (code, "previous_openshift_version")
    # The module has no option enabled_capabilities, and the directory of an operator has no ClusterVersion CRD.
    assert not {"enabled_capabilities", "CRD"} & set(problem.hint.split())
