# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs between two releases as text. `_contents/test_comparison.py` adds up the figures of real releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ansible_collections.capability.openshift.plugins.module_utils._contents.contents import RESOURCES
from ansible_collections.capability.openshift.plugins.module_utils._data.cluster_access import PERMISSIONS
from ansible_collections.capability.openshift.plugins.module_utils._summary.lines import summary_lines
from ansible_collections.capability.openshift.plugins.module_utils._summary.release_info import changes_lines

MEBI = 2**20
NOTHING: dict[str, list[str]] = {"added": [], "removed": []}


def entry(
    *groups: tuple[Sequence[str], Sequence[str], Sequence[str]], before: int = 0, after: int = 0
) -> dict[str, Any]:
    """Return names that are compared. A group has its capabilities, and what is added and removed."""
    found = [
        {"capabilities": list(names), "added": list(added), "removed": list(removed), "unchanged": []}
        for names, added, removed in groups
    ]
    lists = {part: [name for group in found for name in group[part]] for part in NOTHING}
    return {"before": before, "after": after, **lists, "by_capabilities": found}


def manifests(number: int, **fields: Any) -> list[dict[str, Any]]:
    item = {"kind": "Role", "namespace": "n", "name": "r", "capabilities": ["Console", "Ingress"]}
    return [{**item, **fields} for _at in range(number)]


def changes(**values: Any) -> dict[str, Any]:
    lists: dict[str, Any] = {"added": [], "removed": [], "deleted": [], "changed": []}
    return {
        "previous_version": "4.20.3",
        "known_capabilities": NOTHING,
        "enabled_capabilities": NOTHING,
        "manifests": {"before": 3, "after": 3, **lists},
        "images": {**NOTHING, "changed": []},
        "credentials_requests": [],
        "unknown_roles": [],
        "cpu_millicores": {"before": 500, "after": 250},
        "memory_bytes": {"before": 3 * MEBI, "after": 5 * MEBI},
        **values,
        "resources": dict.fromkeys(RESOURCES, entry()) | values.get("resources", {}),
        "accounts": dict.fromkeys(PERMISSIONS, entry()) | values.get("accounts", {}),
    }


def lines(version: str | None = "4.21.0", **values: Any) -> list[str]:
    return list(changes_lines(changes(**values), version))


def test_resources_that_were_requested_follow() -> None:
    result = {"release": {"version": "4.21.0"}, "changes": changes(), "resources": []}
    assert summary_lines("release_info", result, {}) == [*lines(), "", "0 manifests"]


def test_the_first_line_has_the_versions() -> None:
    assert lines()[0] == "4.20.3 -> 4.21.0"
    more = {**NOTHING, "added": ["Console"]}
    assert lines("4.20.3", enabled_capabilities=more)[0] == "4.20.3, with another selection"
    assert lines("4.20.3")[0] == "4.20.3, with the same capabilities"
    assert lines(None, previous_version=None)[0] == "unknown version, with the same capabilities"


def test_nothing_that_stays_the_same_is_in_the_table() -> None:
    assert lines()[2:] == [
        "newly known capabilities        none",
        "no longer known capabilities    none",
        "newly enabled capabilities      none",
        "no longer enabled capabilities  none",
        "definitions removed             none",
        "images of the release           0 added, 0 removed, 0 changed",
        "",
        "                             BEFORE  AFTER  CHANGE",
        "Manifests                         3      3",
        "CPU requests, in millicores     500    250  -250",
        "Memory requests, in MiB           3      5  +2",
        "This is what manifests allow and request. What operators create at run time is not known.",
    ]


def test_each_group_has_what_it_gains_and_loses() -> None:
    services = entry(((), ["x/a"], ["x/b", "x/c"]), (("Build", "Console"), ["x/b"], ()), before=9, after=9)
    accounts = entry((("Console",), (), ["x/b"]), before=2, after=1)
    shown = lines(resources={"services": services}, accounts={"read_secrets": accounts})
    rows = [line.split(maxsplit=1)[0] + line[line.index(" 9") :] for line in shown if line.startswith("Services")]
    assert [row.split(maxsplit=3)[1:] for row in rows] == [["9", "9", "no capability +1 -2, Build+Console +1"]]
    (secrets,) = [line for line in shown if line.startswith("Accounts that can read all Secrets")]
    assert secrets.split()[-4:] == ["2", "1", "Console", "-1"]


def test_a_long_list_ends_with_the_number_of_the_others() -> None:
    removed = [f"a{number:02}.example" for number in range(12)]
    found = {"before": 20, "after": 8, "added": [], "removed": manifests(12), "deleted": [], "changed": manifests(1)}
    shown = lines(manifests=found, resources={"crds": entry(((), (), removed), before=12)})
    (apis,) = [line for line in shown if line.startswith("definitions removed")]
    assert apis.endswith("a09.example and 2 more")
    start = shown.index("Manifests removed: 12")
    assert shown[start - 1] == ""
    assert shown[start + 1 : start + 13] == [*["  Role n/r (Console + Ingress)"] * 10, "  and 2 more", ""]
    assert shown[start + 13 :] == ["Manifests changed: 1", "  Role n/r (Console + Ingress)"]
    (row,) = [line for line in shown if line.startswith("Manifests  ")]
    assert row.split()[1:] == ["20", "8", "-12,", "1", "changed"]


def test_credentials_have_their_platform_and_what_happens_to_their_permissions() -> None:
    def request(name: str, before: str | None, after: str | None, *added: str) -> dict[str, Any]:
        permissions, secret = {**NOTHING, "added": list(added)}, {"before": before, "after": after}
        return {"name": name, "platform": "aws", "permissions": permissions, "secret": secret}

    found = [request("new", None, "x/s", "a", "b"), request("old", "x/s", None), request("other", "x/s", "x/t", "a")]
    shown = lines(credentials_requests=found)
    start = shown.index("CREDENTIALSREQUEST  PLATFORM  CHANGE   PERMISSIONS")
    assert [line.split() for line in shown[start + 1 :]] == [
        ["new", "aws", "added", "+2"],
        ["old", "aws", "removed"],
        ["other", "aws", "changed", "+1"],
    ]


def test_roles_that_nothing_creates_are_named() -> None:
    assert lines(unknown_roles=["a", "b"])[-1] == (
        "2 ClusterRoles with unknown permissions, because no manifest creates them: a, b"
    )
