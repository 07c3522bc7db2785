# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""No result contains a secret of an install-config, and no content causes a traceback.

``run`` searches every result for parts of the planted secrets, see ``builders.install_configs.runner``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.capability.openshift.plugins.module_utils._data import platforms
from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    AUTH,
    BMC,
    COMMENTED,
    OLD_PULL_SECRET,
    PLATFORMS,
    PRIVATE_KEY,
    PROXY,
    PULL_SECRET,
    REGISTRY_PASSWORD,
    SECRETS,
    SSH_KEY,
    VSPHERE,
    leaks,
    runner,
    selection,
    site,
)

BAD = selection("console", "Ingress", "Ingress", "OperatorLifecycleManagerV2")


@pytest.fixture
def run(call):
    return runner(call)


def test_the_search_finds_secrets():
    assert leaks(json.dumps(site()) + json.dumps(PLATFORMS) + OLD_PULL_SECRET + PRIVATE_KEY)
    for secret in SECRETS:
        assert leaks(f"x{secret[8:17]}y")
    assert leaks("console None v1 VALUE_SPECIFIED_IN_NO_LOG_PARAMETER") == []


SITES = {
    "good": site(),
    "vsphere": site("vsphere"),
    "baremetal": site("baremetal"),
    "a pull secret that is a dict": site(pullSecret=json.loads(PULL_SECRET)),
    "a pull secret in a list": site(pullSecret=[json.loads(PULL_SECRET)]),
    "a pull secret that is not JSON": site(pullSecret=PULL_SECRET[:-1]),
    "a pull secret with the wrong field": site(pullSecret=PULL_SECRET.replace("auths", "auth")),
    "a pull secret in a pull secret": site(pullSecret=json.dumps({"auths": {"a": json.loads(PULL_SECRET)}})),
    "a private key": site(sshKey=PRIVATE_KEY),
    "keys in lines": site(sshKey=f"{SSH_KEY}\n{SSH_KEY}x\n"),
    "a key in a list": site(sshKey=[SSH_KEY]),
    "a key in a field of another kind": site(sshKey={"key": SSH_KEY}),
    "several errors": site("vsphere", apiVersion="v2", sshKey=PRIVATE_KEY, pullSecret=PULL_SECRET + "}", compute={}),
    "a password that is a list": site("vsphere", platform2={"password": [VSPHERE, {"a": VSPHERE}]}),
    "secrets in fields that do not exist": site(bmcPassword=BMC, proxyy={"x": f"https://me:{PROXY}@p.example.com"}),
    "secrets in fields that are quoted, too": site(
        "vsphere", baseDomain=REGISTRY_PASSWORD, metadata={"name": AUTH}, apiVersion=VSPHERE, publish=f"me:{PROXY}"
    ),
    "two platforms": site() | {"platform": PLATFORMS},
}  # fmt: skip


@pytest.mark.parametrize("before", ["no file", "a file with comments", "another file", "a broken file"])
@pytest.mark.parametrize("case", SITES)
def test_no_result_contains_a_secret(case, before, run, tmp_path):
    path = tmp_path / "install-config.yaml"
    texts = {
        "a file with comments": COMMENTED,
        "another file": json.dumps(site("baremetal", pullSecret=OLD_PULL_SECRET, sshKey=PRIVATE_KEY)),
        "a broken file": COMMENTED.replace("pullSecret: '", "pullSecret: "),
    }
    for options in ({}, {"capabilities": BAD}, {"solution": "headless"}, {"openshift_version": 4.2}):
        for check in (True, False):
            path.unlink(missing_ok=True)
            if before != "no file":
                path.write_text(texts[before])
            run(path=path, content=SITES[case], check=check, diff=True, **options)
    run(path=path, diff=True)
    run(content=json.dumps(SITES[case]), diff=True)


def line(field: str, text: str) -> Callable[[str], str]:
    """Return a function that replaces the line of ``field`` by ``text``."""

    def put(source: str) -> str:
        return "\n".join(text if part.lstrip().startswith(field + ":") else part for part in source.split("\n"))

    return put


