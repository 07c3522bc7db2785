# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What install_config writes, what it does not change, and what check mode predicts."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.capability.openshift.tests.unit.builders.install_configs import (
    BLOCK,
    COMMENTED,
    PULL_SECRET,
    runner,
    selection,
    site,
)
from ansible_collections.capability.openshift.tests.unit.builders.releases import tree
from ansible_collections.capability.openshift.tests.unit.run_module import Outcome

WITH_CONSOLE = selection("Ingress", "Console")


@pytest.fixture
def run(call):
    return runner(call)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "install-config.yaml"


def changed_lines(before: str, after: str) -> list[str]:
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "-+"]


def state_of(path: Path) -> tuple[bytes, int, int, int]:
    status = path.stat()
    return path.read_bytes(), status.st_mtime_ns, status.st_ino, status.st_mode


FILE_FACTS = {"path", "uid", "gid", "owner", "group", "mode", "state", "size", "secontext"}
"""Keys that AnsibleModule adds about an existing file."""


def reported(outcome: Outcome) -> dict[str, Any]:
    # Warnings belong to the process, which may have run other modules before.
    return {key: value for key, value in outcome.result.items() if key not in (*FILE_FACTS, "warnings")}


def names_of(block: dict[str, Any]) -> tuple[str, list[str]]:
    return block["baselineCapabilitySet"], sorted(block.get("additionalEnabledCapabilities", []))


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


CONTENTS = {
    "a dict": site(),
    "a text": COMMENTED,
    "JSON": json.dumps(site()),
    "a pull secret that is a dict": site(pullSecret=json.loads(PULL_SECRET)),
}


@pytest.mark.parametrize("form", CONTENTS)
def test_a_new_file(form, run, path):
    outcome = run(path=path, content=CONTENTS[form], capabilities=WITH_CONSOLE)

    assert outcome["changed"] is True
    assert outcome["path"] == str(path)
    written = yaml.safe_load(path.read_text())
    block = written.pop("capabilities")
    assert written == site()
    assert block["baselineCapabilitySet"] == "None"
    assert sorted(block["additionalEnabledCapabilities"]) == ["Console", "Ingress"]
    assert mode(path) == 0o600


def test_a_new_file_from_a_dict_has_the_keys_in_the_order_of_the_installer_and_secrets_last(run, path):
    fields = list(reversed(list(site().items())))
    run(path=path, content=dict(fields), capabilities=WITH_CONSOLE)

    keys = [line.partition(":")[0] for line in path.read_text().splitlines() if line[0] not in " -"]
    order = ["apiVersion", "baseDomain", "metadata", "controlPlane", "compute", "platform", "capabilities", "proxy"]
    assert keys == [*order, "pullSecret", "sshKey"]


EDITS = [
    ({"capabilities": WITH_CONSOLE}, ["+   - Console"]),
    ({"capabilities": {"excluded_capabilities": ["Console"]}}, None),
    ({"solution": "ran_du"}, ["+   - NodeTuning", "+   - OperatorLifecycleManager"]),
    (
        {"capabilities": selection(baseline="vCurrent")},
        [
            "-   baselineCapabilitySet: None",
            "-   additionalEnabledCapabilities:",
            "-   - Ingress   # for the routes",
            "+   baselineCapabilitySet: vCurrent",
        ],
    ),
]


@pytest.mark.parametrize(("options", "lines"), EDITS)
def test_an_edit_changes_only_lines_of_the_capabilities(options, lines, run, path):
    path.write_text(COMMENTED)
    outcome = run(path=path, **options)

    after = path.read_text()
    assert outcome["changed"] is True
    if lines is not None:
        assert sorted(changed_lines(COMMENTED, after)) == sorted(lines)
    head, tail = COMMENTED.split(BLOCK, maxsplit=1)[0], COMMENTED[COMMENTED.index("platform:") :]
    assert after.startswith(head)
    assert after.endswith(tail)
    assert names_of(yaml.safe_load(after)["capabilities"]) == names_of(outcome["capabilities"])


