# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The TLS settings in the text of a configuration file."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._cluster.injected_config import (
    TlsSettings,
    tls_settings,
)
from ansible_collections.capability.openshift.plugins.module_utils._cluster.injection import (
    is_same_config,
    with_tls_settings,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.tls_profiles import tls_injection
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor

SETTINGS = TlsSettings("VersionTLS12", ("TLS_A", "TLS_B"))
HEAD = "apiVersion: operator.openshift.io/v1alpha1\nkind: GenericOperatorConfig\n"
BLOCK = "servingInfo:\n  cipherSuites:\n  - TLS_A\n  - TLS_B\n  minTLSVersion: VersionTLS12\n"
JSON_START = '{\n  "apiVersion": "operator.openshift.io/v1alpha1",'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD, HEAD + BLOCK),
        (HEAD.rstrip(), HEAD + BLOCK),
        (f"# why\n{HEAD}x: 1 # this\n", f"# why\n{HEAD}x: 1 # this\n{BLOCK}"),
        (HEAD + BLOCK, HEAD + BLOCK),
        (
            f"{HEAD}servingInfo:\n    minTLSVersion: VersionTLS10 # old\n    bind: a\nx: 1\n",
            f"{HEAD}servingInfo:\n    bind: a\n"
            "    cipherSuites:\n    - TLS_A\n    - TLS_B\n    minTLSVersion: VersionTLS12\nx: 1\n",
        ),
        (f"{HEAD}servingInfo:\n  cipherSuites: [x,\n    y]\n  minTLSVersion: z", f"{HEAD}{BLOCK}"),
        (
            f"{HEAD}servingInfo:\n  minTLSVersion: z\n  bind: a\n  cipherSuites:\n  - x\nx: 1",
            f"{HEAD}servingInfo:\n  bind: a\n{BLOCK.partition(chr(10))[2]}x: 1",
        ),
    ],
    ids=["none", "no-newline", "comments", "same", "old", "flow-list", "reversed"],
)
def test_only_the_settings_change(text: str, expected: str) -> None:
    assert with_tls_settings(text, SETTINGS) == expected
    assert with_tls_settings(expected, SETTINGS) == expected


def test_the_text_is_that_of_a_cvo() -> None:
    """What the CVO of 5.0 wrote with the default profile of a cluster without an APIServer object."""
    text = f"{HEAD}leaderElection:\n  disable: true\nlist:\n- a\n- b\n"
    suites = [
        *("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"),
        *("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
        *("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
        *("TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    ]
    lines = "".join(f"  - {suite}\n" for suite in suites)
    injection = tls_injection(Minor(5, 0))
    assert injection is not None
    written = f"{text}servingInfo:\n  cipherSuites:\n{lines}  minTLSVersion: VersionTLS12\n"
    assert with_tls_settings(text, tls_settings(None, injection)) == written


@pytest.mark.parametrize(
    "text",
    [
        '{"apiVersion": "operator.openshift.io/v1alpha1", "kind": "GenericOperatorConfig"}',
        f"{HEAD}servingInfo: {{bind: a}}\n",
        f"{HEAD}servingInfo: {{minTLSVersion: VersionTLS12, cipherSuites: [], certFile: /a}}\n",
        f"{HEAD}a: &a {{minTLSVersion: x}}\nservingInfo: *a\n",
    ],
    ids=["json", "flow", "flow-of-both", "alias"],
)
def test_other_styles_become_json(text: str) -> None:
    result = with_tls_settings(text, SETTINGS)
    assert result.startswith(JSON_START)
    assert yaml.safe_load(result)["servingInfo"]["cipherSuites"] == ["TLS_A", "TLS_B"]
    assert with_tls_settings(result, SETTINGS) == result


@pytest.mark.parametrize(
    "value",
    [
        None,
        1,
        "text",
        "a: [",
        "kind: GenericOperatorConfig\n",
        "apiVersion: operator.openshift.io/v1\nkind: GenericOperatorConfig\n",
        "apiVersion: operator.openshift.io/v1alpha1\nkind: GenericControllerConfig\n",
        "- a\n",
        f"{HEAD}servingInfo:\n",
        f"{HEAD}servingInfo: null\nx: 1\n",
        f"{HEAD}servingInfo: ~ # nothing yet\n",
    ],
)
def test_other_values_are_unchanged(value: Any) -> None:
    assert with_tls_settings(value, SETTINGS) == value


def test_both_kinds_are_supported() -> None:
    text = "apiVersion: config.openshift.io/v1\nkind: GenericControllerConfig\n"
    assert with_tls_settings(text, SETTINGS) == text + BLOCK


def test_empty_settings_are_set_too() -> None:
    result = with_tls_settings(HEAD, TlsSettings("", ()))
    assert yaml.safe_load(result)["servingInfo"] == {"cipherSuites": [], "minTLSVersion": ""}


@pytest.mark.parametrize(("value", "name"), [("x", "a string"), ("[a]", "a list"), ("1", "a number")])
def test_serving_info_must_be_a_map(value: str, name: str) -> None:
    with pytest.raises(TypeError) as error:
        with_tls_settings(f"{HEAD}servingInfo: {value}\n", SETTINGS)
    assert str(error.value) == name


def test_formatting_is_no_difference() -> None:
    assert is_same_config(HEAD + BLOCK, with_tls_settings("{}", SETTINGS)) is False
    assert is_same_config("a: [1]\nb: x\n", "b: 'x'\na:\n  - 1\n")
    assert not is_same_config("a: 1\n", "a: 2\n")
    assert is_same_config("a: [", "a: [")
    assert not is_same_config("a: [", None)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.text(max_size=5), _VALUES, max_size=3),
    st.none() | st.dictionaries(st.sampled_from(["cipherSuites", "minTLSVersion", "x", "a b"]), _VALUES, max_size=4),
    st.sampled_from([None, False, True]),
    st.booleans(),
)
def test_the_rest_of_the_configuration_is_the_same(
    rest: dict[str, Any], serving: dict[str, Any] | None, flow: bool | None, sort: bool
) -> None:
    config = {**rest, "kind": "GenericOperatorConfig", "apiVersion": "operator.openshift.io/v1alpha1"}
    config["servingInfo"] = serving
    text = yaml.safe_dump(config, default_flow_style=flow, sort_keys=sort, allow_unicode=True)
    result = yaml.safe_load(with_tls_settings(text, SETTINGS))
    fields = {"cipherSuites": ["TLS_A", "TLS_B"], "minTLSVersion": "VersionTLS12"}
    expected = None if serving is None else {**serving, **fields}
    assert result == {**yaml.safe_load(text), "servingInfo": expected}
