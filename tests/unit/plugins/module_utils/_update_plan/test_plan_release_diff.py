# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What comes, goes and moves in plans, and what a cluster needs from its cloud."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._problems import InvalidOptionError
from ansible_collections.capability.openshift.tests.unit.builders.plans import (
    ELSEWHERE,
    asked,
    changes,
    obj,
    one_hop,
    only,
    request,
    shape,
)

# What the cluster needs from its cloud.

REQUESTS = [
    request("ebs", "AWSProviderSpec"),
    request("machine-aws", "AWSProviderSpec", "MachineAPI"),
    request("machine-azure", "AzureProviderSpec", "MachineAPI"),
    request("off", "AWSProviderSpec", "Build"),
    request("gone", "AWSProviderSpec", delete="true"),
    obj(None, "no-request", kind="CredentialsRequest"),
]


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        (None, [("ebs", None, False), ("machine-aws", None, True), ("machine-azure", None, True)]),
        ("aws", [("ebs", "AWSProviderSpec", False), ("machine-aws", "AWSProviderSpec", True)]),
        ("AWS", [("ebs", "AWSProviderSpec", False), ("machine-aws", "AWSProviderSpec", True)]),
        ("azure", [("machine-azure", "AzureProviderSpec", True)]),
        ("vsphere", []),
        ("baremetal", []),
    ],
)
def test_credentials_requests(platform, expected):
    answer = asked([obj(), REQUESTS[0]], [obj("MachineAPI"), *REQUESTS], platform=platform)
    found = shape(answer)["credentials_requests"]
    assert [(item["name"], item["provider"], item["new"]) for item in found] == expected


def test_a_request_of_a_name_that_turns_on_is_new():
    """It was in the old release too, and not applied."""
    answer = asked([obj(), *REQUESTS], [obj("MachineAPI"), *REQUESTS], platform="aws")
    found = shape(answer)["credentials_requests"]
    assert [(item["name"], item["new"]) for item in found] == [("ebs", False), ("machine-aws", True)]


def test_platforms_are_checked():
    with pytest.raises(InvalidOptionError, match="platform: 'awss' is not a platform"):
        asked([], [], platform="awss")


# What comes, what goes, what moves.

CHANGES = [
    ("comes", [], [obj()], {"added": ["one"]}),
    ("comes and is off", [], [obj("Build")], {}),
    ("comes and is on", [], [obj("Console")], {"added": ["one"]}),
    ("goes", [obj()], [], {"removed": ["one"]}),
    ("goes and was off", [obj("Build")], [], {}),
    ("goes from the profile", [obj()], [obj(profile="hypershift")], {"removed": ["one"]}),
    ("comes to the profile", [obj(profile="hypershift")], [obj()], {"added": ["one"]}),
    ("comes out of a name that is off", [obj("Build")], [obj()], {"added": ["one"]}),
    ("comes into a name that is on", [obj("Build")], [obj("Console")], {"added": ["one"]}),
    ("stays off", [obj("Build")], [obj("Storage")], {}),
    ("stays in by turning a name on", [obj()], [obj("Build")], {}),
    (
        "brings others of its name",
        [obj(), obj("Build", "two")],
        [obj("Build"), obj("Build", "two")],
        {"added": ["two"]},
    ),
    ("is deleted", [obj()], [obj(delete="true")], {"deleted": ["one"]}),
    ("is deleted and was never there", [], [obj(delete="true")], {"deleted": ["one"]}),
    ("is deleted and was off", [obj("Build")], [obj(delete="true")], {"deleted": ["one"]}),
    ("is deleted where its name is off", [obj("Build")], [obj("Build", delete="true")], {}),
    ("was deleted before", [obj(delete="true")], [obj(delete="true")], {}),
    ("was deleted before and comes back", [obj(delete="true")], [obj()], {"added": ["one"]}),
    ("was deleted before and is not named any more", [obj(delete="true")], [], {}),
    ("moves to another file", [obj()], [obj(file=ELSEWHERE)], {}),
    ("is in by one of two manifests", [obj()], [obj("Console"), obj("Console", file=ELSEWHERE)], {}),
]


@pytest.mark.parametrize(("before", "after", "expected"), [pytest.param(*row[1:], id=row[0]) for row in CHANGES])
def test_resources_come_and_go(before, after, expected):
    kept = obj("Console", "kept")
    assert changes(one_hop([*before, kept], [kept, *after], capabilities=only("Console"))) == expected


@pytest.mark.parametrize(
    ("before", "after", "side"),
    [
        ([], [obj("Build"), obj(file=ELSEWHERE)], "added"),
        ([obj("Build"), obj(file=ELSEWHERE)], [], "removed"),
        ([obj()], [obj(), obj(delete="true", file=ELSEWHERE)], "deleted"),
    ],
)
def test_the_manifest_that_decides_stands_for_its_resource(before, after, side):
    (found,) = getattr(one_hop(before, after).changes, side)
    assert found.file == ELSEWHERE


MOVES = [
    ("into it", [obj()], [obj("Console")], {"Console": ["one"]}),
    ("out of it", [obj("Console")], [obj()], {"Console": ["one"]}),
    ("with it", [obj("Console")], [obj("Console+Build")], {"Console": ["one"]}),
    ("from one to the other", [obj("Console")], [obj("Storage")], {"Console": ["one"], "Storage": ["one"]}),
    ("not at all", [obj("Console")], [obj("Console", file=ELSEWHERE)], {}),
    ("between names that nobody asked for", [obj()], [obj("Build")], {}),
    ("and was off", [obj("Build")], [obj("Console")], {}),
    ("in a name that is on and not asked for", [obj("Ingress")], [obj()], {}),
]


@pytest.mark.parametrize(("before", "after", "expected"), [pytest.param(*row[1:], id=row[0]) for row in MOVES])
def test_resources_move(before, after, expected):
    hop = one_hop(before, after, capabilities=only("Console", "Storage"))
    found = {name: [cause.target.resource_id.name for cause in causes] for name, causes in hop.moved.items()}
    assert found == expected
