# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A diff shows the selection and harmless lines, and no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._install_config.diff_text import diff_texts
from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import read_document
from ansible_collections.capability.openshift.plugins.module_utils._install_config.edit import edit_capabilities

CORPUS = sorted((Path(__file__).parents[3] / "install_configs").glob("*.*"))
assert CORPUS, "no install-config to test with"

# Every secret of the corpus contains the first marker, or in base64 the second.
MARKERS = ("hidden", "aGlkZGVu")
SELECTION = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Ingress", "NodeTuning"]}


def read(text):
    return read_document(text.encode(), "")


def shown(text):
    return diff_texts(None, read(text))[1]


def changed_lines(before, after):
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.mark.parametrize("change", [str, lambda text: text.replace("\n", "\r\n"), lambda text: "\ufeff" + text])
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_no_secret_of_the_corpus_is_shown_before_or_after_an_edit(path, change):
    document = read(change(path.read_bytes().decode()))
    texts = diff_texts(document, read(edit_capabilities(document, SELECTION, "")))

    assert not [line for text in texts for line in text.splitlines() if any(marker in line for marker in MARKERS)]
    assert "NodeTuning" in texts[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("apiVersion: v1\npublish: 'External'\n", "apiVersion: v1\npublish: 'External'\n"),
        ("controlPlane:\n  name: master\n  replicas: 3\n", "controlPlane:\n  name: master\n  replicas: 3\n"),
        ("compute:\n- name: worker\n", "compute:\n- name: worker\n"),
        ("serviceNetwork:\n- abc\n", "serviceNetwork:\n********\n"),
        ("platform:\n  none: {}\n", "platform:\n  none: {}\n"),
        ("capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities:\n  - Console\n", None),
        ("capabilities:  # see abc\n  baselineCapabilitySet: None # abc\n  # abc\n",
         "capabilities:  # ********\n  baselineCapabilitySet: None  # ********\n# ********\n"),
        ("capabilities:\n  password: abc\n  additionalEnabledCapabilities: [Console]\n",
         "capabilities:\n  additionalEnabledCapabilities:\n  - Console\n"),
        # secrets next to the selection
        ("pullSecret: '{\"auths\": {}}'\ncapabilities: {}\n", "pullSecret: ********\ncapabilities: {}\n"),
        ("sshKey: |\n  abc\n  name: abc\n\n  - abc\n", "sshKey: ********\n" + "********\n" * 4),
        ("pullSecret: >-\n  {\n  - abc}\nkind: a\n", "pullSecret: ********\n********\n********\nkind: a\n"),
        ("pullSecret: 'a\n  name: abc\n  '\n", "pullSecret: ********\n********\n********\n"),
        ("additionalTrustBundle: |\n  -----BEGIN\n  MIIB\n", "additionalTrustBundle: ********\n********\n********\n"),
        ("proxy:\n  httpProxy: http://u:abc@h:1\n", "proxy:\n********\n"),
        ("proxy: {httpProxy: 'http://u:abc@h:1'}\n", "proxy: ********\n"),
        ("platform:\n  vsphere:\n    vcenters:\n    - password: abc\n      name: b\n",
         "platform:\n********\n********\n********\n      name: b\n"),
        ("platform: {vsphere: {password: abc}}\n", "platform: ********\n"),
        ("name: abc@d\npublish: a b\nbaseDomain: " + "a" * 64 + "\n",
         "name: ********\npublish: ********\nbaseDomain: ********\n"),
        ("password: abcd\nname: abcd\nkind: zabcdz\n", "********\nname: ********\nkind: zabcdz\n"),
        ("# pullSecret: abc\nkind: a\n", "# ********\nkind: a\n"),
        # documents in flow style
        ('{"pullSecret": "abc", "capabilities": {"baselineCapabilitySet": "None"}}\n',
         "capabilities:\n  baselineCapabilitySet: None\n********\n"),
        ("capabilities: {baselineCapabilitySet: None, password: abc}\npullSecret: abc\n",
         "capabilities:\n  baselineCapabilitySet: None\npullSecret: ********\n"),
        ("capabilities: {additionalEnabledCapabilities: [{key: abc}, 'a b', Console]}\n",
         "capabilities:\n  additionalEnabledCapabilities:\n********\n********\n  - Console\n"),
        ("capabilities: [abc]\n", "capabilities: {}\n"),
        ("a: &a {baselineCapabilitySet: None}\ncapabilities: *a\n",
         "********\ncapabilities:\n  baselineCapabilitySet: None\n"),
    ],
)  # fmt: skip
def test_lines_that_can_contain_a_secret_are_masked(text, expected):
    assert shown(text) == (text if expected is None else expected)


def test_an_edit_shows_the_names_that_change():
    document = read("apiVersion: v1\ncapabilities:\n  baselineCapabilitySet: None\npullSecret: abc\n")

    removed, added = changed_lines(*diff_texts(document, read(edit_capabilities(document, SELECTION, ""))))

    assert (removed, added) == ([], ["  additionalEnabledCapabilities:", "  - Ingress", "  - NodeTuning"])


def test_a_changed_secret_is_marked_and_neither_value_is_shown():
    old, new = read("name: a\npullSecret: abc\nsshKey: k\n"), read("name: a\npullSecret: abd\nsshKey: k\n")

    assert diff_texts(old, new) == (
        "name: a\npullSecret: ********\nsshKey: ********\n",
        "name: a\npullSecret: ******** (changed)\nsshKey: ********\n",
    )


def test_a_secret_of_one_side_is_masked_in_the_other():
    old, new = read("name: my-secret\n"), read("name: b\npassword: my-secret\n")

    assert diff_texts(old, new)[0] == "name: ********\n"
