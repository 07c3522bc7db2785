# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._release.template import (
    TemplateError,
    TemplateValues,
    render,
)

VALUES = TemplateValues("registry.example/release@sha256:0", "hypershift", {"cli": "registry.example/cli", "a-b": "ab"})


# Go's text/template: trim markers need white space on their inner side and remove all of it on their outer side.
@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("no action", "no action"),
        ("image: '{{.ReleaseImage}}'", "image: 'registry.example/release@sha256:0'"),
        ("{{ .ReleaseImage }}", "registry.example/release@sha256:0"),
        ("{{\t.ClusterProfile\n}}", "hypershift"),
        ("{{.Images.cli}}", "registry.example/cli"),
        ('{{index .Images "cli"}}', "registry.example/cli"),
        ('{{ index  .Images  "a-b" }}', "ab"),
        ("{{index .Images `a-b`}}", "ab"),
        ('{{"{{"}} $labels.x {{"}}"}}', "{{ $labels.x }}"),
        ("{{`{{ $value }}`}}", "{{ $value }}"),
        ('{{"a\\"b\\\\c\\n"}}', 'a"b\\c\n'),
        ('{{"a}}b"}}', "a}}b"),
        ("a{{/* a comment */}}b", "ab"),
        ("a {{- /* over\nlines */ -}} b", "ab"),
        ("a \n\t{{- .ClusterProfile }} b", "ahypershift b"),
        ("a {{ .ClusterProfile -}} \r\n b", "a hypershiftb"),
        ("a {{- .ClusterProfile -}} b", "ahypershiftb"),
        ("a {{- .ClusterProfile -}} {{- .ClusterProfile -}} b", "ahypershifthypershiftb"),
        ("a{{ `x` -}}\n{{ `y` }}", "axy"),
        ("{{ `-` }}", "-"),
        ("single { and } stay", "single { and } stay"),
    ],
)
def test_actions_that_occur_in_releases_are_rendered(template, text):
    assert render(template, VALUES) == text


@pytest.mark.parametrize(
    ("template", "line", "part"),
    [
        ("a\n{{ .Nope }}", 2, ".Nope"),
        ("{{if .ReleaseImage}}x{{end}}", 1, "if .ReleaseImage"),
        ("{{ range .Images }}{{ end }}", 1, "range"),
        ("{{ .ReleaseImage | quote }}", 1, "quote"),
        ("{{ .Images.nope }}", 1, "nope is not in image-references"),
        ('a\nb\n{{ index .Images "nope" }}', 3, "nope is not in image-references"),
        ("{{ }}", 1, "is not supported, expected .ReleaseImage"),
        ("a\nb {{ .ReleaseImage", 2, "an action is not closed"),
        ("{{-.ReleaseImage}}", 1, "-.ReleaseImage"),
    ],
)
def test_other_actions_are_rejected_with_their_line(template, line, part):
    with pytest.raises(TemplateError) as raised:
        render(template, VALUES)

    assert raised.value.line == line
    assert part in raised.value.message


@given(st.text().filter(lambda text: "{{" not in text))
def test_text_without_actions_stays_as_it_is(text):
    assert render(text, VALUES) == text


@given(st.text(), st.text())
def test_a_raw_string_is_rendered_as_it_is(before, after):
    text = f"{before}{{{{`raw`}}}}{after}"
    if "{{" in before + after or before.endswith("{"):
        return
    assert render(text, VALUES) == f"{before}raw{after}"