EXISTING: dict[str, str | None] = {
    "no file": None,
    "another selection": COMMENTED,
    "no block": COMMENTED.replace(BLOCK + "  additionalEnabledCapabilities:\n  - Ingress   # for the routes\n", ""),
    "other values": COMMENTED.replace("replicas: 1", "replicas: 3"),
    "the same": COMMENTED.replace("  - Ingress   # for the routes\n", "  - Console\n  - Ingress\n"),
}
REQUESTS: dict[str, dict[str, Any]] = {
    "content": {"content": site()},
    "a text": {"content": COMMENTED},
    "content and capabilities": {"content": site(), "capabilities": WITH_CONSOLE},
    "a text and capabilities": {"content": COMMENTED, "capabilities": WITH_CONSOLE},
    "content with a block": {"content": site(capabilities=WITH_CONSOLE)},
    "capabilities": {"capabilities": WITH_CONSOLE},
    "the first draft": {"capabilities": {"inclusionDefault": "Include", "exclude": ["Console"]}, "content": site()},
    "solution": {"solution": "headless"},
    "a path alone": {},
}


@pytest.mark.parametrize("mode_before", [0o600, 0o644])
@pytest.mark.parametrize(
    ("before", "request_name"),
    [(before, name) for before in EXISTING for name in REQUESTS if EXISTING[before] or "content" in REQUESTS[name]],
)
def test_check_mode_predicts_the_run_and_a_second_run_changes_nothing(before, request_name, mode_before, run, tmp_path):
    options = REQUESTS[request_name]
    folder = tmp_path / "sites"
    path = folder / "berlin" / "install-config.yaml"
    text = EXISTING[before]
    if text is not None:
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(mode_before)
    initial = tree(tmp_path), path.exists() and state_of(path)
    predicted = run(path=path, check=True, diff=True, **options)
    assert (tree(tmp_path), path.exists() and state_of(path)) == initial

    done = run(path=path, diff=True, **options)
    assert reported(predicted) == reported(done)
    assert done["changed"] is (bool(done["diff"]))
    if options:
        assert done["changed"] is (text is None or mode_before != 0o600 or path.read_text() != text)
        assert mode(path) == 0o600
    else:  # it is only checked
        assert (done["changed"], path.read_text(), mode(path)) == (False, text, mode_before)

    written = state_of(path)
    again = run(path=path, diff=True, **options)
    assert (again["changed"], again["diff"]) == (False, [])
    assert state_of(path) == written
    assert os.listdir(path.parent) == [path.name]


def test_the_diff_marks_a_changed_secret_and_shows_neither_value(run, path):
    path.write_text(COMMENTED)
    other = site(proxy={"httpProxy": "http://me:other-password@proxy.example.com:3128"}, pullSecret=PULL_SECRET + " ")
    entry = run(path=path, content=other, diff=True)["diff"][0]

    assert "other-password" not in str(entry)
    assert "pullSecret: ******** (changed)" in entry["after"].splitlines()
    assert "proxy.example.com" not in str(entry)
    assert "(changed)" not in entry["before"]
    assert entry["before"] != entry["after"]


BARE = site(controlPlane=None, compute=None)


def replicas(path: Path) -> tuple[int | None, int | None]:
    written = yaml.safe_load(path.read_text())
    pools = written.get("compute") or [{}]
    return written.get("controlPlane", {}).get("replicas"), pools[0].get("replicas")


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        # ran_du is a single node, unless the content decides about nodes
        (BARE, {"solution": "ran_du"}, (1, 0)),
        (BARE, {"solution": "ran_du", "topology": "compact"}, (3, 0)),
        ({**BARE, "controlPlane": {"name": "master", "replicas": 3}}, {"solution": "ran_du"}, (3, None)),
        (BARE, {"solution": "headless"}, (None, None)),
        (BARE, {"topology": "full"}, (3, 3)),
    ],
)
def test_the_topology_sets_the_replicas(content, options, expected, run, path):
    outcome = run(path=path, content=content, **options)

    assert replicas(path) == expected
    assert run(path=path, content=content, **options)["changed"] is False
    assert run(content=content, **options)["explanation"] == outcome["explanation"]
    assert ("the solution ran_du is a single node" in outcome["explanation"]) is (expected == (1, 0))


@pytest.mark.parametrize("content", [COMMENTED, None])
def test_a_text_and_an_existing_file_get_no_topology(content, run, path):
    path.write_text(COMMENTED)
    path.chmod(0o600)

    assert run(path=path, content=content, topology="sno").faults == [("missing-content", "topology")]
    assert path.read_text() == COMMENTED
    assert run(path=path, content=content, solution="ran_du")["changed"]
    assert replicas(path) == (1, 0)
