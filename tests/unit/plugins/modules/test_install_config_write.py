# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""What install_config writes, what it leaves alone, and what it says beforehand."""

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
    NOTED,
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


def seen(path: Path) -> tuple[bytes, int, int, int]:
    found = path.stat()
    return path.read_bytes(), found.st_mtime_ns, found.st_ino, found.st_mode


FILE_FACTS = {"path", "uid", "gid", "owner", "group", "mode", "state", "size", "secontext"}
"""What AnsibleModule adds of the file that is there now."""


def told(outcome: Outcome) -> dict[str, Any]:
    # Warnings belong to the process, which has run other modules before.
    return {key: value for key, value in outcome.result.items() if key not in (*FILE_FACTS, "warnings")}


def says(block: dict[str, Any]) -> tuple[str, list[str]]:
    return block["baselineCapabilitySet"], sorted(block.get("additionalEnabledCapabilities", []))


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


CONTENTS = {
    "a dict": site(),
    "a text": NOTED,
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


def test_a_new_file_from_a_text_keeps_the_text(run, path):
    run(path=path, content=NOTED, capabilities=WITH_CONSOLE)

    assert changed_lines(NOTED, path.read_text()) == ["+   - Console"]


def test_a_new_file_without_a_selection_has_no_block(run, path):
    run(path=path, content=site())

    assert "capabilities" not in yaml.safe_load(path.read_text())


@pytest.mark.parametrize("content", [site(capabilities=WITH_CONSOLE), NOTED], ids=["a dict", "a text"])
def test_a_block_in_the_content_is_the_selection(content, run, path):
    outcome = run(path=path, content=content)

    block = yaml.safe_load(path.read_text())["capabilities"]
    assert outcome["capabilities"] == block
    assert block["baselineCapabilitySet"] == "None"
    assert (path.read_text() == NOTED) is (content == NOTED)


def test_missing_directories_are_made(run, tmp_path):
    assert run(path=tmp_path / "a" / "b" / "install-config.yaml", content=site())["changed"] is True
    assert mode(tmp_path / "a" / "b" / "install-config.yaml") == 0o600


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
def test_an_edit_changes_lines_of_the_capabilities_alone(options, lines, run, path):
    path.write_text(NOTED)
    outcome = run(path=path, **options)

    after = path.read_text()
    assert outcome["changed"] is True
    if lines is not None:
        assert sorted(changed_lines(NOTED, after)) == sorted(lines)
    head, tail = NOTED.split(BLOCK, maxsplit=1)[0], NOTED[NOTED.index("platform:") :]
    assert after.startswith(head)
    assert after.endswith(tail)
    assert says(yaml.safe_load(after)["capabilities"]) == says(outcome["capabilities"])


def test_a_block_is_added_where_there_is_none(run, path):
    before = NOTED.replace(BLOCK + "  additionalEnabledCapabilities:\n  - Ingress   # for the routes\n", "")
    path.write_text(before)
    outcome = run(path=path, capabilities=WITH_CONSOLE)

    changes = changed_lines(before, path.read_text())
    assert {line[0] for line in changes} == {"+"}
    added = yaml.safe_load("\n".join(line[2:] for line in changes))
    assert list(added) == ["capabilities"]
    assert says(added["capabilities"]) == says(outcome["capabilities"])


@pytest.mark.parametrize("wrong", [False, True])
def test_a_path_alone_is_only_checked(wrong, run, path):
    path.write_text(NOTED.replace("- Ingress ", "- Console ") if wrong else NOTED)
    path.chmod(0o600)
    before = seen(path)
    outcome = run(path=path, diff=True)

    assert outcome.failed is wrong
    assert seen(path) == before
    if not wrong:
        assert (outcome["changed"], outcome["diff"]) == (False, [])
        assert outcome["capabilities"] == selection("Ingress")


@pytest.mark.parametrize("content", [site(), site(capabilities=selection("Storage", "Ingress"))])
def test_content_that_says_the_same_edits_the_file_and_keeps_its_comments(content, run, path):
    path.write_text(NOTED)
    run(path=path, content=content, capabilities=WITH_CONSOLE)

    assert changed_lines(NOTED, path.read_text()) == ["+   - Console"]


def test_content_with_another_block_and_no_selection_beside_it_is_what_counts(run, path):
    path.write_text(NOTED)
    outcome = run(path=path, content=site(capabilities=WITH_CONSOLE))

    assert outcome["changed"] is True
    assert yaml.safe_load(path.read_text())["capabilities"] == outcome["capabilities"] == WITH_CONSOLE
    assert run(path=path, content=site(capabilities=WITH_CONSOLE))["changed"] is False


@pytest.mark.parametrize("content", [site(baseDomain="example.org"), NOTED.replace("example.com ", "example.org ")])
def test_content_that_says_something_else_replaces_the_file(content, run, path):
    path.write_text(NOTED)
    run(path=path, content=content, capabilities=WITH_CONSOLE)

    found = yaml.safe_load(path.read_text())
    assert found["baseDomain"] == "example.org"
    assert sorted(found["capabilities"]["additionalEnabledCapabilities"]) == ["Console", "Ingress"]
    assert ("Ask the platform team" in path.read_text()) is isinstance(content, str)


TWICE = selection("Ingress", "Console", "Ingress")


@pytest.mark.parametrize(
    "options",
    [
        {"content": site(), "capabilities": TWICE},
        {"content": NOTED, "capabilities": TWICE},
        {"content": site(capabilities=TWICE)},
        {"content": NOTED.replace("  - Ingress ", "  - Console\n  - Ingress\n  - Ingress ")},
    ],
    ids=["the option", "the option, into a text", "the block of a dict", "the block of a text"],
)
def test_duplicate_names_are_a_warning_and_written_once(options, run, path):
    outcome = run(path=path, **options)

    warned = outcome.problem("Ingress is there more than once")
    assert (warned["severity"], warned["hint"]) == ("warning", "Keep one of them")
    names = yaml.safe_load(path.read_text())["capabilities"]["additionalEnabledCapabilities"]
    assert sorted(names) == ["Console", "Ingress"]
    assert sorted(outcome["capabilities"]["additionalEnabledCapabilities"]) == ["Console", "Ingress"]
    assert run(path=path, **options)["changed"] is False


BEFORE: dict[str, str | None] = {
    "nothing": None,
    "another selection": NOTED,
    "no block": NOTED.replace(BLOCK + "  additionalEnabledCapabilities:\n  - Ingress   # for the routes\n", ""),
    "other values": NOTED.replace("replicas: 1", "replicas: 3"),
    "the same": NOTED.replace("  - Ingress   # for the routes\n", "  - Console\n  - Ingress\n"),
}
ASKED: dict[str, dict[str, Any]] = {
    "content": {"content": site()},
    "a text": {"content": NOTED},
    "content and capabilities": {"content": site(), "capabilities": WITH_CONSOLE},
    "a text and capabilities": {"content": NOTED, "capabilities": WITH_CONSOLE},
    "content with a block": {"content": site(capabilities=WITH_CONSOLE)},
    "capabilities": {"capabilities": WITH_CONSOLE},
    "the first draft": {"capabilities": {"inclusionDefault": "Include", "exclude": ["Console"]}, "content": site()},
    "solution": {"solution": "headless"},
    "a path alone": {},
}


@pytest.mark.parametrize("mode_before", [0o600, 0o644])
@pytest.mark.parametrize(
    ("before", "asked"),
    [(before, asked) for before in BEFORE for asked in ASKED if BEFORE[before] or "content" in ASKED[asked]],
)
def test_check_mode_predicts_the_run_and_a_second_run_touches_nothing(before, asked, mode_before, run, tmp_path):
    options = ASKED[asked]
    folder = tmp_path / "sites"
    path = folder / "berlin" / "install-config.yaml"
    text = BEFORE[before]
    if text is not None:
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(mode_before)
    found = tree(tmp_path), path.exists() and seen(path)
    predicted = run(path=path, check=True, diff=True, **options)
    assert (tree(tmp_path), path.exists() and seen(path)) == found

    done = run(path=path, diff=True, **options)
    assert told(predicted) == told(done)
    assert done["changed"] is (bool(done["diff"]))
    if options:
        assert done["changed"] is (text is None or mode_before != 0o600 or path.read_text() != text)
        assert mode(path) == 0o600
    else:  # it is only checked
        assert (done["changed"], path.read_text(), mode(path)) == (False, text, mode_before)

    there = seen(path)
    again = run(path=path, diff=True, backup=True, **options)
    assert (again["changed"], again["diff"]) == (False, [])
    assert seen(path) == there
    assert os.listdir(path.parent) == [path.name]


def test_the_diff_shows_what_changes_without_secrets(run, path):
    path.write_text(NOTED)
    path.chmod(0o600)
    (entry,) = run(path=path, capabilities=WITH_CONSOLE, diff=True, check=True)["diff"]

    assert entry["before_header"] == entry["after_header"] == str(path)
    assert changed_lines(entry["before"], entry["after"]) == ["+   - Console"]
    assert "# Ask the platform team" in entry["before"]
    assert "pullSecret: '********'" in entry["before"]


def test_the_diff_tells_that_a_secret_changes_and_shows_neither(run, path):
    path.write_text(NOTED)
    other = site(proxy={"httpProxy": "http://me:other-password@proxy.example.com:3128"}, pullSecret=PULL_SECRET + " ")
    entry = run(path=path, content=other, diff=True)["diff"][0]

    assert "other-password" not in str(entry)
    assert "pullSecret: '******** (changed)'" in entry["after"]
    assert "******** (changed)@proxy.example.com" in entry["after"]
    assert "(changed)" not in entry["before"]
    assert entry["before"] != entry["after"]


def test_without_diff_mode_there_is_no_diff(run, path):
    assert "diff" not in run(path=path, content=site()).result
