# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that several modules have, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._module.argspec import (
    ReleaseOptions,
    check_paths,
    check_wait_timeout,
    cluster_options_spec,
    inclusion_spec,
    release_spec,
    rollout_spec,
    strip_items,
)
from ansible_collections.capability.openshift.plugins.module_utils._problems import Problems


def test_the_options_of_a_release_reach_its_source() -> None:
    params: dict[str, Any] = {name: f"given {name}" for name in release_spec()}
    options = ReleaseOptions.from_params({**params, "cluster_profile": "p"})
    assert options[:4] == ("given release", "given openshift_version", "given release_image", "p")
    source = options.source
    assert (source.cache, source.architecture) == ("given release_cache", "given architecture")
    assert source.signature[:3] == ("given signature", "given signature_keys", "given signature_stores")
    access = source.access._asdict()
    assert access == {name: f"given {name}" for name in access}


def test_secrets_are_not_logged_and_images_are_verified_by_default() -> None:
    spec = release_spec()
    assert [name for name, option in spec.items() if option.get("no_log")] == ["pull_secret"]
    assert [name for name, option in spec.items() if option.get("required")] == ["release"]
    assert (spec["signature"]["default"], spec["architecture"]["default"]) == ("warn", "amd64")


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ({}, []),
        ({"a": "x", "b": ["x"], "chdir": "", "text": ""}, []),
        ({"a": ""}, ["a"]),
        ({"b": ["x", ""]}, ["b"]),
        ({"a": None, "b": None}, []),
    ],
)
def test_a_path_that_is_set_but_empty_is_an_error(values: dict[str, Any], where: list[str]) -> None:
    spec: dict[str, dict[str, Any]] = {
        "a": {"type": "path", "required": True},
        "b": {"type": "list", "elements": "path"},
        "chdir": {"type": "path"},
        "text": {"type": "str"},
    }
    problems = Problems()
    check_paths(spec, values, problems)
    assert [(item.code, str(item.where)) for item in problems] == [("empty-option", name) for name in where]
    assert [item.hint for item in problems if str(item.where) == "a"] == ["Set a value"] * where.count("a")


def test_blanks_around_the_items_of_lists_are_removed() -> None:
    names = {"type": "list", "elements": "str"}
    spec: dict[str, dict[str, Any]] = {
        "names": names,
        "absent": names,
        "text": {"type": "str"},
        "clusters": {"type": "list", "elements": "dict", "options": {"names": names}},
        "raw": {"type": "list", "elements": "raw"},
    }
    values = {
        "names": ["a", " b "],
        "absent": None,
        "text": " a ",
        "clusters": [{"names": [" c"]}],
        "raw": [{"a": " d"}, " e"],
    }
    strip_items(spec, values)
    assert values == {
        "names": ["a", "b"],
        "absent": None,
        "text": " a ",
        "clusters": [{"names": ["c"]}],
        "raw": [{"a": " d"}, "e"],
    }


def test_what_a_cluster_reports_has_no_default() -> None:
    usual, read = cluster_options_spec(), cluster_options_spec(defaults=False)
    assert usual.keys() == read.keys()
    assert not [name for name, option in read.items() if "default" in option]
    assert "default" in usual["cluster_profile"]
    assert usual["feature_set"]["aliases"] == ["featureSet"]
    assert (usual["capabilities"]["type"], usual["feature_gates"]["type"]) == ("dict", "list")
    assert inclusion_spec("overrides").keys() == {"overrides"}
    assert "default" not in rollout_spec()["cluster_profile"]


def test_a_timeout_is_not_negative():
    problems = Problems()
    check_wait_timeout(0, problems)
    check_wait_timeout(-1, problems)
    assert [(problem.code, str(problem.where)) for problem in problems] == [("invalid-timeout", "wait_timeout")]
