# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples in docs/reference/rule_examples.yml: a module finds the rule before the repair, and not after it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import DEPENDENCIES
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import SINGLE_RULES
from ansible_collections.capability.openshift.plugins.module_utils._install_config.build import (
    InstallConfigOptions,
    build_install_config,
)
from ansible_collections.capability.openshift.plugins.module_utils._install_config.selection_source import (
    SelectionOptions,
)
from ansible_collections.capability.openshift.plugins.module_utils._lint.rules import RULES
from ansible_collections.capability.openshift.plugins.module_utils._sites.rules import (
    REFERENCE_RULES,
    RULES_OF_EXTRA_MANIFESTS,
    site_rules,
)
from ansible_collections.capability.openshift.plugins.modules import release_lint, site_check
from ansible_collections.capability.openshift.tests.unit.builders.forges import codequality_paths, sarif_paths

FILE = Path(__file__).parents[4] / "docs" / "reference" / "rule_examples.yml"
EXAMPLES = yaml.safe_load(FILE.read_text(encoding="utf-8"))
INSTALL_CONFIG = {"apiVersion": "v1", "baseDomain": "example.com", "metadata": {"name": "berlin"}, "pullSecret": "{}"}


def side(change: str, mark: str) -> str:
    """Return the lines of one side of a difference: without those that ``mark`` begins."""
    return "".join(f"{line[1:]}\n" for line in change.splitlines() if not line.startswith(mark))


def cases(module: str) -> list:
    """Return rule, example, text before and text after the repair, ``None`` if there is no repair."""
    found: list[tuple[str, dict, str, str | None]] = []
    for rule, example in EXAMPLES[module].items():
        if "change" in example:
            found.append((rule, example, side(example["change"], "+"), side(example["change"], "-")))
        elif "before" in example:
            found.append((rule, example, example["before"], None))
    return [pytest.param(*case, id=case[0]) for case in found]


def write_manifests(folder: Path, text: str, example: dict) -> Path:
    folder.mkdir()
    parts = text.split("---\n") if example.get("separate") else [text]
    for number, part in enumerate(parts):
        (folder / example.get("file", f"0000_50_console_0{number}.yaml")).write_text(part)
    return folder


def accepted_paths(folder: Path) -> set[str]:
    """Return the paths in the reports for forges, which must not refuse them."""
    codequality = codequality_paths((folder / "codequality").read_text())
    return {*codequality, *sarif_paths((folder / "sarif").read_text())}


@pytest.mark.parametrize(("rule", "example", "before", "after"), cases("release_lint"))
def test_an_example_of_the_lint(call, tmp_path, rule, example, before, after):
    options = {"openshift_version": "4.20", "fail_on": "never", **example.get("options", {})}
    if "previous" in example:
        folder = write_manifests(tmp_path / "previous", example["previous"], example)
        options |= {"previous_release": folder, "previous_openshift_version": "4.19"}
    options["outputs"] = [f"{name}:{tmp_path / name}" for name in ("sarif", "codequality")]
    found = {}
    for text in filter(None, (before, after)):
        folder = write_manifests(tmp_path / str(text == before), text, example)
        found[text] = {item["rule"] for item in call(release_lint, release=folder, **options)["findings"]}
        for path in accepted_paths(tmp_path):
            assert (folder / path).is_file() or (tmp_path / "previous" / path).is_file()

    assert rule in found[before]
    assert after is None or rule not in found[after]


@pytest.mark.parametrize(("rule", "example", "before", "after"), cases("site_check"))
def test_an_example_of_a_site(call, tmp_path, tmp_path_factory, rule, example, before, after):
    found: dict[str, set[str]] = {}
    out = tmp_path_factory.mktemp("out")
    for text in filter(None, (before, after)):
        (tmp_path / "berlin.yaml").write_text(text)
        options = {"fail_on": "never", **example.get("options", {})}
        outputs = [f"{name}:{out / name}" for name in ("sarif", "codequality")]
        outcome = call(site_check, checkout=tmp_path, outputs=outputs, **options)
        if outcome.failed:
            assert outcome.faults == [("no-sites", str(tmp_path))]
            found[text] = set()
            continue
        assert accepted_paths(out) <= {"berlin.yaml"}
        found[text] = {item["rule"] for item in outcome["findings"]}

    assert rule in found[before]
    assert not after or found[after] == set()


@pytest.mark.parametrize(("rule", "example", "before", "after"), cases("selections"))
def test_an_example_of_a_selection(tmp_path, rule, example, before, after):
    options = {name: example[name] for name in ("openshift_version", "install_method")}
    found = {}
    for text in filter(None, (before, after)):
        content = {**INSTALL_CONFIG, **yaml.safe_load(text)}
        if options["install_method"] == "hosted":
            options |= {"selection": SelectionOptions(content.pop("capabilities")), "content": content}
        else:
            path = tmp_path / "install-config.yaml"
            path.write_text(yaml.safe_dump(content))
            options["path"] = str(path)
        check = build_install_config(InstallConfigOptions(**options)).check
        found[text] = {item.rule.name for item in check.violations}

    assert example.get("reported_as", rule) in found[before]
    assert not after or found[after].isdisjoint({rule, example.get("reported_as")})


def test_each_rule_has_an_example():
    of_selections = {rule.name for rule in (*SINGLE_RULES, *(dependency.rule for dependency in DEPENDENCIES))}

    assert set(EXAMPLES["release_lint"]) == {rule.id for rule in RULES}
    assert set(EXAMPLES["selections"]) == of_selections
    of_others = {*of_selections, *REFERENCE_RULES, *RULES_OF_EXTRA_MANIFESTS}
    assert set(EXAMPLES["site_check"]) == {rule.id for rule in site_rules()} - of_others
