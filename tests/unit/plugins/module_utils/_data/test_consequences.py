# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities as capability_data
from ansible_collections.capability.openshift.plugins.module_utils._data.consequences import (
    CONSEQUENCES,
    Consequence,
    consequences_of,
)

NAMES = [item.name for item in capability_data.CAPABILITIES]


def test_only_capabilities_of_the_registry_have_consequences():
    assert {item.capability for item in CONSEQUENCES} == set(NAMES)


@pytest.mark.parametrize("item", CONSEQUENCES, ids=lambda item: f"{item.capability}: {item.text}")
def test_every_consequence_is_one_sentence_with_a_source(item: Consequence):
    assert item.source.strip() == item.source != ""
    assert item.text.strip() == item.text != ""
    assert not item.text.endswith(".")
    assert ". " not in item.text
    assert item.text[0].isupper()


def test_no_text_is_repeated():
    texts = [item.text for item in CONSEQUENCES]

    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("CSISnapshot", ("VolumeSnapshot", "are absent")),
        ("CloudCredential", ("CredentialsRequest is absent",)),
        ("NodeTuning", ("Tuned and PerformanceProfile are absent",)),
        ("Storage", ("CSI drivers", "storage class")),
        ("baremetal", ("BareMetalHost is absent",)),
        ("CloudControllerManager", ("nodes", "no workload")),
        ("OperatorLifecycleManager", ("Subscription", "cannot be installed")),
        ("MachineAPI", ("machines are added", "by hand")),
    ],
)
def test_the_main_effect_comes_first(name: str, words: tuple[str, ...]):
    """A summary shows only the first consequence of a capability."""
    first = consequences_of([name])[0].text

    for word in words:
        assert word in first


@pytest.mark.parametrize("names", [[], ["Nonsense"], ["build"], ["OperatorLifecycle"]])
def test_an_unknown_name_has_none(names):
    assert consequences_of(names) == ()


def test_they_are_sorted_by_capability_and_keep_their_order_within_it():
    found = consequences_of(reversed(NAMES))

    assert [item.capability for item in found] == sorted(item.capability for item in found)
    for name in NAMES:
        assert [item for item in found if item.capability == name] == [
            item for item in CONSEQUENCES if item.capability == name
        ]


def test_a_name_given_twice_counts_once():
    assert consequences_of(["Build", "Build"]) == consequences_of(iter(["Build"]))
