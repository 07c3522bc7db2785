# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checkout of an operator: its manifests, what a branch changes, and the findings in them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data.capabilities import newest_minor
from ansible_collections.capability.openshift.plugins.module_utils._lint.checkout import OperatorCheckout, read_checkout
from ansible_collections.capability.openshift.plugins.module_utils._lint.lint import LintOptions, lint_checkout
from ansible_collections.capability.openshift.plugins.module_utils._lint.resource_table import resource_rows
from ansible_collections.capability.openshift.plugins.module_utils._lint.source import read_source
from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Problem,
    Problems,
)
from ansible_collections.capability.openshift.tests.unit.builders.operators import (
    HOSTED,
    RBAC,
    cluster_api,
    commit,
    git,
    marketplace,
    write_operator,
    write_repository,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import (
    DELETE,
    FEATURE_GATE,
    FEATURE_SET,
    PROFILE,
    documents,
    manifest,
    write_release,
)

Read = Callable[..., tuple[OperatorCheckout, Problems]]


def read(path: Path, version: str | None = "4.20", **options: Any) -> tuple[OperatorCheckout, Problems]:
    problems = Problems()
    folders = options.get("manifests"), options.get("operands")
    checkout = read_checkout(str(path), version, *folders, options.get("base"), None, problems)
    return checkout, problems


def findings(path: Path, release: Path | None = None, version: str | None = "4.20", **options: Any) -> list[Problem]:
    checkout, problems = read(path, version, **options)
    released = read_source(str(release), None) if release else None
    return list(lint_checkout(checkout, released, LintOptions(components=options.get("components", ())), problems))


def brief(found: list[Problem]) -> list[tuple[str, str, str]]:
    return sorted((item.code, item.severity, item.where.source) for item in found)


def codes(problems: Problems) -> list[str]:
    return [item.code for item in problems]


def changes(path: Path, **options: Any) -> Mapping[str, list[str]]:
    """What changed, by file and name."""
    rows = resource_rows(read(path, **options)[0], None)
    changed = {f"{row['file']} {row['name']}": row["changes"] for row in rows["resources"] if row["changes"]}
    return changed | {f"{row['file']} {row['name']}": ["removed"] for row in rows["removed"]}


# Mistakes that were made


def test_a_forgotten_annotation(tmp_path):
    path = write_operator(tmp_path, marketplace())
    assert brief(findings(path)) == [
        ("odd-one-out", "info", "manifests/20_service.yaml"),
        ("other-profile", "warning", "manifests/21_operator-ibm-cloud-managed.yaml"),
    ]
    odd, twin = sorted(findings(path), key=lambda item: item.code)
    assert odd.message == "does not need marketplace, as 9 of the 11 manifests here do"
    assert twin.message == "needs no capability, but manifests/22_operator.yaml for other profiles needs marketplace"
    both = {f"{number}.yaml": manifest(f"both-{number}", "Console+Storage") for number in range(8)}
    (odd,) = findings(write_operator(tmp_path / "two", {"one.yaml": manifest("one", "Console"), **both}))
    assert odd.message == "does not need Storage, as 8 of the 9 manifests here do"


def test_a_wrong_capability_on_a_shared_role(tmp_path):
    path = write_operator(tmp_path, cluster_api())
    assert brief(findings(path)) == [("dangling-role", "error", "manifests/0000_21_checker_bindings.yaml")]


def test_two_operators_have_no_common_capability(tmp_path):
    other = manifest("other", kind="ClusterOperator", api="config.openshift.io/v1")
    path = write_operator(tmp_path, {**marketplace(), "30.yaml": other})
    assert [item[0] for item in brief(findings(path))] == ["other-profile"]


def test_a_deleted_manifest_needs_no_common_capability(tmp_path):
    gone = manifest("gone", annotations={DELETE: "true"})
    path = write_operator(
        tmp_path, {**marketplace(), "20_service.yaml": gone, "21_operator-ibm-cloud-managed.yaml": ""}
    )
    assert findings(path) == []


# The list


def test_each_manifest_with_what_decides_about_it(tmp_path):
    operator = manifest("console", "Console", kind="ClusterOperator", api="config.openshift.io/v1")
    named = manifest("named", "Console+Storage", annotations={FEATURE_SET: "Default", FEATURE_GATE: "One,-Two"})
    both = manifest("both", annotations={f"include.release.openshift.io/{HOSTED}": "true"})
    write_operator(tmp_path, {"0000_50_console-operator_01.yaml": named, "07-operator.yaml": documents(operator, both)})
    write_operator(
        tmp_path, {"a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n"}, folder="bindata/deep/er"
    )
    rows = resource_rows(read(tmp_path)[0], None)["resources"]
    shown = [(row["file"], row["name"], row["owner"], row["capability"], row["profiles"]) for row in rows]
    assert shown == [
        ("manifests/0000_50_console-operator_01.yaml", "named", "console-operator", "Console+Storage", PROFILE),
        ("manifests/07-operator.yaml", "console", "console", "Console", PROFILE),
        ("manifests/07-operator.yaml", "both", "console", "", f"{HOSTED}, {PROFILE}"),
        ("bindata/deep/er/a.yaml", "s", "the operator", "", ""),
    ]
    assert (rows[0]["feature_set"], rows[0]["feature_gate"], rows[0]["delete"]) == ("Default", "One,-Two", "")
    assert [row["changes"] + row["in_release"] for row in rows] == [[]] * 4


def test_the_cvo_reads_no_subdirectories_and_the_rules_no_operands(tmp_path):
    write_operator(tmp_path, {"a.yaml": manifest("one")})
    write_operator(tmp_path, {"b.yaml": manifest("two", "Nonsense")}, folder="manifests/deep")
    write_operator(tmp_path, {"c.yaml": manifest("three", "Nonsense")}, folder="bindata")
    assert [row["name"] for row in resource_rows(read(tmp_path)[0], None)["resources"]] == ["one", "three"]
    assert findings(tmp_path) == []


def test_rendered_manifests_in_another_directory(tmp_path):
    write_operator(tmp_path, {"a.yaml": manifest("one", "Nonsense")}, folder="out/rendered")
    found = findings(tmp_path, manifests=["out/rendered/"])
    assert brief(found) == [("unknown-capability", "error", "out/rendered/a.yaml")]


# Versions


@pytest.mark.parametrize(
    ("branch", "version"),
    [("release-4.18", "4.18"), ("topic", str(newest_minor())), ("release-9.9", str(newest_minor()))],
)
def test_the_version_is_that_of_the_branch_or_the_newest(tmp_path, branch, version):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")})
    git(path, "switch", "-q", "-c", branch)
    checkout, problems = read(path, None)
    assert checkout.source.release.version == version
    assert codes(problems) == ["assumed-version"]
    assert codes(read(path)[1]) == []


def test_the_version_of_the_branch_to_merge_into(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")}, branch="release-4.16")
    assert read(path, None, base="release-4.16")[0].source.release.version == "4.16"


def assumed(path: Path) -> tuple[str, str, str | None]:
    """Return branch and severity of the assumption, and the version."""
    checkout, problems = read(path, None)
    found = next(problem for problem in problems if problem.code == "assumed-version")
    assert found.hint
    return found.message.rpartition(" ")[2], found.severity, checkout.source.release.version


def test_the_version_of_a_commit_without_a_branch_is_that_of_the_nearest_release(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")})
    git(path, "update-ref", "refs/remotes/origin/release-4.19", "HEAD")
    git(path, "update-ref", "refs/remotes/origin/release-4.20", "HEAD")
    write_operator(path, {"b.yaml": manifest("two")})
    commit(path)
    git(path, "update-ref", "refs/remotes/origin/release-4.18", "HEAD")
    write_operator(path, {"c.yaml": manifest("three")})
    commit(path)
    git(path, "switch", "-q", "--detach")
    git(path, "branch", "-q", "-D", "work")
    assert assumed(path) == ("origin/release-4.18", "info", "4.18")
    # Its merge base is with that branch, too.
    assert changes(path) == {"manifests/c.yaml three": ["added"]}
    git(path, "switch", "-q", "--detach", "main")
    assert assumed(path) == ("release-4.18", "info", "4.18")
    git(path, "update-ref", "-d", "refs/remotes/origin/release-4.18")
    assert assumed(path) == ("release-4.19", "info", "4.19")
    git(path, "switch", "-q", "main")
    git(path, "commit", "-q", "--allow-empty", "-m", "Next")
    assert assumed(path) == ("minor", "info", str(newest_minor()))


def test_a_guess_without_any_branch_is_a_warning(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")}, branch="topic")
    git(path, "switch", "-q", "--detach")
    git(path, "branch", "-q", "-D", "topic", "work")
    assert assumed(path) == ("minor", "warning", str(newest_minor()))


# Changes


def test_everything_that_a_branch_changes(tmp_path):
    before = {
        "changed.yaml": manifest("changed", more="data: {a: b}\n"),
        "gains.yaml": manifest("gains", annotations={"other": "1"}),
        "gone.yaml": manifest("gone"),
        "moved.yaml": manifest("moved"),
        "once.yaml": manifest("once"),
        "same.yaml": manifest("same"),
    }
    path = write_repository(tmp_path / "checkout", before)
    (path / "manifests" / "moved.yaml").rename(path / "manifests" / "new-name.yaml")
    (path / "manifests" / "gone.yaml").unlink()
    write_operator(path, {"changed.yaml": manifest("changed", more="data: {a: c}\n")})
    write_operator(path, {"gains.yaml": manifest("gains", "Console", annotations={"other": "1", FEATURE_GATE: "One"})})
    write_operator(path, {"once.yaml": manifest("once", annotations={"release.openshift.io/create-only": "true"})})
    commit(path)
    write_operator(path, {"untracked.yaml": manifest("untracked")})
    assert changes(path) == {
        "manifests/changed.yaml changed": ["content"],
        "manifests/gains.yaml gains": ["capability: none -> Console", "feature_gate: none -> One"],
        "manifests/new-name.yaml moved": ["file: manifests/moved.yaml -> manifests/new-name.yaml"],
        "manifests/once.yaml once": ["content"],
        "manifests/untracked.yaml untracked": ["added"],
        "manifests/gone.yaml gone": ["removed"],
    }
    assert read(path)[0].base.startswith("main (")


def test_two_profiles_of_a_resource_are_compared_each_with_its_own_file(tmp_path):
    files = {"a.yaml": manifest("one", profile=HOSTED), "b.yaml": manifest("one", "Console")}
    path = write_repository(tmp_path / "checkout", files)
    write_operator(path, {"a.yaml": manifest("one", "Console", profile=HOSTED)})
    assert changes(path) == {"manifests/a.yaml one": ["capability: none -> Console"]}


def test_manifests_of_one_resource_in_files_of_one_name_are_compared_each_with_its_own(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")})
    for folder in ("aws", "gcp"):
        own = manifest("webhook", more=f"data: {{a: {folder}}}\n")
        write_operator(path, {"webhook.yaml": own}, folder=f"bindata/{folder}")
    commit(path)
    git(path, "branch", "-f", "main")
    assert changes(path) == {}


def test_links_are_followed_in_the_merge_base_as_well(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")})
    write_operator(path, {"b.yaml": manifest("two")}, folder="api")
    (path / "manifests" / "b.yaml").symlink_to("../api/b.yaml")
    (path / "manifests" / "nowhere.yaml").symlink_to("../api/c.yaml")
    commit(path)
    git(path, "branch", "-f", "main")
    write_operator(path, {"b.yaml": manifest("two", "Console")}, folder="api")
    assert changes(path) == {"manifests/b.yaml two": ["capability: none -> Console"]}


def test_a_checkout_can_be_a_directory_of_the_repository(tmp_path, monkeypatch):
    path = write_repository(tmp_path / "checkout", {"other.yaml": manifest("other")})
    write_operator(path / "operators" / "one", {"a.yaml": manifest("one")})
    commit(path)
    git(path, "branch", "-f", "main")
    write_operator(path / "operators" / "one", {"a.yaml": manifest("one", "Console")})
    monkeypatch.setenv("GIT_DIR", str(path / ".git"))  # as git does for hooks in a linked work tree
    assert changes(path / "operators" / "one") == {"manifests/a.yaml one": ["capability: none -> Console"]}


def test_the_branch_to_merge_into(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")}, branch="release-4.19")
    write_operator(path, {"b.yaml": manifest("two")})
    commit(path)
    assert changes(path, base="release-4.19") == {"manifests/b.yaml two": ["added"]}
    assert read(path)[0].base == ""  # no main branch
    # The remote branch of the same release is the default.
    git(path, "update-ref", "refs/remotes/origin/release-4.19", "release-4.19")
    git(path, "switch", "-q", "release-4.19")
    git(path, "merge", "-q", "work")
    assert changes(path) == {"manifests/b.yaml two": ["added"]}
    # Only the remote has it.
    git(path, "switch", "-q", "work")
    git(path, "branch", "-D", "release-4.19")
    assert changes(path, base="release-4.19") == {"manifests/b.yaml two": ["added"]}


def test_a_topic_that_ends_with_the_name_of_a_release_branch_is_compared_with_that(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")})
    git(path, "update-ref", "refs/remotes/origin/main", "HEAD")
    write_operator(path, {"b.yaml": manifest("two")})
    commit(path)
    git(path, "update-ref", "refs/remotes/origin/release-4.19", "HEAD")
    git(path, "switch", "-q", "-c", "backport/release-4.19")
    write_operator(path, {"c.yaml": manifest("three")})
    commit(path)
    assert changes(path) == {"manifests/c.yaml three": ["added"]}


def test_the_default_branch_of_a_remote_can_have_any_name(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")}, branch="trunk")
    write_operator(path, {"b.yaml": manifest("two")})
    commit(path)
    git(path, "update-ref", "refs/remotes/origin/HEAD", "trunk")
    assert changes(path) == {"manifests/b.yaml two": ["added"]}
    # The one of a fork can be old.
    git(path, "update-ref", "refs/remotes/upstream/main", "HEAD")
    assert changes(path) == {}


def test_the_current_main_branch_has_the_changes_itself(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")})
    write_operator(path, {"b.yaml": manifest("two")})
    commit(path)
    git(path, "switch", "-q", "main")
    git(path, "merge", "-q", "work")
    checkout, problems = read(path)
    assert (checkout.base, codes(problems), bool(problems[0].hint)) == ("", ["no-merge-base"], True)
    assert changes(path, base="HEAD^") == {"manifests/b.yaml two": ["added"]}


def test_findings_about_the_update_from_the_merge_base(tmp_path):
    files = {
        "gains.yaml": manifest("gains"),
        "loses.yaml": manifest("loses", "Console"),
        "gone.yaml": manifest("gone"),
        "deletes.yaml": manifest("deletes", annotations={DELETE: "true"}),
    }
    path = write_repository(tmp_path / "checkout", files)
    write_operator(path, {"gains.yaml": manifest("gains", "Console"), "loses.yaml": manifest("loses")})
    (path / "manifests" / "gone.yaml").unlink()
    expected = [
        ("gains-capability", "warning", "manifests/gains.yaml"),
        ("left-behind", "warning", "manifests/gone.yaml"),
        ("loses-capability", "error", "manifests/loses.yaml"),
    ]
    assert brief(findings(path)) == expected
    # The operator can apply it itself from now on.
    write_operator(path, {"gone.yaml": manifest("gone")}, folder="bindata")
    assert brief(findings(path)) == [expected[0], expected[2]]
    # It is known that users have it.
    release = write_release(tmp_path / "release", {"0000_50_one_gains.yaml": manifest("gains")}, "4.20.1")
    assert ("gains-capability", "error", "manifests/gains.yaml") in brief(findings(path, release))


@pytest.mark.parametrize(
    ("kind", "api"),
    [("SecurityContextConstraints", "security.openshift.io/v1"), ("ClusterOperator", "config.openshift.io/v1")],
)
def test_a_namespace_that_the_api_ignores_makes_no_other_object(tmp_path, kind, api):
    """As the manifest of the insights-operator had one."""
    path = write_repository(
        tmp_path / "checkout", {"a.yaml": manifest("one", kind=kind, api=api, namespace="insights")}
    )
    write_operator(path, {"a.yaml": manifest("one", kind=kind, api=api)})
    assert findings(path) == []
    assert changes(path) == {"manifests/a.yaml one": ["content"]}


# A release


def test_what_a_release_has_instead(tmp_path):
    write_operator(tmp_path, {"07.yaml": manifest("one", "Console"), "08.yaml": manifest("new")})
    write_operator(tmp_path, {"a.yaml": manifest("operand")}, folder="bindata")
    files = {"0000_50_one_07-ibm.yaml": manifest("one", profile=HOSTED), "0000_50_one_07.yaml": manifest("one")}
    # In files of other names, those of one feature set are compared.
    split = [manifest("split", annotations={FEATURE_SET: name}) for name in ("Default", "TechPreviewNoUpgrade")]
    write_operator(tmp_path, {"09a.yaml": split[0], "09b.yaml": split[1]})
    files |= {"0000_10_split_a.yaml": split[1], "0000_10_split_b.yaml": split[0]}
    release = write_release(tmp_path / "release", files, "4.20.1")
    rows = resource_rows(read(tmp_path)[0], read_source(str(release), None).release)["resources"]
    assert [(row["name"], row["in_release"]) for row in rows] == [
        ("one", ["capability: Console -> none"]),
        ("new", ["not there"]),
        ("split", []),
        ("split", []),
        ("operand", []),
    ]


def test_a_role_that_another_component_of_the_release_uses(tmp_path):
    role = manifest("shared", "Console", kind="ClusterRole", api=RBAC)
    more = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: shared}\nsubjects: []\n"
    binding = manifest("user", kind="ClusterRoleBinding", api=RBAC, more=more)
    path = write_operator(tmp_path / "checkout", {"0000_50_one_role.yaml": role})
    files = {"0000_50_one_role.yaml": role, "0000_60_other_binding.yaml": binding, "0000_50_one_old.yaml": binding}
    release = write_release(tmp_path / "release", files, "4.20.1")
    (found,) = findings(path, release)
    # The binding is in no file of the checkout.
    role_file = "manifests/0000_50_one_role.yaml"
    assert (found.code, found.severity, found.where.source) == ("dangling-role", "warning", role_file)
    assert found.where.field == "ClusterRoleBinding.rbac.authorization.k8s.io user"
    # References within the release are not those of the operator, nor are those of an older version of it.
    assert findings(write_operator(tmp_path / "empty", {"0000_50_one_x.yaml": manifest("x")}), release) == []


# Bad input


def test_no_repository(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    write_operator(tmp_path, {"a.yaml": manifest("one", "Nonsense")})
    checkout, problems = read(tmp_path)
    assert (codes(problems), checkout.base, checkout.previous) == (["no-merge-base"], "", None)
    assert str(problems[0]).startswith("checkout: has no changes to show: git rev-parse: not a git repository")
    assert brief(findings(tmp_path)) == [("unknown-capability", "error", "manifests/a.yaml")]
    git(tmp_path, "init", "-q")
    assert codes(read(tmp_path)[1]) == ["no-merge-base"]  # there is no commit
    monkeypatch.setenv("PATH", str(tmp_path))
    message = "has no changes to show: git cannot be run: No such file or directory"
    assert read(tmp_path)[1][0].message == message


def test_a_shallow_clone(tmp_path):
    path = write_repository(tmp_path / "origin", {"a.yaml": manifest("one")})
    write_operator(path, {"a.yaml": manifest("one", "Console")})
    commit(path)
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", "work", f"file://{path}", "clone")
    fault = "the clone is shallow, and lacks the merge base with"
    with pytest.raises(InvalidOptionError, match=f"^base: is main, but {fault} main"):
        read(tmp_path / "clone", base="main")
    git(tmp_path / "clone", "remote", "remove", "origin")
    checkout, problems = read(tmp_path / "clone")
    assert problems[0].message == f"has no changes to show: {fault} a main branch"
    assert len(checkout.source.release.manifests) == 1


@pytest.mark.parametrize("base", ["nonsense", "--output=x"])
def test_an_unknown_branch(tmp_path, base):
    path = write_repository(tmp_path / "checkout", {"a.yaml": manifest("one")})
    with pytest.raises(InvalidOptionError, match=f"^base: is {base}, but there is no merge base with {base}") as raised:
        read(path, base=base)
    (problem,) = raised.value.problems
    assert (problem.code, problem.hint.partition(",")[0]) == ("no-merge-base", "Check that git can read the repository")
    assert sorted(os.listdir(path)) == [".git", "manifests"]


def test_files_that_cannot_be_read_are_findings_and_not_removed(tmp_path):
    files = {"broken.yaml": manifest("broken"), "template.yaml": manifest("template"), "ok.yaml": manifest("ok")}
    path = write_repository(tmp_path / "checkout", files)
    write_operator(
        path, {"broken.yaml": "a: [", "template.yaml": "{{- if .Values.x }}\na: {{ .Values.y }}\n{{- end }}"}
    )
    write_operator(path, {"t.yaml": "a: {{.X}}{{.Y}}\n", "b.yaml": "a: ["}, folder="bindata")
    write_operator(path, {"0000_50_one_a.yaml": manifest("a")})
    assert findings(path, components=["one"]) == []
    assert brief(findings(path)) == [
        ("invalid-manifest", "error", "manifests/broken.yaml"),
        ("invalid-manifest", "info", "bindata/b.yaml"),
        ("template", "info", "bindata/t.yaml"),
        ("template", "info", "manifests/template.yaml"),
    ]
    assert changes(path) == {"manifests/0000_50_one_a.yaml a": ["added"]}


def test_what_can_be_read_in_a_file_with_findings_is_compared(tmp_path):
    path = write_repository(tmp_path / "checkout", {"a.yaml": documents(manifest("one"), manifest("two"))})
    write_operator(path, {"a.yaml": documents(manifest("one", "Console"), "kind: [\n")})
    assert changes(path) == {"manifests/a.yaml one": ["capability: none -> Console"]}
    assert "left-behind" not in [item.code for item in findings(path)]
    # A warning does not mean that it cannot be read.
    write_operator(path, {"a.yaml": manifest("one", "Console", namespace="1")})
    assert "left-behind" in [item.code for item in findings(path)]


@pytest.mark.parametrize("name", [".", "..", "../other", "/etc", "manifets"])
def test_a_directory_that_is_not_below_the_checkout(tmp_path, name):
    write_operator(tmp_path, {"a.yaml": manifest("one")}, folder="bindata")
    with pytest.raises(InvalidOptionError) as raised:
        read(tmp_path, manifests=[name])
    faults = [(item.code, item.where.field) for item in raised.value.problems]
    assert faults == [("missing-directory", "manifest_directories")]


def test_no_manifests_at_all(tmp_path):
    path = write_operator(tmp_path / "checkout", {"a.yaml": manifest("one")})
    no_manifests = "contains no manifests in manifests, install, bindata"
    for name, code, fault, hint in (
        (
            "",
            "empty-checkout",
            no_manifests,
            "Render them, and set manifest_directories to the directory of the result",
        ),
        ("missing", "missing-directory", "is not a directory", "Set it to the repository of the operator"),
        (
            "checkout/manifests",
            "empty-checkout",
            no_manifests,
            f"Set checkout to {path}, which has the directory manifests",
        ),
    ):
        with pytest.raises(InvalidOptionError) as raised:
            read(tmp_path / name)
        (problem,) = raised.value.problems
        assert problem == Problem("error", code, "checkout", f"is {tmp_path / name}, which {fault}", hint)


def test_manifests_of_an_operator_that_is_in_no_release(tmp_path):
    write_operator(tmp_path, {"one.package.yaml": "packageName: one\n"})
    write_operator(tmp_path, {"a.yaml": manifest("one", profile="")}, folder="bindata")
    _checkout, problems = read(tmp_path)
    assert "not-in-release" in codes(problems)
    assert {item.severity for item in findings(tmp_path)} == {"info"}
