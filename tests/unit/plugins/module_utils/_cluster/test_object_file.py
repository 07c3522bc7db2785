# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._cluster.object_file import read_object_file
from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError, Problem


def read(path: str) -> Any:
    return read_object_file(path, "cluster_version", "oc get clusterversion version -o yaml")


OBJECT: dict[str, Any] = {
    "apiVersion": "config.openshift.io/v1",
    "kind": "ClusterVersion",
    "metadata": {"name": "version", "creationTimestamp": "2025-01-01T00:00:00Z", "generation": 7},
    "spec": {"channel": "stable-4.20", "capabilities": {"baselineCapabilitySet": "None"}},
    "status": {"availableUpdates": None, "desired": {"version": "4.20.3"}},
}
# What `oc get clusterversion version -o yaml` prints
TEXT = """\
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata:
  creationTimestamp: "2025-01-01T00:00:00Z"
  generation: 7
  name: version
spec:
  capabilities:
    baselineCapabilitySet: None
  channel: stable-4.20
status:
  availableUpdates: null
  desired:
    version: 4.20.3
"""


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        "---\n" + TEXT,
        "# saved today\n" + TEXT + "...\n",
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        json.dumps(OBJECT),
        json.dumps(OBJECT, indent=4),
        # Which JSON knows, and YAML does not
        json.dumps(OBJECT, indent="\t").replace("/", "\\/"),
        "\n  " + json.dumps(OBJECT) + "\n",
        "\ufeff" + json.dumps(OBJECT),
        # A flow map that is YAML and not JSON
        "{apiVersion: config.openshift.io/v1, kind: ClusterVersion, "
        + "".join(f"{key}: {json.dumps(OBJECT[key])}, " for key in ("metadata", "spec"))
        + "status: {availableUpdates: null, desired: {version: 4.20.3}}}",
    ],
)
def test_yaml_and_json_are_read_alike(content, tmp_path):
    path = tmp_path / "any.name"
    path.write_bytes(content.encode())

    assert read(str(path)) == OBJECT


def test_dates_and_times_stay_text(tmp_path):
    path = tmp_path / "cv.yaml"
    path.write_text("time: 2025-01-01T00:00:00Z\nday: 2025-01-01\n")
    found = read(str(path))

    assert json.loads(json.dumps(found)) == {"time": "2025-01-01T00:00:00Z", "day": "2025-01-01"}


@pytest.mark.parametrize("name", ["cv.yaml", "./cv.yaml", "~/cv.yaml", "$CAPABILITY_TEST/cv.yaml"])
def test_a_path_may_be_relative_to_the_directory_home_or_a_variable(name, tmp_path, monkeypatch):
    (tmp_path / "cv.yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CAPABILITY_TEST", str(tmp_path))

    assert read(name) == OBJECT


AGAIN = "Save it again: oc get clusterversion version -o yaml"
GIVE = "Set the path of a file"
NO_YAML = "is neither YAML nor JSON"


def the_problem(path: str) -> Problem:
    """Return the one problem that reading the file ends in."""
    with pytest.raises(InvalidOptionError) as raised:
        read(path)
    (problem,) = raised.value.problems
    assert (problem.severity, str(problem.where)) == (
        "error",
        f"cluster_version ({path})" if path else "cluster_version",
    )
    return problem


@pytest.mark.parametrize(
    ("content", "message", "hint"),
    [
        (None, "cannot be read: No such file or directory", GIVE),
        (b"a: [\n", f"{NO_YAML} on line 2: did not find expected node content", AGAIN),
        (b"a: b: c\n", f"{NO_YAML} on line 1: mapping values are not allowed", AGAIN),
        (b'{"a": ', f"{NO_YAML} on line 2: did not find expected node content", AGAIN),
        (b"a: \xff\n", f"{NO_YAML}: ", AGAIN),
        (b"a: !!int x\n", f"{NO_YAML} on line 1: a value is not !!int", AGAIN),
        (b"{[a]: b}\n", f"{NO_YAML} on line 1: a map or list is used as a key", AGAIN),
        (b'{"a":' + b"[" * 100_000, f"{NO_YAML}: exceeded max depth of 10000", AGAIN),
    ],
)
def test_a_file_that_cannot_be_read_is_one_problem_that_names_it(content, message, hint, tmp_path):
    path = tmp_path / "cv.yaml"
    if content is not None:
        path.write_bytes(content)
    problem = the_problem(str(path))

    assert problem.code == ("unreadable-file" if content is None else "invalid-yaml")
    assert problem.message.startswith(message)
    assert problem.hint == hint


@pytest.mark.parametrize("content", ["", "\n", "---\n", "\n---\n", "---\n---\n", "# nothing\n", "null\n", "~"])
def test_a_file_without_an_object_is_empty(content, tmp_path):
    path = tmp_path / "cv.yaml"
    path.write_text(content)

    problem = the_problem(str(path))
    assert problem.code == "empty-file"
    assert problem.message.startswith("is empty, ")
    assert problem.hint == AGAIN


@pytest.mark.parametrize("content", [TEXT + "---\n" + TEXT, json.dumps(OBJECT) + " x", json.dumps(OBJECT) * 2])
def test_a_second_object_in_a_file_is_a_problem(content, tmp_path):
    path = tmp_path / "cv.yaml"
    path.write_text(content)

    assert the_problem(str(path))[1] == "several-documents"
    assert the_problem(str(path))[3:] == ("contains several documents, expected one", AGAIN)


@pytest.mark.parametrize("tail", ["---\n# nothing\n", "---\n---\n", "---\nnull\n", "...\n---\n# nothing\n"])
def test_a_second_document_is_a_problem_even_if_it_is_empty(tail, tmp_path):
    path = tmp_path / "cv.yaml"
    path.write_text(TEXT + tail)

    assert the_problem(str(path)).message == "contains several documents, expected one"


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), json.dumps(OBJECT) + "\n"])
@pytest.mark.parametrize("tail", ["---\n", "---", "--- \n", "---\r\n", "---\n\n", "...\n---\n", "...\n", "\n\n"])
def test_a_line_that_ends_the_document_does_not_begin_another(text, tail, tmp_path):
    path = tmp_path / "cv.yaml"
    path.write_bytes((text + tail).encode())

    assert read(str(path)) == OBJECT


@pytest.mark.parametrize("path", ["", "a\0b", "\0"])
def test_an_invalid_path_is_a_problem_too(path):
    assert the_problem(path)[1] == "invalid-path"
    assert the_problem(path)[3:] == (f"{path!r} is not a path", GIVE)


def test_the_location_is_the_path_as_written(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))

    assert the_problem("~/cv.yaml").message == "cannot be read: No such file or directory"


def test_a_directory_cannot_be_read(tmp_path):
    assert the_problem(str(tmp_path)).code == "unreadable-file"
    assert the_problem(str(tmp_path)).message == "cannot be read: Is a directory"


def test_a_file_without_permission_cannot_be_read(tmp_path, monkeypatch):
    def refuse(*_args: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    assert the_problem(str(tmp_path / "cv.yaml")).message == "cannot be read: Permission denied"
