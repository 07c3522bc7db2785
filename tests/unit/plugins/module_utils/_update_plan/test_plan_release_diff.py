# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What comes, goes and moves in plans, and what a cluster needs from its cloud."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    ELSEWHERE,
    changes,
    manifest,
    one_hop,
    planned,
    request,
    select_only,
    shape,
)

# What the cluster needs from its cloud.

REQUESTS = [
    request("ebs", "AWSProviderSpec"),
    request("machine-aws", "AWSProviderSpec", "MachineAPI"),
    request("machine-azure", "AzureProviderSpec", "MachineAPI"),
    request("off", "AWSProviderSpec", "Build"),
    request("gone", "AWSProviderSpec", delete="true"),
    manifest(None, "no-request", kind="CredentialsRequest"),
]


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (None, [("ebs", False), ("machine-aws", True), ("machine-azure", True)]),
        ("aws", [("ebs", False), ("machine-aws", True)]),
        ("AWS", [("ebs", False), ("machine-aws", True)]),
        ("azure", [("machine-azure", True)]),
        ("vsphere", []),
        ("baremetal", []),
    ],
)
def test_credentials_requests(platform, expected):
    answer = planned([manifest(), REQUESTS[0]], [manifest("MachineAPI"), *REQUESTS], platform=platform)
    found = shape(answer)["credentials_requests"]
    assert [(item["name"], item["new"]) for item in found] == expected


def test_a_credentials_request_of_an_enabled_name_is_new():
    """It was in the old release too, and not applied."""
    answer = planned([manifest(), *REQUESTS], [manifest("MachineAPI"), *REQUESTS], platform="aws")
    found = shape(answer)["credentials_requests"]
    assert [(item["name"], item["new"]) for item in found] == [("ebs", False), ("machine-aws", True)]


def test_platforms_are_checked():
    with pytest.raises(InvalidOptionError, match="platform: 'awss' is not a platform"):
        planned([], [], platform="awss")


# What comes, what goes, what moves.

CHANGES = [
    ("comes", [], [manifest()], {"added": ["one"]}),
    ("comes and is off", [], [manifest("Build")], {}),
    ("comes and is on", [], [manifest("Console")], {"added": ["one"]}),
    ("goes", [manifest()], [], {"removed": ["one"]}),
    ("goes and was off", [manifest("Build")], [], {}),
    ("goes from the profile", [manifest()], [manifest(profile="hypershift")], {"removed": ["one"]}),
    ("added to the profile", [manifest(profile="hypershift")], [manifest()], {"added": ["one"]}),
    ("comes out of a name that is off", [manifest("Build")], [manifest()], {"added": ["one"]}),
    ("comes into a name that is on", [manifest("Build")], [manifest("Console")], {"added": ["one"]}),
    ("stays off", [manifest("Build")], [manifest("Storage")], {}),
    ("stays in by turning a name on", [manifest()], [manifest("Build")], {}),
    (
        "brings others of its name",
        [manifest(), manifest("Build", "two")],
        [manifest("Build"), manifest("Build", "two")],
        {"added": ["two"]},
    ),
    ("is deleted", [manifest()], [manifest(delete="true")], {"deleted": ["one"]}),
    ("is deleted and was never there", [], [manifest(delete="true")], {"deleted": ["one"]}),
    ("is deleted and was off", [manifest("Build")], [manifest(delete="true")], {"deleted": ["one"]}),
    ("is deleted where its name is off", [manifest("Build")], [manifest("Build", delete="true")], {}),
    ("was deleted before", [manifest(delete="true")], [manifest(delete="true")], {}),
    ("was deleted before and comes back", [manifest(delete="true")], [manifest()], {"added": ["one"]}),
    ("was deleted before and is not named any more", [manifest(delete="true")], [], {}),
    ("moves to another file", [manifest()], [manifest(file=ELSEWHERE)], {}),
    ("is in by one of two manifests", [manifest()], [manifest("Console"), manifest("Console", file=ELSEWHERE)], {}),
]


@pytest.mark.parametrize(("before", "after", "expected"), [pytest.param(*row[1:], id=row[0]) for row in CHANGES])
def test_resources_come_and_go(before, after, expected):
    kept = manifest("Console", "kept")
    assert changes(one_hop([*before, kept], [kept, *after], capabilities=select_only("Console"))) == expected


@pytest.mark.parametrize(
    ("before", "after", "side"),
    [
        ([], [manifest("Build"), manifest(file=ELSEWHERE)], "added"),
        ([manifest("Build"), manifest(file=ELSEWHERE)], [], "removed"),
        ([manifest()], [manifest(), manifest(delete="true", file=ELSEWHERE)], "deleted"),
    ],
)
def test_the_deciding_manifest_represents_its_resource(before, after, side):
    (found,) = getattr(one_hop(before, after).changes, side)
    assert found.file == ELSEWHERE


MOVES = [
    ("into it", [manifest()], [manifest("Console")], {"Console": ["one"]}),
    ("out of it", [manifest("Console")], [manifest()], {"Console": ["one"]}),
    ("with it", [manifest("Console")], [manifest("Console+Build")], {"Console": ["one"]}),
    ("from one to the other", [manifest("Console")], [manifest("Storage")], {"Console": ["one"], "Storage": ["one"]}),
    ("not at all", [manifest("Console")], [manifest("Console", file=ELSEWHERE)], {}),
    ("between names that are not requested", [manifest()], [manifest("Build")], {}),
    ("and was off", [manifest("Build")], [manifest("Console")], {}),
    ("in an enabled name that is not requested", [manifest("Ingress")], [manifest()], {}),
]


@pytest.mark.parametrize(("before", "after", "expected"), [pytest.param(*row[1:], id=row[0]) for row in MOVES])
def test_resources_move(before, after, expected):
    hop = one_hop(before, after, capabilities=select_only("Console", "Storage"))
    found = {name: [cause.target.resource_id.name for cause in causes] for name, causes in hop.moved.items()}
    assert found == expected
