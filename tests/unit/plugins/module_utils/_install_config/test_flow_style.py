# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import read_document
from ansible_collections.capability.openshift.plugins.module_utils._install_config.edit import edit_capabilities

TWO = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Build"]}
NO_NAMES = {"baselineCapabilitySet": "None"}


def edited(text: str, wanted: dict[str, Any]) -> str:
    return edit_capabilities(read_document(text.encode(), "install-config.yaml"), wanted, "install-config.yaml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the names are last, with or without a comma after them
        (
            "{\n  baselineCapabilitySet: v4.11, # one, of\n  additionalEnabledCapabilities: [a], # two\n} # c\n",
            "{\n  baselineCapabilitySet: None, # one, of\n} # c\n",
        ),
        (
            "{\n  baselineCapabilitySet: v4.11, # one, of\n  # above\n  additionalEnabledCapabilities: [a]\n} # c\n",
            "{\n  baselineCapabilitySet: None # one, of\n  # above\n} # c\n",
        ),
        (
            "{ baselineCapabilitySet: v4.11 # one, of\n  , additionalEnabledCapabilities: [a]\n}\n",
            "{ baselineCapabilitySet: None # one, of\n}\n",
        ),
        (
            "{ baselineCapabilitySet: v4.11, # one\n  additionalEnabledCapabilities: [a] }\n",
            "{ baselineCapabilitySet: None # one\n   }\n",
        ),
        # they are first
        (
            "{\n  additionalEnabledCapabilities: [a], # two\n  # above\n  baselineCapabilitySet: v4.11 # one\n}\n",
            "{\n  # above\n  baselineCapabilitySet: None # one\n}\n",
        ),
        (
            "{ additionalEnabledCapabilities: [a], # two\n  baselineCapabilitySet: v4.11 # one\n}\n",
            "{  # two\n  baselineCapabilitySet: None # one\n}\n",
        ),
        # they are alone
        ("{\n  additionalEnabledCapabilities: [a] # two\n}\n", "{\n  baselineCapabilitySet: None,\n   # two\n}\n"),
    ],
)
def test_comments_of_remaining_entries_stay(old, new):
    assert edited(f"capabilities: {old}", NO_NAMES) == f"capabilities: {new}"
    assert edited(f"capabilities: {old}".replace("\n", "\r\n"), NO_NAMES) == f"capabilities: {new}".replace(
        "\n", "\r\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n    Build, # b\n    x, # x\n    Console, # c\n  ", "\n    Build, # b\n    Console, # c\n  "),
        ("\n    Build, # b\n    Console, # c\n    x, # x\n  ", "\n    Build, # b\n    Console, # c\n  "),
        ("\n    Build, # b\n    Console, # c\n    x,\n    y # y\n  ", "\n    Build, # b\n    Console # c\n  "),
        ("\n    x, # x\n    # above\n    Build, Console, # c\n  ", "\n    # above\n    Build, Console, # c\n  "),
    ],
)
def test_names_are_removed_with_their_own_comment_only(old, new):
    text = "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: [{}]\n"
    assert edited(text.format(old), TWO) == text.format(new)