BROKEN = {
    "no opening quote": line("pullSecret", f"pullSecret: {PULL_SECRET}'"),
    "no closing quote": line("pullSecret", f"pullSecret: '{PULL_SECRET}"),
    "no quotes": line("pullSecret", f"pullSecret: {PULL_SECRET}"),
    "the wrong quotes": line("pullSecret", f'pullSecret: "{PULL_SECRET}"'),
    "no blank after the colon": line("pullSecret", f"pullSecret:'{PULL_SECRET}'"),
    "a tab": line("pullSecret", f"\tpullSecret: '{PULL_SECRET}'"),
    "too deep": line("pullSecret", f"  pullSecret: '{PULL_SECRET}'"),
    "twice": line("pullSecret", f"pullSecret: '{PULL_SECRET}'\npullSecret: '{OLD_PULL_SECRET}'"),
    "an escape": line("sshKey", f'sshKey: "\\q{SSH_KEY}"'),
    "a control character": line("sshKey", f"sshKey: {SSH_KEY}\x07"),
    "Jinja in it": line("pullSecret", f"pullSecret: '{{{{ x }}}}{PULL_SECRET}'"),
    "an alias": line("httpProxy", f"    httpProxy: a\n    password: *{VSPHERE}"),
    "an alias and more": line("httpProxy", f"    httpProxy: a\n    password: *{VSPHERE} {BMC}"),
    "an anchor": line("httpProxy", f"    httpProxy: a\n    password: &{VSPHERE} {BMC}"),
    "a tag": line("httpProxy", f"    httpProxy: a\n    password: !{VSPHERE}"),
    "a tag and a value": line("httpProxy", f"    httpProxy: a\n    password: !{VSPHERE} {BMC}"),
    "a tag of a number": line("httpProxy", f"    httpProxy: a\n    password: !!int {VSPHERE}"),
    "a directive": line("httpProxy", f"    httpProxy: a\n    password: %{VSPHERE}"),
    "a reserved character": line("httpProxy", f"    httpProxy: a\n    password: @{VSPHERE}"),
    "a block without an end": line("sshKey", f"sshKey: |\n{PRIVATE_KEY}"),
    "a colon in it": line("httpProxy", f"    httpProxy: a\n    password: {VSPHERE}: {BMC}"),
    "a merge": line("pullSecret", f"<<: {PULL_SECRET!r}"),
    "another document": lambda text: text + f"---\npullSecret: '{OLD_PULL_SECRET}\n",
    "not UTF-8": lambda text: text.replace("berlin", "k\udcf6ln"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_no_message_quotes_a_text_with_a_syntax_error_at_a_secret(case, run, tmp_path):
    path = tmp_path / "install-config.yaml"
    text = BROKEN[case](COMMENTED)
    assert text != COMMENTED
    path.write_bytes(text.encode(errors="surrogateescape"))
    outcomes = [run(path=path, diff=True), run(path=path, diff=True, capabilities=BAD)]
    outcomes += [run(path=path, diff=True, content=content) for content in (site(), site("nne", publish="x"))]
    if case != "not UTF-8":
        outcomes += [run(content=text), run(path=tmp_path / "new.yaml", content=text, diff=True)]
    assert any(outcome.failed for outcome in outcomes) or case == "an anchor"


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text(max_size=6), inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "replicas", "cidr", *platforms.PLATFORMS]), inner, max_size=3),
    ),
    max_leaves=8,
)
FIELDS = [
    "apiVersion",
    "baseDomain",
    "metadata",
    "controlPlane",
    "compute",
    "networking",
    "platform",
    "capabilities",
    "featureSet",
    "featureGates",
    "bootstrapInPlace",
    "proxy",
    "publish",
    "credentialsMode",
    "additionalTrustBundle",
    "imageContentSources",
    "imageDigestSources",
    "cpuPartitioningMode",
    "arbiter",
    "other",
]
NETWORKS = st.dictionaries(
    st.sampled_from(["machineNetwork", "clusterNetwork", "serviceNetwork", "networkType", "machineCIDR"]),
    st.one_of(VALUES, st.lists(st.fixed_dictionaries({"cidr": VALUES}, optional={"hostPrefix": VALUES}), max_size=2)),
)
BLOCKS = st.dictionaries(
    st.sampled_from(["baselineCapabilitySet", "additionalEnabledCapabilities", "excludedCapabilities"]),
    st.one_of(VALUES, st.lists(st.one_of(st.sampled_from(["Ingress", "Console", "console"]), VALUES), max_size=3)),
)
CHANGES = st.dictionaries(st.sampled_from(FIELDS), st.one_of(VALUES, NETWORKS, BLOCKS), max_size=4)
FUZZ = settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


@FUZZ
@given(changes=CHANGES, given_block=st.one_of(st.none(), VALUES, BLOCKS), method=st.sampled_from([None, "agent"]))
def test_no_content_causes_a_traceback_or_a_leak(changes, given_block, method, run, tmp_path):
    """``run`` checks both."""
    content = {**site("vsphere"), **changes}
    options: dict[str, Any] = {"capabilities": given_block, "install_method": method, "diff": True}
    run(content=content, **options)
    run(content=content, path=tmp_path / "install-config.yaml", check=True, **options)


@FUZZ
@given(block=st.one_of(VALUES, BLOCKS))
def test_no_option_causes_a_traceback(block, run):
    run(content=site(), capabilities=block)
    run(content=block, capabilities=block)


SECRET_LINES = tuple(at for at, part in enumerate(COMMENTED.splitlines()) if leaks(part))
NOISE = st.text(st.sampled_from("ab: -#'\"{}[]|>&*!%@`,?\t\n\r\x85\u2028\ufeff\x00é"), max_size=6)
EDITS = st.lists(
    st.tuples(st.integers(0, len(COMMENTED.splitlines())), st.integers(0, 30), st.integers(0, 10), NOISE), max_size=4
)


@FUZZ
@given(edits=EDITS)
def test_no_text_causes_a_traceback_or_a_leak(edits, run, tmp_path):
    """Noise is added to all lines except those with secrets, because only known fields are masked."""
    lines = COMMENTED.splitlines()
    for number, start, length, noise in edits:
        if number < len(lines) and number not in SECRET_LINES:
            lines[number] = lines[number][:start] + noise + lines[number][start + length :]
    text = "\n".join(lines) + "\n"
    path = tmp_path / "install-config.yaml"
    path.write_text(text, newline="")
    run(path=path, capabilities=selection("Ingress", "Console"), check=True, diff=True)
    run(content=text, path=path, diff=True, check=True)


@FUZZ
@given(text=st.one_of(NOISE, st.text(max_size=40)))
def test_no_random_text_causes_a_traceback(text, run):
    run(content=text)
