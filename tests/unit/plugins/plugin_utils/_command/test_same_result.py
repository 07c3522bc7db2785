# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each subcommand returns what its module returns through Ansible, and accepts the same values of options."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.capability.openshift.plugins.module_utils._problems import (
    InvalidOptionError,
    Location,
    Problems,
)
from ansible_collections.capability.openshift.plugins.plugin_utils._command.main import main
from ansible_collections.capability.openshift.plugins.plugin_utils._command.options import checked_options
from ansible_collections.capability.openshift.plugins.plugin_utils._command.running import call
from ansible_collections.capability.openshift.plugins.plugin_utils._command.subcommands import SUBCOMMANDS

EXAMPLES = Path(__file__).parents[5] / "examples"
OLD, NEW = (str(EXAMPLES / "releases" / version) for version in ("4.21.0", "4.22.0"))
SELECTION = {"baselineCapabilitySet": "None", "additionalEnabledCapabilities": ["Console", "Ingress"]}
DIGEST = f"quay.io/openshift/release@sha256:{'1' * 64}"
CALLS: dict[str, dict[str, Any]] = {
    "release-info": {"release": NEW, "previous_release": OLD, "feature_gates": ["A", "B"]},
    "release-compare": {"release": NEW, "capabilities": SELECTION, "previous_capabilities": {}},
    "release-manifests": {"release": NEW, "capabilities": SELECTION, "decisions": True},
    "update-plan": {
        "releases": [OLD, NEW],
        "capabilities": SELECTION,
        "fail_on": "risk",
        "forbidden_capabilities": ["Console"],
        "details": False,
    },
    "install-config": {"capabilities": SELECTION, "openshift_version": "4.20", "install_method": "upi"},
    "site-check": {"checkout": str(EXAMPLES / "sites"), "paths": ["clusters", "policies"]},
    "release-lint": {"release": NEW, "previous_release": OLD, "fail_on": "warning"},
    "addon-check": {"addons": [str(EXAMPLES / "sites"), OLD], "release": NEW, "fail_on": "never"},
    "mirror-check": {"release": OLD, "release_image": DIGEST, "previous_release": OLD},
}


@pytest.mark.parametrize("name", CALLS)
def test_the_result_is_that_of_the_module(name, call, capsys, monkeypatch):
    subcommand, options = SUBCOMMANDS[name], CALLS[name]
    module = import_module(f"ansible_collections.capability.openshift.plugins.modules.{subcommand.module}")
    expected = call(module, **options).result
    words = [name, "--format=json"]
    for option, value in options.items():
        flag = f"--{option.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(flag if value else flag.replace("--", "--no-"))
        else:
            text = ",".join(value) if isinstance(value, list) else value
            words += [flag, text if isinstance(text, str) else json.dumps(text)]
    monkeypatch.setattr(sys, "argv", ["openshift-capability", *words])
    code = main()
    result = json.loads(capsys.readouterr().out)
    # Warnings are on standard error, and Ansible adds the options.
    assert result == {key: value for key, value in expected.items() if key not in ("invocation", "warnings")}
    assert bool(code) == (expected.get("failed", False) or expected.get("ready") is False)


VALUES: dict[str, dict[str, list[Any]]] = {
    "bool": {"good": [True, "yes", "No", "1", 0], "bad": ["maybe", [], {}]},
    "dict": {"good": [{"a": 1}, "a=1,b=2"], "bad": ["a", 5]},
    "int": {"good": [5, "5"], "bad": ["x", {}]},
    "path": {"good": ["~/x", "$HOME/y", "z"], "bad": []},
    "raw": {"good": [1, "x", [1], {"a": [1]}], "bad": []},
    "str": {"good": ["x", 5, "4.20"], "bad": []},
}


@pytest.mark.parametrize(
    ("kind", "is_good", "value"),
    [
        (kind, sort == "good", value)
        for kind, sorts in VALUES.items()
        for sort, values in sorts.items()
        for value in values
    ],
)
def test_values_are_converted_as_ansible_does(kind, is_good, value):
    spec: dict[str, dict[str, Any]] = {"x": {"type": kind}, "many": {"type": "list", "elements": kind}}
    given, problems = {"x": value, "many": [value]}, Problems()
    expected = ArgumentSpecValidator(spec).validate(given)
    found = checked_options(given, spec, lambda name: Location(field=name), problems)
    assert bool(expected.error_messages) is not is_good
    assert problems.has_errors is not is_good
    if is_good:
        assert found == expected.validated_parameters


@pytest.mark.parametrize(
    ("words", "codes"), [(["--platform"], ["invalid-call"]), (["--relases=x"], ["unknown-option"])]
)
def test_a_call_that_cannot_be_read_is_an_error(words, codes):
    with pytest.raises(InvalidOptionError) as raised:
        call(SUBCOMMANDS["update-plan"], words)

    assert [problem.code for problem in raised.value.problems] == codes
