# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which files that are no YAML are templates of it."""

from __future__ import annotations

import pytest

from ansible_collections.capability.openshift.plugins.module_utils._yaml.libyaml import load_documents
from ansible_collections.capability.openshift.plugins.module_utils._yaml.template import is_template
from ansible_collections.capability.openshift.plugins.module_utils._yaml.values import YamlError

CONFLICT = "<<<<<<< HEAD\na: 1\n=======\n"


def read(text: str) -> object:
    return load_documents(text.encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: {{ .Values.name }}\n", True),
        ("a:\n{{- if .b }}\n  c: d\n{{- else }}\n- e\n{{- end }}\n", True),
        ("{{ .name }}: {{- toYaml .a | nindent 2 }}\n", True),
        ("{% if x %}\na: b\n{% endif %}\n", True),
        ("a: [${ONE}, {{ two }}]\r\n", True),
        ('a: {{hub fromConfigMap\n  "" "b" hub}}\n', True),
        (f"a: '{{{{ $labels.a }}}}'\n{CONFLICT}", False),
        (f"# {{{{ ansible_managed }}}}\n{CONFLICT}", False),
        (f"a: ${{B}}\n{CONFLICT}", False),
        (CONFLICT, False),
        ("\0{{ a }}\n", False),
        ("\0\n{{ a }}\n", False),
        ("{{" * 1_000_000, False),
    ],
)
def test_only_what_expressions_make_invalid_is_a_template(text, expected):
    with pytest.raises(YamlError):
        read(text)
    assert is_template(text, read) is expected
