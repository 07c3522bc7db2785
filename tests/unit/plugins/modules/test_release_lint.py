# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What release_lint returns. Its rules are tested in ``module_utils/_lint``."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.modules import release_lint
from ansible_collections.capability.openshift.tests.unit.builders.images import release_image, write_oci_archive
from ansible_collections.capability.openshift.tests.unit.builders.releases import manifest, write_files, write_release


def test_a_finding_fails_the_module_and_has_everything(call, tmp_path):
    directory = write_files(tmp_path / "manifests", {"a.yaml": manifest("one", "Consle")})
    options = {"release": directory, "openshift_version": "4.20", "outputs": [f"json:{directory}/lint.json"]}
    assert call(release_lint, **options).failed
    outcome = call(release_lint, **options)
    assert (outcome.failed, outcome["changed"]) == (True, False)
    (finding,) = outcome["findings"]
    assert finding["resource"] == "ConfigMap one"
    assert finding["hint"] == "Did you mean Console?"
    assert (outcome["version"], outcome["manifests"]) == ("4.20", 1)


def test_manifests_of_other_components_do_not_count(call, tmp_path):
    files = {f"0000_50_{name}_a.yaml": manifest(name) for name in ("one", "two")}
    outcome = call(release_lint, release=write_files(tmp_path, files), openshift_version="4.20", components=["one"])
    assert (outcome["manifests"], outcome["text"]) == (1, "No findings in 1 manifest; no update was checked\n")


def test_files_of_the_previous_release_that_cannot_be_read_are_counted(call, tmp_path):
    good = {"a.yaml": manifest("one")}
    options = {"openshift_version": "4.20", "previous_openshift_version": "4.19"}
    old, new = write_files(tmp_path / "old", {**good, "b.yaml": "a: ["}), write_files(tmp_path / "new", good)
    outcome = call(release_lint, release=new, previous_release=old, **options)
    assert outcome["text"].endswith("; 1 file of the previous release was not checked completely\n")


def test_a_release_without_the_manifests_of_the_cvo(call, tmp_path):
    files, cvo = {"a.yaml": manifest("one")}, {"b.yaml": manifest("two")}
    old = write_release(tmp_path / "old", files, "4.19.1", cvo=cvo)
    new = write_release(tmp_path / "new", files, "4.20.1")
    (new / "manifests").rmdir()
    outcome = call(release_lint, release=new, previous_release=old)
    assert "left-behind" not in {item["rule"] for item in outcome["findings"]}
    assert outcome["text"].endswith("; the CVO's own manifests were not checked\n")


def test_a_checkout_returns_its_manifests(call, tmp_path):
    checkout = tmp_path / "checkout"
    write_files(checkout / "manifests", {"a.yaml": manifest("one", "Console")})
    write_files(checkout / "bindata", {"b.yaml": "<<<<<<< HEAD\n"})
    outcome = call(release_lint, checkout=checkout, openshift_version="4.20")
    assert not outcome.failed
    (row,) = outcome["resources"]
    assert (row["file"], row["capabilities"], row["changes"]) == ("manifests/a.yaml", ["Console"], [])
    assert (outcome["removed"], outcome["manifests"]) == ([], 1)
    assert outcome["text"].endswith("1 note in 1 manifest; 1 file was not checked completely; no update was checked\n")


@pytest.mark.parametrize(
    ("directories", "listed"), [({}, ["one"]), ({"operand_directories": ["assets"]}, ["one", "two"])]
)
def test_manifests_that_an_operator_applies_are_listed_and_not_checked(directories, listed, call, tmp_path):
    files = {"manifests/a.yaml": manifest("one", "Console"), "assets/b.yaml": manifest("two", "Consle")}
    for name, text in files.items():
        write_files((tmp_path / name).parent, {Path(name).name: text})
    outcome = call(release_lint, checkout=tmp_path, openshift_version="4.20", **directories)

    assert [row["name"] for row in outcome["resources"]] == listed
    assert outcome["findings"] == []


def test_either_a_release_or_a_checkout(call, tmp_path):
    write_files(tmp_path, {"a.yaml": manifest("one")})
    needs_checkout = {"base": "main", "manifest_directories": ["a"], "operand_directories": ["a"]}
    needed = [{"release": tmp_path, name: value} for name, value in needs_checkout.items()]
    for options in ({}, {"release": tmp_path, "checkout": tmp_path}, *needed):
        assert call(release_lint, openshift_version="4.20", **options).failed
    one = {"release": tmp_path, "openshift_version": "4.20", "previous_openshift_version": "4"}
    assert call(release_lint, **one).failed
    (problem,) = call(release_lint, **one, previous_release=tmp_path)["problems"]
    assert (problem["code"], problem["where"]) == ("invalid-version", "previous_openshift_version")


RELEASES = Path(__file__).parents[4] / "examples" / "releases"


OLD, NEW = RELEASES / "4.21.0", RELEASES / "4.22.0"


@pytest.fixture
def lint(call, tmp_path):
    def lint(**options):
        return call(
            release_lint, **{"fail_on": "never", "signature": "ignore", "release_cache": tmp_path / "cache", **options}
        )

    return lint


@pytest.fixture(scope="module")
def layout(tmp_path_factory):
    images = {"old": release_image(OLD), "new": release_image(NEW)}
    return write_oci_archive(tmp_path_factory.mktemp("layout") / "layout.tar", images)


def result(outcome):
    return {name: value for name, value in outcome.result.items() if name != "invocation"}


def test_images_have_the_findings_of_their_directories(lint, layout):
    from_images = lint(release=f"oci-archive:{layout}:new", previous_release=f"oci-archive:{layout}:old")
    from_directories = lint(release=NEW, previous_release=OLD)

    assert result(from_images) == result(from_directories)
    assert from_images["findings"], "the comparison shows nothing"
    assert lint(release=f"oci-archive:{layout}:new")["findings"] != from_images["findings"]


@pytest.mark.parametrize("option", ["release", "previous_release"])
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("oci-archive:", "invalid-path"),
        ("oci-archive:{}.none:new", "unreadable-image"),
        ("oci-archive:{}:other", "image-not-found"),
    ],
)
def test_an_image_that_cannot_be_read_names_its_option(lint, layout, option, name, code):
    outcome = lint(**{"release": NEW, option: name.format(layout)})

    assert [fault[0] for fault in outcome.faults] == [code]


def test_an_empty_name_is_not_the_current_directory(lint, tmp_path, monkeypatch):
    monkeypatch.chdir(write_files(tmp_path / "manifests", {"a.yaml": manifest("one")}))

    assert lint(release="", openshift_version="4.20").faults == [("empty-option", "release")]
