#!/usr/bin/env python
# Copyright: Contributors to the capability.openshift collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the pages of rules from their templates, docs/reference/*.md.j2, and the data of the collection.

Each code of a problem has to be described in docs/reference/problems.md, which is written by hand.

Usage: .venv/bin/python tools/rules.py [--check]    --check: change nothing, and end with 1 if a page is not current.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from environment import ROOT
from jinja2 import Environment, FileSystemLoader
from problem_codes import find_codes, parse

from ansible_collections.capability.openshift.plugins.module_utils._addons.rules import RULES as ADDON_RULES
from ansible_collections.capability.openshift.plugins.module_utils._data import capabilities, hosted_clusters
from ansible_collections.capability.openshift.plugins.module_utils._data.bootstrap_resources import (
    BOOTSTRAP_OBJECTS,
    BOOTSTRAP_RESOURCES,
    bootstrap_renderer,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.consequences import CONSEQUENCES
from ansible_collections.capability.openshift.plugins.module_utils._data.dependencies import DEPENDENCIES
from ansible_collections.capability.openshift.plugins.module_utils._data.install_rules import (
    INSTALL_METHODS,
    SINGLE_RULES,
    Rule,
)
from ansible_collections.capability.openshift.plugins.module_utils._data.solutions import SOLUTIONS
from ansible_collections.capability.openshift.plugins.module_utils._data.version import Minor, find_minor
from ansible_collections.capability.openshift.plugins.module_utils._lint.rules import RULES as LINT_RULES
from ansible_collections.capability.openshift.plugins.module_utils._sites.rules import (
    REFERENCE_RULES,
    RULES_OF_EXTRA_MANIFESTS,
    site_rules,
)

REFERENCE = ROOT / "docs" / "reference"
LAYERS = {
    "installer": "Enforced by openshift-install before a machine boots, for the install methods in the table.",
    "ClusterVersion": "Enforced by the ClusterVersion CRD, at installation and whenever the selection changes.",
    "HostedCluster": "Enforced by the HostedCluster CRD of hosted control planes.",
    "documentation": "Documented, but not enforced. Violations are warnings.",
}


def main() -> int:
    """Write the pages, or compare them."""
    described = set(re.findall(r"(?m)^### (.+)$", (REFERENCE / "problems.md").read_text("utf-8")))
    if wrong := described ^ problem_codes():
        print(f"rules: no description in problems.md, or no such code: {', '.join(sorted(wrong))}", file=sys.stderr)
        return 1
    texts = pages()
    if "--check" not in sys.argv[1:]:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    outdated = [path for path, text in texts.items() if path.read_text("utf-8") != text]
    for path in outdated:
        print(f"{path.relative_to(ROOT)} is not current. Run .venv/bin/python tools/rules.py", file=sys.stderr)
    return int(bool(outdated))


def problem_codes() -> set[str]:
    """Return the codes of problems that the sources have, besides rules."""
    return find_codes(parse((ROOT / "plugins").rglob("*.py"))).keys() | REFERENCE_RULES.keys()


def pages() -> dict[Path, str]:
    """Return the text of each page."""
    environment = Environment(
        loader=FileSystemLoader(REFERENCE), trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters.update(code=code, codes=codes, minor=find_minor)
    environment.globals.update(span=span, methods=methods, needs=needs, row=row)
    found = {}
    for template in REFERENCE.glob("*.md.j2"):
        found[template.with_suffix("")] = environment.get_template(template.name).render(data())
    return found


def data() -> dict[str, Any]:
    """Return the variables of the templates."""
    rules = (*SINGLE_RULES, *(dependency.rule for dependency in DEPENDENCIES))
    checks = {"release_lint": LINT_RULES, "site_check": site_rules(), "addon_check": ADDON_RULES}
    return {
        "layers": LAYERS,
        "rules": rules,
        "oldest_minor": min(capabilities.BRANCHES),
        "newest_minor": capabilities.newest_minor(),
        "always_enabled": capabilities.ALWAYS_ENABLED,
        "forced_capabilities": capabilities.FORCED_CAPABILITIES,
        "set_amendments": capabilities.SET_AMENDMENTS,
        "capabilities": capabilities.CAPABILITIES,
        "bootstrap_resources": bootstrap_resources(),
        "bootstrap_objects": BOOTSTRAP_OBJECTS,
        "default_disabled": hosted_clusters.DEFAULT_DISABLED_SINCE,
        "selectable": hosted_clusters.SELECTABLE_SINCE,
        "deleted_files": hosted_clusters.DELETED_FILES,
        "removed_resources": yaml.safe_load((REFERENCE / "removed_resources.yml").read_text("utf-8")),
        "keeping_platforms": ", ".join(hosted_clusters.KEEPING_PLATFORMS),
        "prepare_payload": hosted_clusters.PREPARE_PAYLOAD,
        "solutions": SOLUTIONS,
        "consequences": CONSEQUENCES,
        "examples": yaml.safe_load((REFERENCE / "rule_examples.yml").read_text("utf-8")),
        "rules_of": checks,
        "selections": {rule.name for rule in rules},
        "reference_rules": REFERENCE_RULES,
        "rules_of_extra_manifests": RULES_OF_EXTRA_MANIFESTS,
    }


def bootstrap_resources() -> list[tuple[tuple[Minor, Minor | None, str], list[str]]]:
    """Return the resources that the bootstrap creates, by the versions and the source of their renderer."""
    minors: dict[tuple[str, str], list[Minor]] = defaultdict(list)
    for item in BOOTSTRAP_RESOURCES:
        for minor in sorted(capabilities.BRANCHES):
            if source := bootstrap_renderer(item.kind, item.name, minor):
                minors[f"{item.kind} `{item.name}`", source].append(minor)
    resources: dict[tuple[Minor, Minor, str], list[str]] = defaultdict(list)
    for (resource, source), found in minors.items():
        resources[found[0], found[-1], source].append(resource.removeprefix("CustomResourceDefinition "))
    newest = capabilities.newest_minor()
    return [
        ((since, None if until == newest else until, source), names)
        for (since, until, source), names in sorted(resources.items())
    ]


# What templates call


def span(since: Minor, *until: Minor | None) -> str:
    """Return the versions from ``since`` to ``until``."""
    if until in ((), (None,)):
        return f"{since} and later"
    return str(since) if since == until[0] else f"{since} to {until[0]}"


def methods(rule: Rule) -> str:
    """Return the install methods that a rule applies to."""
    return "all" if rule.methods == INSTALL_METHODS else ", ".join(rule.methods)


def needs(rule: Rule) -> str:
    """Return the capability that a rule demands."""
    return next((code(item.capability) for item in DEPENDENCIES if item.rule == rule), "")


def code(name: str) -> str:
    """Return a name as code."""
    return f"`{name}`"


def codes(names: Iterable[str]) -> str:
    """Return names in alphabetical order, as code."""
    return ", ".join(map(code, sorted(names)))


def row(*cells: str) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(cell.strip().replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main())
