# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._install_config.document import (
    DocumentError,
    read_document,
    render_document,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.edit import edit_capabilities

NAMES = ["Build", "CSISnapshot", "Console", "None", "baremetal"]
SETS = ["None", "v4.11", "vCurrent"]

selections = st.fixed_dictionaries(
    {"baselineCapabilitySet": st.sampled_from(SETS)},
    optional={"additionalEnabledCapabilities": st.lists(st.sampled_from(NAMES), min_size=1, unique=True)},
)
comments = st.sampled_from(["", "", "", "# a comment\n", "\n", "  # indented: yes\n", "# capabilities: {}\n", "\t\n"])
trailing = st.sampled_from(["", "", "  # why", " ", "\t# tab", " \t "])
quotes = st.sampled_from(["{}", "{}", "'{}'", '"{}"', "!!str {}", "&anchor{{}} {}"])

OTHERS = [
    "apiVersion: v1{t}\n",
    "metadata:{t}\n  name: one{t}\n",
    "compute:\n- name: worker{t}\n  replicas: 3\n",
    "networking:\n    serviceNetwork:{t}\n        - 172.30.0.0/16\n    more: {{a: [1, 2],\n      b: 3}}{t}\n",
    "platform: {{none: {{}}}}{t}\n",
    "pullSecret: '{{\"auths\":\n  {{}}}}'{t}\n",
    "sshKey: |\n  ssh-rsa AAAA\n\n",
    "note: >+\n  a\n\n  b\n\n",
    "tail: |-\n  capabilities:\n    # no comment\n  x\n",
    "publish:{t}\n",
    '"quoted key": "a\\tb\\\n  c"{t}\n',
    "many words\u00e9 \U0001f600: plain\n  over lines{t}\n",
    "x-anchor: &far\n  a: 1{t}\n",
    "separator: 'a\u2028 b\u0085 c'{t}\n",
]


@st.composite
def listed(draw: Any, indent: str) -> str:
    """The text after the key of the names."""
    names = draw(st.lists(st.sampled_from([*NAMES, "Gone", "x"]), max_size=4))
    quote = draw(st.sampled_from(["{}", "'{}'", '"{}"']))
    end = draw(trailing)
    style = draw(st.integers(0, 4))
    if style == 0 or not names:
        return draw(st.sampled_from(["", " []", " ~", " null", " [ ]"])) + end + "\n"
    if style == 1:
        return " [" + ", ".join(map(quote.format, names)) + draw(st.sampled_from(["", " ", ", "])) + "]" + end + "\n"
    if style == 2:
        return (
            " [\n"
            + "".join(f"{indent}  {quote.format(name)},{draw(trailing)}\n" for name in names)
            + f"{indent}]{end}\n"
        )
    dash = indent + draw(st.sampled_from(["- ", "  - ", "    -   "]))
    return end + "\n" + "".join(draw(comments) + dash + quote.format(name) + draw(trailing) + "\n" for name in names)


@st.composite
def blocks(draw: Any) -> str:
    """The lines of a block, possibly none."""
    key = draw(
        st.sampled_from(["capabilities", "capabilities", "'capabilities'", '"capabilities"', "? capabilities\n"])
    )
    style = draw(st.integers(0, 5))
    end = draw(trailing)
    if style == 0:
        return ""
    if style == 1:
        other = draw(
            st.sampled_from(["", " {}", " ~", " word", " [a, b]", "\n- a\n- b", "\n  word", " |\n    a\n", " &c"])
        )
        return f"{key}:{other}{'' if '|' in other else end}\n"
    if style == 2:
        inner = draw(
            st.sampled_from(["baselineCapabilitySet: None", "additionalEnabledCapabilities: [x, Console]", ""])
        )
        close = draw(st.sampled_from(["", ",", "\n ", " "])) if inner else ""
        return f"{key}: {{{inner}{close}}}{end}\n"
    indent = draw(st.sampled_from(["  ", "    ", " "]))
    lines = []
    if draw(st.booleans()):
        value = quotes_of(draw(quotes), draw(st.sampled_from([*SETS, ""])))
        lines.append(f"{indent}baselineCapabilitySet: {value}{draw(trailing)}\n")
    if draw(st.booleans()) or not lines:
        lines.append(f"{indent}additionalEnabledCapabilities:" + draw(listed(indent)))
    if draw(st.booleans()):
        lines.reverse()
    return f"{key}:{end}\n" + "".join(draw(comments) + line for line in lines)


def quotes_of(style: str, value: str) -> str:
    return style.format(value) if value else ""


@st.composite
def install_configs(draw: Any) -> tuple[str, str, str]:
    """The text before the block, the block, and the text after it."""
    parts = draw(st.lists(st.sampled_from(OTHERS), unique=True, min_size=1, max_size=6))
    texts = [draw(comments) + part.format(t=draw(trailing)) for part in parts]
    cut = draw(st.integers(0, len(texts)))
    block = draw(blocks())
    before, after = "".join(texts[:cut]), "".join(texts[cut:]) + draw(comments)
    before = draw(st.sampled_from(["", "", "---\n", "%YAML 1.1\n--- # begin\n"])) + before
    after += draw(st.sampled_from(["", "", "...\n", "...\n# end\n", "---\n"]))
    if draw(st.booleans()):
        before, block, after = (side.replace("\n", "\r\n") for side in (before, block, after))
    before = draw(st.sampled_from(["", "", "\ufeff"])) + before
    if draw(st.booleans()):
        after = after.rstrip("\r\n")
    return before, block, after


def read(text: str) -> Any:
    return read_document(text.encode(), "f")


@given(install_configs(), selections)
def test_only_the_block_changes(parts, selection):
    before, block, after = parts
    old = before + block + after
    try:
        document = read(old)
    except DocumentError:
        assume(False)
    try:
        new = edit_capabilities(document, selection, "f")
    except DocumentError as error:
        pytest.fail(f"{old!r}: {error}")
    data = read(new).data
    written = data.pop("capabilities")
    document.data.pop("capabilities", None)
    assert repr(data) == repr(document.data)
    assert written["baselineCapabilitySet"] == selection["baselineCapabilitySet"]
    names = written.get("additionalEnabledCapabilities") or []
    assert sorted(names) == sorted(selection.get("additionalEnabledCapabilities", []))
    assert edit_capabilities(read(new), selection, "f") == new
    if block:
        assert new.startswith(before)
        assert new.endswith(after)
    else:
        # One insertion: the text before and after it is the old text, except a line break at the end.
        tail = "" if old.endswith("\n") else "\r\n" if "\r\n" in old else "\n"
        whole, grown = old + tail, new + tail
        common = next((i for i, (a, b) in enumerate(zip(whole, grown, strict=False)) if a != b), len(whole))
        assert any(grown.endswith(whole[cut:]) for cut in range(common + 1))


texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]))
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | texts
    | st.sampled_from(["y", "1:30", "0o7", "=", "<<", "~"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abcXY-_. 01", min_size=1), inner),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from(["apiVersion", "sshKey", "pullSecret", "platform", "zone", "a"]), values, min_size=1
    )
)
def test_a_rendered_document_can_be_read(content):
    text = render_document(content)
    assume(not any(mark in text for mark in ("{{", "{%", "{#")))
    assert read(text).data == content
    assert render_document(dict(reversed(content.items()))) == text
