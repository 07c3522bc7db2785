# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages of the rules of release_lint and site_check, and of the codes of problems, for tools/rules.py.

Their data: the rules in plugins/module_utils, and problems.yml and rule_examples.yml in docs/reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from environment import ROOT
from generated import GeneratedError, with_part
from problem_codes import find_codes

from ansible_collections.capability.openshift.plugins.module_utils._addons.rules import RULES as ADDON_RULES
from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import all_rules
from ansible_collections.capability.openshift.plugins.module_utils._findings.finding import CheckRule
from ansible_collections.capability.openshift.plugins.module_utils._lint.rules import RULES
from ansible_collections.capability.openshift.plugins.module_utils._sites.rules import (
    REFERENCE_RULES,
    RULES_OF_EXTRA_MANIFESTS,
    site_rules,
)

REFERENCE = ROOT / "docs" / "reference"


def pages() -> dict[Path, str]:
    """Return the text of each page. Raises ``GeneratedError``."""
    parts = {
        REFERENCE / "release_lint_rules.md": finding_page("release_lint", RULES),
        REFERENCE / "site_check_rules.md": finding_page("site_check", site_rules()),
        REFERENCE / "addon_check_rules.md": finding_page("addon_check", ADDON_RULES),
        REFERENCE / "problems.md": problem_page(),
    }
    return {page: with_part(page, part) for page, part in parts.items()}


@cache
def examples(module: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the examples of the rules of a module, or of the rules of selections."""
    text = (REFERENCE / "rule_examples.yml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Any]] = yaml.safe_load(text)[module]
    return found


def example(module: str, rule: str) -> Iterator[str]:
    """Yield the example of a rule as Markdown."""
    if rule not in examples(module):
        raise GeneratedError(f"rule_examples.yml has no example of the rule {rule} of {module}")
    found = examples(module)[rule]
    given = ""
    if "install_method" in found:
        given = f" for {found['openshift_version']} with the install method {found['install_method']}"
    if "text" in found:
        yield f"Example: {found['text']}\n"
    if "previous" in found:
        yield f"The previous release:\n\n```yaml\n{found['previous']}```\n"
    if "change" in found:
        yield f"Example{given}, and its repair:\n\n```diff\n{found['change']}```\n"
    if "before" in found:
        yield f"Example{given}:\n\n```yaml\n{found['before']}```\n"


def finding_page(module: str, rules: Iterable[CheckRule]) -> str:
    """Return the part of a page with the rules of a check."""
    selections = {rule.name for rule in all_rules()}
    parts = []
    for rule in rules:
        parts.append(f"## {rule.id}\n\nSeverity: {rule.severity}. {rule.summary}\n")
        if rule.id in selections:
            parts.append(f"A [rule of a selection](rules.md#{rule.id}).\n")
        elif module == "site_check" and rule.id in REFERENCE_RULES:
            parts.append(f"A problem with the [references of a release](problems.md#{rule.id}).\n")
        elif module == "site_check" and rule.id in RULES_OF_EXTRA_MANIFESTS:
            parts.append(f"A [rule of add-ons](addon_check_rules.md#{rule.id}), for extra manifests.\n")
        else:
            parts += [f"{rule.reason}\n", *([f"{rule.hint}.\n"] if rule.hint else []), *example(module, rule.id)]
    return "\n".join(parts)


def problem_page() -> str:
    """Return the part of a page with all codes of problems."""
    groups = yaml.safe_load((REFERENCE / "problems.yml").read_text(encoding="utf-8"))
    described = [code for group in groups for code in group["problems"]]
    check_codes(described)
    parts = []
    for group in groups:
        parts.append(f"## {group['title']}\n")
        for code, text in sorted(group["problems"].items()):
            parts.append(f"### {code}\n\n{text['meaning'].strip()}\n\n{text['repair'].strip()}\n")
    parts += ["## Rules\n", "The code of a finding or a violation is the name of its rule:\n"]
    rows = {
        **{rule.id: "addon_check_rules.md" for rule in ADDON_RULES},
        **{rule.id: "release_lint_rules.md" for rule in RULES},
        **{rule.id: "site_check_rules.md" for rule in site_rules() if rule.id not in RULES_OF_EXTRA_MANIFESTS},
        **{rule.name: "rules.md" for rule in all_rules()},
    }
    parts.append("\n".join(f"- [{name}]({page}#{name})" for name, page in sorted(rows.items())) + "\n")
    return "\n".join(parts)


def check_codes(described: Iterable[str]) -> None:
    """Raise ``GeneratedError`` unless the sources have exactly the codes that are described, besides rules."""
    known = find_codes((ROOT / "plugins").rglob("*.py")).keys() | REFERENCE_RULES.keys()
    missing, unknown = known - set(described), set(described) - known
    if missing or unknown:
        faults = [f"no description of {name}" for name in sorted(missing)]
        faults += [f"a description of {name}, which is no code in plugins" for name in sorted(unknown)]
        raise GeneratedError(f"problems.yml has {', '.join(faults)}")
