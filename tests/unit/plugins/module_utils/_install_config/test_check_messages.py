# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Warnings about the selection of an installation, with their code, location, message and hint."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.tests.unit.builders.installations import check, warnings

NONE: dict[str, Any] = {"platform": {"none": {}}}


def block(baseline: str, *names: str) -> dict[str, Any]:
    return {"baselineCapabilitySet": baseline, "additionalEnabledCapabilities": list(names)}


@pytest.mark.parametrize(
    ("minor", "document", "options", "code", "where", "message", "hint"),
    [
        (
            "4.20",
            {},
            {"capabilities": block("vCurrent")},
            "unchecked-rules",
            "content, platform",
            "is not known, so these rules are not checked: "
            "inst-cloudcredential, inst-ccm, inst-ccm-external, inst-platform-baremetal, doc-storage-platform",
            "Set content with the platform",
        ),
        (
            "4.13",
            NONE,
            {"capabilities": block("v4.11")},
            "unstable-set",
            "capabilities.baselineCapabilitySet",
            "v4.11 has other names in a later version, so an update changes the selection",
            "Write None and the list of names to pin it",
        ),
        (
            "4.20",
            NONE,
            {"capabilities": block("None", "Ingress", "Console", "Console")},
            "duplicate-name",
            "capabilities.additionalEnabledCapabilities",
            "Console is listed more than once",
            "Keep one of them",
        ),
        (
            "4.20",
            {**NONE, "capabilities": ["Console"]},
            {"capabilities": block("vCurrent")},
            "not-a-map",
            "content, capabilities",
            "is a list, expected a map; it is replaced",
            "",
        ),
        (
            "4.20",
            {**NONE, "capabilities": {"excludedCapabilities": ["Console"]}},
            {"capabilities": block("vCurrent")},
            "unknown-field",
            "content, capabilities.excludedCapabilities",
            "is not a field that the installer knows; it is removed",
            "",
        ),
    ],
)
def test_message_and_hint(minor, document, options, code, where, message, hint):
    (problem,) = warnings(check(minor, document, **options).problems)

    assert tuple(problem.as_dict().values()) == ("warning", code, where, message, hint)
